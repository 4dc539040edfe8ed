//! Matching by a plan, vertex by vertex, as a pattern-mining system does.
//!
//! Jamshidi, Mahadasa, Vora, *Peregrine: a pattern-aware graph mining system*, EuroSys 2020.

use std::ops::Range;

use super::bits::{Neighbourhood, Numbers};
use super::candidates::Candidates;
use crate::Graph;
use crate::graph::Adjacency;
use crate::pattern::{MOST_VERTICES, members};
use crate::plan::{Bounds, Counted, Plan, Term};

/// A plan at work on a graph.
pub(super) struct Matcher<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    /// The vertex at each position.
    vertices: [u32; MOST_VERTICES],
    /// For each position, those probed to which its vertex is joined.
    joined: [u8; MOST_VERTICES],
    candidates: Vec<Candidates<'a>>,
    /// For each position that is probed, its vertex's neighbours.
    neighbourhoods: Vec<Neighbourhood<'a>>,
    tables: Vec<Numbers>,
    /// For each term of the tail: its factors that do not vary, and the sum of those that do.
    parts: Vec<(i128, i128)>,
    /// Matches so far, each copy as often as the plan's divisor says.
    pub sum: i128,
    /// Members of lists read to fill tables for the vertex at the first position.
    filled: u64,
    /// Members of lists read and last candidates visited, and how many of them may be before it gives up.
    spent: u64,
    most: u64,
    /// Members of lists read otherwise, and partial matches, at each position.
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

/// What a number in a table costs, in members of lists that are looked up.
const FILL: u64 = 4;

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
        let vertices = graph.vertices;
        let room = |wanted: bool| if wanted { vertices } else { 0 };
        Self {
            graph,
            plan,
            vertices: [0; MOST_VERTICES],
            joined: [0; MOST_VERTICES],
            candidates: plan.sets.iter().map(|set| Candidates::new(set, vertices)).collect(),
            neighbourhoods: plan.steps.iter().map(|step| Neighbourhood::over(room(step.probed))).collect(),
            tables: plan.tables.iter().map(|_| Numbers::over(vertices)).collect(),
            parts: vec![(0, 0); plan.tail.len()],
            sum: 0,
            filled: 0,
            spent: 0,
            most: u64::MAX,
            read: [0; MOST_VERTICES],
            matches: [0; MOST_VERTICES],
        }
    }

    /// Matches everything that begins at these roots, unless it takes more than `most`, members of lists and matches, since
    /// the matcher began. Whether all is done.
    pub(super) fn roots(&mut self, roots: Roots<'a>, range: Range<usize>, most: u64) -> bool {
        self.most = most;
        match roots {
            Roots::Vertices(_) => range.for_each(|vertex| self.place(0, super::vertex(vertex))),
            Roots::Pairs(pairs) => {
                let mut before = None;
                for (first, second) in pairs.pairs(range.clone()) {
                    if before.replace(first) != Some(first) {
                        self.place(0, first);
                        // The part of it that serves these roots.
                        let own = pairs.range(first);
                        let here = own.end.min(range.end) - own.start.max(range.start);
                        self.read[0] += std::mem::take(&mut self.filled) * here as u64 / own.len() as u64;
                    }
                    self.place(1, second);
                }
            }
        }
        self.spent <= most
    }

    /// Matches a vertex at a position, and everything behind it. The pairs that begin a match are given by its roots.
    fn place(&mut self, at: usize, vertex: u32) {
        self.matches[at] += 1;
        self.know(at, vertex);
        if at == 0 {
            self.fill_tables();
        }
        match self.plan.matched() - 1 - at {
            0 => self.sum += self.tail(),
            1 if at > 0 => self.last(at + 1),
            _ if at > 0 => self.descend(at + 1),
            _ => {}
        }
    }

    /// Notes a vertex at a position, and all that follows from it.
    fn know(&mut self, at: usize, vertex: u32) {
        self.vertices[at] = vertex;
        let step = &self.plan.steps[at];
        for &set in &step.makes {
            self.make(set);
        }
        if step.probed {
            self.neighbourhoods[at].hold(self.graph.neighbours.of(vertex));
        }
        let joined = |other: usize| u8::from(self.neighbourhoods[other].has(vertex)) << other;
        self.joined[at] = members(step.probes).map(joined).sum();
    }

    /// Counts the paths of two edges from the first vertex.
    fn fill_tables(&mut self) {
        for (table, kind) in self.tables.iter_mut().zip(&self.plan.tables) {
            table.wipe();
            let ((low, high), end) = (ranks(kind.middle, &self.vertices), ranks(kind.end, &self.vertices));
            for &middle in self.graph.between(self.vertices[0], low, high) {
                let ends = self.graph.between(middle, end.0, end.1);
                table.add_one(ends);
                self.filled += FILL * ends.len() as u64;
            }
        }
    }

    /// Matches each candidate of a position.
    fn descend(&mut self, at: usize) {
        let step = &self.plan.steps[at];
        for place in self.within(step.from, step.bounds) {
            let vertex = self.candidates[step.from].list()[place];
            if members(step.distinct).all(|other| self.vertices[other] != vertex) {
                self.place(at, vertex);
            }
            if self.spent > self.most {
                return;
            }
        }
    }

    /// Matches each candidate of the last position, and adds up the ways to choose the tail.
    fn last(&mut self, at: usize) {
        let step = &self.plan.steps[at];
        let mut parts = std::mem::take(&mut self.parts);
        for (part, term) in parts.iter_mut().zip(&self.plan.tail) {
            *part = (i128::from(term.times) * self.product(&term.fixed), 0);
        }
        if parts.iter().any(|(fixed, _)| *fixed != 0) {
            let places = self.within(step.from, step.bounds);
            self.spent += places.len() as u64;
            for place in places {
                let vertex = self.candidates[step.from].list()[place];
                if members(step.distinct).any(|other| self.vertices[other] == vertex) {
                    continue;
                }
                self.matches[at] += 1;
                self.know(at, vertex);
                for ((_, sum), term) in parts.iter_mut().zip(&self.plan.tail) {
                    *sum += match &term.varying[..] {
                        [one] => i128::from(self.size(one)),
                        several => self.product(several),
                    };
                }
            }
            self.sum += parts.iter().map(|(fixed, sum)| fixed * sum).sum::<i128>();
        }
        self.parts = parts;
    }

    /// Makes a set, now that the last of the vertices that it neighbours is matched.
    fn make(&mut self, number: usize) {
        let set = &self.plan.sets[number];
        let (low, high) = ranks(set.bounds, &self.vertices);
        let near = self.graph.between(self.vertices[set.made_at], low, high);
        let Some(parent) = set.parent else { return self.candidates[number].borrow(near) };
        let (before, own) = self.candidates.split_at_mut(number);
        let read = own[0].intersect(&mut before[parent], near, (low, high));
        self.read[set.made_at] += read;
        self.spent += read;
    }

    /// Where in a set those are that meet conditions.
    fn within(&self, set: usize, bounds: Bounds) -> Range<usize> {
        let list = self.candidates[set].list();
        if bounds.is_none() {
            return 0..list.len();
        }
        let (low, high) = ranks(bounds, &self.vertices);
        let start = list.partition_point(|member| *member < low);
        start..start + list[start..].partition_point(|member| *member < high)
    }

    /// The number of ways to choose the tail.
    fn tail(&self) -> i128 {
        let whole = |term: &Term| self.product(&term.fixed) * self.product(&term.varying);
        self.plan.tail.iter().map(|term| i128::from(term.times) * whole(term)).sum()
    }

    fn product(&self, factors: &[Counted]) -> i128 {
        factors.iter().map(|counted| i128::from(self.size(counted))).product()
    }

    /// The size of a set without the matched vertices in it.
    fn size(&self, counted: &Counted) -> u64 {
        let (set, candidates) = (&self.plan.sets[counted.set], &self.candidates[counted.set]);
        let size = match set.table {
            Some(table) => self.tables[table].at(self.vertices[set.made_at]),
            None if counted.left.is_none() => candidates.size(),
            None => self.within(counted.set, counted.left).len() as u64,
        };
        if size == 0 || counted.matched.is_empty() {
            return size;
        }
        let (low, high) = ranks(counted.bounds, &self.vertices);
        let inside = |(position, unknown): &&(usize, u8)| {
            let vertex = self.vertices[*position];
            let joined = |other: usize| self.joined[other.max(*position)] >> other.min(*position) & 1 == 1;
            (low..high).contains(&vertex) && members(*unknown).all(joined)
        };
        size - counted.matched.iter().filter(inside).count() as u64
    }
}

/// Ranks between which a vertex must lie: it may be the first, not the second.
fn ranks(bounds: Bounds, vertices: &[u32; MOST_VERTICES]) -> (u32, u32) {
    let low = members(bounds.above).map(|at| vertices[at] + 1).max().unwrap_or(0);
    let high = members(bounds.below).map(|at| vertices[at]).min().unwrap_or(u32::MAX);
    (low, high)
}
