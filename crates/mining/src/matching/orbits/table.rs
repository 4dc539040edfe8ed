//! Five numbers for each edge, from which all counts follow.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{cliques, squares, triangles};
use crate::matching::Readers;
use crate::{Graph, Scheduler};

/// Numbers for each edge by its number among those to higher ranks. 40 bytes for each edge.
///
/// Several tasks add to the same number, so these are atomic. Few do so at the same time.
pub(super) struct Table {
    edges: Vec<Edge>,
    /// Of patterns of up to how many vertices.
    pub size: usize,
}

/// `beside` is the largest of them: less than twice the square of the number of vertices, which fits 64 bits for up to
/// 2^31 of these.
#[derive(Default)]
pub(super) struct Edge {
    /// Common neighbours of both ends.
    pub triangles: AtomicU64,
    /// The degrees of these, added up.
    pub degrees: AtomicU64,
    /// The triangles on the edges to these, added up.
    pub beside: AtomicU64,
    pub squares: AtomicU64,
    pub cliques: AtomicU64,
}

impl Edge {
    /// All five.
    fn numbers(&self) -> [u64; 5] {
        [&self.triangles, &self.degrees, &self.beside, &self.squares, &self.cliques].map(get)
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size && self.edges.iter().map(Edge::numbers).eq(other.edges.iter().map(Edge::numbers))
    }
}

impl Table {
    pub(super) fn new(readers: &Readers<'_>, scheduler: &Scheduler, size: usize) -> Self {
        let edges = (0..readers.graph().edges()).map(|_| Edge::default()).collect();
        let table = Self { edges, size };
        triangles::count(readers, scheduler, &table.edges);
        if size > 3 {
            triangles::beside(readers, scheduler, &table.edges);
            cliques::count(readers, scheduler, &table.edges);
            squares::count(readers, scheduler, &table.edges);
        }
        table
    }

    /// The edges from a vertex to higher ranks.
    pub(super) fn upward(&self, graph: &Graph, vertex: u32) -> &[Edge] {
        &self.edges[graph.range(crate::graph::Ends::Lower, vertex)]
    }
}

/// Relaxed, here and below: numbers are added up in any order, and read behind a join.
pub(super) fn add(to: &AtomicU64, number: u64) {
    if number > 0 {
        to.fetch_add(number, Ordering::Relaxed);
    }
}

pub(super) fn get(number: &AtomicU64) -> u64 {
    number.load(Ordering::Relaxed)
}
