//! Fires clay plates: follows the heat through every plate of an order and prints a check of the final temperatures.
//!
//! All plates have the same size and take the same time. They stand on shelves, and a worker takes a whole shelf from
//! the queue at once. The dial is the number of plates on a shelf: 0 means one. With long shelves there are so few of
//! them that a worker finds none left while the others are still busy with their last.
#[path = "work.rs"]
mod work;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Mutex;

const SIDE: usize = 40;
const MINUTES: usize = 2500;

type Plate = [[f32; SIDE]; SIDE];

struct Kiln {
    now: Box<Plate>,
    next: Box<Plate>,
}

impl Kiln {
    fn new() -> Self {
        Kiln { now: Box::new([[0.0; SIDE]; SIDE]), next: Box::new([[0.0; SIDE]; SIDE]) }
    }

    /// The glaze of a plate decides where it is warm at first.
    fn load(&mut self, plate: usize) {
        let mut seed = plate as u32 * 2_654_435_761 % 1_000_003 + 17;
        for row in self.now.iter_mut() {
            for spot in row.iter_mut() {
                seed ^= seed << 13;
                seed ^= seed >> 17;
                seed ^= seed << 5;
                *spot = (seed % 700) as f32 + 300.0;
            }
        }
        *self.next = *self.now;
    }

    fn minute(&mut self) {
        for y in 1..SIDE - 1 {
            let (above, here, below) = (&self.now[y - 1], &self.now[y], &self.now[y + 1]);
            let out = &mut self.next[y];
            for x in 1..SIDE - 1 {
                let around = above[x] + below[x] + here[x - 1] + here[x + 1];
                out[x] = here[x] + 0.2 * (around - 4.0 * here[x]);
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }

    fn fire(&mut self, plate: usize) -> u64 {
        self.load(plate);
        for _ in 0..MINUTES {
            self.minute();
        }
        let bits = self.now.iter().flatten().fold(0u64, |sum, spot| sum.rotate_left(7) ^ u64::from(spot.to_bits()));
        bits.wrapping_mul(plate as u64 | 1)
    }
}

fn shelves(plates: usize, length: usize) -> VecDeque<Range<usize>> {
    (0..plates).step_by(length).map(|start| start..plates.min(start + length)).collect()
}

fn main() {
    let order = work::arguments();
    let queue = Mutex::new(shelves(order.work, (order.dial as usize).max(1)));
    let check = order.in_threads(|_| {
        let mut kiln = Kiln::new();
        let mut sum = 0u64;
        loop {
            let taken = queue.lock().unwrap().pop_front();
            let Some(shelf) = taken else { return sum };
            for plate in shelf {
                sum = sum.wrapping_add(kiln.fire(plate));
            }
        }
    });
    println!("{} plates, check {check:016x}", order.work);
}
