//! Numbers of paths of two edges from the first vertex to each other one.

use super::bits::Numbers;
use super::space::{Vertices, ranks};
use crate::Graph;
use crate::matching::reads::View;
use crate::plan::{Plan, Table};

/// Middles of paths that an estimate looks at.
const MIDDLES: usize = 64;

/// The tables of a plan.
pub(super) struct Tables<'a> {
    kinds: &'a [Table],
    numbers: Vec<Numbers>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(graph: &Graph, plan: &'a Plan) -> Self {
        Self { kinds: &plan.tables, numbers: plan.tables.iter().map(|_| Numbers::over(graph.vertices)).collect() }
    }

    /// Counts the paths from the first of these vertices. How many there are.
    pub(super) fn fill(&mut self, graph: View<'_>, vertices: &Vertices) -> u64 {
        let mut paths = 0;
        for (numbers, kind) in self.numbers.iter_mut().zip(self.kinds) {
            numbers.wipe();
            let ((low, high), end) = (ranks(kind.middle, vertices), ranks(kind.end, vertices));
            for &middle in graph.between(vertices[0], low, high) {
                let ends = graph.between(middle, end.0, end.1);
                numbers.add_one(ends);
                paths += ends.len() as u64;
            }
        }
        paths
    }

    /// About how many there are, from some of their middles.
    pub(super) fn estimated(&self, graph: &Graph, vertices: &Vertices) -> u64 {
        let of = |kind: &Table| {
            let ((low, high), end) = (ranks(kind.middle, vertices), ranks(kind.end, vertices));
            let middles = graph.between(vertices[0], low, high);
            let each = middles.len() / MIDDLES + 1;
            let some = middles.iter().step_by(each).map(|middle| graph.between(*middle, end.0, end.1).len());
            (some.sum::<usize>() * each) as u64
        };
        self.kinds.iter().map(of).sum()
    }

    pub(super) fn at(&self, table: usize, vertex: u32) -> u64 {
        self.numbers[table].at(vertex)
    }
}
