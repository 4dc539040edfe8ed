//! What the Rust programs have in common: arguments, work that no compiler removes, and threads.
//!
//! Work comes in units. The result of a unit depends on its number alone, and the answer is the wrapping sum of all
//! results: the same for every number of threads and every dial.
#![allow(dead_code)]

use std::thread;

pub struct Asked {
    pub threads: usize,
    pub dial: f64,
    pub work: usize,
}

impl Asked {
    /// The first unit of a thread, with equal parts for all.
    pub fn first(&self, thread: usize) -> usize {
        self.work * thread / self.threads
    }

    /// Whether the dial applies to this unit: a fixed random choice of the share `dial` of all units.
    pub fn picks(&self, number: usize) -> bool {
        let mut x = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        ((x >> 11) as f64) < self.dial * (1u64 << 53) as f64
    }

    /// Run `body` in every thread; return the sum of what they return.
    pub fn in_threads(&self, body: impl Fn(usize) -> u64 + Sync) -> u64 {
        thread::scope(|scope| {
            let body = &body;
            let parts: Vec<_> = (0..self.threads).map(|t| scope.spawn(move || body(t))).collect();
            parts.into_iter().map(|part| part.join().unwrap()).fold(0, u64::wrapping_add)
        })
    }
}

pub fn arguments() -> Asked {
    let words: Vec<String> = std::env::args().collect();
    Asked { threads: words[1].parse().unwrap(), dial: words[2].parse().unwrap(), work: words[3].parse().unwrap() }
}

/// A chain of dependent arithmetic, about 1.3 ns a step.
pub fn unit(number: usize, steps: usize) -> u64 {
    let mut x = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
    for _ in 0..steps {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(x >> 33 | 1);
    }
    x
}
