//! What runs the tasks of a question in parallel.

use knee_runtime::{Bind, Pool, Steal};
use knee_workload::{Args, Error, Param, Progress, Team};

/// Fewer tasks say nothing of how far they are.
const FEW: usize = 64;

/// The scheduler. All but `rayon` are knee's own runtime: `near` as it is by default, `strict` where no task leaves its
/// place, `random` as a classic one, whose thieves choose victims with equal probability and which ignores places.
pub(crate) const RUNTIME: Param = Param::choice("runtime", "scheduler", "near", &["near", "strict", "random", "rayon"]);

/// Workers that run tasks.
#[derive(Debug)]
pub struct Scheduler {
    workers: Workers,
    /// Told of long passes.
    progress: Progress,
}

#[derive(Debug)]
enum Workers {
    /// Of knee's own runtime.
    Ours(Pool),
    /// rayon's, and the node that each worker is pinned to.
    Rayon(rayon::ThreadPool, Vec<Option<u32>>),
}

impl Scheduler {
    /// knee's own, with so many workers that are not pinned.
    ///
    /// # Errors
    /// When threads cannot be started.
    pub fn unpinned(workers: usize) -> Result<Self, Error> {
        let pool = Pool::builder().workers(workers).bind(Bind::None).build();
        pool.map(|pool| Self { workers: Workers::Ours(pool), progress: Progress::default() })
            .map_err(|error| Error::new(error.to_string()))
    }

    /// The one of both pools that the argument `runtime` names, where [`ours`] made the first for it.
    pub(crate) fn of(args: &Args, team: &Team, ours: Pool, rayon: rayon::ThreadPool) -> Self {
        // Of a set of cpus knee's workers keep to those of one node; rayon's may run on all.
        let pinned = team.bind() == knee_workload::Bind::Each;
        let nodes = if pinned { nodes(&ours) } else { vec![None; ours.workers()] };
        let rayons = args.text("runtime") == "rayon";
        let workers = if rayons { Workers::Rayon(rayon, nodes) } else { Workers::Ours(ours) };
        Self { workers, progress: team.progress() }
    }

    /// The node that each worker is pinned to; none where that is not known.
    pub(crate) fn nodes(&self) -> Vec<Option<u32>> {
        match &self.workers {
            Workers::Ours(pool) => nodes(pool),
            Workers::Rayon(_, nodes) => nodes.clone(),
        }
    }

    /// How many workers there are.
    pub(crate) fn workers(&self) -> usize {
        match &self.workers {
            Workers::Ours(pool) => pool.workers(),
            Workers::Rayon(pool, _) => pool.current_num_threads(),
        }
    }

    /// Runs tasks by number, each once, and adds up what they return. A task is told which worker runs it. All workers
    /// begin with the first tasks and end with the last ones.
    pub(crate) fn sum<R: Send>(
        &self,
        tasks: usize,
        task: impl Fn(usize, usize) -> R + Sync,
        plus: impl Fn(R, R) -> R + Sync,
    ) -> Option<R> {
        let workers = self.workers();
        // Of a few tasks nobody can say how far they are; most prepare something.
        let progress = if tasks < FEW { Progress::default() } else { self.progress };
        progress.begin(tasks);
        let dealt = |place: usize, worker: usize| {
            let found = task(dealt(place, tasks, workers), worker);
            progress.one_done();
            found
        };
        let halves = Halves { scheduler: self, task: dealt, plus };
        let all = || (tasks > 0).then(|| halves.sum(0, tasks));
        match &self.workers {
            Workers::Ours(pool) => pool.install(all),
            Workers::Rayon(pool, _) => pool.install(all),
        }
    }

    /// Runs tasks by number, each once; what they return, in the order of their numbers. A task is told which worker runs
    /// it.
    pub(crate) fn map<R: Send>(&self, tasks: usize, task: impl Fn(usize, usize) -> R + Sync) -> Vec<R> {
        let one = |number: usize, worker: usize| vec![(number, task(number, worker))];
        let both = |mut some: Vec<_>, mut others: Vec<_>| {
            some.append(&mut others);
            some
        };
        let mut all = self.sum(tasks, one, both).unwrap_or_default();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, result)| result).collect()
    }

    /// The number of the worker that calls this.
    fn own(&self) -> usize {
        let own = match self.workers {
            Workers::Ours(_) => knee_runtime::current_worker().map(|worker| worker.index),
            Workers::Rayon(..) => rayon::current_thread_index(),
        };
        own.expect("only workers run tasks")
    }
}

fn nodes(pool: &Pool) -> Vec<Option<u32>> {
    (0..pool.workers()).map(|worker| pool.neighbours().node(worker)).collect()
}

/// The task at a place, where tasks are dealt to workers like cards and the hands lie one behind the other.
fn dealt(place: usize, tasks: usize, workers: usize) -> usize {
    let (least, more) = (tasks / workers, tasks % workers);
    // So many hands have one more.
    let behind = more * (least + 1);
    let (hand, at) = if place < behind {
        (place / (least + 1), place % (least + 1))
    } else {
        (more + (place - behind) / least, (place - behind) % least)
    };
    at * workers + hand
}

/// Tasks that are halved until one is left, so that a worker takes those that lie side by side.
struct Halves<'a, T, P> {
    scheduler: &'a Scheduler,
    task: T,
    plus: P,
}

impl<T, P> Halves<'_, T, P> {
    fn sum<R: Send>(&self, from: usize, to: usize) -> R
    where
        T: Fn(usize, usize) -> R + Sync,
        P: Fn(R, R) -> R + Sync,
    {
        if to - from == 1 {
            return (self.task)(from, self.scheduler.own());
        }
        let middle = usize::midpoint(from, to);
        let (left, right) = (|| self.sum(from, middle), || self.sum(middle, to));
        let (left, right) = match self.scheduler.workers {
            Workers::Ours(_) => knee_runtime::join(left, right),
            Workers::Rayon(..) => rayon::join(left, right),
        };
        (self.plus)(left, right)
    }
}

/// A pool of knee's of the team's workers; that of the argument `runtime`, unless it names another scheduler.
pub(crate) fn ours(args: &Args, team: &Team) -> Result<Pool, Error> {
    let runtime = args.text("runtime");
    let bind = match team.bind() {
        knee_workload::Bind::Each => Bind::Each,
        knee_workload::Bind::Set => Bind::Set,
    };
    let steal = if runtime == "random" { Steal::Random } else { Steal::Near };
    let builder = Pool::builder().workers(team.threads()).cpus(team.cpus()).bind(bind).steal(steal);
    let builder = builder.ignore_places(runtime == "random").strict(runtime == "strict");
    builder.build().map_err(|error| {
        let said = Error::new(error.to_string());
        if matches!(error, knee_runtime::Error::Start { .. }) { said.hint("use fewer threads") } else { said }
    })
}

/// A rayon pool of the team's workers, each pinned to its cpu.
pub(crate) fn pinned(team: &Team) -> Result<rayon::ThreadPool, Error> {
    let threads = team.threads();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|worker| format!("worker {worker}"));
    let failed = |error| Error::new(format!("cannot start {threads} workers: {error}")).hint("use fewer threads");
    let pool = pool.build().map_err(failed)?;
    let pinned = pool.broadcast(|worker| team.pin(worker.index()));
    pinned.into_iter().collect::<Result<(), _>>().map(|()| pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_is_dealt_once_and_hands_ascend() {
        for (tasks, workers) in [(1, 1), (1, 4), (10, 3), (12, 4), (100, 7), (5, 8)] {
            let all: Vec<_> = (0..tasks).map(|place| dealt(place, tasks, workers)).collect();
            let mut sorted = all.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..tasks), "{tasks} {workers}");
            let hands = all.windows(2).filter(|pair| pair[1] < pair[0]).count();
            assert!(hands < workers, "{all:?}");
        }
    }
}
