//! Candidate sets as sorted lists, of neighbours as they lie in the graph or of what such lists have in common.

use std::ops::Range;

use super::bits::Neighbourhood;
use super::candidates::Candidates;
use super::rows;
use super::space::{Last, Sizes, Space, Vertices, ranks};
use crate::matching::bitmaps::Summed;
use crate::matching::reads::View;
use crate::pattern::members;
use crate::plan::{Bounds, Plan};

/// Sets over the graph's own vertices.
pub(super) struct Lists<'a> {
    graph: View<'a>,
    plan: &'a Plan,
    candidates: Vec<Candidates<'a>>,
    /// For each position that is probed, its vertex's neighbours.
    neighbourhoods: Vec<Neighbourhood<'a>>,
    /// Whether sets of which only the size is needed are not made, as work is only estimated.
    estimating: bool,
    /// What a set is estimated to cost where it would be made as a bitmap.
    bitmap: Option<u64>,
}

impl<'a> Lists<'a> {
    pub(super) fn new(graph: View<'a>, plan: &'a Plan, estimating: bool) -> Self {
        let room = |wanted: bool| if wanted { graph.vertices } else { 0 };
        let candidates = plan.sets.iter().map(|set| Candidates::new(set, graph.vertices)).collect();
        let neighbourhoods = plan.steps.iter().map(|step| Neighbourhood::over(room(step.probed))).collect();
        Self { graph, plan, candidates, neighbourhoods, estimating, bitmap: None }
    }

    /// The same as [`Space::sum_sizes`], set by set: too few to mark what all of them are made of.
    fn sum_few_sizes(&mut self, asked: &Sizes, places: Range<usize>, vertices: &mut Vertices) -> Summed {
        let mut summed = Summed::default();
        for place in places {
            let vertex = self.candidates[asked.from].list()[place];
            if members(asked.distinct).any(|other| vertices[other] == vertex) {
                continue;
            }
            vertices[asked.at] = vertex;
            let read = self.make(asked.set, vertices);
            summed = summed.plus(Summed { candidates: 1, sum: self.size(asked.set), read });
        }
        summed
    }
}

impl Space for Lists<'_> {
    fn begin(&mut self, first: u32) -> (u32, u64) {
        if !self.estimating || !self.plan.is_around_the_first() {
            return (first, 0);
        }
        let cost = rows::cost(&self.graph, self.plan, first);
        self.bitmap = cost.map(|(_, set)| set);
        (first, cost.map_or(0, |(prepare, _)| prepare))
    }

    #[inline]
    fn make(&mut self, number: usize, vertices: &Vertices) -> u64 {
        let set = &self.plan.sets[number];
        let (low, high) = ranks(set.bounds, vertices);
        let near = self.graph.between(vertices[set.made_at], low, high);
        let Some(parent) = set.parent else {
            self.candidates[number].borrow(near);
            return 0;
        };
        let (before, own) = self.candidates.split_at_mut(number);
        if self.estimating && !set.kept {
            return self.bitmap.unwrap_or_else(|| before[parent].cost(near));
        }
        let read = own[0].intersect(&mut before[parent], near, (low, high));
        self.bitmap.unwrap_or(read)
    }

    #[inline]
    fn size(&self, set: usize) -> u64 {
        self.candidates[set].size()
    }

    fn size_within(&self, set: usize, bounds: Bounds, vertices: &Vertices) -> u64 {
        self.within(set, bounds, vertices).len() as u64
    }

    fn within(&self, set: usize, bounds: Bounds, vertices: &Vertices) -> Range<usize> {
        let list = self.candidates[set].list();
        if bounds.is_none() {
            return 0..list.len();
        }
        let (low, high) = ranks(bounds, vertices);
        let start = list.partition_point(|member| *member < low);
        start..start + list[start..].partition_point(|member| *member < high)
    }

    fn some(&self, all: Range<usize>, some: Range<usize>) -> Range<usize> {
        all.start + some.start..all.start + some.end
    }

    #[inline]
    fn next(&self, set: usize, places: &mut Range<usize>) -> Option<u32> {
        places.next().map(|place| self.candidates[set].list()[place])
    }

    fn sum_sizes(&mut self, asked: &Sizes, places: Range<usize>, vertices: &mut Vertices) -> Summed {
        if places.len() < 2 || self.estimating {
            return self.sum_few_sizes(asked, places, vertices);
        }
        let set = &self.plan.sets[asked.set];
        let parent = set.parent.expect("it is made with the last vertex, not of it alone");
        self.candidates[parent].mark();
        let (parent, from) = (&self.candidates[parent], &self.candidates[asked.from].list()[places]);
        let bounds = Last::new(set.bounds, asked.at, vertices);
        let mut summed = Summed::default();
        for &vertex in from {
            if members(asked.distinct).any(|other| vertices[other] == vertex) {
                continue;
            }
            let (low, high) = bounds.ranks(vertex);
            let (size, read) = parent.common(self.graph.between(vertex, low, high), low, high);
            summed = summed.plus(Summed { candidates: 1, sum: size, read });
        }
        summed
    }

    fn sum_numbers(
        &self,
        set: usize,
        places: Range<usize>,
        but: impl Iterator<Item = u32>,
        number: impl Fn(u32) -> u64,
    ) -> u64 {
        let list = &self.candidates[set].list()[places];
        let among = but.filter(|vertex| list.binary_search(vertex).is_ok());
        let without: u64 = among.map(&number).sum();
        list.iter().map(|vertex| number(*vertex)).sum::<u64>() - without
    }

    fn hold(&mut self, at: usize, vertex: u32) {
        self.neighbourhoods[at].hold(self.graph.neighbours(vertex));
    }

    fn joined(&self, at: usize, _: &Vertices, other: u32) -> bool {
        self.neighbourhoods[at].has(other)
    }
}
