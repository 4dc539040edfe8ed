//! Telegrams: reads a long punched tape of enciphered telegrams, and prints a digest of the plain text.
//!
//!     telegrams THREADS DIAL SHEETS
//!
//! A code means a letter or a figure by the shift that is in force, and one code changes the shift. The key of the
//! cipher moves on with every sign of a sheet. A clerk alone reads the sheets in order and always knows the shift.
//! Several clerks share the sheets: a sheet that does not say which shift it starts with is read with both, and the
//! right reading is kept when all are done. DIAL is the share of the sheets that do not say it.

use std::env;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const CODES: usize = 1000;
const TOGGLE: u8 = 31;
const ROTORS: usize = 48;

#[derive(Clone, Copy, PartialEq)]
enum Shift {
    Letters,
    Figures,
}

impl Shift {
    fn toggled(self) -> Self {
        if self == Shift::Letters { Shift::Figures } else { Shift::Letters }
    }
}

struct Sheet {
    codes: Vec<u8>,
    /// What is printed at the top of the sheet, if anything is.
    starts: Option<Shift>,
}

/// A sheet as read with one shift at its start: the digest of its text, and the shift at its end.
#[derive(Clone, Copy)]
struct Reading {
    digest: u64,
    ends: Shift,
}

fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed >> 11
}

fn punched(sheets: usize, unmarked: f64) -> Vec<Sheet> {
    let (mut seed, mut marks) = (0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93);
    let mut shift = Shift::Letters;
    (0..sheets)
        .map(|number| {
            let marked = number == 0 || random(&mut marks) as f64 >= unmarked * (1u64 << 53) as f64;
            let starts = marked.then_some(shift);
            let codes: Vec<u8> = (0..CODES).map(|_| (random(&mut seed) >> 20 & 31) as u8).collect();
            if codes.iter().filter(|&&code| code == TOGGLE).count() % 2 == 1 {
                shift = shift.toggled();
            }
            Sheet { codes, starts }
        })
        .collect()
}

fn read(sheet: &Sheet, starts: Shift) -> Reading {
    let (mut shift, mut digest) = (starts, 0);
    for &code in &sheet.codes {
        if code == TOGGLE {
            shift = shift.toggled();
            continue;
        }
        let mut sign = digest ^ u64::from(code) + if shift == Shift::Letters { 65 } else { 33 };
        for _ in 0..ROTORS {
            sign = sign.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(sign >> 33 | 1);
        }
        digest = sign;
    }
    Reading { digest, ends: shift }
}

/// All sheets by one clerk.
fn alone(tape: &[Sheet]) -> u64 {
    let (mut text, mut shift) = (0u64, Shift::Letters);
    for sheet in tape {
        let reading = read(sheet, shift);
        text = text.rotate_left(7) ^ reading.digest;
        shift = reading.ends;
    }
    text
}

/// All sheets by several clerks.
fn together(tape: &[Sheet], clerks: usize) -> u64 {
    let next = AtomicUsize::new(0);
    let clerk = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(sheet) = tape.get(number) else { return done };
            done.push((number, [Shift::Letters, Shift::Figures].map(|shift| {
                (sheet.starts.is_none() || sheet.starts == Some(shift)).then(|| read(sheet, shift))
            })));
        }
    };
    let mut readings = vec![[None, None]; tape.len()];
    thread::scope(|scope| {
        let crew: Vec<_> = (0..clerks).map(|_| scope.spawn(clerk)).collect();
        for (number, both) in crew.into_iter().flat_map(|one| one.join().unwrap()) {
            readings[number] = both;
        }
    });
    let (mut text, mut shift) = (0u64, Shift::Letters);
    for both in readings {
        let reading = both[shift as usize].expect("a sheet is read with the shift that is in force");
        text = text.rotate_left(7) ^ reading.digest;
        shift = reading.ends;
    }
    text
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let clerks: usize = words[1].parse().expect("THREADS");
    let tape = punched(words[3].parse().expect("SHEETS"), words[2].parse().expect("DIAL"));
    println!("{:016x}", if clerks == 1 { alone(&tape) } else { together(&tape, clerks) });
}
