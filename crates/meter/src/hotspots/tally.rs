//! Counts samples by place.

use std::collections::HashMap;
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
    /// Samples whose registers are known.
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

/// Samples so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    maps: Maps,
    codes: Codes,
    lines: Lines,
    counts: HashMap<Found, u64>,
    /// When each sample was taken, and where, as far as that is known.
    times: Vec<(u64, Option<Found>)>,
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
                if self.times.len() < MOST_TIMED {
                    self.times.push((t_ns, found));
                }
                match found {
                    None => self.unnamed += 1,
                    Some(place) if self.counts.len() < MOST_COUNTED || self.counts.contains_key(&place) => {
                        *self.counts.entry(place).or_default() += 1;
                    }
                    Some(_) => self.elsewhere += 1,
                }
            }
            What::Map { start, length, offset, file } => self.maps.map(pid, start, length, offset, file),
            What::Exec => self.maps.exec(pid),
            What::Fork { parent } => self.maps.fork(pid, parent),
        }
    }

    /// The places with most samples. Files that have none are left out. `alone` says when exactly one thread could run.
    pub(super) fn finish(mut self, alone: Option<&Spells>) -> Hotspots {
        let alone = alone.and_then(|spells| self.while_alone(spells));
        let (addressed, met) = (self.lines.known(), self.lines.finish());
        let mut counts: Vec<(Found, u64)> = self.counts.into_iter().collect();
        counts.sort_unstable_by_key(|&(place, samples)| (std::cmp::Reverse(samples), place));
        let rest: u64 = counts.iter().skip(MOST_PLACES).map(|(_, samples)| samples).sum();
        counts.truncate(MOST_PLACES);
        let paths = self.maps.into_files();
        let (mut files, mut functions) = (Numbered::default(), Numbered::default());
        let mut places: Vec<Place> = counts
            .into_iter()
            .map(|((file, at), samples)| {
                let alone = alone.as_ref().and_then(|(_, by_place)| by_place.get(&(file, at)).copied());
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
            ..Hotspots::default()
        }
    }

    /// How many samples were taken while exactly one thread could run, in all and at each place.
    fn while_alone(&mut self, spells: &Spells) -> Option<(u64, HashMap<Found, u64>)> {
        if self.samples > self.times.len() as u64 {
            return None;
        }
        let (mut all, mut by_place) = (0, HashMap::new());
        for (_, found) in self.times.drain(..).filter(|&(t_ns, _)| spells.contain(t_ns)) {
            all += 1;
            if let Some(place) = found {
                *by_place.entry(place).or_default() += 1;
            }
        }
        Some((all, by_place))
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
        let found = tally.finish(Some(&Spells::of(&[(5, 9)])));
        assert_eq!((found.samples, found.alone), (6, Some(4)), "that in code of no file is one of them");
        let alone: Vec<_> = found.places.iter().map(|place| (place.at, place.samples, place.alone)).collect();
        assert_eq!(alone, [(1, 3, Some(2)), (2, 1, Some(1)), (3, 1, None)]);
    }
}
