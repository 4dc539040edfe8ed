//! Schedulers of a kernel. A kernel is written once, over [`Fork`], and compiled for each of them.

use std::sync::{Arc, Mutex};

use knee_machine::{CpuSet, Topology};
use knee_runtime::{Bind, Builder, Install, Place, Pool, Steal, Usage};
use knee_workload::{Args, Error, Param, Phases, Team};

use crate::rehearse::{Rehearsed, no_rehearsal, seed};

/// The scheduler. `serial` runs the same code without any parallelism, and each kernel's best serial version where it
/// has one: the base of an honest speedup.
///
/// Three are knee's own runtime: `near` by default; `random` as a classic one, whose thieves choose victims with equal
/// probability and which ignores places; `within-socket`, whose thieves stay on their socket, so that each socket gets a
/// root of its own.
pub(crate) const RUNTIME: Param =
    Param::choice("runtime", "scheduler", "near", &["near", "random", "within-socket", "rayon", "serial"]);

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

    /// Says which memory a leaf works on, so that bytes at home and away are counted.
    fn touch<T>(data: &[T]) {
        let _ = data;
    }

    /// The same of a rectangle of a matrix: see [`knee_runtime::touch_rows`].
    fn touch_rows<T>(start: *const T, columns: usize, stride: usize, rows: usize) {
        let _ = (start, columns, stride, rows);
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

/// knee's own pool. `OVER_SOCKETS`: its thieves stay on their socket, and the first forks go to other sockets, wherever
/// data lies.
#[derive(Clone, Copy)]
pub(crate) struct Ours<const OVER_SOCKETS: bool = false>;

impl<const OVER_SOCKETS: bool> Fork for Ours<OVER_SOCKETS> {
    #[inline]
    fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if OVER_SOCKETS { knee_runtime::join_over_sockets(a, b) } else { knee_runtime::join(a, b) }
    }

    fn join_near<T, A, B, RA, RB>(near_a: *const T, a: A, near_b: *const T, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if OVER_SOCKETS {
            return Self::join(a, b);
        }
        knee_runtime::join_at(Place::near_address(near_a), a, Place::near_address(near_b), b)
    }

    fn touch<T>(data: &[T]) {
        knee_runtime::touch(data);
    }

    fn touch_rows<T>(start: *const T, columns: usize, stride: usize, rows: usize) {
        knee_runtime::touch_rows(start, columns, stride, rows);
    }
}

/// A running scheduler.
pub(crate) enum Scheduler {
    Serial,
    Rayon(rayon::ThreadPool),
    Ours(Accounted),
    Within(Accounted),
}

/// A pool, and what its workers did in the phase that ended last.
pub(crate) struct Accounted {
    pub(crate) pool: Pool,
    seen: Arc<Mutex<Usage>>,
}

impl Scheduler {
    /// Starts the one that the argument `runtime` names, on the team's cpus.
    pub(crate) fn start(args: &Args, team: &Team) -> Result<Self, Error> {
        let rehearsed = Rehearsed::of(args)?;
        match args.text("runtime") {
            word @ ("serial" | "rayon") if rehearsed.is_some() => return Err(no_rehearsal(word)),
            "serial" => return Ok(Self::Serial),
            "rayon" => return rayon_pool(team).map(Self::Rayon),
            _ => {}
        }
        let builder = match rehearsed {
            Some(on) => on.builder(team)?,
            None => on_this_machine(args, team)?,
        };
        match args.text("runtime") {
            "random" => Accounted::start(builder.steal(Steal::Random).ignore_places(true)).map(Self::Ours),
            "within-socket" => Accounted::start(builder.steal(Steal::Within)).map(Self::Within),
            _ => Accounted::start(builder.steal(Steal::Near)).map(Self::Ours),
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

fn on_this_machine(args: &Args, team: &Team) -> Result<Builder, Error> {
    if args.text("runtime") == "within-socket" {
        let machine = Topology::this_machine().map_err(|error| Error::new(error.to_string()))?;
        check_sockets(&machine, team)?;
    }
    let bind = match team.bind() {
        knee_workload::Bind::Each => Bind::Each,
        knee_workload::Bind::Set => Bind::Set,
    };
    Ok(Pool::builder().workers(team.threads()).cpus(team.cpus()).bind(bind).seed(seed(args)?))
}

/// Refuses thieves that stay on their socket where workers may run on several of them.
fn check_sockets(machine: &Topology, team: &Team) -> Result<(), Error> {
    let pinned = team.bind() == knee_workload::Bind::Each && !team.cpus().is_empty();
    if pinned || team.threads() < 2 {
        return Ok(());
    }
    let given: CpuSet = team.cpus().iter().copied().collect();
    let cpus = if given.is_empty() { &machine.allowed.cpus } else { &given };
    let sockets = machine.socket_like();
    if sockets.iter().filter(|socket| !socket.intersection(cpus).is_empty()).count() < 2 {
        return Ok(());
    }
    let error = Error::new("runtime 'within-socket' needs a cpu for each thread: these may run on several sockets");
    Err(error.hint("give a placement, such as -p cores-close, without --bind set"))
}

impl Accounted {
    fn start(builder: Builder) -> Result<Self, Error> {
        let seen = Arc::new(Mutex::new(Usage::default()));
        let keep = Arc::clone(&seen);
        let builder = builder.account(true).on_install(move |edge| {
            if let Install::End(usage) = edge {
                *keep.lock().expect("no holder panics") = *usage;
            }
        });
        let pool = builder.build().map_err(|error| Error::new(error.to_string()))?;
        Ok(Self { pool, seen })
    }

    /// Adds the workers' counts to the phase that ended last. After a rehearsal its times become virtual ones.
    pub(crate) fn account(&self, phases: &mut Phases) {
        let usage = *self.seen.lock().expect("no holder panics");
        let times = [("busy-ns", usage.busy_ns), ("searching-ns", usage.searching_ns), ("idle-ns", usage.idle_ns)];
        let names = ["steals-core", "steals-cache", "steals-node", "steals-far"];
        let steals: Vec<_> = if self.pool.neighbours().are_known() {
            names.into_iter().zip(usage.steals).collect()
        } else {
            vec![("steals-anywhere", usage.steals.iter().sum())]
        };
        let others = [
            ("missed-steals", usage.missed_steals),
            ("pushes", usage.pushes),
            ("run-away-from-home", usage.run_away_from_home),
        ];
        for (name, value) in steals.into_iter().chain(others) {
            phases.count(name, value);
        }
        if self.pool.counts_bytes() {
            phases.count("home-bytes", usage.home_bytes);
            phases.count("away-bytes", usage.away_bytes);
        }
        match self.pool.last_rehearsal() {
            Some(found) => phases.rehearsed(found.span_ns, found.busy_ns),
            None => times.into_iter().for_each(|(name, value)| phases.count(name, value)),
        }
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
            $crate::scheduler::Scheduler::Ours(ours) => {
                type $fork = $crate::scheduler::Ours;
                let answer = $phases.measure($name, || ours.pool.install(|| $work));
                ours.account($phases);
                answer
            }
            $crate::scheduler::Scheduler::Within(ours) => {
                type $fork = $crate::scheduler::Ours<true>;
                let answer = $phases.measure($name, || ours.pool.install(|| $work));
                ours.account($phases);
                answer
            }
        }
    };
}
pub(crate) use on;

#[cfg(test)]
mod tests {
    use knee_workload::{Phases, Workload};

    use super::*;
    use crate::trial;

    #[test]
    fn steals_of_workers_that_are_not_pinned_have_no_distance() {
        let (args, _) = trial::arguments(&crate::fib::Fib, "--n 20");
        let team = Team::new(3, &[], knee_workload::Bind::Set);
        let mut phases = Phases::default();
        crate::fib::Fib.prepare(&args, &team, &mut phases).unwrap().run(&mut phases);
        let counters = phases.done().pop().unwrap().counters;
        assert!(counters.contains_key("steals-anywhere"), "{counters:?}");
        assert!(counters.keys().all(|name| !["steals-node", "steals-far"].contains(&name.as_str())), "{counters:?}");
    }

    #[test]
    fn thieves_cannot_stay_on_sockets_that_nobody_knows() {
        use knee_workload::Bind::{Each, Set};
        let machine = Topology::from_synthetic("pack:2 [numa] core:2 pu:1").unwrap();
        let fits = |cpus: &[u32], bind| check_sockets(&machine, &Team::new(2, cpus, bind)).is_ok();
        assert!(fits(&[0, 2], Each) && fits(&[0, 1], Set));
        assert!(!fits(&[], Each) && !fits(&[], Set) && !fits(&[0, 2], Set));
    }
}
