//! Compound clusters: compares the fingerprints of a chemical library with each other (Tanimoto), assay by assay, and
//! counts close pairs. A desk deals the rows of each assay's triangle to clerks, which wait at their inboxes.
//!
//! A row compares a compound with those after it, so early rows are longer. At dial 0 the desk deals ranges of rows
//! with equally many pairs; the dial moves the borders towards ranges with equally many rows, so that the first clerk
//! gets too much and the others wait for it at the end of each assay: this is imbalance. The pairs are the same.
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

const WORDS: usize = 16;
const COMPOUNDS: usize = 1200;

type Fingerprint = [u64; WORDS];

struct Library {
    prints: Vec<Fingerprint>,
    bits: Vec<u32>,
}

#[derive(Default)]
struct Tally {
    close: u64,
    digest: u64,
}

enum Letter {
    Rows { assay: u64, rows: Range<usize> },
    GoHome,
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^ x >> 32
}

impl Library {
    fn draw() -> Library {
        let prints: Vec<Fingerprint> = (0..COMPOUNDS as u64)
            .map(|compound| {
                let family = mix(compound % 37 + 1);
                std::array::from_fn(|word| {
                    let shared = mix(family + word as u64) & mix(family ^ (word as u64 + 99));
                    let own = mix(compound * 64 + word as u64 + 7);
                    shared ^ (own & own >> 7 & own >> 13)
                })
            })
            .collect();
        let bits = prints.iter().map(|print| print.iter().map(|word| word.count_ones()).sum()).collect();
        Library { prints, bits }
    }

    /// Compares one compound with all after it, under the mask of an assay.
    fn row(&self, assay: u64, row: usize, tally: &mut Tally) {
        let mask = !(mix(assay) & mix(assay + 1) & mix(assay + 2));
        let mine: Fingerprint = std::array::from_fn(|word| self.prints[row][word] & mask);
        for other in row + 1..COMPOUNDS {
            let common: u32 = mine.iter().zip(&self.prints[other]).map(|(a, b)| (a & b).count_ones()).sum();
            let either = self.bits[row] + self.bits[other] - common;
            tally.close += u64::from(common * 10 > either * 4);
            tally.digest = tally.digest.wrapping_add(u64::from(common) << (other & 31));
        }
    }
}

fn clerk(library: Arc<Library>, inbox: Receiver<Letter>, desk: Sender<Tally>) {
    while let Ok(Letter::Rows { assay, rows }) = inbox.recv() {
        let mut tally = Tally::default();
        for row in rows {
            library.row(assay, row, &mut tally);
        }
        desk.send(tally).unwrap();
    }
}

/// Where the rows of each clerk end: between equal numbers of pairs (dial 0) and of rows (dial 1).
fn borders(clerks: usize, dial: f64) -> Vec<usize> {
    let all = COMPOUNDS as f64;
    (0..=clerks)
        .map(|clerk| {
            let share = clerk as f64 / clerks as f64;
            let by_pairs = all * (1.0 - (1.0 - share).sqrt());
            let by_rows = all * share;
            (by_pairs + (by_rows - by_pairs) * dial).round() as usize
        })
        .collect()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let clerks: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let assays: u64 = words[3].parse().unwrap();

    let library = Arc::new(Library::draw());
    let borders = borders(clerks, dial);
    let (to_desk, desk) = channel();
    let (inboxes, staff): (Vec<_>, Vec<_>) = (0..clerks)
        .map(|_| {
            let (letters, inbox) = channel();
            let (library, to_desk) = (Arc::clone(&library), to_desk.clone());
            (letters, thread::spawn(move || clerk(library, inbox, to_desk)))
        })
        .unzip();

    let mut answer = Tally::default();
    for assay in 0..assays {
        for (clerk, letters) in inboxes.iter().enumerate() {
            letters.send(Letter::Rows { assay, rows: borders[clerk]..borders[clerk + 1] }).unwrap();
        }
        for tally in desk.iter().take(clerks) {
            answer.close += tally.close;
            answer.digest = answer.digest.wrapping_add(tally.digest.wrapping_mul(2 * assay + 1));
        }
    }
    for letters in &inboxes {
        letters.send(Letter::GoHome).unwrap();
    }
    for member in staff {
        member.join().unwrap();
    }
    println!("{} {:016x}", answer.close, answer.digest);
}
