//! A query over all morsels: in parallel on a pool, each morsel near its home, or one after the other.

use std::collections::BTreeMap;
use std::sync::Mutex;

use knee_machine::CpuSet;
use knee_runtime::{Place, Pool, Reach};

use crate::scan::{Scan, Scratch, State};
use crate::table::Table;

/// Where each morsel lies, as seen by the threads that read it.
pub(crate) enum Lies {
    /// All is at home for every thread.
    AtHome,
    /// All is at home for workers on nodes that have a copy: the nodes of workers, and of copies.
    Copies(Vec<u32>, CpuSet),
    /// The nodes of workers, or of the thread that reads; and for each morsel, how many of its pages lie on each node.
    Pages(Vec<u32>, Vec<BTreeMap<Option<u32>, u64>>),
    /// Why that is not known.
    Unknown(String),
}

impl Lies {
    /// Asks the kernel for the pages of a table that the workers of a pool read, or this thread without it.
    pub(crate) fn new(table: &Table, pool: Option<&Pool>) -> Self {
        let nodes = pool.map(|pool| (0..pool.workers()).map(|worker| pool.neighbours().node(worker)).collect());
        // A thread without a pool reads the first copy.
        let copied =
            table.copies() > 1 && nodes.as_ref().is_some_and(|nodes: &Vec<_>| nodes.iter().all(Option::is_some));
        match Reach::of(nodes.as_deref().unwrap_or(&[None])) {
            Reach::Everything => Self::AtHome,
            Reach::Unknown(reason) => Self::Unknown(reason),
            Reach::Nodes(nodes, memory) if copied => Self::Copies(nodes, memory),
            Reach::Nodes(nodes, _) => match table.pages() {
                Ok(pages) => Self::Pages(nodes, pages),
                Err(error) => Self::Unknown(format!("the kernel does not say where pages lie: {error}")),
            },
        }
    }

    /// The part of a morsel that is at home for a worker; of no meaning where that is unknown.
    pub(crate) fn at_home(&self, morsel: usize, worker: usize) -> f64 {
        match self {
            Self::AtHome => 1.0,
            Self::Copies(nodes, copies) => f64::from(copies.contains(nodes[worker])),
            Self::Pages(nodes, morsels) => {
                let pages = &morsels[morsel];
                let own = pages.get(&Some(nodes[worker])).copied().unwrap_or(0);
                own as f64 / pages.values().sum::<u64>().max(1) as f64
            }
            Self::Unknown(_) => 0.0,
        }
    }

    /// Why it is not known.
    pub(crate) fn unknown(&self) -> Option<&str> {
        if let Self::Unknown(reason) = self { Some(reason) } else { None }
    }
}

/// What a worker keeps from one morsel to the next.
struct Own {
    scratch: Scratch,
    state: State,
}

/// What all workers see.
struct Shared<'a> {
    /// The node of each morsel; none where its pages have no single home.
    homes: &'a [Option<u32>],
    workers: &'a [Mutex<Option<Own>>],
    lies: &'a Lies,
}

impl Scan<'_> {
    /// All morsels, one after the other on this thread.
    pub(crate) fn serial(&self, lies: &Lies) -> State {
        let (mut scratch, mut state) = (Scratch::new(self), State::new(self));
        for morsel in 0..self.table.morsels() {
            self.morsel(morsel, lies.at_home(morsel, 0), &mut scratch, &mut state);
        }
        state
    }

    /// All morsels on the workers of a pool. Morsels are halved, each half near its home, so that a worker takes those of
    /// its own node first and a late worker costs at most one morsel.
    pub(crate) fn parallel(&self, pool: &Pool, lies: &Lies) -> State {
        let workers: Vec<Mutex<Option<Own>>> = (0..pool.workers()).map(|_| Mutex::new(None)).collect();
        let homes = self.homes();
        let shared = Shared { homes: &homes, workers: &workers, lies };
        pool.install(|| self.halves(0, self.table.morsels(), &shared));
        let states = workers.into_iter().filter_map(|own| own.into_inner().expect("no holder panics"));
        let mut whole = State::new(self);
        states.for_each(|own| whole.add(own.state, self));
        whole
    }

    /// The node of each morsel; none where its pages have no single home.
    fn homes(&self) -> Vec<Option<u32>> {
        let mut homes = vec![None; self.table.morsels()];
        for (node, morsels) in self.table.homes() {
            homes[morsels].fill(node);
        }
        homes
    }

    fn halves(&self, from: usize, to: usize, shared: &Shared<'_>) {
        if to - from <= 1 {
            return (from..to).for_each(|morsel| self.on_worker(morsel, shared));
        }
        let middle = usize::midpoint(from, to);
        let near = |morsel: usize| shared.homes[morsel].map_or(Place::Any, Place::Node);
        knee_runtime::join_at(
            near(from),
            || self.halves(from, middle, shared),
            near(middle),
            || self.halves(middle, to, shared),
        );
    }

    fn on_worker(&self, morsel: usize, shared: &Shared<'_>) {
        let worker = knee_runtime::current_worker().expect("the pool runs it");
        // Never held by two: a worker runs one morsel at a time.
        let mut own = shared.workers[worker.index].lock().expect("no holder panics");
        let own = own.get_or_insert_with(|| Own { scratch: Scratch::new(self), state: State::new(self) });
        self.table.touch(morsel);
        self.morsel(morsel, shared.lies.at_home(morsel, worker.index), &mut own.scratch, &mut own.state);
    }
}
