//! Packs an archive in rounds: workers parse a round's blocks into literals and matches, then the blocks' codes are
//! priced, then the next round begins. A block is priced by the worker that parsed it, except the dial's share of the
//! blocks, whose tokens come back over the channel and are priced by the coordinator between two rounds, while all
//! workers wait for their next order: a serial part.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

const ROUNDS: usize = 10;
const BLOCK: usize = 2048;
const WORDS: [&str; 16] = [
    "ledger ", "river ", "the ", "and ", "of ", "stone ", "between ", "a ", "market ", "in ", "winter ", "harbour ",
    "to ", "light ", "was ", "copper ",
];

#[derive(Clone, Copy)]
enum Token {
    Literal(u8),
    Match { length: u16, distance: u16 },
}

struct Round {
    start: usize,
    end: usize,
    next: AtomicUsize,
}

/// What a worker sends back: the sum over the blocks it priced, and the tokens of those it did not.
struct Packed {
    bits: u64,
    left: Vec<(usize, Vec<Token>)>,
}

fn hash(mut v: u64) -> u64 {
    v = (v ^ v >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    v = (v ^ v >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    v ^ v >> 33
}

fn read_block(number: usize, text: &mut Vec<u8>) {
    text.clear();
    let mut state = hash(number as u64 + 1);
    while text.len() < BLOCK {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.extend_from_slice(WORDS[(state >> 60) as usize].as_bytes());
        if state >> 40 & 7 == 0 {
            text.push(b'0' + (state >> 32 & 7) as u8);
        }
    }
    text.truncate(BLOCK);
}

fn parse(text: &[u8], heads: &mut [u16; 1024]) -> Vec<Token> {
    heads.fill(u16::MAX);
    let mut tokens = Vec::with_capacity(BLOCK / 2);
    let mut at = 0;
    while at < text.len() {
        let mut length = 0;
        let mut from = 0;
        if at + 4 <= text.len() {
            let four = u32::from_le_bytes(text[at..at + 4].try_into().unwrap());
            let slot = (four.wrapping_mul(2_654_435_761) >> 22) as usize;
            from = heads[slot] as usize;
            heads[slot] = at as u16;
            if from < at {
                length = text[at..].iter().zip(&text[from..]).take_while(|(a, b)| a == b).count();
            }
        }
        if length >= 4 {
            tokens.push(Token::Match { length: length as u16, distance: (at - from) as u16 });
            at += length;
        } else {
            tokens.push(Token::Literal(text[at]));
            at += 1;
        }
    }
    tokens
}

/// The bits of an adaptive code: every token's cost is the logarithm of how rare it has been in this block.
fn price(tokens: &[Token]) -> u64 {
    let mut bits = 0u64;
    for pass in 0..4 {
        let mut often = [1u32; 512];
        let mut all = 512u32 + pass;
        for &token in tokens {
            let (symbol, extra) = match token {
                Token::Literal(byte) => (byte as usize, 0),
                Token::Match { length, distance } => {
                    (256 + (length as usize).min(255), 16 - distance.leading_zeros().min(15))
                }
            };
            bits += u64::from(sixteenths(all) - sixteenths(often[symbol]) + 16 * extra);
            often[symbol] += 24;
            all += 24;
            if all > 8000 {
                all = 0;
                for o in often.iter_mut() {
                    *o = (*o >> 1).max(1);
                    all += *o;
                }
            }
        }
    }
    bits
}

/// Sixteen times the binary logarithm, in whole numbers.
fn sixteenths(v: u32) -> u32 {
    let whole = 31 - v.leading_zeros();
    let mut fraction = (u64::from(v) << 31) >> whole;
    let mut result = whole;
    for _ in 0..4 {
        fraction = fraction * fraction >> 31;
        result <<= 1;
        if fraction >> 32 != 0 {
            fraction >>= 1;
            result += 1;
        }
    }
    result
}

fn in_order(number: usize, dial: f64) -> bool {
    ((number + 1) as f64 * dial) as usize > (number as f64 * dial) as usize
}

fn weigh(number: usize, bits: u64) -> u64 {
    hash(number as u64 ^ bits << 24)
}

fn worker(orders: Receiver<Arc<Round>>, results: Sender<Packed>, dial: f64) {
    let mut text = Vec::new();
    let mut heads = [0u16; 1024];
    for round in orders {
        let mut packed = Packed { bits: 0, left: Vec::new() };
        loop {
            let number = round.next.fetch_add(1, Ordering::Relaxed);
            if number >= round.end {
                break;
            }
            debug_assert!(number >= round.start);
            read_block(number, &mut text);
            let tokens = parse(&text, &mut heads);
            if in_order(number, dial) {
                packed.left.push((number, tokens));
            } else {
                packed.bits = packed.bits.wrapping_add(weigh(number, price(&tokens)));
            }
        }
        results.send(packed).unwrap();
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let blocks: usize = words[3].parse().unwrap();
    let (results, incoming) = channel();
    let mut desks = Vec::new();
    let mut staff = Vec::new();
    for _ in 0..threads {
        let (orders, received) = channel();
        let results = results.clone();
        desks.push(orders);
        staff.push(thread::spawn(move || worker(received, results, dial)));
    }
    let mut answer = 0u64;
    for r in 0..ROUNDS {
        let (start, end) = (blocks * r / ROUNDS, blocks * (r + 1) / ROUNDS);
        let round = Arc::new(Round { start, end, next: AtomicUsize::new(start) });
        for desk in &desks {
            desk.send(round.clone()).unwrap();
        }
        let parts: Vec<Packed> = incoming.iter().take(threads).collect();
        for part in parts {
            answer = answer.wrapping_add(part.bits);
            for (number, tokens) in part.left {
                answer = answer.wrapping_add(weigh(number, price(&tokens)));
            }
        }
    }
    drop(desks);
    for one in staff {
        one.join().unwrap();
    }
    println!("{blocks} blocks, {answer:016x}");
}
