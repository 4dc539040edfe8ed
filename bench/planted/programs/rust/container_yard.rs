//! Container terminal: plans the tours of straddle carriers, which take shifts from their own list and then from the
//! others' lists, improve each tour by reversing parts of it, and book its stops in the yard's one plan.
//!
//! The dial is the share of the tours that are improved while the plan's `Mutex` is held (as if the plan could change
//! under them) instead of before it is taken for the short booking. A tour takes some 100 us, far longer than the lock
//! spins, so a planner who finds it taken sleeps; a single planner locks as often and never waits.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread;

const STOPS: usize = 40;
const BLOCKS: usize = 512;

struct Plan {
    visits: Vec<u32>,
    booked: u64,
    metres: u64,
}

struct Terminal {
    plan: Mutex<Plan>,
    lists: Vec<Mutex<VecDeque<u32>>>,
    dial: f64,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }
}

#[derive(Clone, Copy)]
struct Stop {
    row: i32,
    bay: i32,
}

impl Stop {
    /// Carriers drive along rows; to change rows they must leave them at the nearer end.
    fn to(self, other: Stop) -> i32 {
        if self.row == other.row {
            (self.bay - other.bay).abs()
        } else {
            let along = self.bay + other.bay;
            along.min(128 - along) + 5 * (self.row - other.row).abs()
        }
    }

    fn block(self) -> usize {
        (self.row as usize * 64 + self.bay as usize) % BLOCKS
    }
}

fn improve(tour: &mut [Stop]) {
    for _ in 0..30 {
        let mut better = false;
        for i in 1..tour.len() - 2 {
            for j in i + 1..tour.len() - 1 {
                let now = tour[i - 1].to(tour[i]) + tour[j].to(tour[j + 1]);
                let then = tour[i - 1].to(tour[j]) + tour[i].to(tour[j + 1]);
                if then < now {
                    tour[i..=j].reverse();
                    better = true;
                }
            }
        }
        if !better {
            break;
        }
    }
}

impl Plan {
    fn book(&mut self, tour: &[Stop]) {
        self.booked += 1;
        for pair in tour.windows(2) {
            self.metres += pair[0].to(pair[1]) as u64;
            self.visits[pair[1].block()] += 1;
        }
    }
}

impl Terminal {
    fn next_shift(&self, me: usize) -> Option<u32> {
        let own = self.lists[me].lock().unwrap().pop_front();
        own.or_else(|| (1..self.lists.len()).find_map(|k| self.lists[(me + k) % self.lists.len()].lock().unwrap().pop_back()))
    }

    fn planner(&self, me: usize) {
        let mut tour = Vec::with_capacity(STOPS);
        while let Some(shift) = self.next_shift(me) {
            let mut random = Random(u64::from(shift) << 32);
            for _ in 0..4 {
                let guarded = (random.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64) < self.dial;
                let stops = STOPS / 2 + random.next() as usize % STOPS;
                tour.clear();
                tour.extend((0..stops).map(|_| random.next()).map(|x| Stop { row: (x & 31) as i32, bay: (x >> 5 & 63) as i32 }));
                if guarded {
                    let mut plan = self.plan.lock().unwrap();
                    improve(&mut tour);
                    plan.book(&tour);
                } else {
                    improve(&mut tour);
                    self.plan.lock().unwrap().book(&tour);
                }
            }
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: u32 = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let shifts: u32 = words[3].parse().unwrap();

    let terminal = Arc::new(Terminal {
        plan: Mutex::new(Plan { visits: vec![0; BLOCKS], booked: 0, metres: 0 }),
        lists: (0..threads).map(|t| Mutex::new((0..shifts).filter(|s| s % threads == t).collect())).collect(),
        dial,
    });
    let planners: Vec<_> = (0..threads as usize)
        .map(|me| {
            let terminal = Arc::clone(&terminal);
            thread::spawn(move || terminal.planner(me))
        })
        .collect();
    for planner in planners {
        planner.join().unwrap();
    }
    let plan = terminal.plan.lock().unwrap();
    let digest = plan.visits.iter().fold(plan.metres, |digest, &v| digest.wrapping_mul(1_000_003).wrapping_add(u64::from(v)));
    println!("{} tours, {} m, {digest:016x}", plan.booked, plan.metres);
}
