//! What one thread beside a run does, in batches of some 20 to 100 µs.

use std::hint::black_box;
use std::io;

use knee_machine::sys::Mapping;

use crate::run_spec::BesideWorkload;

/// Multiplications of a batch: eight chains side by side.
const CHAINS: usize = 8;
const STEPS: u64 = 5_000;
/// Words of a batch through memory.
const WORDS: usize = 16 << 10;
/// Words of a cache line, 64 bytes on most machines.
const LINE: usize = 8;

/// The work of one thread.
pub(super) enum Work {
    /// Computes in registers.
    Spin,
    /// Reads the first half of its memory and writes the second; the next word of each half.
    Stream(Mapping, usize),
    /// Reads one word of each cache line; the next one.
    Pirate(Mapping, usize),
}

impl Work {
    /// Gets memory and touches every page of it, on the cpu of the calling thread.
    pub(super) fn new(workload: BesideWorkload, bytes: usize) -> io::Result<Self> {
        let touched = || -> io::Result<Mapping> {
            let mut memory = Mapping::new(bytes)?;
            memory.words().fill(1);
            Ok(memory)
        };
        Ok(match workload {
            BesideWorkload::Spin => Self::Spin,
            BesideWorkload::Stream => Self::Stream(touched()?, 0),
            BesideWorkload::Pirate => Self::Pirate(touched()?, 0),
        })
    }

    /// Does a batch. Returns how many multiplications it was, or how many bytes were read and written; of a cache line
    /// that is read, all.
    pub(super) fn batch(&mut self) -> u64 {
        match self {
            Self::Spin => multiply(),
            Self::Stream(memory, at) => {
                let words = memory.words();
                let (from, to) = words.split_at_mut(words.len() / 2);
                let end = (*at + WORDS).min(from.len());
                for (to, from) in to[*at..end].iter_mut().zip(&from[*at..end]) {
                    *to = from.wrapping_mul(3);
                }
                black_box(to);
                let done = end - *at;
                *at = if end == from.len() { 0 } else { end };
                (2 * done * size_of::<u64>()) as u64
            }
            Self::Pirate(memory, at) => {
                let words = memory.words();
                let end = (*at + WORDS).min(words.len());
                let sum = words[*at..end].iter().step_by(LINE).fold(0, |sum: u64, word| sum.wrapping_add(*word));
                black_box(sum);
                let done = end - *at;
                *at = if end == words.len() { 0 } else { end };
                (done * size_of::<u64>()) as u64
            }
        }
    }
}

fn multiply() -> u64 {
    let (multiplier, mut chains) = black_box((6_364_136_223_846_793_005_u64, [1_u64; CHAINS]));
    for _ in 0..STEPS {
        for link in &mut chains {
            *link = link.wrapping_mul(multiplier).wrapping_add(1);
        }
    }
    black_box(chains);
    STEPS * CHAINS as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_goes_round_and_round_through_all_its_memory() {
        let bytes = 3 * WORDS * 8 + 4096;
        for workload in [BesideWorkload::Stream, BesideWorkload::Pirate] {
            let mut work = Work::new(workload, bytes).unwrap();
            let mut sum = 0;
            loop {
                sum += work.batch();
                if matches!(work, Work::Stream(_, 0) | Work::Pirate(_, 0)) {
                    break;
                }
            }
            assert_eq!(sum, bytes as u64, "{workload:?}");
        }
        let Work::Stream(mut memory, _) = ({
            let mut work = Work::new(BesideWorkload::Stream, 4096).unwrap();
            work.batch();
            work
        }) else {
            panic!()
        };
        assert!(memory.words()[..256].iter().all(|word| *word == 1));
        assert!(memory.words()[256..].iter().all(|word| *word == 3));
        assert_eq!(Work::Spin.batch(), 40_000);
    }
}
