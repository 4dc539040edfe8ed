//! An array of an owner, and how others read it.

use std::time::Instant;

use knee_machine::sys;

use super::sequential::add_up;
use crate::arena::Arena;
use crate::chase::Draw;
use crate::isa::{Isa, Kernel};

/// Random reads of an array.
const READS: usize = 1 << 18;

/// How an array is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// One load for each number that is so far from the last one.
    Stride(usize),
    /// All of it, by the widest loads.
    Wide,
    /// One load of random lines, which are known in advance.
    Random,
}

impl Reading {
    /// Reads an array, and returns the nanoseconds of a cache line.
    pub(super) fn time(self, array: &Array, seed: u64) -> f64 {
        let (start, bytes) = (array.start(), array.bytes());
        let mut draw = Draw::new(seed);
        let drawn = if self == Self::Random { READS.min(bytes / 64) } else { 0 };
        #[expect(clippy::cast_possible_truncation, reason = "arrays of less than 256 GiB")]
        let places: Vec<u32> = (0..drawn).map(|_| draw.below((bytes / 64) as u64) as u32).collect();
        let begin = Instant::now();
        // SAFETY: the array is so long, a multiple of a page, and all threads only read.
        let lines = unsafe {
            match self {
                Self::Stride(stride) => {
                    std::hint::black_box(add_up(start, bytes, stride));
                    bytes / 4 / stride.max(16)
                }
                Self::Wide => {
                    Isa::best().run(Kernel::Read, start, start, start, bytes);
                    bytes / 64
                }
                Self::Random => {
                    let read = |line: &u32| start.add(*line as usize * 64).cast::<u32>().read_volatile();
                    std::hint::black_box(places.iter().map(read).fold(0, u32::wrapping_add));
                    places.len()
                }
            }
        };
        begin.elapsed().as_nanos() as f64 / lines.max(1) as f64
    }
}

/// An array of an owner.
pub(super) enum Array {
    Mapped(Arena),
    /// From the C library, with room to begin at a page.
    Given(Vec<u8>, usize),
}

impl Array {
    /// The C library's memory, written by the calling thread.
    pub(super) fn given(bytes: usize) -> Self {
        let mut memory = Vec::<u8>::with_capacity(bytes + rustix::param::page_size());
        let room = memory.spare_capacity_mut().as_mut_ptr();
        let start = room.align_offset(rustix::param::page_size());
        // SAFETY: the vector has room for a page more than these bytes, and nobody else knows it.
        unsafe { room.add(start).write_bytes(1, bytes) };
        Self::Given(memory, start)
    }

    pub(super) fn start(&self) -> *mut u8 {
        match self {
            Self::Mapped(arena) => arena.start(),
            // Only read: the vector stays as long as the array.
            Self::Given(memory, start) => memory.as_ptr().wrapping_add(*start).cast_mut(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Mapped(arena) => arena.bytes(),
            Self::Given(memory, _) => memory.capacity() - rustix::param::page_size(),
        }
    }

    /// The mapping, unless it is the C library's.
    pub(super) fn mapped(&self) -> Option<&Arena> {
        match self {
            Self::Mapped(arena) => Some(arena),
            Self::Given(..) => None,
        }
    }

    /// The share of its pages on a node; not a number if the kernel does not say.
    pub(super) fn share_on(&self, node: Option<u32>) -> f64 {
        let nodes = node.and_then(|_| sys::nodes_of_pages(self.start() as usize, self.bytes()).ok());
        let share = |nodes: Vec<Option<u32>>| {
            nodes.iter().filter(|found| **found == node).count() as f64 / nodes.len().max(1) as f64
        };
        nodes.map_or(f64::NAN, share)
    }
}
