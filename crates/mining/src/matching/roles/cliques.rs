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
        let (own, first) = (graph.upward(a), graph.range(Ends::Lower, a).start);
        if own.len() < 3 {
            return;
        }
        marks.number(own);
        let mut rows = std::mem::take(&mut marks.rows);
        let words = own.len().div_ceil(64);
        rows.clear();
        rows.resize(own.len() * words, 0);
        // Pairs of neighbours that are joined: their places among these, and the number of the edge.
        let mut pairs = Vec::new();
        for (b, &vertex) in own.iter().enumerate() {
            for (edge, &other) in graph.range(Ends::Lower, vertex).zip(graph.upward(vertex)) {
                if let Some(c) = (marks.numbers[other as usize] as usize).checked_sub(1) {
                    rows[b * words + c / 64] |= 1 << (c % 64);
                    rows[c * words + b / 64] |= 1 << (b % 64);
                    pairs.push((b, c, edge));
                }
            }
        }
        let mut twice = vec![0; own.len()];
        for (b, c, edge) in pairs {
            let common = rows[b * words..][..words].iter().zip(&rows[c * words..][..words]);
            let cliques: u64 = common.map(|(b, c)| u64::from((b & c).count_ones())).sum();
            add(&edges[edge].cliques, cliques);
            twice[b] += cliques;
            twice[c] += cliques;
        }
        // Each has two more vertices among the neighbours, and was found by way of both.
        for (edge, twice) in (first..).zip(twice) {
            add(&edges[edge].cliques, twice / 2);
        }
        marks.rows = rows;
    };
    marks::sum(readers, scheduler, || (), from, |(), ()| ());
}
