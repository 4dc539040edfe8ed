//! A cache of option quotes: a feeder sends requests through a channel, workers answer them from a map behind a
//! read-write lock, or price the option.
//!
//! The dial is the share of requests that are refreshes: they price the option while they hold the write lock, about
//! 50 us, where the others price it first and then only read the cache. A thread that finds the lock taken soon sleeps in the
//! kernel until it is free, so this is a sleeping lock.
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, RwLock};
use std::thread;

const INSTRUMENTS: u64 = 2048;
const BATCH: usize = 8;
const STEPS: usize = 280;

struct Quote {
    refreshes: u64,
    total: u64,
}

enum Request {
    Lookup { instrument: u64, strike: u64 },
    Refresh { instrument: u64, strike: u64 },
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 32
}

/// The price by a binomial tree, in fixed point.
fn price(instrument: u64, strike: u64) -> u64 {
    let mut tree = [0u64; STEPS + 1];
    let spot = 50_000 + mix(instrument) % 50_000;
    for (up, node) in tree.iter_mut().enumerate() {
        *node = (spot * (900 + 2 * up as u64) / 1000).saturating_sub(strike) << 16;
    }
    for step in (0..STEPS).rev() {
        for up in 0..=step {
            tree[up] = (tree[up].wrapping_mul(510) + tree[up + 1].wrapping_mul(513)) >> 10 ^ (step as u64 & 1);
        }
    }
    tree[0]
}

fn answer(requests: &Mutex<Receiver<Vec<Request>>>, cache: &RwLock<HashMap<u64, Quote>>) -> u64 {
    let mut sum = 0u64;
    loop {
        let received = requests.lock().unwrap().recv();
        let Ok(batch) = received else { return sum };
        for request in batch {
            match request {
                Request::Lookup { instrument, strike } => {
                    let value = price(instrument, strike);
                    let known = cache.read().unwrap().contains_key(&instrument);
                    sum = sum.wrapping_add(mix(value.wrapping_add(instrument)) * u64::from(known));
                }
                Request::Refresh { instrument, strike } => {
                    let mut cache = cache.write().unwrap();
                    let value = price(instrument, strike);
                    let quote = cache.get_mut(&instrument).unwrap();
                    quote.refreshes += 1;
                    quote.total = quote.total.wrapping_add(mix(value.wrapping_add(instrument)));
                }
            }
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let work: u64 = words[3].parse().unwrap();
    let cache = RwLock::new((0..INSTRUMENTS).map(|i| (i, Quote { refreshes: 0, total: 0 })).collect::<HashMap<_, _>>());
    let (sender, receiver) = sync_channel::<Vec<Request>>(4096);
    let receiver = Mutex::new(receiver);
    let mut sum = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| answer(&receiver, &cache))).collect();
        let mut batch = Vec::with_capacity(BATCH);
        for number in 0..work {
            let r = mix(number + 1);
            let (instrument, strike) = (r % INSTRUMENTS, 40_000 + (r >> 20) % 50_000);
            let refresh = ((mix(r) >> 11) as f64) < dial * (1u64 << 53) as f64;
            batch.push(if refresh {
                Request::Refresh { instrument, strike }
            } else {
                Request::Lookup { instrument, strike }
            });
            if batch.len() == BATCH || number + 1 == work {
                sender.send(std::mem::replace(&mut batch, Vec::with_capacity(BATCH))).unwrap();
            }
        }
        drop(sender);
        workers.into_iter().map(|worker| worker.join().unwrap()).fold(0, u64::wrapping_add)
    });
    for quote in cache.into_inner().unwrap().values() {
        sum = sum.wrapping_add(quote.total);
    }
    println!("{sum:016x}");
}
