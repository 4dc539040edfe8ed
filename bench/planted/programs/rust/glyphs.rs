//! Duplicated work: draws the glyphs of a text that threads set side by side, one column each.
//!
//! The dial is the share of the glyphs that are new in all columns at the same place; each of the others is used in one
//! column. Drawn glyphs lie in a cache behind a `RwLock`. A thread that does not find one draws it without the lock and
//! then puts it there, as caches do that only guard their map. Threads that come to a new glyph while another one draws it
//! thus draw it, too. Nobody waits: the lock is held for less than 1 us, a glyph takes about 100 us.
mod work;

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

const SIDE: i64 = 56;
const CORNERS: usize = 24;

struct Glyph {
    ink: u64,
}

/// Count the points of a grid that are inside of a polygon with random corners.
fn draw(number: usize) -> Glyph {
    let mut x = work::unit(number, 8);
    let mut coordinate = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (x >> 40) as i64 % SIDE
    };
    let corners = [(); CORNERS].map(|()| (coordinate(), coordinate()));
    let inside = |px: i64, py: i64| {
        (0..CORNERS).fold(false, |inside, k| {
            let ((ax, ay), (bx, by)) = (corners[k], corners[(k + 1) % CORNERS]);
            let crossed =
                (ay > py) != (by > py) && (px - ax) * (by - ay).abs() < (bx - ax) * (py - ay) * (by - ay).signum();
            inside ^ crossed
        })
    };
    let ink = (0..SIDE * SIDE).filter(|at| inside(at % SIDE, at / SIDE)).count() as u64;
    Glyph { ink: ink.wrapping_mul(number as u64 | 1) }
}

fn main() {
    let asked = work::arguments();
    let cache: RwLock<HashMap<usize, Arc<Glyph>>> = RwLock::new(HashMap::with_capacity(asked.work));
    let cached = |number: usize| {
        let found = cache.read().unwrap().get(&number).cloned();
        found.unwrap_or_else(|| {
            let drawn = Arc::new(draw(number));
            cache.write().unwrap().entry(number).or_insert(drawn).clone()
        })
    };
    let sum = asked.in_threads(|thread| {
        let (mut sum, mut apart) = (0u64, 0);
        for number in 0..asked.work {
            if asked.picks(number) {
                let glyph = cached(number);
                if number % asked.threads == thread {
                    sum = sum.wrapping_add(glyph.ink);
                }
            } else {
                if apart % asked.threads == thread {
                    sum = sum.wrapping_add(draw(number).ink);
                }
                apart += 1;
            }
        }
        sum
    });
    println!("{sum:016x}");
}
