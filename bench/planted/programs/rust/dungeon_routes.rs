//! Route planner of a game: monsters patrol a dungeon of walls and doors, and every patrol needs the shortest ways
//! between its posts, found by breadth-first search whose marks are written into the map.
//!
//! Threads fetch patrols one by one. The dial is the share of the patrols that belong to the level boss, whose marks
//! live in the one map that all share, behind a spin lock written here; the others use the map of their thread. A
//! patrol takes about 0.1 ms, and a thread that finds the boss's map taken runs round a flag till it is free: spinning.

use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

const SIDE: usize = 32;
const CELLS: usize = SIDE * SIDE;
const LEGS: usize = 9;

#[repr(align(128))]
struct SpinLock<T> {
    taken: AtomicBool,
    held: Apart<UnsafeCell<T>>,
}

#[repr(align(128))]
struct Apart<T>(T);

unsafe impl<T: Send> Sync for SpinLock<T> {}

struct Guard<'a, T>(&'a SpinLock<T>);

impl<T> SpinLock<T> {
    fn new(value: T) -> Self {
        SpinLock { taken: AtomicBool::new(false), held: Apart(UnsafeCell::new(value)) }
    }

    fn lock(&self) -> Guard<'_, T> {
        while self.taken.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            while self.taken.load(Ordering::Relaxed) {
                spin_loop();
            }
        }
        Guard(self)
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        unsafe { &*self.0.held.0.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.0.held.0.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.taken.store(false, Ordering::Release);
    }
}

fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 32
}

/// A dungeon with room for the marks of one search at a time.
#[derive(Clone)]
struct Map {
    wall: [bool; CELLS],
    steps: [u16; CELLS],
    queue: [u16; CELLS],
}

impl Map {
    fn dig() -> Self {
        let wall = std::array::from_fn(|cell| {
            let (x, y) = (cell % SIDE, cell / SIDE);
            let rim = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1;
            rim || mixed(cell as u64 + 4000) % 100 < 27
        });
        Map { wall, steps: [u16::MAX; CELLS], queue: [0; CELLS] }
    }

    fn open_cell(&self, wanted: u64) -> usize {
        let mut cell = wanted as usize % CELLS;
        while self.wall[cell] {
            cell = (cell + 1) % CELLS;
        }
        cell
    }

    /// The steps from one cell to another, or none if there is no way.
    fn distance(&mut self, from: usize, to: usize) -> Option<u16> {
        self.steps.fill(u16::MAX);
        self.steps[from] = 0;
        self.queue[0] = from as u16;
        let (mut head, mut tail) = (0, 1);
        while head < tail {
            let cell = self.queue[head] as usize;
            head += 1;
            if cell == to {
                return Some(self.steps[cell]);
            }
            for next in [cell - SIDE, cell - 1, cell + 1, cell + SIDE] {
                if !self.wall[next] && self.steps[next] == u16::MAX {
                    self.steps[next] = self.steps[cell] + 1;
                    self.queue[tail] = next as u16;
                    tail += 1;
                }
            }
        }
        None
    }

    /// The length of a patrol's round; a leg without a way costs a detour through the portal.
    fn patrol(&mut self, patrol: usize) -> u64 {
        let mut at = self.open_cell(mixed(patrol as u64 * 64));
        let mut length = 0;
        for leg in 1..=LEGS {
            let next = self.open_cell(mixed((patrol * 64 + leg) as u64));
            length = length * 3 + self.distance(at, next).map_or(500, u64::from);
            at = next;
        }
        length
    }
}

struct Level {
    boss: SpinLock<Map>,
    next: AtomicUsize,
    patrols: usize,
    dial: f64,
}

impl Level {
    fn of_boss(&self, patrol: usize) -> bool {
        ((mixed(patrol as u64 ^ 0xB055 << 32) >> 11) as f64) < self.dial * (1u64 << 53) as f64
    }

    fn planner(&self, mut map: Map) -> u64 {
        let mut total = 0u64;
        loop {
            let patrol = self.next.fetch_add(1, Ordering::Relaxed);
            if patrol >= self.patrols {
                return total;
            }
            let length = if self.of_boss(patrol) { self.boss.lock().patrol(patrol) } else { map.patrol(patrol) };
            total = total.wrapping_add(length.wrapping_mul(patrol as u64 + 1));
        }
    }
}

fn main() {
    let mut words = std::env::args().skip(1);
    let threads: usize = words.next().unwrap().parse().unwrap();
    let dial: f64 = words.next().unwrap().parse().unwrap();
    let patrols: usize = words.next().unwrap().parse().unwrap();
    let level = Level { boss: SpinLock::new(Map::dig()), next: AtomicUsize::new(0), patrols, dial };
    let total = thread::scope(|scope| {
        let level = &level;
        let planners: Vec<_> = (0..threads).map(|_| scope.spawn(move || level.planner(Map::dig()))).collect();
        planners.into_iter().map(|planner| planner.join().unwrap()).fold(0, u64::wrapping_add)
    });
    println!("{total:016x}");
}
