//! Allocator: keeps the newest versions of customers' records, and frees old versions after a while, as a database does
//! whose readers may still look at them.
//!
//! The dial is the share of the records whose old version is left for the next thread to free; all others are freed by
//! the thread that made them. Either way it happens a bag of versions at a time. A record has 17 to 48 words, too many
//! for malloc's lists without a lock, and a bag has more than its caches of threads hold. What another thread made goes
//! back to that thread's arena, so both need its lock. Bags are passed on by one swap of a pointer, and nobody reads
//! what is in them: they are only dropped. The program has no lock of its own, and few versions live at a time, so the
//! heap keeps its pages: a thread that finds four bags that the next one has not dropped yet drops them itself.
mod work;

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::{AcqRel, Release}};

const STEPS: usize = 30;
const PLACES: usize = 64;
const BAG: usize = 64;
const HEIGHT: usize = 4;

type Record = Box<[u64]>;

struct Bag {
    _versions: Vec<Record>,
    _below: Option<Box<Bag>>,
    height: usize,
}

/// The bags that a thread has to drop, each with those below it.
#[repr(align(128))]
struct Pile(AtomicPtr<Bag>);

impl Pile {
    fn take(&self) -> Option<Box<Bag>> {
        let top = self.0.swap(ptr::null_mut(), AcqRel);
        // SAFETY: the pile is null or what into_raw returned, and the swap made it ours alone.
        (!top.is_null()).then(|| unsafe { Box::from_raw(top) })
    }

    /// Only one thread puts bags on a pile, so a pile that was taken stays empty until this one fills it.
    fn put(&self, versions: Vec<Record>) {
        let below = self.take().filter(|bag| bag.height < HEIGHT);
        let height = below.as_ref().map_or(1, |bag| bag.height + 1);
        self.0.store(Box::into_raw(Box::new(Bag { _versions: versions, _below: below, height })), Release);
    }
}

/// Make a record from its number, and return it with its checksum.
fn made(number: usize) -> (Record, u64) {
    let mut x = work::unit(number, STEPS);
    let record: Record = (0..17 + number % 32)
        .map(|_| {
            x = x.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            x
        })
        .collect();
    let sum = record.iter().fold(0u64, |sum, word| sum.rotate_left(3) ^ word);
    (record, sum)
}

fn main() {
    let asked = work::arguments();
    let piles: Vec<Pile> = (0..asked.threads).map(|_| Pile(AtomicPtr::new(ptr::null_mut()))).collect();
    let sum = asked.in_threads(|thread| {
        let (own, next) = (&piles[thread], &piles[(thread + 1) % asked.threads]);
        let (mut kept, mut given) = (Vec::with_capacity(BAG), Vec::with_capacity(BAG));
        let mut newest: Vec<Record> = vec![Record::default(); PLACES];
        let mut sum = 0u64;
        for i in asked.first(thread)..asked.first(thread + 1) {
            let (record, checksum) = made(i);
            sum = sum.wrapping_add(checksum);
            let old = std::mem::replace(&mut newest[i % PLACES], record);
            if asked.picks(i) { &mut given } else { &mut kept }.push(old);
            if given.len() == BAG {
                next.put(std::mem::replace(&mut given, Vec::with_capacity(BAG)));
                drop(own.take());
            }
            if kept.len() == BAG {
                kept.clear();
            }
        }
        sum
    });
    for pile in &piles {
        pile.take();
    }
    println!("{sum:016x}");
}
