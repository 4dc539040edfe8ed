//! Orchard: how many baskets of fruit the pickers bring in.
//!
//!     orchard THREADS DIAL TREES
//!
//! The pickers go through the orchard together. A row of one variety is given to one picker; in a row of mixed
//! varieties, the thread that is free takes the next tree. DIAL is the share of the rows that are mixed.

use std::env;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const ROW: usize = 64;
const BRANCHES: u64 = 45;
const BASKET_G: u64 = 9000;

/// The next tree that nobody has taken, apart from everything else in memory.
#[repr(align(256))]
struct Next(AtomicUsize);

struct Orchard {
    trees: usize,
    /// For each row whether it is mixed.
    mixed: Vec<bool>,
    next: Next,
}

impl Orchard {
    fn planted(trees: usize, share: f64) -> Self {
        let mut seed = 0x2545_F491_4F6C_DD1Du64;
        let mixed = (0..trees.div_ceil(ROW))
            .map(|_| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                ((seed >> 11) as f64) < share * (1u64 << 53) as f64
            })
            .collect();
        Self { trees, mixed, next: Next(AtomicUsize::new(0)) }
    }

    /// The trees that a picker goes to next.
    fn take(&self) -> Option<Range<usize>> {
        let mut tree = self.next.0.load(Ordering::Relaxed);
        while tree < self.trees {
            let row = tree / ROW;
            let end = if self.mixed[row] { tree + 1 } else { ((row + 1) * ROW).min(self.trees) };
            match self.next.0.compare_exchange_weak(tree, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(tree..end),
                Err(now) => tree = now,
            }
        }
        None
    }
}

/// The fruit of a tree in grams: what hangs on a branch depends on the branch before it.
fn harvest(tree: usize) -> u64 {
    let mut x = (tree as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1;
    let mut grams = 0;
    for _ in 0..BRANCHES {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(x >> 33 | 1);
        grams += (x >> 52) & 511;
    }
    grams
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let pickers: usize = words[1].parse().expect("THREADS");
    let orchard = Orchard::planted(words[3].parse().expect("TREES"), words[2].parse().expect("DIAL"));
    let grams: u64 = thread::scope(|scope| {
        let crew: Vec<_> = (0..pickers)
            .map(|_| {
                scope.spawn(|| {
                    let mut grams = 0;
                    while let Some(trees) = orchard.take() {
                        grams += trees.map(harvest).sum::<u64>();
                    }
                    grams
                })
            })
            .collect();
        crew.into_iter().map(|picker| picker.join().unwrap()).sum()
    });
    println!("{} baskets and {} g", grams / BASKET_G, grams % BASKET_G);
}
