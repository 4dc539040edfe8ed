//! Prices delivery orders: a pool of threads gets jobs through a channel, each with some orders of one depot, and tries
//! every van and departure for each; the depots come one after another, for a
//! depot's day begins when the last has closed.
//!
//! The dial sets how many orders a job may have (up to dial times 4000, whatever the work). With large jobs a depot has
//! only one, two or three of them, and a thread waits at its end: that is too few tasks. More work is more orders
//! and jobs.
use std::env;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;

const DEPOTS: usize = 12;
const VANS: usize = 64;
const DEPARTURES: u64 = 96;
const SMALLEST_JOB: usize = 20;
const ORDERS_AT_FULL_DIAL: f64 = 4000.0;

#[derive(Clone, Copy)]
struct Van {
    x: i64,
    y: i64,
    speed: i64,
    load: i64,
}

struct Depot {
    number: usize,
    begin: usize,
    end: usize,
    vans: Vec<Van>,
}

struct Job {
    depot: Arc<Depot>,
    begin: usize,
    end: usize,
    reply: mpsc::Sender<u64>,
}

fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 32
}

impl Depot {
    fn open(number: usize, begin: usize, end: usize) -> Self {
        let vans = (0..VANS)
            .map(|van| {
                let x = mixed((number * VANS + van + 1) as u64);
                Van {
                    x: (x & 1023) as i64,
                    y: (x >> 10 & 1023) as i64,
                    speed: 20 + (x >> 20 & 63) as i64,
                    load: (x >> 30 & 255) as i64,
                }
            })
            .collect();
        Depot { number, begin, end, vans }
    }

    /// The cheapest offer for one order, over all vans and all departures.
    fn best_offer(&self, order: usize) -> u64 {
        let wish = mixed(order as u64 ^ 0x00C0_FFEE_0000);
        let (x, y) = ((wish & 1023) as i64, (wish >> 10 & 1023) as i64);
        let due = (wish >> 20 & 95) as i64;
        let weight = (wish >> 30 & 127) as i64;
        let mut best = (i64::MAX, 0usize, 0u64);
        for (at, van) in self.vans.iter().enumerate() {
            let way = (van.x - x).abs() + (van.y - y).abs();
            let mut jam = wish ^ at as u64;
            for departure in 0..DEPARTURES {
                jam = jam.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let delay = (jam >> 59) as i64;
                let late = (departure as i64 + way / 32 + delay - due).max(0);
                let cost = way * (100 - van.speed) + late * late * 7 + (van.load + weight) * delay;
                if cost < best.0 {
                    best = (cost, at, departure);
                }
            }
        }
        mixed(best.0 as u64 ^ (best.1 as u64) << 40 ^ best.2 << 52)
    }
}

fn work_off(jobs: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        let job = match jobs.lock().unwrap().recv() {
            Ok(job) => job,
            Err(_) => return,
        };
        let sum = (job.begin..job.end).fold(0u64, |sum, order| sum.wrapping_add(job.depot.best_offer(order)));
        if job.reply.send(sum).is_err() {
            return;
        }
    }
}

/// Depots differ in size: from 0.7 to 1.3 times the mean.
fn first_orders(orders: usize) -> Vec<usize> {
    let mut places = vec![0.0f64];
    for depot in 0..DEPOTS {
        let along = (depot * 5 % DEPOTS) as f64 / (DEPOTS - 1) as f64;
        places.push(places[depot] + 0.7 + 0.6 * along);
    }
    places.iter().map(|place| (place / places[DEPOTS] * orders as f64).round() as usize).collect()
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let threads: usize = words[1].parse().expect("threads");
    let dial: f64 = words[2].parse().expect("dial");
    let orders: usize = words[3].parse().expect("work");
    let job_size = SMALLEST_JOB.max((dial * ORDERS_AT_FULL_DIAL).round() as usize);

    let (post, jobs) = mpsc::channel::<Job>();
    let jobs = Mutex::new(jobs);
    let answer = thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work_off(&jobs));
        }
        let firsts = first_orders(orders);
        let mut ledger = 0u64;
        for number in 0..DEPOTS {
            let depot = Arc::new(Depot::open(number, firsts[number], firsts[number + 1]));
            let (reply, replies) = mpsc::channel();
            let mut begin = depot.begin;
            while begin < depot.end {
                let end = depot.end.min(begin + job_size);
                let job = Job { depot: Arc::clone(&depot), begin, end, reply: reply.clone() };
                post.send(job).expect("the pool runs");
                begin = end;
            }
            drop(reply);
            let takings = replies.iter().fold(0u64, u64::wrapping_add);
            ledger = ledger.rotate_left(7) ^ takings.wrapping_mul(2 * depot.number as u64 + 1);
        }
        drop(post);
        ledger
    });
    println!("{answer:016x}");
}
