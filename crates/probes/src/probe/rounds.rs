//! Rounds over arrays: each thread owns one, and readers go through those of all owners, one reader at a time or all
//! of them in lockstep. Kyrola's first three tests, as he drew them: the time over the owner, a curve for each reader.

use std::ops::Range;
use std::sync::Mutex;

use knee_machine::CpuSet;
use knee_workload::{Args, Error, Param};

use super::array::{Array, Reading};
use super::sequential::fits_caches;
use super::{Row, Trial};
use crate::arena::{Arena, Found, Page, fits};
use crate::context::Context;
use crate::pinned::{alone, together};
use crate::size;

/// The option that asks for rounds.
pub(super) const OWNERS: Param = Param::choice(
    "owners",
    "arrays of a trial; one: that of the second cpu; all: one of each thread, and each reader goes through them all",
    "one",
    &["one", "all"],
);
/// Readers of a round.
pub(super) const READERS: Param = Param::new(
    "readers",
    "reading cpus, one after the other; first: first cpu of the placement; quarters: at 0, 1/4, 1/2 and 3/4 of it",
    "first",
);

/// Refuses readers where each trial has one.
pub(super) fn refuse_readers(args: &Args) -> Result<(), Error> {
    if args.text("readers") == "first" || args.text("owners") == "all" {
        return Ok(());
    }
    Err(Error::new(format!("bad argument: readers '{}': it goes with --owners all", args.text("readers"))))
}

/// The cpus that an option's text names.
pub(super) fn readers(text: &str, cpus: &[u32]) -> Result<Vec<u32>, Error> {
    match text {
        "first" => Ok(vec![cpus[0]]),
        "quarters" => {
            let mut chosen: Vec<u32> = (0..4).map(|quarter| cpus[quarter * cpus.len() / 4]).collect();
            chosen.dedup();
            Ok(chosen)
        }
        text => {
            let set = text.parse::<CpuSet>().map_err(|error| Error::new(error.to_string()))?;
            if set.is_empty() {
                return Err(Error::new(format!("bad argument: readers '{text}'; expected first, quarters or cpus")));
            }
            Ok(set.iter().collect())
        }
    }
}

/// Where an owner is, as seen from a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Own,
    Near,
    Far,
}

const FROM: [(From, &str); 3] = [(From::Own, "own"), (From::Near, "near"), (From::Far, "far")];

/// Conditions, and the pairs that have them: a place among the readers, and an owner.
type Group = ([(&'static str, String); 2], Vec<(usize, usize)>);

/// The arrays and who reads them.
pub(super) struct Rounds {
    cpus: Vec<u32>,
    nodes: Vec<Option<u32>>,
    bytes: usize,
    page: Page,
    /// `reused`, `fresh` or `freed`.
    allocation: String,
    reading: Reading,
    /// Positions in `cpus`; all of them in lockstep.
    readers: Vec<usize>,
    lockstep: bool,
    arrays: Vec<Array>,
    trials: u64,
    at: Vec<(&'static str, String)>,
    flag: Option<String>,
}

impl Rounds {
    /// Rounds of readers that take turns: `args` has `readers`, `size` and `page`.
    pub(super) fn in_turn(
        context: &Context<'_>,
        args: &Args,
        cpus: &[u32],
        reading: Reading,
        allocation: &str,
    ) -> Result<Self, Error> {
        let named = readers(args.text("readers"), cpus)?;
        let place = |reader: &u32| cpus.iter().position(|cpu| cpu == reader);
        let places: Option<Vec<usize>> = named.iter().map(place).collect();
        let places = places.ok_or_else(|| Error::new("bad argument: readers: not all of them have an array"))?;
        Self::new(context, args, cpus, reading, allocation, Some(places))
    }

    /// All read at once: in step k each thread the array of the k-th thread after it.
    pub(super) fn in_lockstep(context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Self, Error> {
        Self::new(context, args, cpus, Reading::Wide, "reused", None)
    }

    fn new(
        context: &Context<'_>,
        args: &Args,
        cpus: &[u32],
        reading: Reading,
        allocation: &str,
        in_turn: Option<Vec<usize>>,
    ) -> Result<Self, Error> {
        let bytes = size::of(args, "size")?.next_multiple_of(4096);
        // Each thread checks its own array only; here all of them count together.
        fits(bytes.saturating_mul(cpus.len()))?;
        let at = vec![
            ("threads", cpus.len().to_string()),
            ("bytes", bytes.to_string()),
            ("allocation", allocation.to_owned()),
        ];
        let mut rounds = Self {
            nodes: cpus.iter().map(|&cpu| context.node_of(cpu)).collect(),
            cpus: cpus.to_vec(),
            bytes,
            page: Page::named(args.text("page")),
            allocation: allocation.to_owned(),
            reading,
            lockstep: in_turn.is_none(),
            readers: in_turn.unwrap_or_else(|| (0..cpus.len()).collect()),
            arrays: Vec::new(),
            trials: 0,
            at,
            flag: fits_caches(context, bytes * cpus.len()),
        };
        rounds.write()?;
        Ok(rounds)
    }

    /// Each owner frees its array, gets one again and writes it, all at once.
    fn write(&mut self) -> Result<(), Error> {
        let old: Vec<_> = self.arrays.drain(..).map(|array| Mutex::new(Some(array))).collect();
        let arrays = together(&self.cpus, |thread| {
            if let Some(array) = old.get(thread.index) {
                drop(array.lock().expect("no holder panics").take());
            }
            thread.meet();
            if self.allocation == "freed" {
                return Ok(Array::given(self.bytes));
            }
            let arena = Arena::written(self.bytes, self.page, None)?;
            Ok(Array::Mapped(arena.expected_on(self.nodes[thread.index])))
        })?;
        self.arrays = arrays.into_iter().collect::<Result<_, Error>>()?;
        Ok(())
    }

    fn from(&self, reader: usize, owner: usize) -> From {
        match (reader == owner, self.nodes[reader] == self.nodes[owner]) {
            (true, _) => From::Own,
            (_, true) => From::Near,
            _ => From::Far,
        }
    }

    fn groups(&self) -> Vec<Group> {
        let all = 0..self.readers.len();
        let by_turn: &[(&str, Range<usize>)] =
            if self.lockstep { &[("all", all)] } else { &[("first", 0..1), ("later", 1..all.end)] };
        let mut groups = Vec::new();
        for (who, turns) in by_turn {
            for (from, name) in FROM {
                let pairs = turns.clone().flat_map(|turn| (0..self.cpus.len()).map(move |owner| (turn, owner)));
                let pairs: Vec<_> =
                    pairs.filter(|&(turn, owner)| self.from(self.readers[turn], owner) == from).collect();
                if !pairs.is_empty() {
                    groups.push(([("array", name.to_owned()), ("reader", (*who).to_owned())], pairs));
                }
            }
        }
        groups
    }

    /// Places among the readers that have a curve.
    fn drawn(&self) -> Vec<usize> {
        if !self.lockstep {
            return (0..self.readers.len()).collect();
        }
        let mut quarters: Vec<usize> = (0..4).map(|quarter| quarter * self.cpus.len() / 4).collect();
        quarters.dedup();
        quarters
    }

    /// Whether readers that take turns leave memory that pages could follow.
    fn follow(&self) -> bool {
        let apart = |&reader: &usize| (0..self.cpus.len()).any(|owner| self.from(reader, owner) == From::Far);
        !self.lockstep && self.readers.iter().any(apart)
    }

    /// The share of pages of far arrays that lie with a reader now.
    fn followed(&self, reader: usize) -> Option<f64> {
        let far = self.arrays.iter().enumerate().filter(|(owner, _)| self.from(reader, *owner) == From::Far);
        let shares: Vec<f64> = far.map(|(_, array)| array.share_on(self.nodes[reader])).collect();
        (!shares.is_empty()).then(|| mean(&shares))
    }

    /// One reader after the other: times by reader and owner, and the share of far pages that followed them.
    fn turns(&mut self) -> Result<(Vec<Vec<f64>>, Vec<f64>), Error> {
        let (mut times, mut followed) = (Vec::new(), Vec::new());
        for turn in 0..self.readers.len() {
            if self.allocation != "reused" && (turn > 0 || self.trials > 0) {
                self.write()?;
            }
            let (reader, seed) = (self.readers[turn], self.trials << 32 | (turn * self.cpus.len()) as u64);
            let each = |(owner, array): (usize, &Array)| self.reading.time(array, seed + owner as u64);
            times.push(alone(self.cpus[reader], || self.arrays.iter().enumerate().map(each).collect())?);
            followed.extend(self.followed(reader));
        }
        Ok((times, followed))
    }

    /// All at once, step by step: times by reader and owner.
    fn steps(&self) -> Result<Vec<Vec<f64>>, Error> {
        let count = self.cpus.len();
        together(&self.cpus, |thread| {
            let mut times = vec![0.0; count];
            for owner in (0..count).map(|step| (thread.index + step) % count) {
                thread.meet();
                times[owner] = self.reading.time(&self.arrays[owner], 0);
            }
            times
        })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Trial for Rounds {
    fn rows(&self) -> Vec<Row> {
        let row = |measure, unit, more: &[(&'static str, String)]| Row {
            measure,
            unit,
            at: self.at.iter().chain(more).cloned().collect(),
        };
        let mut rows: Vec<Row> = self.groups().iter().map(|(names, _)| row("time a line", "ns", names)).collect();
        rows.push(row("pages with the owner", "share", &[]));
        rows.extend(self.follow().then(|| row("far pages with the reader", "share", &[])));
        for turn in self.drawn() {
            for owner in 0..self.cpus.len() {
                let pair = [("reader", self.readers[turn].to_string()), ("owner", owner.to_string())];
                rows.push(row("time by owner", "ns", &pair));
            }
        }
        rows
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        let (times, followed) = if self.lockstep { (self.steps()?, Vec::new()) } else { self.turns()? };
        self.trials += 1;
        let of_group =
            |pairs: &[(usize, usize)]| median(pairs.iter().map(|&(turn, owner)| times[turn][owner]).collect());
        let mut numbers: Vec<f64> = self.groups().iter().map(|(_, pairs)| of_group(pairs)).collect();
        let home: Vec<f64> = self.arrays.iter().zip(&self.nodes).map(|(array, node)| array.share_on(*node)).collect();
        numbers.push(mean(&home));
        numbers.extend(self.follow().then(|| mean(&followed)));
        numbers.extend(self.drawn().iter().flat_map(|&turn| times[turn].iter().copied()));
        Ok(numbers)
    }

    fn once(&self) -> bool {
        true
    }

    fn curves(&self) -> Vec<(String, Range<usize>)> {
        let (drawn, count) = (self.drawn(), self.cpus.len());
        let first = self.rows().len() - drawn.len() * count;
        let curve = |(place, turn): (usize, &usize)| {
            let begin = first + place * count;
            (format!("time by owner, reader {}", self.readers[*turn]), begin..begin + count)
        };
        drawn.iter().enumerate().map(curve).collect()
    }

    fn found(&self) -> Option<(Found, bool)> {
        let arenas: Option<Vec<&Arena>> = self.arrays.iter().map(Array::mapped).collect();
        arenas.map(|arenas| (Found::mean(arenas), self.page == Page::Huge))
    }

    fn flag(&self) -> Option<String> {
        self.flag.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_are_quarters_of_the_placement() {
        let cpus: Vec<u32> = (0..128).rev().collect();
        assert_eq!(readers("quarters", &cpus).unwrap(), [127, 95, 63, 31]);
        assert_eq!(readers("quarters", &[4, 5]).unwrap(), [4, 5]);
        assert_eq!(readers("quarters", &[4]).unwrap(), [4]);
        assert_eq!(readers("first", &cpus).unwrap(), [127]);
        assert_eq!(readers("1,3-4", &cpus).unwrap(), [1, 3, 4]);
        assert!(readers("", &cpus).is_err() && readers(",", &cpus).is_err());
    }

    /// Four threads on two nodes, without arrays.
    fn four(readers: &[usize], lockstep: bool) -> Rounds {
        Rounds {
            cpus: vec![0, 1, 2, 3],
            nodes: vec![Some(0), Some(0), Some(1), Some(1)],
            bytes: 4096,
            page: Page::Base,
            allocation: "reused".into(),
            reading: Reading::Wide,
            readers: readers.to_vec(),
            lockstep,
            arrays: Vec::new(),
            trials: 0,
            at: Vec::new(),
            flag: None,
        }
    }

    #[test]
    fn own_near_and_far_arrays_are_told_apart_for_the_first_reader_and_later_ones() {
        let rounds = four(&[0, 2], false);
        let text = |names: [(&str, String); 2]| names.map(|(_, value)| value).join(" ");
        let groups: Vec<_> = rounds.groups().into_iter().map(|(names, pairs)| (text(names), pairs)).collect();
        let expected = [
            ("own first", vec![(0, 0)]),
            ("near first", vec![(0, 1)]),
            ("far first", vec![(0, 2), (0, 3)]),
            ("own later", vec![(1, 2)]),
            ("near later", vec![(1, 3)]),
            ("far later", vec![(1, 0), (1, 1)]),
        ];
        assert_eq!(groups, expected.map(|(name, pairs)| (name.to_owned(), pairs)));
        let curves = rounds.curves();
        assert_eq!(
            curves.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["time by owner, reader 0", "time by owner, reader 2"]
        );
        assert_eq!(curves[1].1.end, rounds.rows().len());
        assert!(rounds.rows()[curves[0].1.clone()].iter().all(|row| row.measure == "time by owner"));
        assert!(rounds.rows().iter().any(|row| row.measure == "far pages with the reader"));
    }

    #[test]
    fn in_lockstep_every_thread_reads_and_quarters_are_drawn() {
        let rounds = four(&[0, 1, 2, 3], true);
        let sizes: Vec<_> = rounds.groups().iter().map(|(_, pairs)| pairs.len()).collect();
        assert_eq!(sizes, [4, 4, 8]);
        assert_eq!(rounds.curves().len(), 4);
        assert!(rounds.rows().iter().all(|row| row.measure != "far pages with the reader"));
    }

    #[test]
    fn memory_of_the_c_library_has_its_own_pages() {
        let array = Array::given(8192);
        assert_eq!((array.bytes(), array.start() as usize % 4096), (8192, 0));
        assert!(Reading::Stride(16).time(&array, 1) > 0.0 && Reading::Random.time(&array, 1) > 0.0);
    }
}
