//! Plays old arcade cartridges without a screen: every game is a run of a small eight-bit machine with its own memory.
//!
//! Page faults. The machine's memory is mapped from the kernel, and zero when it is new. The dial is the share of the
//! games that start on a new machine, whose memory is unmapped as soon as the game is over; for the others a thread
//! wipes the machine that it has. Threads share nothing but the address space.
mod work;

use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

/// Machine's memory: as much as its sixteen address lines reach.
const BYTES: usize = 1 << 16;
const TICKS: usize = 1_800;

mod kernel {
    unsafe extern "C" {
        pub fn mmap(at: *mut u8, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut u8;
        pub fn munmap(at: *mut u8, length: usize) -> i32;
    }
}

struct Memory(NonNull<[u8; BYTES]>);

impl Memory {
    fn new() -> Memory {
        // SAFETY: a private, anonymous mapping to read and write (3, 0x22), where the kernel likes it.
        let at = unsafe { kernel::mmap(ptr::null_mut(), BYTES, 3, 0x22, -1, 0) };
        assert_ne!(at.addr(), usize::MAX, "no memory for the machine");
        Memory(NonNull::new(at.cast()).unwrap())
    }
}

impl Deref for Memory {
    type Target = [u8; BYTES];
    fn deref(&self) -> &Self::Target {
        // SAFETY: mapped with that size, and zeros are good bytes.
        unsafe { self.0.as_ref() }
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut Self::Target {
        // SAFETY: as above, and this is the only reference.
        unsafe { self.0.as_mut() }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: this is what was mapped, and the last that is done with it.
        unsafe { kernel::munmap(self.0.as_ptr().cast(), BYTES) };
    }
}

#[derive(Default)]
struct Machine {
    counter: u16,
    a: u8,
    x: u8,
    pointer: u16,
}

impl Machine {
    fn tick(&mut self, memory: &mut Memory) {
        let word = memory[self.counter as usize];
        self.counter = self.counter.wrapping_add(1) & 0x0FFF;
        match word >> 5 {
            0 => self.a = self.a.wrapping_mul(5).wrapping_add(word),
            1 => self.a ^= memory[self.pointer as usize],
            2 => self.pointer = self.pointer.wrapping_add(257 * u16::from(word) + u16::from(self.x)),
            3 => memory[(self.pointer | 0x1000) as usize] = self.a,
            4 => self.x = self.x.wrapping_add(self.a | 1),
            5 if self.a & 3 == 0 => self.counter = (self.counter + u16::from(word & 31)) & 0x0FFF,
            6 => self.a = self.a.rotate_left(u32::from(word & 7)),
            _ => self.x = self.x.rotate_right(1) ^ word,
        }
    }
}

fn play(game: usize, memory: &mut Memory) -> u64 {
    let mut seed = (game as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for cartridge in memory[..0x1000].chunks_exact_mut(8) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        cartridge.copy_from_slice(&seed.to_le_bytes());
    }
    // A picture in each page of the rest.
    memory[0x1000..].iter_mut().step_by(1024).for_each(|pixel| *pixel = seed as u8);
    let mut machine = Machine::default();
    (0..TICKS).for_each(|_| machine.tick(memory));
    let screen = memory.iter().step_by(251).fold(seed, |sum, &pixel| sum.rotate_left(3) ^ u64::from(pixel));
    screen.wrapping_add(u64::from(machine.a) << 8 | u64::from(machine.x))
}

fn main() {
    let asked = work::arguments();
    let score = asked.in_threads(|player| {
        let mut own = Memory::new();
        (asked.first(player)..asked.first(player + 1))
            .map(|game| {
                if asked.picks(game) {
                    return play(game, &mut Memory::new());
                }
                own.fill(0);
                play(game, &mut own)
            })
            .fold(0, u64::wrapping_add)
    });
    println!("high score {score}");
}
