//! A query over all morsels: in parallel on a pool, each morsel near its home, or one after the other.

use std::sync::Mutex;

use knee_runtime::{Place, Pool};

use crate::scan::{Scan, Scratch, State};

/// What a worker keeps from one morsel to the next.
struct Own {
    scratch: Scratch,
    state: State,
}

impl Scan<'_> {
    /// All morsels, one after the other on this thread.
    pub(crate) fn serial(&self) -> State {
        let (mut scratch, mut state) = (Scratch::new(self), State::new(self));
        for morsel in 0..self.table.morsels() {
            self.morsel(morsel, true, &mut scratch, &mut state);
        }
        state
    }

    /// All morsels on the workers of a pool. Morsels are halved, each half near its home, so that a worker takes those of
    /// its own node first and a late worker costs at most one morsel.
    pub(crate) fn parallel(&self, pool: &Pool) -> State {
        let workers: Vec<Mutex<Option<Own>>> = (0..pool.workers()).map(|_| Mutex::new(None)).collect();
        let homes = self.homes();
        pool.install(|| self.halves(0, self.table.morsels(), &homes, &workers));
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

    fn halves(&self, from: usize, to: usize, homes: &[Option<u32>], workers: &[Mutex<Option<Own>>]) {
        if to - from <= 1 {
            return (from..to).for_each(|morsel| self.on_worker(morsel, homes[morsel], workers));
        }
        let middle = usize::midpoint(from, to);
        let near = |morsel: usize| homes[morsel].map_or(Place::Any, Place::Node);
        knee_runtime::join_at(
            near(from),
            || self.halves(from, middle, homes, workers),
            near(middle),
            || self.halves(middle, to, homes, workers),
        );
    }

    fn on_worker(&self, morsel: usize, home: Option<u32>, workers: &[Mutex<Option<Own>>]) {
        let worker = knee_runtime::current_worker().expect("the pool runs it");
        // Never held by two: a worker runs one morsel at a time.
        let mut own = workers[worker.index].lock().expect("no holder panics");
        let own = own.get_or_insert_with(|| Own { scratch: Scratch::new(self), state: State::new(self) });
        let at_home = home.is_none() || worker.node.is_none() || home == worker.node;
        self.morsel(morsel, at_home, &mut own.scratch, &mut own.state);
    }
}
