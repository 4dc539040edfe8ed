//! Sums of running counters, read while the program runs. What the file holds was written by other programs: names are cut
//! and cleaned, and nothing is read beyond the tables that this version has.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use crate::format::{COUNTER_BYTES, COUNTERS_AT, CounterSlot, Head, LOCKED_COUNTERS, NATIVE_COUNTERS};
use crate::read::plain_name;
use crate::sys::Mapping;

/// The sums over all threads of a program, by name. It is never unmapped: make one for each run.
#[derive(Debug)]
pub struct Totals {
    tables: [Table; 2],
    names: Vec<String>,
}

/// The counters of one kind.
#[derive(Debug)]
struct Table {
    slots: &'static [CounterSlot],
    claimed: &'static AtomicU32,
    /// Number of the name of each claimed counter; none until it is ready.
    name: Vec<Option<usize>>,
}

impl Totals {
    /// Maps a file that [`blank`](crate::blank) began, in its full length.
    ///
    /// # Errors
    /// When it cannot be mapped, or is shorter.
    pub fn of(file: &File) -> io::Result<Self> {
        let mapping = Mapping::of(file)?;
        let head: &'static Head = mapping.head();
        let locked_at = COUNTERS_AT + NATIVE_COUNTERS as usize * COUNTER_BYTES;
        let native = mapping.counters(COUNTERS_AT, NATIVE_COUNTERS as usize);
        let locked = mapping.counters(locked_at, LOCKED_COUNTERS as usize);
        let (native, locked) = native.zip(locked).ok_or_else(|| io::Error::other("a file that is too short"))?;
        let table = |slots, claimed| Table { slots, claimed, name: Vec::new() };
        let tables = [table(native, &head.native_counters_claimed), table(locked, &head.locked_counters_claimed)];
        Ok(Self { tables, names: Vec::new() })
    }

    /// What has been counted so far, in the order of first use. A sum never falls.
    pub fn read(&mut self) -> Vec<(&str, u64)> {
        let Self { tables, names } = self;
        for table in tables.iter_mut() {
            table.meet(names);
        }
        let mut sums = vec![0_u64; names.len()];
        for table in tables {
            for (slot, name) in table.slots.iter().zip(&table.name) {
                if let Some(name) = *name {
                    // Relaxed: nothing else depends on the number.
                    sums[name] = sums[name].wrapping_add(slot.value.load(Ordering::Relaxed));
                }
            }
        }
        names.iter().map(String::as_str).zip(sums).collect()
    }
}

impl Table {
    /// Reads the names of new counters.
    fn meet(&mut self, names: &mut Vec<String>) {
        let claimed = (self.claimed.load(Ordering::Relaxed) as usize).min(self.slots.len());
        self.name.resize(claimed.max(self.name.len()), None);
        for (slot, known) in self.slots.iter().zip(&mut self.name).filter(|(_, known)| known.is_none()) {
            // Acquire: pairs with the Release of the thread that claimed it, so the name is whole. Python has no
            // Acquire; on processors where that matters its name may be incomplete in one sample.
            if slot.ready.load(Ordering::Acquire) != 1 {
                continue;
            }
            let name = name(slot);
            *known = Some(names.iter().position(|other| *other == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            }));
        }
    }
}

fn name(slot: &CounterSlot) -> String {
    let bytes: Vec<u8> = slot.name.iter().map(|byte: &AtomicU8| byte.load(Ordering::Relaxed)).collect();
    plain_name(&bytes, slot.name_bytes.load(Ordering::Relaxed) as usize)
}
