//! Loops and reductions.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::place::{Place, Spot};
use crate::sync::MODEL;
use crate::worker::Worker;

/// Calls `body` for each number of the range, in any order, on all idle workers.
///
/// There is no grain to tune: a loop is split when it has run for two microseconds, the cost of handing over work, and
/// a thief asks for jobs; not otherwise, so that its cost per number is that of a serial loop (lazy splitting, after
/// Tzannes, Caragea, Vishkin & Barua 2014). Between two checks it takes one step, then eight and so on, up to half of a
/// worker's share, and later one, two, four, up to a 64th; use [`parallel_for_grain`] where numbers cost very different
/// times and there are few of them.
pub fn parallel_for(range: Range<usize>, body: impl Fn(usize) + Sync) {
    on_worker(|worker| {
        let workers = worker.pool().workers.len();
        // Real time plays no part in a rehearsal.
        let most = if worker.pool().clocks.is_some() { 0 } else { range.len() / (2 * workers) + 1 };
        let rest = run_briefly(range.clone(), most, &body);
        worker.split_lazily(rest, range.len() / (64 * workers) + 1, &body);
    });
}

/// As [`parallel_for`], but `grain` numbers are one step that is never split.
pub fn parallel_for_grain(range: Range<usize>, grain: usize, body: impl Fn(usize) + Sync) {
    on_worker(|worker| worker.split_lazily(range, grain.max(1), &body));
}

/// Folds slices of `data` with `fold` and puts the results together with `combine`, which has to be associative but need
/// not be commutative.
///
/// The slices and the tree depend on the length alone, and not on workers or steals: a sum of floats is the same each
/// time and on each machine. Leaves are slices, so that `fold` can use several accumulators and vectorise.
pub fn reduce<T: Sync, R: Send>(data: &[T], fold: impl Fn(&[T]) -> R + Sync, combine: impl Fn(R, R) -> R + Sync) -> R {
    // A leaf of a large array fits a second-level cache easily; one of a small array is a 256th of it.
    let leaf = (data.len() / 256).clamp(1, 16 * 1024);
    reduce_leaves(data, leaf, fold, combine)
}

/// As [`reduce`], with slices of at most `leaf` elements.
pub fn reduce_leaves<T: Sync, R: Send>(
    data: &[T],
    leaf: usize,
    fold: impl Fn(&[T]) -> R + Sync,
    combine: impl Fn(R, R) -> R + Sync,
) -> R {
    on_worker(|worker| worker.reduce(data, leaf.max(1), &fold, &combine))
}

/// As [`crate::join()`], with a place for each of the two. The place of the first one matters to what it forks, and to a
/// strict pool, which brings it there.
pub fn join_at<A, B, RA, RB>(place_a: Place, a: A, place_b: Place, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    on_worker(|worker| worker.join_at(Spot::of(place_a), a, Spot::of(place_b), b))
}

/// Shortest time after which splitting a loop pays: it costs a thief's look, two exchanges of cache lines, and the wait
/// at the end.
const WORTHWHILE: Duration = Duration::from_micros(2);

/// Runs the beginning of a loop until splitting the rest pays, at most so many numbers between two looks at the clock;
/// returns the rest.
fn run_briefly(mut range: Range<usize>, most: usize, body: &(impl Fn(usize) + Sync)) -> Range<usize> {
    let (begin, mut step) = (Instant::now(), most.min(1));
    while step > 0 && !range.is_empty() {
        let end = range.start + step.min(range.len());
        (range.start..end).for_each(body);
        range.start = end;
        if MODEL || begin.elapsed() >= WORTHWHILE {
            break;
        }
        step = most.min(step * 8);
    }
    range
}

fn on_worker<R: Send>(work: impl FnOnce(&Worker) -> R + Send) -> R {
    match Worker::current() {
        Some(worker) => work(worker),
        None => crate::global().install(|| work(Worker::current().expect("a pool runs what is installed on workers"))),
    }
}

impl Worker {
    fn split_lazily(&self, mut range: Range<usize>, most: usize, body: &(impl Fn(usize) + Sync)) {
        let mut step = 1;
        while !range.is_empty() {
            if range.len() > most && self.deque.is_asked() {
                let middle = range.start + range.len() / 2;
                let (low, high) = (range.start..middle, middle..range.end);
                let there = |range: Range<usize>| on_worker(|worker| worker.split_lazily(range, most, body));
                self.join(|| self.split_lazily(low, most, body), || there(high));
                return;
            }
            let end = range.start + step.min(range.len());
            (range.start..end).for_each(body);
            range.start = end;
            step = most.min(step * 2);
        }
    }

    fn reduce<T: Sync, R: Send>(
        &self,
        data: &[T],
        leaf: usize,
        fold: &(impl Fn(&[T]) -> R + Sync),
        combine: &(impl Fn(R, R) -> R + Sync),
    ) -> R {
        if data.len() <= leaf {
            return fold(data);
        }
        // Whole leaves on the left, so that the splits are the same however a part came about.
        let (left, right) = data.split_at(data.len().div_ceil(leaf) / 2 * leaf);
        let there = || on_worker(|worker| worker.reduce(right, leaf, fold, combine));
        let (left, right) = self.join(|| self.reduce(left, leaf, fold, combine), there);
        combine(left, right)
    }

    fn join_at<A, B, RA, RB>(&self, spot_a: Spot, a: A, spot_b: Spot, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if self.pool().strict {
            return self.join_strictly(spot_a, a, spot_b, b);
        }
        let _back = self.stand_at(spot_a);
        self.join_to(a, || at(spot_b, b), spot_b)
    }

    /// Each half becomes a job that is sent to its node, or runs here if this is the node.
    fn join_strictly<A, B, RA, RB>(&self, spot_a: Spot, a: A, spot_b: Spot, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let (mut first, mut second) = (None, None);
        self.scope(|_| {
            self.push_at(spot_b, |_| second = Some(at(spot_b, b)));
            self.push_at(spot_a, |_| first = Some(at(spot_a, a)));
        });
        (first.expect("the scope is over"), second.expect("the scope is over"))
    }
}

/// Runs `work` with a place on the calling worker, and restores the worker's own place afterwards.
fn at<R>(spot: Spot, work: impl FnOnce() -> R) -> R {
    let Some(worker) = Worker::current() else { return work() };
    let _back = worker.stand_at(spot);
    work()
}
