//! Models storm losses of an insurer: in each simulated year, the treaty desk and its workers, with a portfolio each,
//! compute what the year's storms cost at their locations; workers send their tables to the desk, which settles all
//! locations in order.
//!
//! The dial is the share of the locations that are left to the desk: it models them while it settles. The desk is the one
//! main thread, and workers wait for the next year until it is done, so this is a serial part. The work is the same.
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

const LOCATIONS: usize = 8000;
const STORMS: usize = 6;

#[derive(Clone, Copy)]
struct Storm {
    x: f64,
    y: f64,
    radius: f64,
    force: f64,
}

struct Location {
    x: f64,
    y: f64,
    value: f64,
    weakness: f64,
    referred: bool,
}

/// A year's storms on their way to a worker, with the table to fill: it travels to the desk and back.
struct Year {
    storms: [Storm; STORMS],
    losses: Vec<f64>,
}

/// A small generator (splitmix64), seeded by what it stands for.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn storms_of(year: usize) -> [Storm; STORMS] {
    let mut dice = Dice(year as u64 * 7919);
    std::array::from_fn(|_| Storm {
        x: dice.roll() * 100.0,
        y: dice.roll() * 100.0,
        radius: 4.0 + 20.0 * dice.roll(),
        force: 20.0 + 50.0 * dice.roll(),
    })
}

fn located(dial: f64) -> Vec<Location> {
    let mut dice = Dice(1);
    (0..LOCATIONS)
        .map(|i| Location {
            x: dice.roll() * 100.0,
            y: dice.roll() * 100.0,
            value: 1000.0 + 90_000.0 * dice.roll(),
            weakness: 1.5 + 3.0 * dice.roll(),
            // Evenly spread: each run of locations has the same share.
            referred: ((i + 1) as f64 * dial).floor() > (i as f64 * dial).floor(),
        })
        .collect()
}

/// What all storms of a year destroy at one location, in whole money.
fn loss(location: &Location, storms: &[Storm; STORMS]) -> f64 {
    let mut left = location.value;
    for storm in storms {
        let far = (location.x - storm.x).hypot(location.y - storm.y) / storm.radius;
        let wind = storm.force * (-far * far / 2.0).exp() + 5.0 * (1.0 - far).cos();
        let harm = 1.0 / (1.0 + (-(wind - 45.0) / 8.0).exp());
        left -= left * harm.powf(location.weakness);
    }
    (location.value - left).floor()
}

/// Fill a portfolio's table, save for what is left to the desk.
fn model(portfolio: &[Location], storms: &[Storm; STORMS], losses: &mut [f64]) {
    for (location, entry) in portfolio.iter().zip(losses) {
        *entry = if location.referred { -1.0 } else { loss(location, storms) };
    }
}

fn worker(locations: Arc<Vec<Location>>, part: Range<usize>, years: Receiver<Year>, desk: Sender<(usize, Vec<f64>)>, me: usize) {
    for Year { storms, mut losses } in years {
        model(&locations[part.clone()], &storms, &mut losses);
        if desk.send((me, losses)).is_err() {
            return;
        }
    }
}

/// The treaties: an excess of loss for each location, below a limit for the year that is used up in order.
struct Treaties {
    limit: f64,
    reserve: f64,
    ceded: f64,
}

impl Treaties {
    fn settle(&mut self, location: &Location, storms: &[Storm; STORMS], entry: f64) {
        let lost = if entry < 0.0 { loss(location, storms) } else { entry };
        let excess = (lost - 5000.0).max(0.0).min(self.limit);
        self.limit -= excess;
        self.ceded += excess;
        self.reserve = ((self.reserve + lost - excess) * 0.999).floor();
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let years: usize = words[3].parse().unwrap();

    let locations = Arc::new(located(dial));
    let first = |worker: usize| LOCATIONS * worker / threads;
    let (to_desk, desk) = channel();
    let mut tables: Vec<Vec<f64>> = (0..threads).map(|w| vec![0.0; first(w + 1) - first(w)]).collect();
    let (orders, workers): (Vec<_>, Vec<_>) = (1..threads)
        .map(|me| {
            let (order, ordered) = channel();
            let (locations, to_desk, part) = (locations.clone(), to_desk.clone(), first(me)..first(me + 1));
            (order, thread::spawn(move || worker(locations, part, ordered, to_desk, me)))
        })
        .unzip();

    let mut treaties = Treaties { limit: 0.0, reserve: 0.0, ceded: 0.0 };
    for year in 0..years {
        let storms = storms_of(year);
        for (order, losses) in orders.iter().zip(tables[1..].iter_mut()) {
            order.send(Year { storms, losses: std::mem::take(losses) }).unwrap();
        }
        model(&locations[..first(1)], &storms, &mut tables[0]);
        for _ in 1..threads {
            let (who, losses) = desk.recv().unwrap();
            tables[who] = losses;
        }
        treaties.limit = 30_000_000.0;
        for (location, entry) in locations.iter().zip(tables.iter().flatten()) {
            treaties.settle(location, &storms, *entry);
        }
    }
    drop(orders);
    for worker in workers {
        worker.join().unwrap();
    }
    println!("reserve {:.0}, ceded {:.0}", treaties.reserve, treaties.ceded);
}
