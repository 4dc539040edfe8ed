//! Reads the log of a pilot station: every entry names six ships, berths and agents, often misspelt, and each name is
//! resolved to the nearest entry of a registry by edit distance and counted there.
//!
//! The dial is the share of the names that are resolved while holding the lock of the registry that all threads share,
//! in as many short critical sections. All other names are resolved in a copy that the thread has for itself, and its
//! counts are added at the end. The names in a registry and the work for a name are the same either way.

mod work;

use std::sync::Mutex;

const KNOWN: usize = 56;
const LONGEST: usize = 16;
const FIELDS: usize = 6;

struct Dice(u64);

impl Dice {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) % below
    }
}

fn seeded(seed: usize) -> Dice {
    let mut dice = Dice((seed as u64 + 11).wrapping_mul(0x2545_F491_4F6C_DD1D) | 1);
    for _ in 0..4 {
        dice.next(2);
    }
    dice
}

#[derive(Clone)]
struct Name {
    letters: [u8; LONGEST],
    length: usize,
}

impl Name {
    fn drawn(dice: &mut Dice) -> Name {
        let length = 10 + dice.next(5) as usize;
        let mut letters = [0; LONGEST];
        for letter in &mut letters[..length] {
            *letter = b'A' + dice.next(26) as u8;
        }
        Name { letters, length }
    }

    /// The name as a clerk heard it: some letters are others.
    fn misspelt(&self, dice: &mut Dice) -> Name {
        let mut heard = self.clone();
        for _ in 0..dice.next(4) {
            heard.letters[dice.next(self.length as u64) as usize] = b'A' + dice.next(26) as u8;
        }
        if dice.next(3) == 0 {
            heard.length -= 1;
        }
        heard
    }

    fn distance(&self, other: &Name) -> u32 {
        let mut row = [0u32; LONGEST + 1];
        for (column, cell) in row.iter_mut().enumerate() {
            *cell = column as u32;
        }
        for (line, &mine) in self.letters[..self.length].iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = line as u32 + 1;
            for (column, &theirs) in other.letters[..other.length].iter().enumerate() {
                let replaced = diagonal + u32::from(mine != theirs);
                diagonal = row[column + 1];
                row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
            }
        }
        row[other.length]
    }
}

#[derive(Clone)]
struct Registry {
    names: Vec<Name>,
    calls: Vec<u64>,
}

impl Registry {
    fn new() -> Registry {
        let mut dice = seeded(1);
        Registry { names: (0..KNOWN).map(|_| Name::drawn(&mut dice)).collect(), calls: vec![0; KNOWN] }
    }

    fn resolve(&mut self, heard: &Name) {
        let nearest = (0..KNOWN).min_by_key(|&known| self.names[known].distance(heard)).unwrap();
        self.calls[nearest] += 1;
    }

    fn digest(&self) -> u64 {
        self.calls.iter().enumerate().fold(0, |sum, (known, &calls)| sum.wrapping_add((known as u64 * 7919 + 1) * calls))
    }
}

fn main() {
    let asked = work::arguments();
    let original = Registry::new();
    let shared = Mutex::new(original.clone());
    let own = asked.in_threads(|thread| {
        let mut own = original.clone();
        for entry in asked.first(thread)..asked.first(thread + 1) {
            let mut dice = seeded(entry + 100);
            for field in 0..FIELDS {
                let meant = dice.next(KNOWN as u64) as usize;
                let heard = original.names[meant].misspelt(&mut dice);
                if asked.picks(entry * FIELDS + field) {
                    shared.lock().unwrap().resolve(&heard);
                } else {
                    own.resolve(&heard);
                }
            }
        }
        own.digest()
    });
    println!("{:016x}", own.wrapping_add(shared.lock().unwrap().digest()));
}
