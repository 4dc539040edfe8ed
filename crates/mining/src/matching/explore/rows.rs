//! Candidate sets as bitmaps, of plans whose first vertex is joined to all others: everything happens among its
//! neighbours, so that a bit for each of them is enough, and 64 or more are looked up by one instruction.
//!
//! The neighbours are numbered in the order of their ranks, with the first vertex itself among them, so that conditions
//! on ranks hold for these numbers as well. No bit stands for it.

use std::ops::Range;

use super::sets::{search, searched};
use super::space::{Last, Sizes, Space, Vertices, ranks};
use crate::Graph;
use crate::matching::bitmaps::{Commons, Instructions, Side, Summed, common, first_bit, only};
use crate::matching::reads::View;
use crate::matching::vertex;
use crate::pattern::members;
use crate::plan::{Bounds, Plan};

/// Most neighbours of a vertex that get bitmaps, of two MiB. There are hardly any vertices with more, and these rarely
/// have neighbours with much in common.
const MOST: usize = 4096;

/// Words of bitmaps that cost as much to count as a member of a list that is looked up.
const COUNTED: usize = 2;
/// And to wipe.
const WIPED: usize = 8;
/// Neighbours whose lists an estimate looks at.
const LOOKED_AT: usize = 64;

/// The neighbours of a first vertex that its matches lie among.
fn domain<'a>(graph: &'a Graph, plan: &Plan, first: u32) -> &'a [u32] {
    let bounds = plan.sets.iter().find(|set| set.near == 1).map(|set| set.bounds).unwrap_or_default();
    let (low, high) = ranks(bounds, &[first; _]);
    graph.between(first, low, high)
}

/// Whether a first vertex has few enough neighbours.
pub(super) fn fits(graph: &Graph, plan: &Plan, first: u32) -> bool {
    domain(graph, plan, first).len() <= MOST
}

/// What it is expected to cost to prepare bitmaps for a first vertex, and to make a set; none where it does not fit.
pub(super) fn cost(graph: &Graph, plan: &Plan, first: u32) -> Option<(u64, u64)> {
    let domain = domain(graph, plan, first);
    let words = domain.len().div_ceil(64);
    let each = domain.len() / LOOKED_AT + 1;
    let some = domain.iter().step_by(each).map(|neighbour| graph.upward(*neighbour).len());
    let prepare = some.sum::<usize>() * each + domain.len() * words / WIPED;
    (domain.len() <= MOST).then_some((prepare as u64, (words / COUNTED) as u64))
}

/// Bitmaps over the neighbours of one vertex at a time.
pub(super) struct Rows<'a> {
    graph: View<'a>,
    plan: &'a Plan,
    /// The set of all neighbours.
    all: usize,
    instructions: Instructions,
    neighbours: &'a [u32],
    /// The number of the first vertex.
    first: usize,
    /// For each vertex of the graph its number + 1; 0 where it has none.
    numbers: Vec<u32>,
    /// How many words a bitmap has.
    words: usize,
    /// For each neighbour, those to which it is joined.
    joined: Vec<u64>,
    sets: Vec<Vec<u64>>,
    sizes: Vec<u64>,
    /// A set without what conditions leave out.
    cut: Vec<u64>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(graph: View<'a>, plan: &'a Plan) -> Self {
        let all = plan.sets.iter().position(|set| set.near == 1).expect("others are joined to the first vertex");
        Self {
            graph,
            plan,
            all,
            instructions: Instructions::best(),
            neighbours: &[],
            first: 0,
            numbers: vec![0; graph.vertices],
            words: 0,
            joined: Vec::new(),
            sets: vec![Vec::new(); plan.sets.len()],
            sizes: vec![0; plan.sets.len()],
            cut: Vec::new(),
        }
    }

    /// Which number stands for the neighbour at a place in their list.
    fn number(&self, place: usize) -> usize {
        place + usize::from(place >= self.first)
    }

    fn row(&self, number: usize) -> &[u64] {
        &self.joined[number * self.words..(number + 1) * self.words]
    }

    fn is_joined(&self, a: u32, b: u32) -> bool {
        self.row(a as usize)[b as usize / 64] >> (b % 64) & 1 == 1
    }

    /// Joins a neighbour to those of higher rank. How many members of lists were looked up.
    fn fill(&mut self, place: usize) -> u64 {
        let (own, upward) = (self.number(place), self.graph.upward(self.neighbours[place]));
        let (numbers, rows, words) = (&self.numbers, &mut self.joined, self.words);
        let mut join = |other: u32| {
            if let Some(other) = (numbers[other as usize] as usize).checked_sub(1) {
                rows[own * words + other / 64] |= 1 << (other % 64);
                rows[other * words + own / 64] |= 1 << (own % 64);
            }
        };
        let others = &self.neighbours[place + 1..];
        if searched(others.len(), upward.len()) {
            search(others, upward, join);
            return others.len() as u64;
        }
        for &other in upward {
            join(other);
        }
        upward.len() as u64
    }

    /// Ranks that conditions leave, as places of bits.
    fn bits(&self, bounds: Bounds, vertices: &Vertices) -> Range<usize> {
        self.places(ranks(bounds, vertices))
    }

    fn places(&self, (low, high): (u32, u32)) -> Range<usize> {
        let end = self.neighbours.len() + 1;
        (low as usize).min(end)..(high as usize).min(end)
    }
}

impl Space for Rows<'_> {
    fn begin(&mut self, first: u32) -> (u32, u64) {
        for &neighbour in self.neighbours {
            self.numbers[neighbour as usize] = 0;
        }
        self.neighbours = self.graph.take_up(domain(self.graph.graph(), self.plan, first));
        self.first = self.neighbours.partition_point(|neighbour| *neighbour < first);
        let count = self.neighbours.len() + 1;
        self.words = count.div_ceil(64);
        for (place, &neighbour) in self.neighbours.iter().enumerate() {
            self.numbers[neighbour as usize] = vertex(self.number(place)) + 1;
        }
        self.joined.clear();
        self.joined.resize(count * self.words, 0);
        let read = (0..self.neighbours.len()).map(|place| self.fill(place)).sum();
        let all = &mut self.sets[self.all];
        all.clear();
        all.resize(self.words, u64::MAX);
        only(all, &(0..count));
        all[self.first / 64] &= !(1 << (self.first % 64));
        (vertex(self.first), read)
    }

    #[inline]
    fn make(&mut self, number: usize, vertices: &Vertices) -> u64 {
        let set = &self.plan.sets[number];
        let Some(parent) = set.parent else { return 0 };
        let bits = self.bits(set.bounds, vertices);
        let own = vertices[set.made_at] as usize;
        let row = &self.joined[own * self.words..(own + 1) * self.words];
        let (before, after) = self.sets.split_at_mut(number);
        let parent = &before[parent];
        let read = (bits.end.div_ceil(64)).saturating_sub(bits.start / 64) as u64;
        if set.kept {
            common(parent, row, &bits, &mut after[0]);
        } else {
            self.sizes[number] = self.instructions.common_count(parent, row, bits);
        }
        read
    }

    #[inline]
    fn size(&self, set: usize) -> u64 {
        if self.plan.sets[set].kept {
            self.instructions.count(&self.sets[set], 0..self.words * 64)
        } else {
            self.sizes[set]
        }
    }

    fn size_within(&self, set: usize, bounds: Bounds, vertices: &Vertices) -> u64 {
        self.instructions.count(&self.sets[set], self.bits(bounds, vertices))
    }

    fn within(&self, _: usize, bounds: Bounds, vertices: &Vertices) -> Range<usize> {
        self.bits(bounds, vertices)
    }

    fn some(&self, all: Range<usize>, some: Range<usize>) -> Range<usize> {
        // The number of the first vertex is left out where it lies among those of its neighbours.
        let behind = |place: usize| place + usize::from(all.contains(&self.first) && place >= self.first);
        behind(all.start + some.start)..behind(all.start + some.end)
    }

    #[inline]
    fn next(&self, set: usize, places: &mut Range<usize>) -> Option<u32> {
        first_bit(&self.sets[set], places)
    }

    fn sum_sizes(&mut self, asked: &Sizes, places: Range<usize>, vertices: &mut Vertices) -> Summed {
        let set = &self.plan.sets[asked.set];
        let last = Last::new(set.bounds, asked.at, vertices);
        let taken: Vec<u32> = members(asked.distinct).map(|other| vertices[other]).collect();
        let parent = set.parent.expect("it is made with the last vertex, not of it alone");
        let (mut with, bits) = (&self.sets[parent], self.places(last.ranks));
        if last.others.without(self.plan.sets[parent].bounds) != Bounds::default() {
            common(with, with, &bits, &mut self.cut);
            with = &self.cut;
        }
        self.instructions.sum_common(&Commons {
            candidates: &self.sets[asked.from],
            places,
            taken: &taken,
            rows: &self.joined,
            with,
            side: if last.above {
                Side::Above
            } else if last.below {
                Side::Below
            } else {
                Side::All
            },
        })
    }

    fn sum_numbers(
        &self,
        set: usize,
        mut places: Range<usize>,
        but: impl Iterator<Item = u32>,
        number: impl Fn(u32) -> u64,
    ) -> u64 {
        let but: Vec<u32> = but.collect();
        let members = std::iter::from_fn(|| self.next(set, &mut places));
        members.filter(|vertex| !but.contains(vertex)).map(number).sum()
    }

    fn hold(&mut self, _: usize, _: u32) {}

    fn joined(&self, at: usize, vertices: &Vertices, other: u32) -> bool {
        // All are joined to the first vertex.
        at == 0 || self.is_joined(vertices[at], other)
    }
}
