//! Matching by a plan, vertex by vertex, as a pattern-mining system does.
//!
//! Jamshidi, Mahadasa, Vora, *Peregrine: a pattern-aware graph mining system*, EuroSys 2020.

use std::ops::Range;

use super::candidates::Candidates;
use crate::Graph;
use crate::graph::Adjacency;
use crate::pattern::{MOST_VERTICES, members};
use crate::plan::{Bounds, Counted, Plan};

/// A plan at work on a graph.
pub(super) struct Matcher<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    /// The vertex at each position.
    vertices: [u32; MOST_VERTICES],
    /// For each position, those probed to which its vertex is joined.
    joined: [u8; MOST_VERTICES],
    candidates: Vec<Candidates<'a>>,
    /// Matches so far, each copy as often as the plan's divisor says.
    pub sum: i128,
    /// Members of lists read, and partial matches, at each position.
    pub read: [u64; MOST_VERTICES],
    pub matches: [u64; MOST_VERTICES],
}

/// Where matching begins.
#[derive(Clone, Copy)]
pub(super) enum Roots<'a> {
    /// At each vertex.
    Vertices(usize),
    /// At each edge in the directions that the conditions allow.
    Pairs(&'a Adjacency),
}

impl<'a> Roots<'a> {
    pub(super) fn new(graph: &'a Graph, plan: &Plan) -> Self {
        if plan.matched() == 1 {
            return Self::Vertices(graph.vertices);
        }
        let bounds = plan.bounds(1);
        Self::Pairs(match (bounds.above, bounds.below) {
            (0, 0) => &graph.neighbours,
            (0, _) => &graph.downward,
            _ => &graph.upward,
        })
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Self::Vertices(count) => *count,
            Self::Pairs(pairs) => pairs.len(),
        }
    }
}

impl<'a> Matcher<'a> {
    pub(super) fn new(graph: &'a Graph, plan: &'a Plan) -> Self {
        let none = [0; MOST_VERTICES];
        let candidates = plan.sets.iter().map(|set| Candidates::new(set, graph.vertices)).collect();
        let (read, matches) = ([0; MOST_VERTICES], [0; MOST_VERTICES]);
        Self { graph, plan, vertices: [0; MOST_VERTICES], joined: none, candidates, sum: 0, read, matches }
    }

    /// Matches everything that begins at these roots, unless more than `most` members of lists are read.
    pub(super) fn roots(&mut self, roots: Roots<'a>, range: Range<usize>, most: u64) {
        match roots {
            Roots::Vertices(_) => range.for_each(|vertex| self.place(0, super::vertex(vertex))),
            Roots::Pairs(pairs) => {
                let mut before = None;
                for (first, second) in pairs.pairs(range) {
                    if before.replace(first) != Some(first) {
                        self.place(0, first);
                    }
                    self.place(1, second);
                    if self.read.iter().sum::<u64>() > most {
                        return;
                    }
                }
            }
        }
    }

    /// Matches a vertex at a position, and everything behind it. The pairs that begin a match are given by its roots.
    fn place(&mut self, at: usize, vertex: u32) {
        self.vertices[at] = vertex;
        self.matches[at] += 1;
        let step = &self.plan.steps[at];
        for &set in &step.makes {
            self.make(set);
        }
        self.joined[at] = 0;
        for other in members(step.probes) {
            self.joined[at] |= u8::from(self.graph.joined(vertex, self.vertices[other])) << other;
        }
        if at + 1 == self.plan.matched() {
            self.sum += self.tail();
        } else if at > 0 {
            self.descend(at + 1);
        }
    }

    /// Matches each candidate of a position.
    fn descend(&mut self, at: usize) {
        let step = &self.plan.steps[at];
        let Range { start, end } = self.within(step.from, step.bounds);
        for place in start..end {
            let vertex = self.candidates[step.from].list()[place];
            if members(step.distinct).all(|other| self.vertices[other] != vertex) {
                self.place(at, vertex);
            }
        }
    }

    /// Makes a set, now that the last of the vertices that it neighbours is matched.
    fn make(&mut self, number: usize) {
        let set = &self.plan.sets[number];
        let (low, high) = self.ranks(set.bounds);
        let near = self.graph.between(self.vertices[set.made_at], low, high);
        let Some(parent) = set.parent else { return self.candidates[number].borrow(near) };
        let (before, own) = self.candidates.split_at_mut(number);
        self.read[set.made_at] += own[0].intersect(&mut before[parent], near, (low, high));
    }

    /// Ranks between which a vertex must lie: it may be the first, not the second.
    fn ranks(&self, bounds: Bounds) -> (u32, u32) {
        let low = members(bounds.above).map(|at| self.vertices[at] + 1).max().unwrap_or(0);
        let high = members(bounds.below).map(|at| self.vertices[at]).min().unwrap_or(u32::MAX);
        (low, high)
    }

    /// Where in a set those are that meet conditions.
    fn within(&self, set: usize, bounds: Bounds) -> Range<usize> {
        let list = self.candidates[set].list();
        if bounds.is_none() {
            return 0..list.len();
        }
        let (low, high) = self.ranks(bounds);
        let start = list.partition_point(|member| *member < low);
        start..start + list[start..].partition_point(|member| *member < high)
    }

    /// The number of ways to choose the tail.
    fn tail(&self) -> i128 {
        let product =
            |factors: &[Counted]| factors.iter().map(|counted| i128::from(self.size(counted))).product::<i128>();
        self.plan.tail.iter().map(|term| i128::from(term.times) * product(&term.factors)).sum()
    }

    /// The size of a set without the matched vertices in it.
    fn size(&self, counted: &Counted) -> u64 {
        let candidates = &self.candidates[counted.set];
        let size = if counted.left.is_none() {
            candidates.size()
        } else {
            self.within(counted.set, counted.left).len() as u64
        };
        if size == 0 || counted.matched.is_empty() {
            return size;
        }
        let (low, high) = self.ranks(counted.bounds);
        let inside = |(position, unknown): &&(usize, u8)| {
            let vertex = self.vertices[*position];
            let joined = |other: usize| self.joined[other.max(*position)] >> other.min(*position) & 1 == 1;
            (low..high).contains(&vertex) && members(*unknown).all(joined)
        };
        size - counted.matched.iter().filter(inside).count() as u64
    }
}
