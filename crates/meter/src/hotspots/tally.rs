//! Counts samples by place.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::Codes;
use super::event::{Event, What};
use super::functions::functions as names;
use super::lines::{Lines, Met};
use super::maps::{Found, Maps};
use crate::switches::Spells;

/// Places that are kept in a record: those with most samples.
const MOST_PLACES: usize = 512;
/// Places that are counted; samples of further ones are elsewhere.
const MOST_COUNTED: usize = 1 << 18;
/// Pieces of code of no file that are kept in a record: those with most samples.
const MOST_MADE: usize = 256;
/// Bytes of such a piece.
const PIECE: u64 = 64;
/// Threads that made others, of which that is known.
const MOST_STARTERS: usize = 1 << 12;
/// Samples whose times are kept. Of more it is not known which were taken while no other thread could run.
const MOST_TIMED: usize = 1 << 19;

/// Where the program's tree computed outside of the kernel, by samples of its CPU time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hotspots {
    /// Why there are no samples of the whole run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unavailable: Option<String>,
    /// CPU time between two samples of a thread.
    pub period_ns: u64,
    /// Samples in all.
    pub samples: u64,
    /// Those in code of no file, as just-in-time compilers make it.
    pub unnamed: u64,
    /// Those of places that are not listed, because there are too many.
    pub elsewhere: u64,
    /// Those that were taken while no other thread of the program could run; absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alone: Option<u64>,
    /// Those at memory that several threads use in turn; absent where registers are not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shared: Option<Shared>,
    /// CPU time spent reading them. What the kernel spent taking them is part of the program's.
    pub cost_ns: u64,
    /// Paths of the files.
    pub files: Vec<String>,
    /// Names of functions, as the files' symbols have them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub functions: Vec<String>,
    /// The places with most samples, at most 512.
    pub places: Vec<Place>,
    /// Pieces of code of no file with most samples, at most 256. Their addresses are those of one run alone.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub made: Vec<Made>,
}

/// A piece of 64 bytes of code that the program made while it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Made {
    /// Samples there.
    pub samples: u64,
    /// Those that were taken while no other thread of the program could run, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alone: Option<u64>,
    /// Of these, those of threads that made other threads, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub starters: Option<u64>,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Which of the files, from 0.
    pub file: usize,
    /// Bytes from the file's begin.
    pub at: u64,
    /// Samples there.
    pub samples: u64,
    /// Those that were taken while no other thread of the program could run, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alone: Option<u64>,
    /// Those at cache lines that several threads use in turn, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<u64>,
    /// Of these, those at the same bytes, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub same: Option<u64>,
    /// Which of the functions it is in, from 0; absent where the file has no symbol for it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<usize>,
}

/// Samples at memory that several threads use in turn, and at least one writes to, as the registers of samples tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shared {
    /// Samples whose memory was looked at: those whose registers are known, and of a long run stretches of them, from its
    /// begin to its end.
    pub addressed: u64,
    /// Those at a cache line that threads use in turn.
    pub lines: u64,
    /// Of these, those at bytes that they use in turn: shared data.
    pub same: u64,
    /// Of these, those at bytes that one thread uses: only the line is shared. Of the rest it is not known.
    pub apart: u64,
}

/// A number, unless it is 0.
fn some(count: u64) -> Option<u64> {
    (count > 0).then_some(count)
}

/// Where code is: in a file, or a piece that a process made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Code {
    Of(Found),
    Made { pid: i32, piece: u64 },
}

/// Samples at some code that were taken while exactly one thread could run.
#[derive(Debug, Clone, Copy, Default)]
struct Alone {
    samples: u64,
    starters: u64,
}

/// Samples so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    maps: Maps,
    codes: Codes,
    lines: Lines,
    counts: HashMap<Code, u64>,
    /// When each sample was taken, of which thread, and where.
    times: Vec<(u64, i32, Code)>,
    /// Threads that made other threads.
    starters: HashSet<i32>,
    samples: u64,
    unnamed: u64,
    elsewhere: u64,
}

impl Tally {
    /// Takes the next event; they come in order of time.
    pub(super) fn note(&mut self, event: Event) {
        let Event { t_ns, pid, what } = event;
        match what {
            What::Sample { tid, address, registers } => {
                self.samples += 1;
                let found = self.maps.find(pid, address);
                if let Some(registers) = registers {
                    let operands =
                        self.codes.operands(pid, address, found.map(|(file, at)| (self.maps.file(file), at)));
                    let memory = operands.iter().map(|one| (one.address(&registers), one.writes)).collect();
                    self.lines.note((pid, tid), found, memory);
                }
                let code = found.map_or(Code::Made { pid, piece: address / PIECE }, Code::Of);
                if self.times.len() < MOST_TIMED {
                    self.times.push((t_ns, tid, code));
                }
                self.unnamed += u64::from(found.is_none());
                if self.counts.len() < MOST_COUNTED || self.counts.contains_key(&code) {
                    *self.counts.entry(code).or_default() += 1;
                } else {
                    self.elsewhere += u64::from(found.is_some());
                }
            }
            What::Thread { starter } => {
                self.maps.thread(pid);
                if self.starters.len() < MOST_STARTERS {
                    self.starters.insert(starter);
                }
            }
            What::Map { start, length, offset, file } => self.maps.map(pid, start, length, offset, file),
            What::Exec => {
                self.maps.exec(pid);
                self.codes.forget(pid);
            }
            What::Fork { parent } => self.maps.fork(pid, parent),
            What::End => {
                if self.maps.end(pid) {
                    self.codes.forget(pid);
                }
            }
        }
    }

    /// The places with most samples. Files that have none are left out. `alone` says when exactly one thread could run.
    pub(super) fn finish(mut self, alone: Option<&Spells>) -> Hotspots {
        let alone = alone.and_then(|spells| self.while_alone(spells));
        let (addressed, met) = (self.lines.known(), self.lines.finish());
        let alone_at = |code| {
            let met: Alone = alone.as_ref().and_then(|(_, by_code)| by_code.get(&code).copied()).unwrap_or_default();
            (some(met.samples), some(met.starters))
        };
        let mut every: Vec<(Code, u64)> = self.counts.into_iter().collect();
        every.sort_unstable_by_key(|&(code, samples)| (std::cmp::Reverse(samples), code));
        let mut counts: Vec<(Found, u64)> = Vec::new();
        let mut made: Vec<Made> = Vec::new();
        for (code, samples) in every {
            match code {
                Code::Of(place) => counts.push((place, samples)),
                Code::Made { .. } if made.len() < MOST_MADE => {
                    let (alone, starters) = alone_at(code);
                    made.push(Made { samples, alone, starters });
                }
                Code::Made { .. } => {}
            }
        }
        let rest: u64 = counts.iter().skip(MOST_PLACES).map(|(_, samples)| samples).sum();
        counts.truncate(MOST_PLACES);
        let paths = self.maps.into_files();
        let (mut files, mut functions) = (Numbered::default(), Numbered::default());
        let mut places: Vec<Place> = counts
            .into_iter()
            .map(|((file, at), samples)| {
                let (alone, _) = alone_at(Code::Of((file, at)));
                let met = met.get(&Some((file, at))).copied().unwrap_or_default();
                let (lines, same) = (some(met.lines), some(met.same));
                Place { file: files.number(&paths[file]), at, samples, alone, lines, same, function: None }
            })
            .collect();
        for (number, path) in files.names.iter().enumerate() {
            let (inside, at): (Vec<usize>, Vec<u64>) =
                (0..places.len()).filter(|&one| places[one].file == number).map(|one| (one, places[one].at)).unzip();
            for (one, name) in inside.into_iter().zip(names(Path::new(path), &at)) {
                places[one].function = name.map(|name| functions.number(&name));
            }
        }
        let whole = |of: fn(&Met) -> u64| met.values().map(of).sum();
        let shared = Shared {
            addressed,
            lines: whole(|met| met.lines),
            same: whole(|met| met.same),
            apart: whole(|met| met.apart),
        };
        Hotspots {
            shared: (addressed > 0).then_some(shared),
            samples: self.samples,
            unnamed: self.unnamed,
            elsewhere: self.elsewhere + rest,
            alone: alone.map(|(all, _)| all),
            files: files.names,
            functions: functions.names,
            places,
            made,
            ..Hotspots::default()
        }
    }

    /// How many samples were taken while exactly one thread could run, in all and at each piece of code.
    fn while_alone(&mut self, spells: &Spells) -> Option<(u64, HashMap<Code, Alone>)> {
        if self.samples > self.times.len() as u64 {
            return None;
        }
        let (mut all, mut by_code) = (0, HashMap::<Code, Alone>::new());
        for (_, tid, code) in self.times.drain(..).filter(|&(t_ns, ..)| spells.contain(t_ns)) {
            all += 1;
            let met = by_code.entry(code).or_default();
            met.samples += 1;
            met.starters += u64::from(self.starters.contains(&tid));
        }
        Some((all, by_code))
    }
}

/// Names, numbered in the order in which they are first met.
#[derive(Debug, Default)]
struct Numbered {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Numbered {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(address: u64) -> What {
        What::Sample { tid: 1, address, registers: None }
    }

    #[test]
    fn the_places_with_most_samples_are_kept_and_the_rest_is_counted() {
        let mut tally = Tally::default();
        let event = |what| Event { t_ns: 0, pid: 1, what };
        tally.note(event(What::Map { start: 0, length: 10, offset: 0, file: "/bin/idle".into() }));
        tally.note(event(What::Map { start: 0x1000, length: 0x1000, offset: 0x40, file: "/bin/a".into() }));
        for at in 0..600 {
            for _ in 0..=u64::from(at == 7) {
                tally.note(event(sample(0x1000 + at)));
            }
        }
        tally.note(event(sample(0x9000)));
        let found = tally.finish(None);
        assert_eq!((found.samples, found.unnamed, found.elsewhere), (602, 1, 88));
        assert_eq!(found.files, ["/bin/a"]);
        assert_eq!(found.places.len(), 512);
        assert_eq!(
            found.places[0],
            Place { file: 0, at: 0x47, samples: 2, alone: None, lines: None, same: None, function: None }
        );
        assert_eq!(found.made, [Made { samples: 1, alone: None, starters: None }]);
        assert_eq!(found.alone, None);
    }

    #[test]
    fn samples_while_no_other_thread_could_run_are_counted() {
        let mut tally = Tally::default();
        let event = |t_ns, what| Event { t_ns, pid: 1, what };
        tally.note(event(0, What::Map { start: 0x1000, length: 0x1000, offset: 0, file: "/bin/a".into() }));
        for (t_ns, address) in [(1, 0x1001), (5, 0x1001), (6, 0x1001), (7, 0x1002), (8, 0x9000), (20, 0x1003)] {
            tally.note(event(t_ns, sample(address)));
        }
        tally.note(event(20, What::Thread { starter: 7 }));
        let found = tally.finish(Some(&Spells::of(&[(5, 9)])));
        assert_eq!(found.made, [Made { samples: 1, alone: Some(1), starters: None }]);
        assert_eq!((found.samples, found.alone), (6, Some(4)), "that in code of no file is one of them");
        let alone: Vec<_> = found.places.iter().map(|place| (place.at, place.samples, place.alone)).collect();
        assert_eq!(alone, [(1, 3, Some(2)), (2, 1, Some(1)), (3, 1, None)]);
    }

    #[test]
    fn what_threads_do_alone_that_made_others_is_counted() {
        let mut tally = Tally::default();
        let event = |t_ns, what| Event { t_ns, pid: 1, what };
        let of = |tid, address| What::Sample { tid, address, registers: None };
        tally.note(event(0, What::Map { start: 0x1000, length: 0x1000, offset: 0, file: "/bin/a".into() }));
        tally.note(event(1, What::Thread { starter: 1 }));
        for (t_ns, tid, address) in [(2, 1, 0x1001), (3, 2, 0x1001), (4, 1, 0x9001), (5, 2, 0x9002), (9, 2, 0x9003)] {
            tally.note(event(t_ns, of(tid, address)));
        }
        let found = tally.finish(Some(&Spells::of(&[(1, 6)])));
        assert_eq!(found.places[0].alone, Some(2));
        assert_eq!(found.made, [Made { samples: 3, alone: Some(2), starters: Some(1) }], "one piece of 64 bytes");
    }
}
