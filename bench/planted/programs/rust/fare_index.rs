//! Answers questions about fares in a city's network: a question finds the cheapest ways from one stop to all others.
//! The network is behind a reader-writer lock; most questions only read, so they run side by side. The dial's share of
//! them also stores the new fares in the network's table and so holds the lock for writing while it computes, and all
//! other threads sleep until it is free: a sleeping lock. Replies are written without the lock.
use std::fmt::Write;
use std::sync::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const STOPS: usize = 112;
const LINKS: usize = 4;
const FAR: u32 = u32::MAX;

struct Network {
    links: Vec<[(u16, u32); LINKS]>,
    fares: Vec<Vec<u32>>,
}

fn spread(v: usize) -> u64 {
    let x = (v as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (x ^ x >> 29).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

impl Network {
    fn new() -> Self {
        let link = |stop: usize, k: usize| {
            let r = spread(stop * LINKS + k);
            let to = if k == 0 { (stop + 1) % STOPS } else { (r >> 8) as usize % STOPS };
            (to as u16, 20 + (r >> 40) as u32 % 400)
        };
        let links = (0..STOPS).map(|stop| std::array::from_fn(|k| link(stop, k))).collect();
        Network { links, fares: vec![vec![FAR; STOPS]; STOPS] }
    }
}

/// Dijkstra's way, with a linear search for the nearest stop; the hour changes what a link costs.
fn cheapest(links: &[[(u16, u32); LINKS]], from: usize, hour: u32, fares: &mut [u32]) {
    let mut done = [false; STOPS];
    fares.fill(FAR);
    fares[from] = 0;
    for _ in 0..STOPS {
        let mut near = STOPS;
        let mut fare = FAR;
        for stop in 0..STOPS {
            if !done[stop] && fares[stop] < fare {
                fare = fares[stop];
                near = stop;
            }
        }
        if near == STOPS {
            break;
        }
        done[near] = true;
        for &(to, cost) in &links[near] {
            let there = fare + cost + (cost ^ hour) % 24;
            if there < fares[to as usize] {
                fares[to as usize] = there;
            }
        }
    }
}

/// The reply lists all stops, the cheapest first; its checksum stands for it.
fn reply(fares: &[u32], order: &mut Vec<(u32, u16)>, text: &mut String) -> u64 {
    order.clear();
    order.extend(fares.iter().enumerate().map(|(stop, &fare)| (fare, stop as u16)));
    order.sort_unstable();
    text.clear();
    for &(fare, stop) in order.iter() {
        write!(text, "stop {stop}: {}.{:02}; ", fare / 100, fare % 100).unwrap();
    }
    text.bytes().fold(7, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

fn clerk(network: &RwLock<Network>, next: &AtomicUsize, questions: usize, dial: f64) -> u64 {
    let mut own = vec![FAR; STOPS];
    let mut order = Vec::new();
    let mut text = String::new();
    let mut sum = 0u64;
    loop {
        let question = next.fetch_add(1, Ordering::Relaxed);
        if question >= questions {
            return sum;
        }
        let r = spread(question);
        let from = (r >> 20) as usize % STOPS;
        let hour = (r >> 50) as u32 % 24;
        let stores = ((spread(question ^ 0x5555_5555) >> 11) as f64) < dial * (1u64 << 53) as f64;
        if stores {
            let mut guard = network.write().unwrap();
            let Network { links, fares } = &mut *guard;
            cheapest(links, from, hour, &mut fares[from]);
            own.copy_from_slice(&fares[from]);
        } else {
            let guard = network.read().unwrap();
            cheapest(&guard.links, from, hour, &mut own);
        }
        sum = sum.wrapping_add(reply(&own, &mut order, &mut text) ^ spread(question));
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let questions: usize = words[3].parse().unwrap();
    let network = RwLock::new(Network::new());
    let next = AtomicUsize::new(0);
    let answer = thread::scope(|scope| {
        let clerks: Vec<_> =
            (0..threads).map(|_| scope.spawn(|| clerk(&network, &next, questions, dial))).collect();
        clerks.into_iter().fold(0u64, |sum, one| sum.wrapping_add(one.join().unwrap()))
    });
    println!("{questions} questions, {answer:016x}");
}
