//! Matching vertex by vertex, as a pattern-mining system does: each level's candidates are an intersection of the
//! neighbours of those matched before, restrictions on the order of symmetric vertices keep every copy from being
//! found twice, and the last vertex is not visited but counted.
//!
//! Jamshidi, Mahadasa, Vora, *Peregrine: a pattern-aware graph mining system*, EuroSys 2020.

use knee_workload::Counter;

use super::sets::{above, common, common_count};
use super::{EDGES_PER_TASK, sum_ranges};
use crate::Graph;

/// Symmetry: a < b < c by rank.
pub(super) fn triangles(graph: &Graph, found: Counter) -> u128 {
    let up = &graph.upward;
    sum_ranges(up.len(), EDGES_PER_TASK, found, |range| {
        up.pairs(range).map(|(a, b)| u128::from(common_count(up.of(a), up.of(b)))).sum()
    })
}

/// The chord a < b is matched first; its two other ends c < d are common neighbours of both, not joined by need.
///
/// b has the higher degree. Its neighbours are kept as a bitmap while all its chords are matched, so that a chord costs
/// the shorter of its two lists: the hubs of a skewed graph would make anything else quadratic.
pub(super) fn diamonds(graph: &Graph, found: Counter) -> u128 {
    let (down, all) = (&graph.downward, &graph.neighbours);
    sum_ranges(down.len(), CHORDS_PER_TASK, found, |range| {
        let mut of_b = Bitmap::over(graph.vertices);
        let mut candidates = Vec::new();
        let matches = |(b, a)| {
            of_b.hold(b, all.of(b));
            candidates.clear();
            candidates.extend(all.of(a).iter().copied().filter(|&c| of_b.has(c)));
            candidates.iter().map(|&c| above(&candidates, c).len() as u128).sum::<u128>()
        };
        down.pairs(range).map(matches).sum()
    })
}

/// Chords in one task: enough to pay for the bitmap of a hub, few enough to spread its chords over the workers.
const CHORDS_PER_TASK: usize = 1024;

/// The neighbours of one vertex at a time, a bit for every vertex of the graph.
struct Bitmap<'a> {
    owner: Option<u32>,
    members: &'a [u32],
    words: Vec<u64>,
}

impl<'a> Bitmap<'a> {
    fn over(vertices: usize) -> Self {
        Self { owner: None, members: &[], words: vec![0; vertices.div_ceil(64)] }
    }

    /// Replaces its content by `members`, the neighbours of `owner`.
    fn hold(&mut self, owner: u32, members: &'a [u32]) {
        if self.owner == Some(owner) {
            return;
        }
        for &old in std::mem::replace(&mut self.members, members) {
            self.words[old as usize / 64] = 0;
        }
        for &new in members {
            self.words[new as usize / 64] |= 1 << (new % 64);
        }
        self.owner = Some(owner);
    }

    fn has(&self, vertex: u32) -> bool {
        self.words[vertex as usize / 64] >> (vertex % 64) & 1 == 1
    }
}

/// Symmetry: a < b < c < d by rank.
pub(super) fn cliques4(graph: &Graph, found: Counter) -> u128 {
    let up = &graph.upward;
    sum_ranges(up.len(), EDGES_PER_TASK, found, |range| {
        let mut candidates = Vec::new();
        let matches = |(a, b)| {
            common(up.of(a), up.of(b), &mut candidates);
            candidates.iter().map(|&c| u128::from(common_count(above(&candidates, c), up.of(c)))).sum::<u128>()
        };
        up.pairs(range).map(matches).sum()
    })
}
