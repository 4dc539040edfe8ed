//! Cliques of four vertices on each edge, from the lowest vertex of each, in bitmaps of its upward neighbours: those
//! that contain it and an edge among these are the common neighbours of the edge's ends among them.

use super::table::{Edge, add};
use crate::Scheduler;
use crate::graph::Ends;
use crate::matching::Readers;
use crate::matching::marks::{self, Marks};
use crate::matching::reads::View;

pub(super) fn count(readers: &Readers<'_>, scheduler: &Scheduler, edges: &[Edge]) {
    let from = |graph: View<'_>, a: u32, marks: &mut Marks| {
        if graph.out_degree(a) < 3 {
            return;
        }
        let own = graph.upward(a);
        marks.number(own);
        let mut rows = std::mem::take(&mut marks.rows);
        let around = Around { own, words: own.len().div_ceil(64), numbers: &marks.numbers };
        around.join(graph, &mut rows);
        let twice = around.cliques(graph, &rows, edges);
        // Each has two more vertices among the neighbours, and was found by way of both.
        for (edge, twice) in graph.range(Ends::Lower, a).zip(twice) {
            add(&edges[edge].cliques, twice / 2);
        }
        marks.rows = rows;
    };
    marks::sum(readers, scheduler, || (), from, |(), ()| ());
}

/// The upward neighbours of a vertex.
struct Around<'a> {
    own: &'a [u32],
    /// The length of a row of bits.
    words: usize,
    /// For each vertex its place among them, from 1.
    numbers: &'a [u32],
}

impl Around<'_> {
    /// Calls `each` with the places of two of them that are joined, and with the number of their edge.
    fn pairs(&self, graph: View<'_>, mut each: impl FnMut(usize, usize, usize)) {
        for (b, &vertex) in self.own.iter().enumerate() {
            for (edge, &other) in graph.range(Ends::Lower, vertex).zip(graph.upward(vertex)) {
                if let Some(c) = (self.numbers[other as usize] as usize).checked_sub(1) {
                    each(b, c, edge);
                }
            }
        }
    }

    /// Makes a row of bits for each of them: those that it is joined to.
    fn join(&self, graph: View<'_>, rows: &mut Vec<u64>) {
        rows.clear();
        rows.resize(self.own.len() * self.words, 0);
        self.pairs(graph, |b, c, _| {
            rows[b * self.words + c / 64] |= 1 << (c % 64);
            rows[c * self.words + b / 64] |= 1 << (b % 64);
        });
    }

    /// Adds the cliques of each edge between two of them to it; twice those of each edge to them is returned.
    fn cliques(&self, graph: View<'_>, rows: &[u64], edges: &[Edge]) -> Vec<u64> {
        let mut twice = vec![0; self.own.len()];
        let row = |at: usize| &rows[at * self.words..][..self.words];
        self.pairs(graph, |b, c, edge| {
            let cliques = row(b).iter().zip(row(c)).map(|(b, c)| u64::from((b & c).count_ones())).sum();
            add(&edges[edge].cliques, cliques);
            twice[b] += cliques;
            twice[c] += cliques;
        });
        twice
    }
}
