//! Schedulers of a kernel. A kernel is written once, over [`Fork`], and compiled for each of them.

use std::sync::{Arc, Mutex};

use knee_runtime::{Bind, Install, Place, Pool, Steal, Usage};
use knee_workload::{Args, Error, Param, Phases, Team};

/// The scheduler. `serial` runs the same code without any parallelism, and each kernel's best serial version where it
/// has one: the base of an honest speedup.
///
/// `near` and `random` are knee's own runtime: by default, and as a classic one, whose thieves choose victims with
/// equal probability and which ignores places.
pub(crate) const RUNTIME: Param = Param::choice("runtime", "scheduler", "near", &["near", "random", "rayon", "serial"]);

/// The interface of a scheduler.
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

    /// Says which memory a leaf works on. Only rehearsals, which count remote accesses, use it.
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

/// knee's own pool.
#[derive(Clone, Copy)]
pub(crate) struct Ours;

impl Fork for Ours {
    #[inline]
    fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        knee_runtime::join(a, b)
    }

    fn join_near<T, A, B, RA, RB>(near_a: *const T, a: A, near_b: *const T, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        knee_runtime::join_at(Place::near_address(near_a), a, Place::near_address(near_b), b)
    }

    fn touch<T>(data: &[T]) {
        knee_runtime::touch(data);
    }
}

/// A running scheduler.
pub(crate) enum Scheduler {
    Serial,
    Rayon(rayon::ThreadPool),
    /// The pool, and what its workers did in the phase that ended last.
    Ours(knee_runtime::Pool, Arc<Mutex<Usage>>),
}

impl Scheduler {
    /// Starts the one that the argument `runtime` names, on the team's cpus.
    pub(crate) fn start(args: &Args, team: &Team) -> Result<Self, Error> {
        match args.text("runtime") {
            "serial" => Ok(Self::Serial),
            "rayon" => rayon_pool(team).map(Self::Rayon),
            "random" => ours(team, Steal::Random),
            _ => ours(team, Steal::Near),
        }
    }

    pub(crate) fn is_serial(&self) -> bool {
        matches!(self, Self::Serial)
    }
}

fn rayon_pool(team: &Team) -> Result<rayon::ThreadPool, Error> {
    let threads = team.threads();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|worker| format!("worker {worker}"));
    let pool = pool.build().map_err(|error| Error::new(format!("cannot start {threads} workers: {error}")))?;
    let pinned = pool.broadcast(|worker| team.pin(worker.index()));
    pinned.into_iter().collect::<Result<(), _>>().map(|()| pool)
}

fn ours(team: &Team, steal: Steal) -> Result<Scheduler, Error> {
    let seen = Arc::new(Mutex::new(Usage::default()));
    let keep = Arc::clone(&seen);
    let bind = match team.bind() {
        knee_workload::Bind::Each => Bind::Each,
        knee_workload::Bind::Set => Bind::Set,
    };
    let builder = Pool::builder().workers(team.threads()).cpus(team.cpus()).bind(bind).steal(steal);
    let builder = builder.heedless(steal == Steal::Random).account(true);
    let builder = builder.on_install(move |edge| {
        if let Install::End(usage) = edge {
            *keep.lock().expect("no holder panics") = *usage;
        }
    });
    let pool = builder.build().map_err(|error| Error::new(error.to_string()))?;
    Ok(Scheduler::Ours(pool, seen))
}

/// Adds the workers' counts to the phase that ended last.
pub(crate) fn account(phases: &mut Phases, seen: &Mutex<Usage>) {
    let usage = *seen.lock().expect("no holder panics");
    let [core, cache, node, far] = usage.steals;
    let counters = [
        ("busy-ns", usage.busy_ns),
        ("searching-ns", usage.searching_ns),
        ("idle-ns", usage.idle_ns),
        ("steals-core", core),
        ("steals-cache", cache),
        ("steals-node", node),
        ("steals-far", far),
        ("missed-steals", usage.missed_steals),
        ("pushes", usage.pushes),
        ("run-away-from-home", usage.run_away_from_home),
    ];
    for (name, value) in counters {
        phases.count(name, value);
    }
}

/// `on!(scheduler, phases, "name", F => expression)` measures the expression as a phase, with `F` standing for the scheduler's
/// [`Fork`].
macro_rules! on {
    ($scheduler:expr, $phases:expr, $name:expr, $fork:ident => $work:expr) => {
        match &$scheduler {
            $crate::scheduler::Scheduler::Serial => {
                type $fork = $crate::scheduler::Serial;
                $phases.measure($name, || $work)
            }
            $crate::scheduler::Scheduler::Rayon(pool) => {
                type $fork = $crate::scheduler::Rayon;
                $phases.measure($name, || pool.install(|| $work))
            }
            $crate::scheduler::Scheduler::Ours(pool, seen) => {
                type $fork = $crate::scheduler::Ours;
                let answer = $phases.measure($name, || pool.install(|| $work));
                $crate::scheduler::account($phases, seen);
                answer
            }
        }
    };
}
pub(crate) use on;
