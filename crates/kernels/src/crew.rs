//! Who schedules a kernel. A kernel is written once, over [`Fork`], and compiled for each of them.

use std::ops::Range;

use knee_workload::{Args, Error, Param, Team};

/// Who schedules the work. `serial` runs the same code without any parallelism, and each kernel's best serial version where
/// it has one: the base of an honest speedup.
pub(crate) const RUNTIME: Param = Param {
    name: "runtime",
    summary: "who schedules the work",
    default: Some("rayon"),
    values: &["rayon", "serial"],
    positional: false,
};

/// What a kernel asks of a scheduler.
pub(crate) trait Fork: Copy + Send + Sync + 'static {
    /// Runs both, maybe at the same time.
    fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send;

    /// Runs both, maybe at the same time, each near the address it works on where the scheduler knows how.
    fn join_near<T, A, B, RA, RB>(near_a: *const T, a: A, near_b: *const T, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let _ = (near_a, near_b);
        Self::join(a, b)
    }

    /// Calls `body` for each number of the range, in any order; `grain` numbers are worth a task.
    fn each(range: Range<usize>, grain: usize, body: &(impl Fn(usize) + Sync)) {
        if range.len() <= grain.max(1) {
            return range.for_each(body);
        }
        let middle = range.start + range.len() / 2;
        Self::join(|| Self::each(range.start..middle, grain, body), || Self::each(middle..range.end, grain, body));
    }

    /// A leaf says which memory it works on. Only an experiment that counts remote touches listens.
    fn touch<T>(data: &[T]) {
        let _ = data;
    }
}

/// No scheduler: `a`, then `b`.
#[derive(Clone, Copy)]
pub(crate) struct Serial;

impl Fork for Serial {
    fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        (a(), b())
    }

    fn each(range: Range<usize>, _: usize, body: &(impl Fn(usize) + Sync)) {
        range.for_each(body);
    }
}

/// rayon's pool.
#[derive(Clone, Copy)]
pub(crate) struct Rayon;

impl Fork for Rayon {
    fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        rayon::join(a, b)
    }
}

/// A scheduler that was started.
pub(crate) enum Crew {
    Serial,
    Rayon(rayon::ThreadPool),
}

impl Crew {
    /// Starts the one that the argument `runtime` names, on the team's cpus.
    pub(crate) fn start(args: &Args, team: &Team) -> Result<Self, Error> {
        match args.text("runtime") {
            "serial" => Ok(Self::Serial),
            _ => team.rayon().map(Self::Rayon),
        }
    }

    pub(crate) fn is_serial(&self) -> bool {
        matches!(self, Self::Serial)
    }
}

/// `on!(crew, phases, "name", F => expression)` measures the expression as a phase, with `F` standing for the crew's
/// [`Fork`].
macro_rules! on {
    ($crew:expr, $phases:expr, $name:expr, $fork:ident => $work:expr) => {
        match &$crew {
            $crate::crew::Crew::Serial => {
                type $fork = $crate::crew::Serial;
                $phases.measure($name, || $work)
            }
            $crate::crew::Crew::Rayon(pool) => {
                type $fork = $crate::crew::Rayon;
                $phases.measure($name, || pool.install(|| $work))
            }
        }
    };
}
pub(crate) use on;
