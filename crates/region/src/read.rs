//! Reads the file after the run. It was written by other programs, some of them killed in the middle, so nothing in it
//! is trusted: an impossible number is left out and counted.

use std::io::{Read, Seek, SeekFrom};
use std::mem::{offset_of, size_of};

use crate::format::{
    Count, EVENTS, HEAD_BYTES, Head, LOCKED_SLOTS, NAME_BYTES, NATIVE_SLOTS, Reading, SLOT_BYTES, Slot, Times,
    beginning,
};

/// One region of one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The region's name; `…` stands for what did not fit.
    pub name: String,
    /// The process, as it calls itself.
    pub pid: i32,
    /// The thread, as it calls itself.
    pub tid: i32,
    /// Calls that ended.
    pub calls: u64,
    /// Time in them.
    pub wall_ns: u64,
    /// CPU time of the thread in them.
    pub cpu_ns: u64,
    /// CPU time of the whole process in them; only main threads read it.
    pub process_cpu_ns: Option<u64>,
    /// When the first of them began (`CLOCK_MONOTONIC`); 0 when none has ended.
    pub first_begin_ns: u64,
    /// When the last of them ended.
    pub last_end_ns: u64,
    /// Whether a call has begun and not ended.
    pub open: bool,
    /// Ends without a begin.
    pub unmatched_ends: u32,
    /// Ends while a region that was entered later was open.
    pub crossed_ends: u32,
    /// What each event counted in those calls, in the order of the head's table. One that the thread could not open has
    /// been counted for no time.
    pub counts: [Reading; EVENTS],
}

/// The content of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Native threads first, each kind in the order in which slots were claimed.
    pub uses: Vec<Use>,
    /// Calls for which there was no slot.
    pub lost: u64,
    /// Additions to running counters for which there was no slot.
    pub additions_lost: u64,
    /// Processes that use another version of the file.
    pub refused: u32,
    /// Marks that were made while another one was being stored.
    pub reentered: u64,
    /// Events that could not be opened, one for each thread and event.
    pub uncounted: u64,
    /// Slots with impossible numbers.
    pub senseless: usize,
}

/// Why nothing can be read at all.
#[derive(Debug)]
pub enum Malformed {
    /// The system's reason.
    Unreadable(std::io::Error),
    /// Its head is not that of a file of this version: something else has written over it.
    Overwritten,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "the file of regions cannot be read: {error}"),
            Self::Overwritten => write!(f, "the file of regions was overwritten by the program"),
        }
    }
}

impl std::error::Error for Malformed {}

impl From<std::io::Error> for Malformed {
    fn from(error: std::io::Error) -> Self {
        Self::Unreadable(error)
    }
}

/// Reads a file that [`blank`](crate::blank) began, from its beginning.
///
/// # Errors
/// When it cannot be read, or its head was overwritten. A file that is too short has fewer slots.
pub fn read(mut file: impl Read + Seek) -> Result<Contents, Malformed> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    (&mut file).take(size_of::<Head>() as u64).read_to_end(&mut head)?;
    if head.len() < size_of::<Head>() || !head.starts_with(&beginning()) {
        return Err(Malformed::Overwritten);
    }
    let both = |native: usize, locked: usize| u64_at(&head, native).saturating_add(u64_at(&head, locked));
    let mut contents = Contents {
        lost: both(offset_of!(Head, native_lost), offset_of!(Head, locked_lost)),
        additions_lost: both(offset_of!(Head, native_additions_lost), offset_of!(Head, locked_additions_lost)),
        uncounted: both(offset_of!(Head, native_uncounted), offset_of!(Head, locked_uncounted)),
        refused: u32_at(&head, offset_of!(Head, refused)),
        reentered: u64_at(&head, offset_of!(Head, reentered)),
        ..Contents::default()
    };
    let tables = [
        (0, u32_at(&head, offset_of!(Head, native_claimed)).min(NATIVE_SLOTS)),
        (NATIVE_SLOTS, u32_at(&head, offset_of!(Head, locked_claimed)).min(LOCKED_SLOTS)),
    ];
    for (first, claimed) in tables {
        let mut slots = Vec::new();
        file.seek(SeekFrom::Start(HEAD_BYTES as u64 + u64::from(first) * SLOT_BYTES as u64))?;
        (&mut file).take(u64::from(claimed) * SLOT_BYTES as u64).read_to_end(&mut slots)?;
        slots.chunks_exact(SLOT_BYTES).for_each(|slot| contents.add(slot));
    }
    Ok(contents)
}

impl Contents {
    fn add(&mut self, slot: &[u8]) {
        // A thread that was killed while it claimed its slot has stored nothing yet.
        if u32_at(slot, offset_of!(Slot, ready)) != 1 {
            return;
        }
        match Use::read(slot) {
            Some(found) => self.uses.push(found),
            None => self.senseless += 1,
        }
    }
}

impl Use {
    fn read(slot: &[u8]) -> Option<Self> {
        let turn = u32_at(slot, offset_of!(Slot, turn)) & 1;
        let times = &slot[offset_of!(Slot, times) + turn as usize * size_of::<Times>()..][..size_of::<Times>()];
        let [pid, tid] = [offset_of!(Slot, pid), offset_of!(Slot, tid)].map(|at| u32_at(slot, at).cast_signed());
        let time = |at: usize| u64_at(times, at);
        let found = Self {
            name: name(slot),
            pid,
            tid,
            calls: time(offset_of!(Times, calls)),
            wall_ns: time(offset_of!(Times, wall_ns)),
            cpu_ns: time(offset_of!(Times, cpu_ns)),
            process_cpu_ns: (pid == tid).then(|| time(offset_of!(Times, process_cpu_ns))),
            first_begin_ns: time(offset_of!(Times, first_begin_ns)),
            last_end_ns: time(offset_of!(Times, last_end_ns)),
            // A thread that was killed after it stored a call and before it closed it has ended that call.
            open: u64_at(slot, offset_of!(Slot, open_since_ns)) > time(offset_of!(Times, last_end_ns)),
            unmatched_ends: u32_at(slot, offset_of!(Slot, unmatched_ends)),
            crossed_ends: u32_at(slot, offset_of!(Slot, crossed_ends)),
            counts: std::array::from_fn(|event| {
                let count = &times[offset_of!(Times, counts) + event * size_of::<Count>()..];
                Reading {
                    count: u64_at(count, offset_of!(Count, count)),
                    enabled_ns: u64_at(count, offset_of!(Count, enabled_ns)),
                    running_ns: u64_at(count, offset_of!(Count, running_ns)),
                }
            }),
        };
        // All calls lie between the first begin and the last end, one after the other.
        let span = found.last_end_ns.checked_sub(found.first_begin_ns)?;
        (found.wall_ns <= span).then_some(found)
    }
}

fn name(slot: &[u8]) -> String {
    let bytes = u32_at(slot, offset_of!(Slot, name_bytes)) as usize;
    plain_name(&slot[offset_of!(Slot, name)..][..NAME_BYTES], bytes)
}

/// A name of so many bytes, of which `held` has the first ones, without anything that would move a terminal's cursor.
pub(crate) fn plain_name(held: &[u8], bytes: usize) -> String {
    let text = &held[..bytes.min(held.len())];
    let plain = |letter: char| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter };
    let text: String = String::from_utf8_lossy(text).chars().map(plain).collect();
    match bytes {
        0 => "(no name)".into(),
        bytes if bytes > held.len() => text + "…",
        _ => text,
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("a range of 4 bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("a range of 8 bytes"))
}
