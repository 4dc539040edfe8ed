//! A clock proxy: the time of a fixed chain of dependent multiplications.
//!
//! No instruction overlaps with the chain and none touches memory, so it takes a fixed number of core cycles: when its
//! time grows, the core ran slower (or was taken away). Without hardware counters it is the only evidence on frequency.
//! The minimum over a few bursts removes preemption.

use std::hint::black_box;
use std::time::Instant;

/// Links of one burst: about 50 µs at 3 GHz (a 64-bit multiply and an add take 4 cycles).
const LINKS: u32 = 40_000;
/// Bursts; the fastest one counts.
const BURSTS: u32 = 8;

/// Nanoseconds per link of the chain, on the caller's current cpu.
#[must_use]
pub fn nanoseconds_per_link() -> f64 {
    let fastest = (0..BURSTS).map(|_| burst()).min().unwrap_or_default();
    fastest.as_nanos() as f64 / f64::from(LINKS)
}

fn burst() -> std::time::Duration {
    // The multiplier is Knuth's; any odd one does. Hidden from the compiler, so that it cannot fold links into one;
    // not inside the loop, where hiding would send every link through memory.
    let (multiplier, mut link) = black_box((6_364_136_223_846_793_005_u64, 1_u64));
    let begin = Instant::now();
    for _ in 0..LINKS {
        link = link.wrapping_mul(multiplier).wrapping_add(1);
    }
    black_box(link);
    begin.elapsed()
}
