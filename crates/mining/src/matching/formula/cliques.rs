//! Cliques, from the lowest vertex of each, in bitmaps of its upward neighbours: a bit for each of them, and for each of
//! them the ones above it to which it is joined. The last vertex is not matched but counted, 64 at a time.
//!
//! Degree orientation bounds the number of upward neighbours by the square root of twice the edges; most vertices have
//! fewer than 64, so that a set is one register.
//!
//! Danisch, Balalau, Sozio, *Listing k-cliques in sparse real-world graphs*, WWW 2018.

use crate::matching::bitmaps::{Instructions, for_each_kind};
use crate::matching::marks::{self, Marks};
use crate::matching::reads::View;
use crate::matching::{Readers, small};
use crate::{Graph, Scheduler};

/// Most upward neighbours of a vertex.
const MOST: usize = 256 * 64 - 1;

/// Most vertices that are chosen from a set, one after the other.
const LEVELS: usize = 7;

/// Whether no vertex has too many upward neighbours.
pub(super) fn fit(graph: &Graph) -> bool {
    (0..graph.vertices).all(|at| graph.out_degree(crate::matching::vertex(at)) <= MOST)
}

/// Cliques of four or more vertices.
pub(super) fn cliques(readers: &Readers<'_>, scheduler: &Scheduler, vertices: usize) -> u128 {
    let instructions = Instructions::best();
    let from = |graph: View<'_>, a: u32, marks: &mut Marks| {
        let own = graph.upward(a);
        if own.len() + 1 < vertices {
            return 0;
        }
        marks.number(own);
        let asked = Asked { graph, own, choose: vertices - 1, instructions };
        // Bit 0 stands for none of them.
        u128::from(match (own.len() + 1).div_ceil(64) {
            1 => asked.among::<1>(marks),
            2 => asked.among::<2>(marks),
            3..=4 => asked.among::<4>(marks),
            5..=8 => asked.among::<8>(marks),
            9..=16 => asked.among::<16>(marks),
            17..=64 => asked.among::<64>(marks),
            _ => asked.among::<256>(marks),
        })
    };
    marks::sum(readers, scheduler, || 0, from, |a: u128, b| small(a.checked_add(b)))
}

/// What is asked of the upward neighbours of a vertex.
struct Asked<'a> {
    graph: View<'a>,
    own: &'a [u32],
    /// How many of them make a clique with it.
    choose: usize,
    instructions: Instructions,
}

impl Asked<'_> {
    /// Cliques among them. They have numbers from 1.
    fn among<const WORDS: usize>(&self, marks: &mut Marks) -> u64 {
        let mut rows = std::mem::take(&mut marks.rows);
        rows.clear();
        rows.resize((self.own.len() + 1) * WORDS, 0);
        let (joined, _) = rows.as_chunks_mut::<WORDS>();
        for (&b, row) in self.own.iter().zip(&mut joined[1..]) {
            fill(marks, self.graph.upward(b), row);
        }
        let found = self.instructions.cliques(joined, self.choose);
        marks.rows = rows;
        found
    }
}

/// Sets the bits of those in a list that have a number.
fn fill<const WORDS: usize>(marks: &mut Marks, list: &[u32], row: &mut [u64; WORDS]) {
    if WORDS == 1 {
        // Without a branch, as no predictor knows which have one.
        row[0] = list.iter().fold(0, |bits, vertex| bits | 1 << marks.numbers[*vertex as usize]) & !1;
        return;
    }
    for number in marks.hits(list) {
        row[*number as usize / 64] |= 1 << (number % 64);
    }
}

for_each_kind! {
    /// Cliques of three or more vertices, each row the vertices of a higher number that this one is joined to.
    fn cliques<const WORDS: usize>(WORDS; rows: &[[u64; WORDS]], vertices: usize) -> u64 {
        // It would take years to reach 2^64: a word that is looked at adds at most 64.
        let (mut sets, mut left) = ([[0; WORDS]; LEVELS], [Left::none(); LEVELS]);
        let (last, mut sum) = (vertices - 3, 0);
        for row in &rows[1..] {
            if last == 0 {
                sum += edges(rows, row);
                continue;
            }
            (sets[0], left[0]) = (*row, Left::of(row));
            let mut level = 0;
            loop {
                let Some(at) = left[level].next(&sets[level]) else {
                    if level == 0 {
                        break;
                    }
                    level -= 1;
                    continue;
                };
                let inner = both(&rows[at], &sets[level]);
                if level + 1 == last {
                    sum += edges(rows, &inner);
                } else {
                    level += 1;
                    (sets[level], left[level]) = (inner, Left::of(&inner));
                }
            }
        }
        sum
    }
}

/// The members of a set that have not been chosen.
#[derive(Clone, Copy)]
struct Left {
    word: usize,
    bits: u64,
}

#[allow(clippy::inline_always, reason = "they are compiled for each kind of instructions")]
impl Left {
    fn none() -> Self {
        Self { word: 0, bits: 0 }
    }

    #[inline(always)]
    fn of<const WORDS: usize>(set: &[u64; WORDS]) -> Self {
        Self { word: 0, bits: set[0] }
    }

    #[inline(always)]
    fn next<const WORDS: usize>(&mut self, set: &[u64; WORDS]) -> Option<usize> {
        while self.bits == 0 {
            self.word += 1;
            self.bits = *set.get(self.word)?;
        }
        let at = self.word * 64 + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(at)
    }
}

#[allow(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn both<const WORDS: usize>(a: &[u64; WORDS], b: &[u64; WORDS]) -> [u64; WORDS] {
    std::array::from_fn(|word| a[word] & b[word])
}

/// The edges within a set.
#[allow(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn edges<const WORDS: usize>(rows: &[[u64; WORDS]], set: &[u64; WORDS]) -> u64 {
    let mut sum = 0;
    for (word, &bits) in set.iter().enumerate() {
        let mut bits = bits;
        while bits != 0 {
            let row = &rows[word * 64 + bits.trailing_zeros() as usize];
            bits &= bits - 1;
            sum += both(row, set).iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plainly(rows: &[[u64; 2]], from: usize, among: [u64; 2], left: usize) -> u64 {
        let members = (from..rows.len()).filter(|at| among[at / 64] >> (at % 64) & 1 == 1);
        members.map(|at| if left == 1 { 1 } else { plainly(rows, at + 1, both(&rows[at], &among), left - 1) }).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn cliques_agree_with_choosing_one_vertex_after_the_other(
            bits in prop::collection::vec(any::<[u64; 2]>(), 90),
            more in prop::collection::vec(any::<[u64; 2]>(), 90),
            vertices in 3usize..8,
        ) {
            let above = |at: usize| -> [u64; 2] {
                std::array::from_fn(|word| (0..64).filter(|bit| (at + 1..90).contains(&(word * 64 + bit))).map(|bit| 1 << bit).sum())
            };
            let rows: Vec<[u64; 2]> = bits.iter().zip(&more).enumerate().map(|(at, (a, b))| both(&both(a, b), &above(at))).collect();
            let all = [u64::MAX - 1, u64::MAX];
            for instructions in Instructions::all() {
                prop_assert_eq!(instructions.cliques(&rows, vertices), plainly(&rows, 1, all, vertices));
            }
        }
    }
}
