//! Counts what goroutines were found doing.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::memory::{Goroutine, Status};

/// Functions and reasons in the record.
const MOST_TOLD: usize = 8;
/// Goroutines of one function that are told apart.
const MOST_NUMBERS: usize = 1000;
/// Characters of a function's name.
const LONGEST: usize = 200;
/// The runtime's function that is the program's: its first goroutine's.
const FIRST: &str = "runtime.main";

/// What the goroutines of a Go program did, in samples, or why that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Goroutines {
    /// Counts over all samples. Goroutines of the runtime are left out, but for the processors that they keep busy.
    Known {
        /// Samples taken.
        samples: u64,
        /// Processors, of which each runs one goroutine at a time (`GOMAXPROCS`): the sum over samples.
        processors: u64,
        /// Those for which no goroutine was ready.
        idle: u64,
        /// Those that collected garbage.
        collecting: u64,
        /// Of the idle processors, how many a goroutine would have had that waited for a lock (`sync.Mutex`, `sync.RWMutex`).
        at_locks: u64,
        /// What goroutines waited for while a processor was idle, at most 8, the most frequent first.
        waits: Vec<GoWait>,
        /// Functions with which goroutines began, at most 8; first those that were alone most often.
        functions: Vec<GoFunction>,
    },
    /// There are no counts.
    Unavailable {
        /// The reason.
        unavailable: String,
    },
}

/// What goroutines that began with one function waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GoWait {
    /// The reason, as the runtime calls it.
    pub reason: String,
    /// The function.
    pub function: String,
    /// Goroutines that waited for it while a processor was idle: the sum over samples.
    pub goroutines: u64,
}

/// Goroutines that began with the same function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GoFunction {
    /// Its name. That of the first goroutine is `runtime.main`, which calls `main`.
    pub function: String,
    /// Samples in which one of them was ready, and nothing else.
    pub alone: u64,
    /// Times that one of them was ready beside other goroutines of the program.
    pub beside: u64,
    /// How many were seen ready, up to 1000.
    pub goroutines: u64,
}

/// Counts of all samples.
#[derive(Debug, Default)]
pub(super) struct Tally {
    samples: u64,
    processors: u64,
    idle: u64,
    collecting: u64,
    at_locks: u64,
    waits: BTreeMap<(usize, u64), u64>,
    functions: BTreeMap<u64, Ready>,
    /// Whether a function is the runtime's own.
    own: BTreeMap<u64, bool>,
}

#[derive(Debug, Default)]
struct Ready {
    alone: u64,
    beside: u64,
    numbers: BTreeSet<u64>,
}

impl Tally {
    /// Counts one sample of a process.
    pub(super) fn note(&mut self, processors: u64, goroutines: &[Goroutine], layout: &Layout) {
        let (mut busy, mut collecting, mut ready, mut locked, mut waiting) = (0, 0, Vec::new(), 0, Vec::new());
        for one in goroutines {
            let own = *self.own.entry(one.start).or_insert_with(|| {
                let name = layout.function(one.start).unwrap_or_default();
                name.starts_with("runtime.") && name != FIRST
            });
            match one.status {
                Status::Collecting => collecting += 1,
                Status::Ready | Status::Calling if own => busy += 1,
                Status::Ready | Status::Calling => ready.push(one),
                Status::Waiting { reason, lock } if !own => {
                    locked += u64::from(lock);
                    waiting.push((reason, one.start));
                }
                Status::Waiting { .. } => {}
            }
        }
        if ready.is_empty() && waiting.is_empty() {
            // It starts, or ends.
            return;
        }
        let idle = processors.saturating_sub(busy + collecting + ready.len() as u64);
        self.samples += 1;
        self.processors += processors;
        self.idle += idle;
        self.collecting += collecting;
        self.at_locks += idle.min(locked);
        if idle > 0 {
            for wait in waiting {
                *self.waits.entry(wait).or_default() += 1;
            }
        }
        let alone = ready.len() == 1 && busy + collecting == 0;
        for one in ready {
            let function = self.functions.entry(one.start).or_default();
            function.alone += u64::from(alone);
            function.beside += u64::from(!alone);
            if function.numbers.len() < MOST_NUMBERS {
                function.numbers.insert(one.number);
            }
        }
    }

    /// All that was counted.
    pub(super) fn finish(self, layout: &Layout) -> Goroutines {
        let name = |start: u64| {
            let known = layout.function(start).map(|name| name.chars().take(LONGEST).collect());
            known.unwrap_or_else(|| format!("{start:#x}"))
        };
        let reason = |number: usize| {
            let known = layout.reasons.get(number).filter(|reason| !reason.is_empty());
            known.cloned().unwrap_or_else(|| number.to_string())
        };
        let wait = |((number, start), goroutines): ((usize, u64), u64)| GoWait {
            reason: reason(number),
            function: name(start),
            goroutines,
        };
        let function = |(start, ready): (u64, Ready)| GoFunction {
            function: name(start),
            alone: ready.alone,
            beside: ready.beside,
            goroutines: ready.numbers.len() as u64,
        };
        let mut waits: Vec<GoWait> = self.waits.into_iter().map(wait).collect();
        waits.sort_by_key(|one| std::cmp::Reverse(one.goroutines));
        waits.truncate(MOST_TOLD);
        let mut functions: Vec<GoFunction> = self.functions.into_iter().map(function).collect();
        functions.sort_by_key(|one| std::cmp::Reverse((one.alone, one.beside)));
        functions.truncate(MOST_TOLD);
        let Self { samples, processors, idle, collecting, at_locks, .. } = self;
        Goroutines::Known { samples, processors, idle, collecting, at_locks, waits, functions }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Fields;
    use super::*;

    /// A layout with the runtime's first function at 0, its worker at 10, and two of the program's at 20 and 30.
    fn layout() -> Layout {
        let names = ["runtime.main", "runtime.gcBgMarkWorker", "main.work", "main.write"];
        Layout {
            all: 0,
            processors: 0,
            fields: Fields::default(),
            reasons: vec![String::new(), "sync.Mutex.Lock".into(), "chan receive".into()],
            functions: (0_u64..).zip(names).map(|(at, name)| (10 * at, 10, name.to_owned())).collect(),
            moves_from: None,
        }
    }

    fn one(number: u64, start: u64, status: Status) -> Goroutine {
        Goroutine { number, start, status }
    }

    const LOCK: Status = Status::Waiting { reason: 1, lock: true };
    const CHANNEL: Status = Status::Waiting { reason: 2, lock: false };

    #[test]
    fn idle_processors_are_counted_with_what_goroutines_wait_for() {
        let (layout, mut tally) = (layout(), Tally::default());
        let first = one(1, 0, CHANNEL);
        tally.note(4, &[first, one(2, 20, Status::Ready), one(3, 20, LOCK), one(4, 20, LOCK)], &layout);
        tally.note(2, &[first, one(2, 20, LOCK), one(3, 20, Status::Ready), one(5, 10, Status::Ready)], &layout);
        tally.note(4, &[one(1, 0, Status::Calling), one(2, 20, Status::Collecting), one(3, 30, CHANNEL)], &layout);
        tally.note(2, &[one(5, 10, CHANNEL)], &layout);
        let wait = |reason: &str, function: &str, goroutines| GoWait {
            reason: reason.into(),
            function: function.into(),
            goroutines,
        };
        let ready = |function: &str, alone, beside, goroutines| GoFunction {
            function: function.into(),
            alone,
            beside,
            goroutines,
        };
        assert_eq!(
            tally.finish(&layout),
            Goroutines::Known {
                samples: 3,
                processors: 10,
                idle: 3 + 2,
                collecting: 1,
                at_locks: 2,
                waits: vec![
                    wait("sync.Mutex.Lock", "main.work", 2),
                    wait("chan receive", "runtime.main", 1),
                    wait("chan receive", "main.write", 1),
                ],
                functions: vec![ready("main.work", 1, 1, 2), ready("runtime.main", 0, 1, 1)],
            }
        );
    }

    #[test]
    fn what_has_no_name_is_told_by_its_number() {
        let (layout, mut tally) = (layout(), Tally::default());
        tally.note(2, &[one(1, 99, Status::Ready), one(2, 98, Status::Waiting { reason: 7, lock: false })], &layout);
        let Goroutines::Known { waits, functions, .. } = tally.finish(&layout) else { panic!() };
        assert_eq!((waits[0].reason.as_str(), waits[0].function.as_str()), ("7", "0x62"));
        assert_eq!(functions[0].function, "0x63");
    }
}
