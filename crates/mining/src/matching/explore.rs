//! Matching by a plan, vertex by vertex, as a pattern-mining system does.
//!
//! Jamshidi, Mahadasa, Vora, *Peregrine: a pattern-aware graph mining system*, EuroSys 2020.

use std::ops::Range;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::SMALL;
use super::bits::{Neighbourhood, Numbers};
use super::candidates::Candidates;
use super::work::Work;
use crate::Graph;
use crate::graph::Adjacency;
use crate::pattern::{MOST_VERTICES, members};
use crate::plan::{Bounds, Counted, FILL, Plan, Step, Term};

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
    /// Matches so far that meet the plan's conditions.
    pub sum: i128,
    /// Partial matches at each position, and members of lists read.
    pub work: Work,
    /// The part of the first vertex's roots that are matched at once.
    part: f64,
    /// Where work is only estimated: which candidates are followed.
    chance: Option<SmallRng>,
    /// For how many partial matches each stands.
    weight: f64,
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
            work: Work::default(),
            part: 1.0,
            chance: None,
            weight: 1.0,
        }
    }

    /// The same to estimate what matching takes, by following one candidate of each set for all of them (Knuth,
    /// *Estimating the efficiency of backtrack programs*, 1975). What it finds is no count.
    pub(super) fn estimating(graph: &'a Graph, plan: &'a Plan, seed: u64) -> Self {
        Self { chance: Some(SmallRng::seed_from_u64(seed)), ..Self::new(graph, plan) }
    }

    /// Matches everything that begins at these roots.
    pub(super) fn roots(&mut self, roots: Roots<'a>, range: Range<usize>) {
        match roots {
            Roots::Vertices(_) => range.for_each(|vertex| self.place(0, super::vertex(vertex))),
            Roots::Pairs(pairs) => {
                let mut before = None;
                for (first, second) in pairs.pairs(range.clone()) {
                    if before.replace(first) != Some(first) {
                        // The part of it that serves these roots.
                        let own = pairs.range(first);
                        let here = own.end.min(range.end) - own.start.max(range.start);
                        self.part = here as f64 / own.len() as f64;
                        self.place(0, first);
                    }
                    self.place(1, second);
                }
            }
        }
    }

    /// Matches a vertex at a position, and everything behind it. The pairs that begin a match are given by its roots.
    fn place(&mut self, at: usize, vertex: u32) {
        self.work.matches[at] += if at == 0 { self.part } else { self.weight };
        self.know(at, vertex);
        if at == 0 {
            self.fill_tables();
        }
        match self.plan.matched() - 1 - at {
            0 => self.sum = plus(self.sum, self.tail()),
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
                if self.chance.is_none() {
                    table.add_one(ends);
                }
                self.work.read[0] += FILL * self.part * ends.len() as f64;
            }
        }
    }

    /// Matches each candidate of a position.
    fn descend(&mut self, at: usize) {
        let (step, weight) = (&self.plan.steps[at], self.weight);
        for place in self.followed(step) {
            let vertex = self.candidates[step.from].list()[place];
            if members(step.distinct).all(|other| self.vertices[other] != vertex) {
                self.place(at, vertex);
            }
        }
        self.weight = weight;
    }

    /// Which candidates are matched: all, or one that stands for all where work is only estimated.
    fn followed(&mut self, step: &Step) -> Range<usize> {
        let all = self.within(step.from, step.bounds);
        match &mut self.chance {
            Some(chance) if !all.is_empty() => {
                self.weight *= all.len() as f64;
                let one = chance.random_range(all);
                one..one + 1
            }
            _ => all,
        }
    }

    /// Matches each candidate of the last position, and adds up the ways to choose the tail.
    fn last(&mut self, at: usize) {
        let step = &self.plan.steps[at];
        let mut parts = std::mem::take(&mut self.parts);
        for (part, term) in parts.iter_mut().zip(&self.plan.tail) {
            *part = (times(term.times.into(), self.product(&term.fixed)), 0);
        }
        if let (true, [(fixed, _)]) = (self.plan.looks_up(), &parts[..]) {
            self.sum = plus(self.sum, times(*fixed, self.looked_up(at)));
        } else if parts.iter().any(|(fixed, _)| *fixed != 0) || self.chance.is_some() {
            let weight = self.weight;
            for place in self.followed(step) {
                let vertex = self.candidates[step.from].list()[place];
                if members(step.distinct).any(|other| self.vertices[other] == vertex) {
                    continue;
                }
                self.work.matches[at] += self.weight;
                self.know(at, vertex);
                for ((_, sum), term) in parts.iter_mut().zip(&self.plan.tail) {
                    let ways = match &term.varying[..] {
                        [one] => i128::from(self.size(one)),
                        several => self.product(several),
                    };
                    *sum = plus(*sum, ways);
                }
            }
            self.weight = weight;
            self.sum = parts.iter().map(|(fixed, sum)| times(*fixed, *sum)).fold(self.sum, plus);
        }
        self.parts = parts;
    }

    /// The sum over all candidates of the last position of what a table says of them.
    fn looked_up(&mut self, at: usize) -> i128 {
        let (step, counted) = (&self.plan.steps[at], &self.plan.tail[0].varying[0]);
        let table = &self.tables[self.plan.sets[counted.set].table.expect("it looks up")];
        let list = &self.candidates[step.from].list()[self.within(step.from, step.bounds)];
        let among = |vertex: &u32| list.binary_search(vertex).is_ok();
        let others = members(step.distinct).map(|other| self.vertices[other]).filter(among);
        let without = others.map(|vertex| i128::from(table.at(vertex))).sum::<i128>();
        self.work.matches[at] += self.weight * list.len() as f64;
        i128::from(list.iter().map(|&vertex| table.at(vertex)).sum::<u64>()) - without
    }

    /// Makes a set, now that the last of the vertices that it neighbours is matched.
    fn make(&mut self, number: usize) {
        let set = &self.plan.sets[number];
        let (low, high) = ranks(set.bounds, &self.vertices);
        let near = self.graph.between(self.vertices[set.made_at], low, high);
        let Some(parent) = set.parent else { return self.candidates[number].borrow(near) };
        let (before, own) = self.candidates.split_at_mut(number);
        let read = if self.chance.is_some() && !set.kept {
            before[parent].cost(near)
        } else {
            own[0].intersect(&mut before[parent], near, (low, high))
        };
        self.work.read[set.made_at] += self.weight * read as f64;
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
        let whole =
            |term: &Term| times(times(term.times.into(), self.product(&term.fixed)), self.product(&term.varying));
        self.plan.tail.iter().map(whole).fold(0, plus)
    }

    fn product(&self, factors: &[Counted]) -> i128 {
        factors.iter().map(|counted| i128::from(self.size(counted))).fold(1, times)
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

fn times(a: i128, b: i128) -> i128 {
    a.checked_mul(b).expect(SMALL)
}

fn plus(a: i128, b: i128) -> i128 {
    a.checked_add(b).expect(SMALL)
}

/// Ranks between which a vertex must lie: it may be the first, not the second.
fn ranks(bounds: Bounds, vertices: &[u32; MOST_VERTICES]) -> (u32, u32) {
    let low = members(bounds.above).map(|at| vertices[at] + 1).max().unwrap_or(0);
    let high = members(bounds.below).map(|at| vertices[at]).min().unwrap_or(u32::MAX);
    (low, high)
}
