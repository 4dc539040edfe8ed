//! A sealed-bid auction house: bidders' orders are appraised and the best offer for each lot is kept in one book.
//!
//!     auction THREADS DIAL WORK
//!
//! WORK is the number of orders. DIAL (0 to 1) is the share of proxy orders: the house appraises those itself, with the
//! lot's catalogue entry at hand, and therefore while it holds the book.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;

const LOTS: u32 = 512;
const PATHS: u32 = 900;
const PACKET: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sealed,
    Proxy,
}

#[derive(Clone, Copy)]
struct Order {
    bidder: u32,
    lot: u32,
    kind: Kind,
}

#[derive(Default)]
struct Standing {
    offer: u64,
    bidder: u32,
    orders: u32,
}

/// All lots with their best offers.
#[derive(Default)]
struct Book {
    lots: BTreeMap<u32, Standing>,
}

impl Book {
    fn place(&mut self, order: Order, offer: u64) {
        let standing = self.lots.entry(order.lot).or_default();
        standing.orders += 1;
        // Equal offers go to the lower number, in whatever order they come.
        if offer > standing.offer || (offer == standing.offer && order.bidder < standing.bidder) {
            standing.offer = offer;
            standing.bidder = order.bidder;
        }
    }

    fn revenue(&self) -> u64 {
        self.lots.values().map(|lot| lot.offer).sum()
    }
}

fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// What a lot is worth to a bidder: the mean resale price over random walks of the market.
fn appraise(order: Order) -> u64 {
    let mut state = scramble(u64::from(order.bidder) << 32 | u64::from(order.lot)) | 1;
    let mut sum = 0.0_f64;
    for _ in 0..PATHS {
        let mut price = 100.0 + f64::from(order.lot % 37);
        for _ in 0..6 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            price *= 0.95 + (state >> 40) as f64 * (0.11 / f64::from(1u32 << 24));
        }
        sum += price;
    }
    (sum * 100.0 / f64::from(PATHS)) as u64
}

fn orders(count: usize, proxies: f64) -> Vec<Order> {
    let mut owed = 0.0;
    (0..count as u32)
        .map(|bidder| {
            owed += proxies;
            let kind = if owed >= 1.0 { Kind::Proxy } else { Kind::Sealed };
            if kind == Kind::Proxy {
                owed -= 1.0;
            }
            Order { bidder, lot: scramble(u64::from(bidder)) as u32 % LOTS, kind }
        })
        .collect()
}

fn clerk(book: &Mutex<Book>, packets: &Mutex<mpsc::Receiver<Vec<Order>>>) {
    loop {
        let Ok(packet) = packets.lock().unwrap().recv() else { return };
        for order in packet {
            match order.kind {
                Kind::Sealed => {
                    let offer = appraise(order);
                    book.lock().unwrap().place(order, offer);
                }
                Kind::Proxy => {
                    let mut book = book.lock().unwrap();
                    let offer = appraise(order);
                    book.place(order, offer);
                }
            }
        }
    }
}

fn main() {
    let mut words = std::env::args().skip(1);
    let mut next = || words.next().expect("usage: auction THREADS DIAL WORK");
    let threads: usize = next().parse().expect("THREADS");
    let dial: f64 = next().parse().expect("DIAL");
    let work: usize = next().parse().expect("WORK");

    let book = Arc::new(Mutex::new(Book::default()));
    let (post, office) = mpsc::channel();
    for packet in orders(work, dial).chunks(PACKET) {
        post.send(packet.to_vec()).unwrap();
    }
    drop(post);
    let office = Arc::new(Mutex::new(office));

    let clerks: Vec<_> = (0..threads)
        .map(|_| {
            let (book, office) = (Arc::clone(&book), Arc::clone(&office));
            thread::spawn(move || clerk(&book, &office))
        })
        .collect();
    for clerk in clerks {
        clerk.join().unwrap();
    }

    let book = book.lock().unwrap();
    let placed: u32 = book.lots.values().map(|lot| lot.orders).sum();
    println!("{} lots, {placed} orders, revenue {}", book.lots.len(), book.revenue());
}
