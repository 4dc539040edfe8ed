//! Canaries: work with known counts, to test counters.
//!
//! A guest may open counters that read nonsense: far too little, or only zeros. The interface does not show that; work
//! of known size does.

use std::hint::black_box;

use super::kernel::Raw;
use super::sys;

/// Turns of the loop: a few dozen milliseconds, so that interrupts are lost in it.
const TURNS: u64 = 50_000_000;
/// Lines of the walk: about 0.1 s if each comes from memory.
const LINES: u64 = 1 << 19;
const LINE_BYTES: u64 = 64;
const PAGE_BYTES: usize = 4096;
/// The walk's buffer is this many times the cache.
const BEYOND: u64 = 4;
const SMALLEST: u64 = 64 << 20;
const LARGEST: u64 = 1 << 30;

/// Work with known counts.
pub trait Work {
    /// Executes a known number of instructions and returns it; none where no such loop is known.
    fn instructions(&mut self) -> Option<u64>;

    /// Prepares a walk whose every step misses all caches.
    ///
    /// # Errors
    /// Why there is no such walk here.
    fn prepare_misses(&mut self) -> Result<(), String>;

    /// Walks, and returns the number of steps.
    fn misses(&mut self) -> u64;
}

/// The work itself.
#[derive(Debug)]
pub struct RealWork {
    cache_bytes: u64,
    memory: Vec<u8>,
}

impl RealWork {
    /// For a machine with a last-level cache of this size; 0 when that is not known.
    #[must_use]
    pub fn new(cache_bytes: u64) -> Self {
        Self { cache_bytes, memory: Vec::new() }
    }
}

impl Work for RealWork {
    fn instructions(&mut self) -> Option<u64> {
        sys::turn(TURNS)
    }

    fn prepare_misses(&mut self) -> Result<(), String> {
        let wanted = (BEYOND * self.cache_bytes).max(SMALLEST).next_power_of_two();
        if wanted > LARGEST {
            let mebibytes = self.cache_bytes >> 20;
            return Err(format!("a last-level cache of {mebibytes} MiB is too large to test in a short time"));
        }
        let bytes = usize::try_from(wanted).map_err(|error| error.to_string())?;
        self.memory = vec![0; bytes];
        // Pages that were only read are all one page of zeros, which every cache holds.
        for byte in self.memory.iter_mut().step_by(PAGE_BYTES) {
            *byte = 1;
        }
        black_box(&mut self.memory);
        Ok(())
    }

    /// Every line at most once, in an order that no prefetcher follows: a generator of full period (Hull and Dobell)
    /// whose bits are reversed. Each step depends on what was read.
    fn misses(&mut self) -> u64 {
        let lines = (self.memory.len() as u64 / LINE_BYTES).max(1);
        let steps = LINES.min(lines);
        let (mask, unused) = (lines - 1, lines.leading_zeros() + 1);
        let mut state = 1_u64;
        for _ in 0..steps {
            let line = (state.reverse_bits() >> unused.min(63)) & mask;
            // One byte after the line's first, which preparing wrote at the head of each page: always 0.
            let at = usize::try_from(line * LINE_BYTES + 1).unwrap_or(0);
            let read = self.memory.get(at).copied().unwrap_or(0);
            state = (state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f) & mask)
                + u64::from(read);
        }
        black_box(state);
        steps
    }
}

/// A count with bounds between which it has to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// What was done, in words.
    pub(crate) what: &'static str,
    /// The exact count.
    pub(crate) number: u64,
    /// What it may count at least and at most, times the number.
    pub(crate) bounds: (f64, f64),
}

/// Instructions outside the kernel are counted to the instruction; interrupts and the counter's own system calls add
/// a few.
pub(crate) const INSTRUCTION_BOUNDS: (f64, f64) = (0.99, 1.05);
/// PMUs differ in what they count as a cache miss, and some include page-table walks and neighbouring lines.
pub(crate) const MISS_BOUNDS: (f64, f64) = (0.25, 16.0);

/// Whether a count matches the work done, in words.
pub(crate) fn judge(known: Known, raw: Raw) -> Result<String, String> {
    let Known { what, number, bounds: (low, high) } = known;
    if raw.running_ns == 0 {
        return Err(format!("{number} {what} were done, but the counter was never scheduled on the hardware"));
    }
    let count = raw.count as f64 * raw.enabled_ns.max(1) as f64 / raw.running_ns as f64;
    let (least, most) = (number as f64 * low, number as f64 * high);
    let said = format!("{number} {what} were done, {count:.0} counted");
    if raw.count == 0 {
        Err(format!("{said}: the counter opens but counts nothing"))
    } else if count < least {
        Err(format!("{said}: too few"))
    } else if count > most {
        Err(format!("{said}: too many"))
    } else {
        Ok(said)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn counts_are_right_within_their_bounds_only() {
        let known = Known { what: "instructions", number: 100_000_000, bounds: INSTRUCTION_BOUNDS };
        let raw = |count| Raw { count, enabled_ns: 10, running_ns: 10 };
        assert!(judge(known, raw(100_200_000)).is_ok());
        assert!(judge(known, raw(0)).unwrap_err().contains("counts nothing"));
        assert!(judge(known, raw(2_600)).unwrap_err().contains("too few"));
        assert!(judge(known, raw(900_000_000)).unwrap_err().contains("too many"));
        assert!(judge(known, Raw { count: 0, enabled_ns: 10, running_ns: 0 }).unwrap_err().contains("never scheduled"));
        let half = Raw { count: 50_000_000, enabled_ns: 10, running_ns: 5 };
        assert!(judge(known, half).is_ok(), "a multiplexed count is scaled first");
    }

    #[test]
    fn the_walk_takes_each_line_at_most_once() {
        // The generator alone, on fewer lines than the real walk has.
        let (lines, mut state, mut seen) = (1_u64 << 12, 1_u64, BTreeSet::new());
        let (mask, unused) = (lines - 1, lines.leading_zeros() + 1);
        for _ in 0..lines {
            assert!(seen.insert((state.reverse_bits() >> unused) & mask));
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f) & mask;
        }
        assert_eq!(seen.len() as u64, lines);
    }

    #[test]
    fn the_loop_ends_when_it_has_counted_down() {
        for turns in [0, 1, 1_000_000] {
            assert_eq!(sys::turn(turns), Some(2 * turns.max(1)));
        }
    }
}
