//! One task for each socket, for pools whose thieves stay within theirs.
//!
//! Where nobody steals from another socket, work has to be sent there, or all sockets but one starve. What is installed
//! has all sockets; each [`join_over_sockets`] divides those of its task among its two halves, until a task has one
//! socket left, where it forks as usual. Halves of an array, in order, so come to halves of the sockets, in the order of
//! their nodes: where the array lies in blocks, each socket gets its own.

use std::cell::Cell;

use crate::place::Place;
use crate::scope::scope;
use crate::worker::Worker;

/// The domains that a task has to itself, by their numbers: from the first to before the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span(usize, usize);

impl Span {
    /// One domain, whichever the worker is in.
    pub(crate) const ONE: Self = Self(0, 0);

    pub(crate) fn all(domains: usize) -> Self {
        Self(0, domains)
    }

    fn is_one(self) -> bool {
        self.1 <= self.0 + 1
    }

    fn halves(self) -> (Self, Self) {
        let middle = self.0.midpoint(self.1);
        (Self(self.0, middle), Self(middle, self.1))
    }
}

/// As [`crate::join()`]. In a pool of [`crate::Steal::Within`] the two also share the sockets that the calling task has: the
/// first half of them is for the first closure and its forks, the other half for the second one.
pub fn join_over_sockets<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    match Worker::current() {
        Some(worker) if !worker.span.get().is_one() => worker.join_over(a, b),
        _ => crate::join(a, b),
    }
}

impl Worker {
    #[cold]
    #[inline(never)]
    fn join_over<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let (low, high) = self.span.get().halves();
        // What this worker runs while it waits has no sockets to itself.
        let _back = Spans(&self.span, self.span.replace(Span::ONE));
        let node = |span: Span| Place::Node(self.pool().domains[span.0].unwrap_or(u32::MAX));
        if high.0 <= self.pool().neighbours.domain(self.index) {
            let (b, a) = here_and_there(|| having(high, b), node(low), || having(low, a));
            return (a, b);
        }
        here_and_there(|| having(low, a), node(high), || having(high, b))
    }
}

/// Runs `there` on a worker of another node, which gets it at once, and `here` on this one.
fn here_and_there<R: Send, S: Send>(
    here: impl FnOnce() -> R + Send,
    node: Place,
    there: impl FnOnce() -> S + Send,
) -> (R, S) {
    let mut other = None;
    let one = scope(|scope| {
        let other = &mut other;
        scope.spawn_at(node, move |_| *other = Some(there()));
        here()
    });
    (one, other.expect("a scope ends when all that it spawned has"))
}

/// Runs work that has these domains.
fn having<R>(span: Span, work: impl FnOnce() -> R) -> R {
    let worker = Worker::current().expect("it runs in a pool");
    let _back = Spans(&worker.span, worker.span.replace(span));
    work()
}

/// Restores what a worker's task has, also after a panic.
struct Spans<'a>(&'a Cell<Span>, Span);

impl Drop for Spans<'_> {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}

impl Worker {
    /// Runs the root of all work, which has all sockets if thieves stay within theirs.
    pub(crate) fn as_root<R>(&self, work: impl FnOnce() -> R) -> R {
        let pool = self.pool();
        if pool.is_confined() { having(Span::all(pool.domains.len()), work) } else { work() }
    }
}
