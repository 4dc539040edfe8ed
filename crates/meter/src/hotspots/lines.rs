//! Which samples were taken at memory that several threads use in turn: cache lines, and the same bytes of them.
//!
//! A line that threads write to moves from core to core, and a sample meets a thread while it waits for it. So the samples
//! at such a line are of different threads in turn. Data that one thread after another has for longer change hands seldom.
//! Where threads meet at the same bytes, they share data; where they meet at a line, but never at the same bytes, only the
//! line is the same.

use std::collections::{HashMap, HashSet};

use super::maps::Found;

/// Samples of a stretch: consecutive ones, as only those tell how often threads take turns.
const STRETCH: usize = 1 << 13;
/// Samples whose memory is kept. Of a longer run it is that of every second stretch, then of every fourth, and so on.
const MOST: usize = 32 * STRETCH;
/// Bytes of a cache line, as a power of two.
const LINE: u32 = 6;

/// Threads take turns at memory if at least one in so many samples there is of another thread than the one before.
const TURNS: u32 = 7;
/// Pairs of samples, at least, that tell it of one piece of memory. With fewer all of one instruction tell it.
const ENOUGH: u32 = 6;
/// Turns, at least, in any case.
const FEWEST: u32 = 3;

/// The memory that a sample's instruction, and those around it, use, the nearest first.
#[derive(Debug)]
struct Sample {
    pid: i32,
    tid: i32,
    place: Option<Found>,
    memory: Memory,
}

/// Addresses, and whether they are written to.
pub(super) type Memory = Vec<(u64, bool)>;

/// How often consecutive samples at a piece of memory are of different threads.
#[derive(Debug, Clone, Copy, Default)]
struct Turns {
    /// The thread of the last sample, and the stretch that it is in.
    last: Option<(i32, usize)>,
    pairs: u32,
    changes: u32,
    written: bool,
}

impl Turns {
    fn note(&mut self, tid: i32, stretch: usize, writes: bool) {
        if let Some((last, _)) = self.last.replace((tid, stretch)).filter(|(_, before)| *before == stretch) {
            self.pairs += 1;
            self.changes += u32::from(last != tid);
        }
        self.written |= writes;
    }

    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.changes += other.changes;
        self.written |= other.written;
    }

    fn known(self) -> bool {
        self.pairs >= ENOUGH
    }

    fn taken(self) -> bool {
        self.written && self.changes >= FEWEST && self.changes * TURNS >= self.pairs
    }
}

/// Samples at memory that threads use in turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Met {
    /// At such a cache line.
    pub(super) lines: u64,
    /// Of these, at bytes that they use in turn.
    pub(super) same: u64,
    /// At bytes that one thread uses.
    pub(super) apart: u64,
}

/// Samples so far whose memory is known.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Those of each stretch that is kept, one after the other.
    samples: Vec<Sample>,
    /// How many there were in all.
    met: usize,
    /// One stretch in `1 << thinned` is kept.
    thinned: u32,
}

/// A process, and a piece of its memory: processes have the same addresses, but other memory.
type Piece = (i32, u64);

/// An instruction's memory: the place of a sample, and which of the memory around it.
type Of = (Option<Found>, usize);

impl Lines {
    /// Takes the next sample, in order of time: the memory that instructions around it use, the nearest first.
    pub(super) fn note(&mut self, (pid, tid): (i32, i32), place: Option<Found>, memory: Memory) {
        let stretch = self.met / STRETCH;
        self.met += 1;
        if !stretch.is_multiple_of(1 << self.thinned) {
            return;
        }
        if self.samples.len() == MOST {
            self.thin();
        }
        self.samples.push(Sample { pid, tid, place, memory });
    }

    /// Keeps every second stretch. There is an even number of them, so the next one is kept.
    fn thin(&mut self) {
        let mut at = 0..;
        self.samples.retain(|_| at.next().is_some_and(|at: usize| (at / STRETCH).is_multiple_of(2)));
        self.thinned += 1;
    }

    /// The samples, each with the stretch that it is in: consecutive ones, as far as they are kept.
    fn in_stretches(&self) -> impl Iterator<Item = (usize, &Sample)> {
        let whole = self.thinned == 0;
        self.samples.iter().enumerate().map(move |(at, sample)| (if whole { 0 } else { at / STRETCH }, sample))
    }

    /// How many samples' memory is kept.
    pub(super) fn known(&self) -> u64 {
        self.samples.len() as u64
    }

    /// Which of them were at memory that threads use in turn, by place.
    pub(super) fn finish(&self) -> HashMap<Option<Found>, Met> {
        let lines = self.turns(|address| address >> LINE);
        let bytes = self.turns(|address| *address);
        let mut found: HashMap<Option<Found>, Met> = HashMap::new();
        for sample in &self.samples {
            let line = sample.memory.iter().enumerate().find(|&(number, (address, _))| {
                lines.taken((sample.pid, address >> LINE), (sample.place, number)) == Some(true)
            });
            let Some((number, &(address, _))) = line else { continue };
            let met = found.entry(sample.place).or_default();
            met.lines += 1;
            match bytes.taken((sample.pid, address), (sample.place, number)) {
                Some(true) => met.same += 1,
                Some(false) => met.apart += 1,
                None => {}
            }
        }
        found
    }

    /// How threads take turns at each piece of memory, and at those of each instruction together that are seldom met.
    fn turns(&self, piece: impl Fn(&u64) -> u64) -> Taken {
        let mut pieces: HashMap<Piece, Turns> = HashMap::new();
        for (stretch, sample) in self.in_stretches() {
            for (number, (address, writes)) in sample.memory.iter().enumerate() {
                // Once for each sample.
                let again = sample.memory[..number].iter().any(|(other, _)| piece(other) == piece(address));
                let turns = pieces.entry((sample.pid, piece(address))).or_default();
                if again {
                    turns.written |= writes;
                } else {
                    turns.note(sample.tid, stretch, *writes);
                }
            }
        }
        let mut seldom: HashMap<Of, (Turns, HashSet<Piece>)> = HashMap::new();
        for sample in &self.samples {
            for (number, (address, _)) in sample.memory.iter().enumerate() {
                let turns = pieces[&(sample.pid, piece(address))];
                let (all, seen) = seldom.entry((sample.place, number)).or_default();
                if !turns.known() && seen.insert((sample.pid, piece(address))) {
                    all.add(turns);
                }
            }
        }
        Taken { pieces, seldom: seldom.into_iter().map(|(of, (turns, _))| (of, turns)).collect() }
    }
}

/// How threads take turns at memory.
struct Taken {
    pieces: HashMap<Piece, Turns>,
    seldom: HashMap<Of, Turns>,
}

impl Taken {
    /// Whether threads take turns at a piece of memory; none if there are too few samples to tell.
    fn taken(&self, piece: Piece, of: Of) -> Option<bool> {
        let own = self.pieces[&piece];
        if own.known() {
            return Some(own.taken());
        }
        let all = self.seldom.get(&of).copied().unwrap_or_default();
        all.known().then(|| all.taken())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Option<Found> = Some((0, 64));

    /// Samples of threads at addresses, all of one instruction that writes.
    fn met(samples: impl IntoIterator<Item = (i32, u64)>, writes: bool) -> Met {
        let mut lines = Lines::default();
        for (tid, address) in samples {
            lines.note((1, tid), PLACE, vec![(address, writes)]);
        }
        lines.finish().get(&PLACE).copied().unwrap_or_default()
    }

    #[test]
    fn threads_that_take_turns_share_data_or_only_a_line() {
        let shared = met((0..20).map(|at| (at % 2, 0x1000)), true);
        assert_eq!(shared, Met { lines: 20, same: 20, apart: 0 });
        let beside = met((0..20).map(|at| (at % 2, 0x1000 + 8 * u64::from(at % 2 == 0))), true);
        assert_eq!(beside, Met { lines: 20, same: 0, apart: 20 });
        let own = met((0..20).map(|at| (at % 2, 0x1000 + 64 * u64::from(at % 2 == 0))), true);
        assert_eq!(own, Met::default(), "lines of their own");
    }

    #[test]
    fn data_that_are_only_read_or_that_one_thread_has_after_the_other_are_not_shared() {
        assert_eq!(met((0..20).map(|at| (at % 2, 0x1000)), false), Met::default());
        assert_eq!(met((0..40).map(|at| (at / 20, 0x1000)), true), Met::default());
    }

    #[test]
    fn processes_share_no_memory() {
        let mut lines = Lines::default();
        for at in 0..20 {
            lines.note((at % 2, at % 2), PLACE, vec![(0x1000, true)]);
        }
        assert_eq!(lines.finish(), HashMap::new());
    }

    #[test]
    fn of_many_lines_that_are_seldom_met_all_of_an_instruction_tell() {
        let table =
            |own: u64| (0..200_u64).map(move |at| (i32::from(at % 2 == 1), 0x1000 + 64 * (at / 4) + own * (at % 2)));
        assert_eq!(met(table(0), true), Met { lines: 200, same: 200, apart: 0 });
        assert_eq!(met(table(8), true), Met { lines: 200, same: 0, apart: 200 });
        let few = met((0..4).map(|at| (at % 2, 0x1000)), true);
        assert_eq!(few, Met::default(), "too few to tell");
    }

    #[test]
    fn the_nearest_memory_that_is_shared_counts() {
        let mut lines = Lines::default();
        for at in 0..20 {
            lines.note((1, at % 2), PLACE, vec![(0x9000 + 0x100 * u64::from(at % 2 == 0), true), (0x1000, true)]);
        }
        assert_eq!(lines.known(), 20);
        assert_eq!(lines.finish()[&PLACE], Met { lines: 20, same: 20, apart: 0 });
    }

    #[test]
    fn of_a_long_run_samples_are_kept_from_its_begin_to_its_end() {
        let mut lines = Lines::default();
        for at in 0..4 * MOST as u64 {
            // Threads take turns at a line in the last quarter alone. Before that each has its own.
            let address = if at < 3 * MOST as u64 { 0x1000 + 64 * (at % 2) } else { 0x9000 };
            lines.note((1, i32::from(at % 2 == 1)), PLACE, vec![(address, true)]);
            assert!(lines.samples.len() <= MOST);
        }
        assert!(2 * lines.samples.len() >= MOST);
        assert_eq!(4 * lines.finish()[&PLACE].lines, lines.known());
    }

    #[test]
    fn of_a_long_run_threads_take_turns_as_often_as_in_a_short_one() {
        let turns = |every: i32, many: i32| met((0..many).map(|at| (at / every % 2, 0x1000)), true).lines > 0;
        let long = i32::try_from(3 * MOST).unwrap();
        // Each of them has the line for so many samples.
        for every in [6, 8, 20] {
            assert_eq!(turns(every, long), turns(every, 2000), "{every}");
        }
    }
}
