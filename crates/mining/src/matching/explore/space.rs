//! Where candidate sets lie while a plan is followed.

use std::ops::Range;

use crate::matching::bitmaps::Summed;
use crate::pattern::{MOST_VERTICES, members};
use crate::plan::Bounds;

/// The vertex at each position, as a space numbers them.
pub(super) type Vertices = [u32; MOST_VERTICES];

/// Candidate sets and what is asked of them. Vertices are numbered in the order of their ranks.
pub(super) trait Space {
    /// Begins at a vertex of the graph. Returns its number here, and the members of lists that were read for it.
    fn begin(&mut self, first: u32) -> (u32, u64);

    /// Makes a set, now that the last of the vertices that it neighbours is matched. How much was read for it.
    fn make(&mut self, set: usize, vertices: &Vertices) -> u64;

    /// The number of a set's members.
    fn size(&self, set: usize) -> u64;

    /// The number of those that meet conditions.
    fn size_within(&self, set: usize, bounds: Bounds, vertices: &Vertices) -> u64;

    /// The places in a set of those that meet conditions.
    fn within(&self, set: usize, bounds: Bounds, vertices: &Vertices) -> Range<usize>;

    /// Some of the neighbours of the first vertex among such places, by their number.
    fn some(&self, all: Range<usize>, some: Range<usize>) -> Range<usize>;

    /// The member of a set at the first of these places at which there is one, which is then taken off.
    fn next(&self, set: usize, places: &mut Range<usize>) -> Option<u32>;

    /// Adds up the sizes that a set has with each candidate for the last position at these places. Candidates that are
    /// matched already are left out.
    fn sum_sizes(&mut self, asked: &Sizes, places: Range<usize>, vertices: &mut Vertices) -> Summed;

    /// Adds up numbers of the members of a set at these places, but for some of them.
    fn sum_numbers(
        &self,
        set: usize,
        places: Range<usize>,
        but: impl Iterator<Item = u32>,
        number: impl Fn(u32) -> u64,
    ) -> u64;

    /// Prepares [`Space::joined`] for the vertex at a position.
    fn hold(&mut self, at: usize, vertex: u32);

    /// Whether another vertex is joined to the one at a position, which was held.
    fn joined(&self, at: usize, vertices: &Vertices, other: u32) -> bool;
}

/// Whose sizes are added up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// The last position.
    pub at: usize,
    /// The set of its candidates.
    pub from: usize,
    /// Earlier positions whose vertex may be among these.
    pub distinct: u8,
    /// The set that each of them makes.
    pub set: usize,
}

/// Conditions on the members of a set that the last vertex makes, when all others are matched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Last {
    /// Those by the other vertices.
    pub others: Bounds,
    /// What the others ask.
    pub ranks: (u32, u32),
    /// Whether members rank above the last vertex.
    pub above: bool,
    /// Whether they rank below it.
    pub below: bool,
}

impl Last {
    pub(super) fn new(bounds: Bounds, at: usize, vertices: &Vertices) -> Self {
        let own = 1 << at;
        let others = Bounds { above: bounds.above & !own, below: bounds.below & !own };
        Self { others, ranks: ranks(others, vertices), above: bounds.above & own != 0, below: bounds.below & own != 0 }
    }

    /// Ranks between which members lie where the last vertex is this one.
    #[inline]
    pub(super) fn ranks(&self, vertex: u32) -> (u32, u32) {
        let (low, high) = self.ranks;
        (if self.above { low.max(vertex + 1) } else { low }, if self.below { high.min(vertex) } else { high })
    }
}

/// Ranks between which a vertex must lie: it may be the first, not the second.
pub(super) fn ranks(bounds: Bounds, vertices: &Vertices) -> (u32, u32) {
    let low = members(bounds.above).map(|at| vertices[at] + 1).max().unwrap_or(0);
    let high = members(bounds.below).map(|at| vertices[at]).min().unwrap_or(u32::MAX);
    (low, high)
}
