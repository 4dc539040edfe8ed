//! Squares on each edge, each found twice from its highest vertex: by way of both of the neighbours that this one has in
//! it.
//!
//! Call a the highest vertex, and w(j) the number of paths a - x - j with x and j below a. Then the edges of such a path
//! are in w(j) - 1 squares with a and j opposite.

use std::sync::atomic::AtomicU64;

use super::table::{Edge, add, get};
use crate::Scheduler;
use crate::graph::Ends;
use crate::matching::Readers;
use crate::matching::marks::{self, Marks};
use crate::matching::reads::View;

pub(super) fn count(readers: &Readers<'_>, scheduler: &Scheduler, edges: &[Edge]) {
    let graph = readers.graph();
    // A number for each edge from each of its ends: what it has from one of them lies with the list that is read.
    let both: Vec<AtomicU64> = (0..graph.count(Ends::Both)).map(|_| AtomicU64::new(0)).collect();
    let below = |graph: View<'_>, a: u32, marks: &mut Marks| {
        for &x in graph.downward(a) {
            for &j in graph.between(x, 0, a) {
                marks.numbers[j as usize] += 1;
            }
        }
        for (from_a, &x) in graph.range(Ends::Both, a).zip(graph.downward(a)) {
            let mut all = 0;
            for (from_x, &j) in graph.range(Ends::Both, x).zip(graph.between(x, 0, a)) {
                let squares = u64::from(marks.numbers[j as usize]) - 1;
                add(&both[from_x], squares);
                all += squares;
            }
            add(&both[from_a], all);
        }
        for &x in graph.downward(a) {
            for &j in graph.between(x, 0, a) {
                marks.numbers[j as usize] = 0;
            }
        }
    };
    marks::sum(readers, scheduler, || (), below, |(), ()| ());
    let join = |graph: View<'_>, a: u32, _: &mut Marks| {
        let upward = graph.upward(a);
        let from_a = graph.range(Ends::Both, a);
        let from_a = &both[from_a.end - upward.len()..from_a.end];
        for (edge, (&b, from_a)) in graph.range(Ends::Lower, a).zip(upward.iter().zip(from_a)) {
            let place = graph.neighbours(b).binary_search(&a).expect("each edge stands in both lists");
            let from_b = &both[graph.range(Ends::Both, b).start + place];
            add(&edges[edge].squares, get(from_a) + get(from_b));
        }
    };
    marks::sum(readers, scheduler, || (), join, |(), ()| ());
}
