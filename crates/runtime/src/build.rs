//! The builder of a pool.

use std::collections::BTreeSet;
use std::sync::{Arc, mpsc};

use knee_machine::{Topology, sys};

use crate::inbox::Inbox;
use crate::neighbours::Neighbours;
use crate::policy::{Policy, Steal};
use crate::pool::{Bind, Error, Install, Observer, Pool, Shared, Team, Wait};
use crate::rehearsal::{Clocks, Costs};
use crate::sleepers::Sleepers;
use crate::sync::{AtomicBool, MODEL, Mutex, thread};
use crate::tally::Tally;
use crate::worker::Worker;

/// Most workers that a job's word can name.
const MOST: usize = 1 << 16;

type MakePolicy = Box<dyn Fn(&Neighbours) -> Box<dyn Policy>>;

/// Describes a [`Pool`].
#[derive(Default)]
pub struct Builder {
    workers: Option<usize>,
    cpus: Vec<u32>,
    bind: Bind,
    machine: Option<Topology>,
    neighbours: Option<Neighbours>,
    policy: Option<MakePolicy>,
    wait: Wait,
    strict: bool,
    ignore_places: bool,
    account: bool,
    seed: u64,
    costs: Option<Costs>,
    observer: Option<Observer>,
}

impl Builder {
    /// How many workers; by default one for each of the cpus given, or each cpu that this process may use.
    #[must_use]
    pub fn workers(self, workers: usize) -> Self {
        Self { workers: Some(workers), ..self }
    }

    /// The cpus of workers in their order, as a placement of `knee_machine` gives them; with more workers than cpus they
    /// are dealt again from the first. Without any the kernel decides.
    #[must_use]
    pub fn cpus(self, cpus: &[u32]) -> Self {
        Self { cpus: cpus.to_vec(), ..self }
    }

    /// How workers are pinned.
    #[must_use]
    pub fn bind(self, bind: Bind) -> Self {
        Self { bind, ..self }
    }

    /// The machine, if it has been read already.
    #[must_use]
    pub fn machine(self, machine: &Topology) -> Self {
        Self { machine: Some(machine.clone()), ..self }
    }

    /// Distances between workers, if not those of the machine.
    #[must_use]
    pub fn neighbours(self, neighbours: Neighbours) -> Self {
        Self { neighbours: Some(neighbours), ..self }
    }

    /// How thieves choose victims.
    #[must_use]
    pub fn steal(self, steal: Steal) -> Self {
        self.policy(move |neighbours| steal.policy(neighbours))
    }

    /// How thieves choose victims, by a policy of your own.
    #[must_use]
    pub fn policy(self, make: impl Fn(&Neighbours) -> Box<dyn Policy> + 'static) -> Self {
        Self { policy: Some(Box::new(make)), ..self }
    }

    /// What workers may do while they wait.
    #[must_use]
    pub fn wait(self, wait: Wait) -> Self {
        Self { wait, ..self }
    }

    /// Runs a job with a place only there, even if other workers are idle. For experiments: it can lose much time, and
    /// a waiting worker runs any job that is sent to its node.
    #[must_use]
    pub fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Ignores places, like a runtime that knows nothing of memory.
    #[must_use]
    pub fn ignore_places(self, ignore_places: bool) -> Self {
        Self { ignore_places, ..self }
    }

    /// For [`Pool::rehearse`]: unpinned workers on the machine of [`Self::neighbours`], in virtual time.
    #[must_use]
    pub fn rehearse(self, costs: Costs) -> Self {
        Self { costs: Some(costs), ..self }
    }

    /// Accounts for time, too, and for the bytes that tasks name with [`crate::touch`], where the nodes of workers are
    /// known. Steals and pushes are always counted.
    #[must_use]
    pub fn account(self, account: bool) -> Self {
        Self { account, ..self }
    }

    /// Seed of the thieves' random numbers.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets a function that is called when work begins and when it ends, on the thread that calls [`Pool::install`].
    #[must_use]
    pub fn on_install(self, observer: impl Fn(Install<'_>) + Send + Sync + 'static) -> Self {
        Self { observer: Some(Box::new(observer)), ..self }
    }

    /// Starts the workers. When this returns, all of them are pinned.
    ///
    /// # Errors
    /// [`Error`] when there is to be none or too many, one cannot start, or one cannot be pinned.
    pub fn build(mut self) -> Result<Pool, Error> {
        let observer = self.observer.take();
        let shared = Arc::new(self.shared()?);
        let places: Vec<Vec<u32>> = (0..shared.workers.len()).map(|index| self.place(index)).collect();
        let pool = Pool { shared, threads: Mutex::new(Vec::new()), observer };
        let (report, reports) = mpsc::channel();
        for (index, cpus) in places.into_iter().enumerate() {
            let thread = start(Arc::clone(&pool.shared), index, cpus, report.clone())?;
            pool.threads.lock().expect("no holder panics").push(thread);
        }
        drop(report);
        if !MODEL {
            reports.iter().collect::<Result<(), _>>()?;
        }
        Ok(pool)
    }

    pub(crate) fn shared(&mut self) -> Result<Shared, Error> {
        let allowed = if MODEL || cfg!(miri) { 1 } else { sys::affinity().len() };
        let count = self.workers.unwrap_or(if self.cpus.is_empty() { allowed } else { self.cpus.len() });
        if count == 0 || count >= MOST {
            return Err(Error::Unfit(format!("{count} workers: it takes at least one, and fewer than {MOST}")));
        }
        let neighbours = self.neighbours.take().unwrap_or_else(|| self.ask_machine(count));
        if neighbours.workers() != count {
            let known = neighbours.workers();
            return Err(Error::Unfit(format!("{count} workers, and neighbours for {known}")));
        }
        let make = self.policy.take().unwrap_or_else(|| Box::new(|neighbours| Steal::default().policy(neighbours)));
        let workers: Box<[_]> = (0..count).map(|index| Worker::new(index, self.seed, self.account)).collect();
        if self.costs.is_some() {
            workers.iter().for_each(|worker| worker.deque.ask());
        }
        let (teams, policy) = (teams(&neighbours), make(&neighbours));
        let tally = if self.costs.is_some() { Tally::ByNode } else { Tally::of(self.account, &neighbours) };
        let mut team_of = vec![usize::MAX; count];
        for team in &teams {
            for &worker in &team.workers {
                team_of[worker] = team.index;
            }
        }
        Ok(Shared {
            team_of,
            teams,
            workers,
            sleepers: Sleepers::new(count),
            domains: if policy.is_confined() { neighbours.nodes_of_domains() } else { Vec::new() },
            policy,
            tally,
            neighbours,
            strict: self.strict,
            wait: self.wait,
            crowded: count > self.runnable(allowed),
            inbox: Inbox::new(),
            ending: AtomicBool::new(false),
            ignore_places: self.ignore_places,
            seed: self.seed,
            clocks: self.costs.map(|costs| Clocks::new(count, costs)),
        })
    }

    /// How many cpus run the workers: those that they are pinned to, whatever the thread that builds the pool may use.
    fn runnable(&self, allowed: usize) -> usize {
        if self.cpus.is_empty() || self.bind == Bind::None {
            return allowed;
        }
        self.cpus.iter().collect::<BTreeSet<_>>().len()
    }

    /// Distances between the workers. For workers that move within a node, all others of the node are equally near.
    fn ask_machine(&mut self, count: usize) -> Neighbours {
        if self.cpus.is_empty() || matches!(self.bind, Bind::Set | Bind::None) {
            return Neighbours::unknown(count);
        }
        if self.machine.is_none() {
            self.machine = Topology::this_machine().ok();
        }
        let Some(machine) = &self.machine else { return Neighbours::unknown(count) };
        let cpus: Vec<u32> = (0..count).map(|index| self.cpus[index % self.cpus.len()]).collect();
        let neighbours = Neighbours::on(machine, &cpus);
        if self.bind == Bind::Node { neighbours.floating() } else { neighbours }
    }

    /// The cpus that worker `index` is pinned to; none if it is unpinned.
    fn place(&self, index: usize) -> Vec<u32> {
        if self.cpus.is_empty() || self.bind == Bind::None {
            return Vec::new();
        }
        let own = self.cpus[index % self.cpus.len()];
        match (&self.machine, self.bind) {
            (Some(machine), Bind::Node) => {
                let node = machine.node_of(own);
                self.cpus.iter().copied().filter(|&cpu| machine.node_of(cpu) == node).collect()
            }
            (_, Bind::Set) => self.cpus.clone(),
            _ => vec![own],
        }
    }
}

fn teams(neighbours: &Neighbours) -> Vec<Team> {
    let mut teams: Vec<Team> = Vec::new();
    for worker in 0..neighbours.workers() {
        let Some(node) = neighbours.node(worker) else { continue };
        if let Some(team) = teams.iter_mut().find(|team| team.node == node) {
            team.workers.push(worker);
        } else {
            teams.push(Team { node, index: teams.len(), workers: vec![worker], inbox: Inbox::new() });
        }
    }
    teams
}

type Report = mpsc::Sender<Result<(), Error>>;

fn start(shared: Arc<Shared>, index: usize, cpus: Vec<u32>, report: Report) -> Result<thread::JoinHandle<()>, Error> {
    let body = move || {
        let worker = &shared.workers[index];
        if !cpus.is_empty()
            && let Err(reason) = sys::pin(&cpus)
        {
            let _ = report.send(Err(Error::Pin { worker: index, cpus, reason }));
            return;
        }
        worker.set_pool(&raw const *shared);
        // An error means that the pool is gone already.
        let _ = report.send(Ok(()));
        drop(report);
        Worker::set_current(worker);
        worker.live();
        Worker::set_current(std::ptr::null());
    };
    let name = format!("worker {index}");
    thread::Builder::new().name(name).spawn(body).map_err(|reason| Error::Start { worker: index, reason })
}

#[cfg(all(test, not(any(knee_loom, knee_shuttle, miri))))]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_crowded_by_the_cpus_that_its_workers_are_pinned_to() {
        let crowded = |workers: usize, cpus: &[u32], bind| {
            Builder::default().workers(workers).cpus(cpus).bind(bind).shared().unwrap().crowded
        };
        assert!(crowded(2, &[0], Bind::Each) && crowded(3, &[4, 5, 4], Bind::Set));
        let own = sys::affinity().first().unwrap();
        std::thread::scope(|scope| {
            let built = scope.spawn(|| {
                sys::pin(&[own]).unwrap();
                // The thread that builds the pool is on one cpu; the workers are not, unless nobody pins them.
                [Bind::Each, Bind::Set, Bind::None].map(|bind| crowded(2, &[0, 1], bind))
            });
            assert_eq!(built.join().unwrap(), [false, false, true]);
        });
    }
}
