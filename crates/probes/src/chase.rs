//! Dependent loads: each cache line holds the address of the next one, in an order that no prefetcher can guess,
//! through all lines before the first one comes again.

use std::hint::black_box;

use knee_workload::Error;

use crate::arena::Arena;
use crate::size;

/// Loads between two checks of the count.
const UNROLLED: usize = 16;

/// Marsaglia's xorshift64*, which is enough to shuffle with.
#[derive(Debug, Clone)]
pub struct Draw(u64);

impl Draw {
    /// Begins with a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`, which is not 0. (Lemire's multiplication; the bias is below 2^-32 for what is shuffled here.)
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let word = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D);
        ((u128::from(word) * u128::from(end)) >> 64) as u64
    }
}

/// A permutation of `0..count` that is one cycle: the successor of each number (Sattolo 1986).
#[must_use]
pub fn cycle(count: u32, seed: u64) -> Vec<u32> {
    let mut next: Vec<u32> = (0..count).collect();
    let mut draw = Draw::new(seed);
    for last in (1..next.len()).rev() {
        #[expect(clippy::cast_possible_truncation, reason = "below `last`")]
        next.swap(last, draw.below(last as u64) as usize);
    }
    next
}

/// Memory with a cycle in it.
#[derive(Debug)]
pub struct Chase {
    arena: Arena,
    lines: u32,
    stride: usize,
}

impl Chase {
    /// Bytes of the order in which lines follow each other, which is drawn before it is laid.
    ///
    /// # Errors
    /// When there are more lines than its numbers can name.
    pub fn order_bytes(bytes: usize, stride: usize) -> Result<usize, Error> {
        let lines = bytes / stride;
        if u32::try_from(lines).is_err() {
            let message = format!("bad argument: size {}: at most 2^32 - 1 lines", size::text(bytes));
            return Err(Error::new(message).hint("give a smaller size or a larger stride"));
        }
        Ok(lines * size_of::<u32>())
    }

    /// Lays a cycle through the first `bytes` of an arena, one address every `stride` bytes.
    ///
    /// # Panics
    /// If the arena is smaller, there is no line, or there are as many as [`Self::order_bytes`] refuses.
    #[must_use]
    pub fn lay(arena: Arena, bytes: usize, stride: usize, seed: u64) -> Self {
        assert!(bytes <= arena.bytes() && bytes >= stride && stride >= size_of::<usize>());
        let lines = u32::try_from(bytes / stride).expect("fewer than 2^32 lines");
        let chase = Self { arena, lines, stride };
        for (line, next) in cycle(chase.lines, seed).into_iter().enumerate() {
            // SAFETY: the line is inside the arena, which is ours.
            unsafe { chase.line(line).write(chase.line(next as usize).cast()) };
        }
        chase
    }

    /// The memory. After writing there by raw pointers, do not follow the cycle.
    #[must_use]
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    fn line(&self, number: usize) -> *mut *const u8 {
        // SAFETY: callers count below `lines`, which fit.
        unsafe { self.arena.start().add(number * self.stride).cast() }
    }

    /// How many lines there are.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.lines as usize
    }

    /// `count` places to begin, drawn at random.
    #[must_use]
    pub fn starts(&self, count: usize, seed: u64) -> Vec<Line> {
        let mut draw = Draw::new(seed);
        #[expect(clippy::cast_possible_truncation, reason = "below the number of lines")]
        (0..count).map(|_| Line(self.line(draw.below(u64::from(self.lines)) as usize).cast())).collect()
    }

    /// Follows `steps` addresses from each of `K` places at the same time, and returns where that ended.
    #[must_use]
    pub fn follow<const K: usize>(&self, mut places: [Line; K], steps: usize) -> [Line; K] {
        for _ in 0..steps.div_ceil(UNROLLED) {
            for _ in 0..UNROLLED {
                for place in &mut places {
                    // SAFETY: each line holds the address of another one, and the memory is ours as long as we are.
                    place.0 = unsafe { *place.0.cast::<*const u8>() };
                }
            }
        }
        black_box(places)
    }

    /// The number of loads that [`Self::follow`] makes from each place for this many steps.
    #[must_use]
    pub fn loads(steps: usize) -> usize {
        steps.next_multiple_of(UNROLLED)
    }
}

/// A line of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line(*const u8);

// SAFETY: an address, which only the owner of the cycle follows.
unsafe impl Send for Line {}
// SAFETY: as above.
unsafe impl Sync for Line {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arena::Page;

    proptest! {
        /// A single cycle: it returns to its start after n steps, and not before.
        #[test]
        fn a_cycle_goes_through_everything(count in 1_u32..2000, seed: u64) {
            let next = cycle(count, seed);
            let mut at = 0;
            for step in 1..=count {
                at = next[at as usize];
                prop_assert_eq!(at == 0, step == count);
            }
        }

        #[test]
        fn draws_are_below_the_end(seed: u64, end in 1_u64..1 << 40) {
            let mut draw = Draw::new(seed);
            prop_assert!((0..100).all(|_| draw.below(end) < end));
        }
    }

    #[test]
    fn more_lines_than_can_be_named_are_refused() {
        assert_eq!(Chase::order_bytes(1 << 20, 64), Ok(4 << 14));
        assert_eq!(Chase::order_bytes((1 << 38) - 64, 64), Ok(4 * 0xffff_ffff));
        let refused = Chase::order_bytes(1 << 38, 64).unwrap_err();
        assert_eq!(refused.to_string(), "bad argument: size 256G: at most 2^32 - 1 lines");
        assert!(refused.hinted().is_some() && Chase::order_bytes(1 << 38, 128).is_ok());
    }

    #[test]
    fn a_chase_comes_home() {
        let arena = Arena::written(1 << 16, Page::Base, None).unwrap();
        let chase = Chase::lay(arena, 1 << 16, 64, 5);
        assert_eq!(chase.lines(), 1024);
        let starts = chase.starts(2, 9);
        let [one, other] = chase.follow([starts[0], starts[1]], 1024);
        assert_eq!([one, other], [starts[0], starts[1]]);
        let [early] = chase.follow([starts[0]], 16);
        assert_ne!(early, starts[0]);
        assert_eq!(Chase::loads(17), 32);
    }
}
