//! Aligns overlapping sequencing reads with affine gaps in a band, and adds up scores and traceback paths. Workers take
//! pairs of reads from deques of their own, and steal half of another's when theirs is empty. The dial is the share of
//! the pairs whose three matrices are mapped and given back after the pair; the others use the
//! worker's kept matrices. Every such pair pays for page faults, and with two threads also for the address space that
//! they share: its lock, and the interrupts that take given-back pages out of the other cpu's translations.
#[path = "work.rs"]
mod work;

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::slice;
use std::sync::{Barrier, Mutex};

unsafe extern "C" {
    fn mmap(at: *mut c_void, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut c_void;
    fn munmap(at: *mut c_void, length: usize) -> i32;
}

const READ_WRITE: i32 = 3;
const PRIVATE_ANONYMOUS: i32 = 0x22;

const LENGTH: usize = 128;
const BAND: usize = 32;
const READS: usize = 256;
const CELLS: usize = LENGTH * BAND;
const LOWEST: i32 = -30_000;

/// Memory of one matrix, straight from the kernel, and back to it in the end.
struct Mapped {
    cells: *mut u8,
}

impl Mapped {
    fn new() -> Mapped {
        // SAFETY: a fresh private mapping, which nobody else knows of.
        let at = unsafe { mmap(ptr::null_mut(), CELLS, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0) };
        assert!(at as isize != -1, "no memory");
        Mapped { cells: at.cast() }
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: CELLS bytes are mapped for as long as self lives.
        unsafe { slice::from_raw_parts(self.cells, CELLS) }
    }
}

impl DerefMut for Mapped {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and self is borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.cells, CELLS) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: mapped with this length, and no borrow is left.
        unsafe { munmap(self.cells.cast(), CELLS) };
    }
}

/// The three traceback matrices of an alignment: match, gap in the first read, gap in the second.
struct Traces {
    matched: Mapped,
    left: Mapped,
    up: Mapped,
}

impl Traces {
    fn new() -> Traces {
        Traces { matched: Mapped::new(), left: Mapped::new(), up: Mapped::new() }
    }
}

struct Read {
    bases: [u8; LENGTH + BAND],
}

/// Reads of one random genome, each with some bases changed.
fn sequenced() -> Vec<Read> {
    let mut state = 0x5DEE_CE66_Du64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let genome: Vec<u8> = (0..8192).map(|_| (next() % 4) as u8).collect();
    (0..READS)
        .map(|_| {
            let start = next() % 64 * 64;
            let mut bases = [0; LENGTH + BAND];
            for (i, base) in bases.iter_mut().enumerate() {
                *base = if next() % 12 == 0 { (next() % 4) as u8 } else { genome[start + i] };
            }
            Read { bases }
        })
        .collect()
}

/// The score of the best way, with a checksum of the way itself.
fn align(first: &Read, second: &Read, traces: &mut Traces) -> u64 {
    let mut score = [0i32; BAND + 1];
    let mut down = [LOWEST; BAND + 1];
    for row in 0..LENGTH {
        let mut beside = LOWEST;
        let base = first.bases[row];
        let at = row * BAND;
        let matched = &mut traces.matched[at..at + BAND];
        let left = &mut traces.left[at..at + BAND];
        let up = &mut traces.up[at..at + BAND];
        for column in 0..BAND {
            let fits = second.bases[row + column] == base;
            let diagonal = score[column] + if fits { 5 } else { -4 };
            let opened = score[column + 1] - 9;
            let longer = down[column + 1] - 1;
            down[column] = opened.max(longer);
            up[column] = u8::from(longer > opened);
            let best = diagonal.max(down[column]).max(beside).max(0);
            matched[column] =
                if best == diagonal { 1 } else if best == beside { 2 } else if best == 0 { 0 } else { 3 };
            left[column] = u8::from(beside - 1 > best - 9);
            beside = (beside - 1).max(best - 9);
            score[column] = best;
        }
        score[BAND] = 0;
        down[BAND] = LOWEST;
    }
    let (end, top) = score.iter().enumerate().max_by_key(|&(i, &s)| (s, i)).unwrap();
    let mut path = top.unsigned_abs() as u64;
    let (mut row, mut column) = (LENGTH - 1, end.min(BAND - 1));
    loop {
        let at = row * BAND + column;
        let step = traces.matched[at];
        let more = traces.left[at] * 2 + traces.up[at];
        path = path.wrapping_mul(1_099_511_628_211) ^ u64::from(step * 4 + more);
        match step {
            2 if column > 0 => column -= 1,
            3 if row > 0 && column + 1 < BAND => (row, column) = (row - 1, column + 1),
            1 if row > 0 => row -= 1,
            _ => return path,
        }
    }
}

/// The next pair for a worker: its own newest, or else half of what another has left.
fn next_pair(deques: &[Mutex<VecDeque<usize>>], own: usize) -> Option<usize> {
    if let Some(pair) = deques[own].lock().unwrap().pop_back() {
        return Some(pair);
    }
    for distance in 1..deques.len() {
        let mut stolen = {
            let mut victim = deques[(own + distance) % deques.len()].lock().unwrap();
            let half = victim.len().div_ceil(2);
            victim.drain(..half).collect::<VecDeque<_>>()
        };
        if let Some(pair) = stolen.pop_back() {
            deques[own].lock().unwrap().append(&mut stolen);
            return Some(pair);
        }
    }
    None
}

fn main() {
    let asked = work::arguments();
    let reads = sequenced();
    let deques: Vec<_> =
        (0..asked.threads).map(|t| Mutex::new((asked.first(t)..asked.first(t + 1)).collect())).collect();
    let start = Barrier::new(asked.threads);
    let sum = asked.in_threads(|thread| {
        let mut kept = Traces::new();
        let mut sum = 0u64;
        start.wait();
        while let Some(pair) = next_pair(&deques, thread) {
            let (first, second) = (&reads[pair % READS], &reads[pair * 7 / 3 % READS]);
            let path = if asked.picks(pair) {
                align(first, second, &mut Traces::new())
            } else {
                align(first, second, &mut kept)
            };
            sum = sum.wrapping_add(path.wrapping_mul(pair as u64 | 1));
        }
        sum
    });
    println!("{sum:016x}");
}
