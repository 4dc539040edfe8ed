//! Bytes that tasks work on, at home and away, in software: they name their data with [`touch`].

use crate::data::Reach;
use crate::homes;
use crate::neighbours::Neighbours;
use crate::pool::Pool;
use crate::sync::MODEL;
use crate::worker::Worker;

/// Whose bytes a pool counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tally {
    /// Nobody's: it was not asked to, or does not know on which nodes its workers are.
    Nothing,
    /// All, and all are at home: there is one node.
    AtHome,
    /// By the nodes of the worker and of the pages.
    ByNode,
}

impl Tally {
    pub(crate) fn of(asked: bool, neighbours: &Neighbours) -> Self {
        if !asked || MODEL || cfg!(miri) {
            return Self::Nothing;
        }
        let nodes: Vec<_> = (0..neighbours.workers()).map(|worker| neighbours.node(worker)).collect();
        match Reach::of(&nodes) {
            Reach::Everything => Self::AtHome,
            Reach::Nodes(..) if nodes.iter().all(Option::is_some) => Self::ByNode,
            Reach::Nodes(..) | Reach::Unknown(_) => Self::Nothing,
        }
    }
}

/// Says that the calling task works on `data`. A pool that accounts counts these bytes, at home and away; in a
/// rehearsal they also take time. On other threads it does nothing.
///
/// It costs a look-up for each block of an array, or for each page where pages are interleaved: call it once for each
/// leaf.
#[inline]
pub fn touch<T>(data: &[T]) {
    if let Some(worker) = Worker::current() {
        worker.touch(data.as_ptr() as usize, size_of_val(data));
    }
}

impl Worker {
    fn touch(&self, start: usize, bytes: usize) {
        match self.pool().tally {
            Tally::Nothing => {}
            Tally::AtHome => self.account.worked_on(bytes as u64, 0),
            Tally::ByNode => self.touch_by_node(start, bytes),
        }
    }

    #[cold]
    #[inline(never)]
    fn touch_by_node(&self, start: usize, bytes: usize) {
        let (mut at, end, mut cost_ns) = (start, start + bytes, 0.0);
        while at < end {
            let (node, piece) = homes::piece_at(at);
            let size = piece.min(end) - at;
            match (node, self.node()) {
                (Some(home), Some(own)) if home == own => self.account.worked_on(size as u64, 0),
                (Some(_), Some(_)) => self.account.worked_on(0, size as u64),
                _ => {}
            }
            cost_ns += self.note_bytes(node, size);
            at += size;
        }
        self.spend_work(cost_ns);
    }
}

impl Pool {
    /// Whether the bytes that tasks name are counted: the pool accounts, and the nodes of all workers are known.
    #[must_use]
    pub fn counts_bytes(&self) -> bool {
        self.shared.tally != Tally::Nothing
    }
}
