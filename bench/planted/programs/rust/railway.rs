//! Computes how long trains take to run over a small railway network.
//!
//! usage: railway THREADS DIAL TRAINS
//!
//! Each thread dispatches trains from a depot. A train first leaves its yard, then runs over a section of track, which it
//! must have for itself: the dispatcher sets the section's bit in the signal box, and clears it when the train is through.
//! Every depot has a line of its own, and there is one bridge for all. DIAL is the share of the trains that go by the
//! bridge; as it is as long as the lines, the running times are the same.
use std::hint;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

const YARD_STEPS: usize = 2_000;
const SECTION_STEPS: usize = 10_000;
const BRIDGE: u64 = 1;

/// One bit a section: set while a train is on it.
#[repr(align(128))]
struct SignalBox(AtomicU64);

impl SignalBox {
    /// Wait until the section is free, and close it behind the train.
    fn enter(&self, section: u64) {
        loop {
            let occupied = self.0.load(Ordering::Relaxed);
            if occupied & section == 0 {
                let closed = occupied | section;
                if self.0.compare_exchange_weak(occupied, closed, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                    return;
                }
            }
            hint::spin_loop();
        }
    }

    fn leave(&self, section: u64) {
        self.0.fetch_and(!section, Ordering::Release);
    }
}

/// A train: its speed in mm/s and how far it has come in mm.
struct Train {
    seed: u64,
    speed: i64,
    way: i64,
}

impl Train {
    fn new(number: usize) -> Train {
        let seed = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Train { seed: (seed ^ seed >> 31).wrapping_mul(0xD6E8_FEB8_6659_FD93), speed: 0, way: 0 }
    }

    /// Run for some steps of 10 ms: the motor pulls, the air and the slope hold back.
    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let slope = (self.seed >> 56) as i64 - 128;
            let drag = self.speed * self.speed >> 22;
            self.speed = (self.speed + (900 - drag - slope) / 8).max(0);
            self.way += self.speed / 100;
        }
    }
}

/// A fixed random number between 0 and 1 for a train.
fn fate(number: usize) -> f64 {
    let mut x = (number as u64 + 77).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (x >> 11) as f64 / (1u64 << 53) as f64
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().expect("THREADS");
    let dial: f64 = words[2].parse().expect("DIAL");
    let trains: usize = words[3].parse().expect("TRAINS");
    assert!(threads < 64, "the signal box has 64 bits");

    let signals = SignalBox(AtomicU64::new(0));
    let waiting = AtomicUsize::new(0);
    let dispatch = |depot: usize| {
        let line = BRIDGE << (1 + depot);
        let mut way = 0;
        loop {
            let number = waiting.fetch_add(1, Ordering::Relaxed);
            if number >= trains {
                return way;
            }
            let mut train = Train::new(number);
            train.run(YARD_STEPS);
            let section = if fate(number) < dial { BRIDGE } else { line };
            signals.enter(section);
            train.run(SECTION_STEPS);
            signals.leave(section);
            way += train.way;
        }
    };
    let ways: Vec<i64> = thread::scope(|scope| {
        let dispatch = &dispatch;
        let depots: Vec<_> = (0..threads).map(|depot| scope.spawn(move || dispatch(depot))).collect();
        depots.into_iter().map(|depot| depot.join().unwrap()).collect()
    });
    println!("{trains} trains, {} mm", ways.iter().sum::<i64>());
}
