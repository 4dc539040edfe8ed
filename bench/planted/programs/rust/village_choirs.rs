//! Serial part: a library of choir books is catalogued, book by book.
//!
//! A book has songs; the fingerprint of a song comes from following its moods, note by note. The clerks take the songs
//! in parallel, and the librarian is one of them. Then the librarian alone catalogues the songs with footnotes, and
//! merges all fingerprints into the catalogue, before the next book is opened. The dial is the share of the songs that
//! have footnotes.

use std::env;
use std::sync::{Barrier, mpsc};
use std::thread;

const SONGS: usize = 2400;
const NOTES: u64 = 2048;

/// How a melody may go on: the next mood after each mood and note.
struct Style {
    moods: [u16; 1024],
}

impl Style {
    fn new() -> Self {
        let mut moods = [0; 1024];
        for (i, mood) in moods.iter_mut().enumerate() {
            *mood = (i * 389 + 71 ^ i >> 3) as u16;
        }
        Style { moods }
    }

    /// Follows the moods of a song from its first note to its last.
    fn fingerprint(&self, song: u64) -> u64 {
        let mut print = song.wrapping_mul(0xD134_2543_DE82_EF95) | 1;
        for note in 0..NOTES {
            let mood = self.moods[(print >> 54) as usize] as u64;
            print = (print ^ mood ^ note).wrapping_mul(0x100_0000_01B3);
        }
        print
    }

    /// One song after the other goes onto a page of fingerprints.
    fn catalogue(&self, page: &mut [u64], first: u64) {
        for (print, song) in page.iter_mut().zip(first..) {
            *print = self.fingerprint(song);
        }
    }
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let [clerks, dial, books] = words.as_slice() else { panic!("usage: village_choirs THREADS DIAL WORK") };
    let clerks: usize = clerks.parse().unwrap();
    let dial: f64 = dial.parse().unwrap();
    let books: usize = books.parse().unwrap();
    let plain = SONGS - (SONGS as f64 * dial).round() as usize;

    let style = &Style::new();
    let part = |clerk: usize| plain * clerk / clerks..plain * (clerk + 1) / clerks;
    let next_book = &Barrier::new(clerks);
    let (desk, finished) = mpsc::channel::<(usize, Vec<u64>)>();
    let merged = thread::scope(|room| {
        for clerk in 1..clerks {
            let (desk, part) = (desk.clone(), part(clerk));
            room.spawn(move || {
                for book in 0..books {
                    let mut sheet = vec![0; part.len()];
                    style.catalogue(&mut sheet, (book * SONGS + part.start) as u64);
                    desk.send((part.start, sheet)).unwrap();
                    next_book.wait();
                }
            });
        }
        let mut merged = 0u64;
        let mut page = vec![0u64; SONGS];
        for book in 0..books {
            let first = (book * SONGS) as u64;
            style.catalogue(&mut page[part(0)], first);
            for (at, sheet) in finished.iter().take(clerks - 1) {
                page[at..at + sheet.len()].copy_from_slice(&sheet);
            }
            style.catalogue(&mut page[plain..], first + plain as u64);
            merged = page.iter().fold(merged, |all, print| all.rotate_left(7) ^ print);
            next_book.wait();
        }
        merged
    });
    println!("{merged:x}");
}
