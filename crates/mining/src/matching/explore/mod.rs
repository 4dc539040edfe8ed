//! Matching by a plan, vertex by vertex, as a pattern-mining system does.
//!
//! Jamshidi, Mahadasa, Vora, *Peregrine: a pattern-aware graph mining system*, EuroSys 2020.

mod bits;
mod candidates;
mod estimate;
mod lists;
mod roots;
mod rows;
mod sets;
mod space;
mod tables;

use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::reads::View;
use super::small;
use super::work::Work;
use crate::pattern::{MOST_VERTICES, members};
use crate::plan::{Counted, FILL, Plan, Step, Term};

pub(super) use estimate::{estimated, shape};
pub(super) use roots::{Roots, Worker};
use space::{Sizes, Space, Vertices, ranks};
use tables::Tables;

/// A plan at work on a graph, its candidate sets in a space.
struct Matcher<'a, S> {
    graph: View<'a>,
    plan: &'a Plan,
    space: S,
    /// The vertex at each position, as the space numbers it.
    vertices: Vertices,
    /// For each position, those probed to which its vertex is joined.
    joined: [u8; MOST_VERTICES],
    tables: Tables<'a>,
    /// For each term of the tail: its factors that do not vary, and the sum of those that do.
    parts: Vec<(i128, i128)>,
    /// Matches so far that meet the plan's conditions.
    sum: i128,
    /// Partial matches at each position, and members of lists read.
    work: Work,
    /// Where work is only estimated: which candidates are followed.
    chance: Option<SmallRng>,
    /// For how many partial matches each stands.
    weight: f64,
}

impl<'a, S: Space> Matcher<'a, S> {
    fn new(graph: View<'a>, plan: &'a Plan, space: S) -> Self {
        Self {
            graph,
            plan,
            space,
            vertices: [0; MOST_VERTICES],
            joined: [0; MOST_VERTICES],
            tables: Tables::new(&graph, plan),
            parts: vec![(0, 0); plan.tail.len()],
            sum: 0,
            work: Work::default(),
            chance: None,
            weight: 1.0,
        }
    }

    /// Matches everything that begins at a vertex and, where two are matched, goes on to some of its neighbours by their
    /// places among those that the conditions allow.
    fn around(&mut self, first: u32, neighbours: Range<usize>) {
        let (number, read) = self.space.begin(first);
        self.know(0, number);
        if self.plan.matched() == 1 {
            self.work.matches[0] += 1.0;
            self.sum = plus(self.sum, self.tail());
            return;
        }
        let step = &self.plan.steps[1];
        let all = self.space.within(step.from, step.bounds, &self.vertices);
        // What is prepared for the first vertex serves its other neighbours as well, in other tasks.
        let part = neighbours.len() as f64 / all.len().max(1) as f64;
        self.work.matches[0] += part;
        let paths = match &self.chance {
            Some(_) => self.tables.estimated(&self.graph, &self.vertices),
            None => self.tables.fill(self.graph, &self.vertices),
        };
        self.work.read[0] += part * (read as f64 + FILL * paths as f64);
        let places = self.space.some(all, neighbours);
        self.on(1, places);
    }

    /// Matches the candidates of a position at these places.
    fn on(&mut self, at: usize, places: Range<usize>) {
        if at + 1 < self.plan.matched() {
            self.descend(at, places);
        } else if self.plan.sums_sizes() {
            self.sum_sizes(at, places);
        } else {
            self.last(at, places);
        }
    }

    /// Matches candidates of a position, and everything behind them.
    fn descend(&mut self, at: usize, mut places: Range<usize>) {
        let step = &self.plan.steps[at];
        while let Some(vertex) = self.space.next(step.from, &mut places) {
            if self.is_taken(step, vertex) {
                continue;
            }
            self.work.matches[at] += self.weight;
            self.know(at, vertex);
            let (next, weight) = (&self.plan.steps[at + 1], self.weight);
            let all = self.space.within(next.from, next.bounds, &self.vertices);
            let followed = self.followed(all);
            self.on(at + 1, followed);
            self.weight = weight;
        }
    }

    /// Whether a candidate is matched already.
    #[inline]
    fn is_taken(&self, step: &Step, vertex: u32) -> bool {
        members(step.distinct).any(|other| self.vertices[other] == vertex)
    }

    /// Which candidates are matched: all, or one that stands for all where work is only estimated.
    fn followed(&mut self, all: Range<usize>) -> Range<usize> {
        match &mut self.chance {
            Some(chance) if !all.is_empty() => {
                self.weight *= all.len() as f64;
                let one = chance.random_range(all);
                one..one + 1
            }
            _ => all,
        }
    }

    /// Notes a vertex at a position, and all that follows from it.
    fn know(&mut self, at: usize, vertex: u32) {
        self.vertices[at] = vertex;
        let step = &self.plan.steps[at];
        for &set in &step.makes {
            let read = self.space.make(set, &self.vertices);
            self.work.read[at] += self.weight * read as f64;
        }
        if step.probed {
            self.space.hold(at, vertex);
        }
        let joined = |other: usize| u8::from(self.space.joined(other, &self.vertices, vertex)) << other;
        self.joined[at] = members(step.probes).map(joined).sum();
    }

    /// Adds up the sizes of one set over the candidates of the last position, where that is all that the tail asks.
    fn sum_sizes(&mut self, at: usize, places: Range<usize>) {
        let (step, term) = (&self.plan.steps[at], &self.plan.tail[0]);
        let asked = Sizes { at, from: step.from, distinct: step.distinct, set: term.varying[0].set };
        let summed = self.space.sum_sizes(&asked, places, &mut self.vertices);
        self.work.matches[at] += self.weight * summed.candidates as f64;
        self.work.read[at] += self.weight * summed.read as f64;
        self.sum = plus(self.sum, times(times(term.times.into(), self.product(&term.fixed)), summed.sum.into()));
    }

    /// Matches candidates of the last position, and adds up the ways to choose the tail.
    fn last(&mut self, at: usize, mut places: Range<usize>) {
        let step = &self.plan.steps[at];
        let mut parts = std::mem::take(&mut self.parts);
        for (part, term) in parts.iter_mut().zip(&self.plan.tail) {
            *part = (times(term.times.into(), self.product(&term.fixed)), 0);
        }
        if let (true, [(fixed, _)]) = (self.plan.looks_up(), &parts[..]) {
            self.sum = plus(self.sum, times(*fixed, self.looked_up(at, places)));
        } else if parts.iter().any(|(fixed, _)| *fixed != 0) || self.chance.is_some() {
            while let Some(vertex) = self.space.next(step.from, &mut places) {
                if self.is_taken(step, vertex) {
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
            self.sum = parts.iter().map(|(fixed, sum)| times(*fixed, *sum)).fold(self.sum, plus);
        }
        self.parts = parts;
    }

    /// The sum over candidates of the last position of what a table says of them.
    fn looked_up(&mut self, at: usize, places: Range<usize>) -> i128 {
        let (step, counted) = (&self.plan.steps[at], &self.plan.tail[0].varying[0]);
        let table = self.plan.sets[counted.set].table.expect("it looks up");
        self.work.matches[at] += self.weight * places.len() as f64;
        let matched = members(step.distinct).map(|other| self.vertices[other]);
        self.space.sum_numbers(step.from, places, matched, |vertex| self.tables.at(table, vertex)).into()
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
        let size = match self.plan.sets[counted.set].table {
            Some(table) => self.tables.at(table, self.vertices[self.plan.sets[counted.set].made_at]),
            None if counted.left.is_none() => self.space.size(counted.set),
            None => self.space.size_within(counted.set, counted.left, &self.vertices),
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
    small(a.checked_mul(b))
}

fn plus(a: i128, b: i128) -> i128 {
    small(a.checked_add(b))
}
