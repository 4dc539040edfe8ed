//! Designs clocks: for each hand of a movement, finds the four wheels whose teeth come nearest to the ratio it needs.
//!
//! Hands differ in their ratio, and each costs the same search. The hands of a movement lie in one slice that is cut
//! into chunks, and threads take chunk after chunk; the next movement begins when the last is done, because it is
//! driven by it. There are 4 long movements and 4 of a third as many hands. WORK is the number of hands in all.
//!
//! The dial is how many hands a chunk has (0: 15). Chunks of some hundred hands are few in a movement, and when their
//! number is no multiple of the threads, threads find none left: too few tasks. More work is more hands and chunks.
use std::env;
use std::sync::Mutex;
use std::thread;

const TEETH: std::ops::Range<u32> = 12..35;
const MOVEMENTS: usize = 8;

struct Hand {
    ratio: f64,
    teeth: [u32; 4],
}

impl Hand {
    /// Try all pairs of driving wheels and of driven ones for two; the last wheel follows from the others.
    fn design(&mut self) {
        let mut least = f64::INFINITY;
        for first in TEETH {
            for second in first..TEETH.end {
                let driving = f64::from(first * second);
                for third in TEETH {
                    let fourth = (driving / (self.ratio * f64::from(third))).round().clamp(12.0, 120.0);
                    let error = (driving / (f64::from(third) * fourth) - self.ratio).abs();
                    if error < least {
                        least = error;
                        self.teeth = [first, second, third, fourth as u32];
                    }
                }
            }
        }
    }
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let (threads, dial): (usize, f64) = (words[1].parse().unwrap(), words[2].parse().unwrap());
    let work: usize = words[3].parse().unwrap();
    let chunk = if dial == 0.0 { 15 } else { dial as usize };

    let (mut driven, mut wheels) = (0u64, 0u64);
    for movement in 0..MOVEMENTS {
        let hands = if movement % 2 == 0 { 3 * work / 16 } else { work / 16 };
        let mut hands: Vec<Hand> = (0..hands as u64)
            .map(|number| {
                let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ driven << 1) >> 40;
                Hand { ratio: 0.2 + mixed as f64 / (1 << 24) as f64, teeth: [0; 4] }
            })
            .collect();
        let left = Mutex::new(hands.chunks_mut(chunk));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let taken = left.lock().unwrap().next();
                        let Some(taken) = taken else { break };
                        taken.iter_mut().for_each(Hand::design);
                    }
                });
            }
        });
        for hand in &hands {
            driven = hand.teeth.iter().fold(driven, |sum, &teeth| sum.wrapping_mul(131).wrapping_add(u64::from(teeth)));
            wheels += hand.teeth.iter().map(|&teeth| u64::from(teeth)).sum::<u64>();
        }
    }
    println!("{wheels} teeth, {driven:016x}");
}
