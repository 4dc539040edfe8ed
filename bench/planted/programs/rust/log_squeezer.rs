//! Compresses blocks of log text with an adaptive binary arithmetic coder; workers fetch blocks from a shared counter
//! and send the checksum of what they coded through a channel at the end.
//!
//! The coder's probabilities live in one slab. The dial is the share of contexts whose probabilities are laid out side
//! by side for all workers, one cache line for each context, where the others have a line for each worker and context.
//! Every worker reads and writes nothing but its own words, and as many lines either way, so what is lost with two
//! threads is false sharing.
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

const CONTEXTS: usize = 2048;
const LANES: usize = 16;
const BLOCK: usize = 20_000;

/// One cache line of probabilities.
#[repr(align(64))]
struct Line([AtomicU32; LANES]);

impl Line {
    fn new() -> Self {
        Line(std::array::from_fn(|_| AtomicU32::new(0)))
    }
}

fn mixed(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// Where every worker's probability of every context is: a line's number, and the word in it.
struct Layout {
    joint: Vec<bool>,
    lines: Vec<Line>,
}

impl Layout {
    fn new(workers: usize, dial: f64) -> Self {
        let mut order: Vec<usize> = (0..CONTEXTS).collect();
        order.sort_by_key(|&context| mixed(context as u64 + 99));
        let mut joint = vec![false; CONTEXTS];
        for &context in &order[..(dial * CONTEXTS as f64).round() as usize] {
            joint[context] = true;
        }
        Layout { joint, lines: (0..workers * CONTEXTS).map(|_| Line::new()).collect() }
    }

    /// The words of one worker, as references by context.
    fn of(&self, worker: usize) -> Vec<&AtomicU32> {
        (0..CONTEXTS)
            .map(|context| {
                let row = if self.joint[context] { 0 } else { worker };
                &self.lines[row * CONTEXTS + context].0[worker % LANES]
            })
            .collect()
    }
}

/// The text of a block: words of a small vocabulary and numbers, as logs have them.
fn text(block: usize, out: &mut Vec<u8>) {
    const WORDS: [&str; 8] = ["GET ", "PUT ", "/index", "/cart?", "status=", "user=", "took ", "from "];
    out.clear();
    let mut seed = mixed(block as u64 + 1);
    while out.len() < BLOCK {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        out.extend_from_slice(WORDS[(seed >> 40) as usize % WORDS.len()].as_bytes());
        for shift in 0..4 {
            out.push(b'0' + (seed >> (44 + 4 * shift) & 15) as u8 % 10);
        }
    }
    out.truncate(BLOCK);
}

/// The arithmetic coder's state, and a checksum of its output.
struct Coder {
    low: u32,
    high: u32,
    check: u64,
    bytes: u64,
}

impl Coder {
    fn code(&mut self, bit: u32, chance: u32) {
        let middle = self.low + ((self.high - self.low) >> 12) * chance;
        if bit == 1 {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.check = (self.check ^ u64::from(self.high >> 24)).wrapping_mul(0x0100_0000_01B3);
            self.bytes += 1;
            self.low <<= 8;
            self.high = self.high << 8 | 255;
        }
    }
}

fn squeeze(block: usize, words: &[&AtomicU32], buffer: &mut Vec<u8>) -> u64 {
    text(block, buffer);
    for word in words {
        word.store(2048, Relaxed);
    }
    let mut coder = Coder { low: 0, high: u32::MAX, check: 0xCBF2_9CE4_8422_2325, bytes: 0 };
    let mut history = 0u32;
    for &byte in buffer.iter() {
        let mut node = 1u32;
        for place in (0..8).rev() {
            let bit = u32::from(byte >> place & 1);
            let context = (history << 8 | node).wrapping_mul(0x9E37_79B1) >> 21;
            let word = words[context as usize];
            let chance = word.load(Relaxed);
            coder.code(bit, chance);
            let next = if bit == 1 { chance + ((4095 - chance) >> 5) } else { chance - (chance >> 5) };
            word.store(next.clamp(32, 4063), Relaxed);
            node = node << 1 | bit;
        }
        history = (history << 8 | u32::from(byte)) & 0xFFFF;
    }
    mixed(coder.check ^ coder.bytes << 40)
}

fn main() {
    let asked: Vec<String> = std::env::args().collect();
    let workers: usize = asked[1].parse().unwrap();
    let dial: f64 = asked[2].parse().unwrap();
    let blocks: usize = asked[3].parse().unwrap();
    assert!((1..=LANES).contains(&workers), "from 1 to {LANES} threads");

    let layout = Layout::new(workers, dial);
    let next = AtomicUsize::new(0);
    let (done, checks) = mpsc::channel();
    thread::scope(|scope| {
        for worker in 0..workers {
            let (done, layout, next) = (done.clone(), &layout, &next);
            scope.spawn(move || {
                let words = layout.of(worker);
                let mut buffer = Vec::with_capacity(BLOCK + 64);
                let mut sum = 0u64;
                loop {
                    let block = next.fetch_add(1, Relaxed);
                    if block >= blocks {
                        break;
                    }
                    sum = sum.wrapping_add(squeeze(block, &words, &mut buffer));
                }
                done.send(sum).unwrap();
            });
        }
        drop(done);
        let answer = checks.iter().fold(0u64, u64::wrapping_add);
        println!("{answer:016x}");
    });
}
