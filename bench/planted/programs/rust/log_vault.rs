//! Sleeping lock: sifts a vault of packed log blocks; every sifter asks the one reader behind a `Mutex` for the next block.
//!
//! The dial is the share of the blocks that the reader unpacks itself, while the sifter that asked holds it; the other
//! blocks it hands out packed, and the sifter unpacks them after it let the reader go. Unpacking takes some 65 us, so a
//! sifter that finds the reader taken sleeps. One sifter unpacks as much, and never waits.
use std::sync::Mutex;
use std::thread;

const SHAPES: usize = 16;
const PLAIN: usize = 48 * 1024;

/// What stands in a packed block: bytes as they are, or a copy of what came before.
enum Token {
    Bytes(u8, Vec<u8>),
    Copy { back: usize, length: usize },
}

struct Packed {
    tokens: Vec<Token>,
}

enum Handed {
    Packed { shape: usize, salt: u8 },
    Plain,
}

struct Reader<'a> {
    vault: &'a [Packed],
    next: usize,
    blocks: usize,
    eager: f64,
}

#[derive(Default, Clone, Copy)]
struct Tally {
    lines: u64,
    errors: u64,
    check: u64,
}

fn step(x: u64) -> u64 {
    x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(x >> 33 | 1)
}

fn share(number: usize) -> f64 {
    let mut x = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// A block of tokens that unpack to `PLAIN` bytes.
fn pack(shape: usize) -> Packed {
    let mut x = shape as u64 * 77 + 5;
    let mut tokens = vec![];
    let mut size = 0;
    while size < PLAIN {
        x = step(x);
        if size < 64 || x >> 61 < 4 {
            let length = (8 + (x >> 40) as usize % 24).min(PLAIN - size);
            let bytes = (0..length).map(|i| b' ' + ((x >> (i % 50)) % 90) as u8).collect();
            tokens.push(Token::Bytes((x >> 55) as u8 & 3, bytes));
            size += length;
        } else {
            let length = (4 + (x >> 42) as usize % 28).min(PLAIN - size);
            tokens.push(Token::Copy { back: 1 + (x >> 30) as usize % 60, length });
            size += length;
        }
    }
    Packed { tokens }
}

impl Packed {
    fn unpack(&self, salt: u8, plain: &mut Vec<u8>) {
        plain.clear();
        for token in &self.tokens {
            match token {
                Token::Bytes(turn, bytes) => plain.extend(bytes.iter().map(|b| b.rotate_left(u32::from(*turn)) ^ salt)),
                Token::Copy { back, length } => {
                    for _ in 0..*length {
                        plain.push(plain[plain.len() - back]);
                    }
                }
            }
        }
    }
}

impl Reader<'_> {
    fn advance(&mut self, plain: &mut Vec<u8>) -> Option<Handed> {
        if self.next == self.blocks {
            return None;
        }
        let number = self.next;
        self.next += 1;
        let (shape, salt) = (number % SHAPES, (number / SHAPES) as u8);
        if share(number) < self.eager {
            self.vault[shape].unpack(salt, plain);
            return Some(Handed::Plain);
        }
        Some(Handed::Packed { shape, salt })
    }
}

impl Tally {
    fn sift(&mut self, plain: &[u8]) {
        let mut sum = 0u64;
        for word in plain.chunks_exact(8) {
            let word = u64::from_le_bytes(word.try_into().unwrap());
            sum = sum.rotate_left(9) ^ word;
            self.lines += u64::from(word & 0xff == 0x2a);
            self.errors += u64::from(word >> 56 == 0x45);
        }
        self.check = self.check.wrapping_add(sum);
    }

    fn plus(self, other: Tally) -> Tally {
        Tally {
            lines: self.lines + other.lines,
            errors: self.errors + other.errors,
            check: self.check.wrapping_add(other.check),
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let (threads, eager, blocks) = (words[1].parse().unwrap(), words[2].parse().unwrap(), words[3].parse().unwrap());
    let vault: Vec<Packed> = (0..SHAPES).map(pack).collect();
    let reader = Mutex::new(Reader { vault: &vault, next: 0, blocks, eager });
    let total = thread::scope(|scope| {
        let sifters: Vec<_> = (0..threads)
            .map(|_: usize| {
                scope.spawn(|| {
                    let mut tally = Tally::default();
                    let mut plain = Vec::with_capacity(PLAIN);
                    loop {
                        let handed = reader.lock().unwrap().advance(&mut plain);
                        match handed {
                            None => return tally,
                            Some(Handed::Packed { shape, salt }) => vault[shape].unpack(salt, &mut plain),
                            Some(Handed::Plain) => {}
                        }
                        tally.sift(&plain);
                    }
                })
            })
            .collect();
        sifters.into_iter().fold(Tally::default(), |sum, one| sum.plus(one.join().unwrap()))
    });
    println!("{} lines, {} errors, {:016x}", total.lines, total.errors, total.check);
}
