//! Sleeping lock: makes thumbnails of small pictures, some of them in a format for which there is only one decoder.
//!
//! The dial is the share of the pictures in that format. Its decoder lies in a pool, and a thread that finds the pool
//! empty waits on a `Condvar` until the decoder is back. All other pictures use a decoder of the thread's own. A picture
//! takes about 60 us and a decoder is only 4 KiB, so waiting costs far more than moving the decoder's lines.
mod work;

use std::sync::{Condvar, Mutex};

const SIDE: usize = 32;
const PASSES: usize = 56;

#[derive(Clone)]
struct Decoder {
    pixels: [u32; SIDE * SIDE],
}

impl Decoder {
    /// Decode a picture, smooth it in many passes, and return the sum of what is left.
    fn thumbnail(&mut self, number: usize) -> u64 {
        let mut x = work::unit(number, 8);
        for pixel in &mut self.pixels {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *pixel = (x >> 40) as u32;
        }
        for _ in 0..PASSES {
            let mut left = self.pixels[0];
            for at in 1..self.pixels.len() - SIDE {
                left = (left + 2 * self.pixels[at] + self.pixels[at + SIDE]) / 4 ^ 1;
                self.pixels[at] = left;
            }
        }
        self.pixels.iter().map(|&pixel| u64::from(pixel)).sum()
    }
}

struct Pool {
    free: Mutex<Vec<Box<Decoder>>>,
    returned: Condvar,
}

impl Pool {
    fn take(&self) -> Box<Decoder> {
        let mut free = self.returned.wait_while(self.free.lock().unwrap(), |free| free.is_empty()).unwrap();
        free.pop().unwrap()
    }

    fn put(&self, decoder: Box<Decoder>) {
        self.free.lock().unwrap().push(decoder);
        self.returned.notify_one();
    }
}

fn main() {
    let asked = work::arguments();
    let new = Box::new(Decoder { pixels: [0; SIDE * SIDE] });
    let pool = Pool { free: Mutex::new(vec![new.clone()]), returned: Condvar::new() };
    let sum = asked.in_threads(|thread| {
        let mut own = new.clone();
        (asked.first(thread)..asked.first(thread + 1)).fold(0u64, |sum, i| {
            let thumbnail = if asked.picks(i) {
                let mut shared = pool.take();
                let thumbnail = shared.thumbnail(i);
                pool.put(shared);
                thumbnail
            } else {
                own.thumbnail(i)
            };
            sum.wrapping_add(thumbnail)
        })
    });
    println!("{sum:016x}");
}
