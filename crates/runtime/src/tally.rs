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

/// The same for the rows of a rectangle of a matrix that is stored row by row: so many rows of `columns` elements, of
/// which each begins `stride` elements after the one before. A row that lies on two nodes counts where it begins.
#[inline]
pub fn touch_rows<T>(start: *const T, columns: usize, stride: usize, rows: usize) {
    if let Some(worker) = Worker::current() {
        worker.touch_rows(start as usize, columns * size_of::<T>(), stride * size_of::<T>(), rows);
    }
}

impl Worker {
    fn touch_rows(&self, start: usize, bytes: usize, stride: usize, rows: usize) {
        match self.pool().tally {
            Tally::Nothing => {}
            Tally::AtHome => self.account.worked_on((bytes * rows) as u64, 0),
            Tally::ByNode => self.touch_rows_by_node(start, bytes, stride, rows),
        }
    }

    #[cold]
    #[inline(never)]
    fn touch_rows_by_node(&self, start: usize, bytes: usize, stride: usize, rows: usize) {
        let (mut row, mut cost_ns) = (0, 0.0);
        while row < rows {
            let at = start + row * stride;
            let (node, end) = self.piece_at(at);
            let together = (end - at).div_ceil(stride.max(1)).min(rows - row);
            cost_ns += self.count_bytes(node, together * bytes);
            row += together;
        }
        self.spend_work(cost_ns);
    }

    /// In a rehearsal only the arrays of the described machine have nodes: this one's kernel knows nothing of it.
    fn piece_at(&self, address: usize) -> (Option<u32>, usize) {
        homes::piece_at(address, self.pool().clocks.is_none())
    }

    /// Counts bytes of a node; returns what they cost in a rehearsal.
    fn count_bytes(&self, node: Option<u32>, bytes: usize) -> f64 {
        match (node, self.node()) {
            (Some(home), Some(own)) if home == own => self.account.worked_on(bytes as u64, 0),
            (Some(_), Some(_)) => self.account.worked_on(0, bytes as u64),
            _ => {}
        }
        self.note_bytes(node, bytes)
    }

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
            let (node, piece) = self.piece_at(at);
            let size = piece.min(end) - at;
            cost_ns += self.count_bytes(node, size);
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
