//! Measures what a region costs: nanoseconds to enter and leave it, by handle and by name.
//!
//! Usage: cost CALLS (`bench/regions.py` runs it with and without a listener)

use std::hint::black_box;
use std::time::Instant;

fn per_call(calls: u32, call: impl Fn()) -> f64 {
    let begin = Instant::now();
    (0..calls).for_each(|_| call());
    begin.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
}

fn main() {
    let calls = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1_000_000);
    let nothing = per_call(calls, || {
        black_box(());
    });
    let known = per_call(calls, || {
        let _region = knee_region::region!("known");
        black_box(());
    });
    let named = per_call(calls, || {
        let _region = knee_region::enter(black_box("named"));
        black_box(());
    });
    println!("nothing {nothing:.2}\nhandle {known:.2}\nname {named:.2}");
}
