//! Positions in a list, as columns of few values have them, and looking up what stands there.

use std::ops::Range;

use super::super::Statistics;
use super::super::kept::Blocks;
use super::{BYTE, Codes, Sink};
use crate::lanes::{self, Isa, for_each_isa};

/// Positions in a list of one chunk.
#[derive(Debug)]
pub(crate) struct Positions(Codes);

impl Positions {
    /// Packs positions, which are in a list of this length.
    pub(crate) fn pack(positions: Vec<u32>, length: usize) -> Self {
        assert!(all_below(&positions, length), "positions are in their list");
        let isa = Isa::best();
        Self(if length <= BYTE {
            Codes::U8(bytes(isa, &positions).into())
        } else if length <= 1 << 16 {
            Codes::U16(words(isa, &positions).into())
        } else {
            Codes::U32(positions.into())
        })
    }

    /// The same, in blocks.
    pub(crate) fn within(&self, blocks: &Blocks) -> Self {
        Self(self.0.within(blocks))
    }

    /// Writes the code of each row's position.
    pub(crate) fn write(&self, rows: Range<usize>, codes: &[u64], sink: &mut impl Sink) {
        match &self.0 {
            Codes::U8(own) => sink.look_up(&own[rows], codes),
            Codes::U16(own) => sink.write(own[rows].iter().map(|own| codes[usize::from(*own)])),
            Codes::U32(own) => sink.write(own[rows].iter().map(|own| codes[*own as usize])),
            Codes::I64(_) => unreachable!("positions have no sign"),
        }
    }
}

for_each_isa! {
    fn bytes(positions: &[u32]) -> Vec<u8> {
        positions.iter().map(|position| *position as u8).collect()
    }

    fn words(positions: &[u32]) -> Vec<u16> {
        positions.iter().map(|position| *position as u16).collect()
    }
}

impl Codes {
    /// The codes at some positions.
    pub(super) fn at(&self, positions: &[u32]) -> Self {
        fn all<T: Copy>(positions: &[u32], list: &[T]) -> Vec<T> {
            positions.iter().map(|position| list[*position as usize]).collect()
        }
        match self {
            Self::U8(codes) => Self::U8(all(positions, codes).into()),
            Self::U16(codes) => Self::U16(all(positions, codes).into()),
            Self::U32(codes) => Self::U32(all(positions, codes).into()),
            Self::I64(values) => Self::I64(all(positions, values).into()),
        }
    }
}

/// Whether all positions are in a list of this length.
pub(crate) fn all_below(positions: &[u32], length: usize) -> bool {
    positions.is_empty() || (lanes::last_position(Isa::best(), positions) as usize) < length
}

/// Rows that mostly have the step of all.
const FIRST: usize = 1 << 10;

/// What the values at some positions of a list are: a list may hold others, too.
pub(crate) fn of_used(positions: &[u32], list: &[i64]) -> Statistics {
    let all = Statistics::of(list);
    // Mostly these are those of the list, and to look for both extremes takes less time than to mark all there are.
    let first: Vec<i64> = positions.iter().take(FIRST).map(|position| list[*position as usize]).collect();
    let at = |value: i64| list.iter().position(|own| *own == value).map(|at| at as u32);
    let has = |value: i64| at(value).is_some_and(|at| positions.contains(&at));
    if Statistics::of(&first).step == all.step && has(all.low) && has(all.high) {
        return all;
    }
    let used = used(positions, list.len());
    let there = list.iter().zip(used).filter_map(|(value, used)| used.then_some(*value));
    Statistics::of(&there.collect::<Vec<_>>())
}

/// Which entries of a list of this length there are.
fn used(positions: &[u32], length: usize) -> Vec<bool> {
    let mut used = vec![false; length];
    for position in positions {
        used[*position as usize] = true;
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_in_their_list() {
        for length in [4, 300, 70_000] {
            let positions = Positions::pack(vec![2, 0, 2], length);
            let (mut codes, mut list) = (Vec::new(), vec![10, 11, 12]);
            list.resize(length, 99);
            positions.write(1..3, &list, &mut codes);
            assert_eq!(codes, [10, 12]);
        }
        assert!(!all_below(&[0, 4], 4));
        assert!(all_below(&[], 0));
    }

    #[test]
    fn values_that_nobody_uses_say_nothing() {
        let of = |positions: &[u32], list: &[i64]| of_used(positions, list);
        assert_eq!(of(&[2, 0, 2], &[30, 7, 10, -50]), Statistics { low: 10, high: 30, step: 20 });
        assert_eq!(of(&[], &[3]), Statistics::NONE);
        assert_eq!(of(&[], &[]), Statistics::NONE);
        // What the first rows say does not hold for the last one.
        let mut late = vec![0; 5_000];
        late[4_999] = 1;
        assert_eq!(of(&late, &[3, 9, 4]), Statistics { low: 3, high: 9, step: 6 });
        assert_eq!(of(&late, &[3, 9, 9]), Statistics { low: 3, high: 9, step: 6 });
        assert_eq!(of(&late, &[4, 4, 4]), Statistics { low: 4, high: 4, step: 0 });
    }
}
