//! A rule engine: evaluators rewrite expressions in postfix notation whose symbols are reference-counted definitions.
//!
//! The dial is the share of symbols that evaluators take from the one table of definitions, by cloning and dropping its
//! `Arc`s; the others come from a table that each evaluator has for itself, at the same cost alone. The counts of the
//! shared `Arc`s are words that all threads update atomically: true sharing.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const SYMBOLS: usize = 4;
const LENGTH: usize = 24;
const CHUNK: usize = 64;

/// Padded, so that only the counts of one symbol are in the lines of its `Arc`.
#[repr(align(128))]
struct Definition {
    weight: u64,
    rotation: u32,
}

type Table = Vec<Arc<Definition>>;

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 32
}

fn define() -> Table {
    (0..SYMBOLS as u64)
        .map(|s| Arc::new(Definition { weight: mix(s + 1) | 1, rotation: (mix(s + 99) % 63) as u32 + 1 }))
        .collect()
}

/// Users of a definition may keep it: it is cloned and dropped when the symbol has been applied.
#[inline(never)]
fn apply(definition: Arc<Definition>, mut value: u64) -> u64 {
    for _ in 0..10 {
        value = value.rotate_left(definition.rotation).wrapping_mul(definition.weight) ^ value >> 29;
    }
    value
}

fn evaluate(expression: u64, shared: &Table, own: &Table, limit: u64) -> u64 {
    let mut stack = Vec::with_capacity(LENGTH);
    for position in 0..LENGTH as u64 {
        let token = mix(expression * LENGTH as u64 + position + 1);
        let table = if mix(token) >> 11 < limit { shared } else { own };
        let symbol = (token % SYMBOLS as u64) as usize;
        let value = if token >> 60 < 8 || stack.is_empty() { token } else { stack.pop().unwrap() };
        stack.push(apply(Arc::clone(&table[symbol]), value));
    }
    stack.into_iter().fold(0, u64::wrapping_add)
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let work: usize = words[3].parse().unwrap();
    let limit = (dial * (1u64 << 53) as f64) as u64;
    let shared = define();
    let next = AtomicUsize::new(0);
    let sum = thread::scope(|scope| {
        let evaluators: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let own = define();
                    let mut sum = 0u64;
                    loop {
                        let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                        if first >= work {
                            return sum;
                        }
                        for expression in first..work.min(first + CHUNK) {
                            sum = sum.wrapping_add(evaluate(expression as u64, &shared, &own, limit));
                        }
                    }
                })
            })
            .collect();
        evaluators.into_iter().map(|evaluator| evaluator.join().unwrap()).fold(0, u64::wrapping_add)
    });
    println!("{sum:016x}");
}
