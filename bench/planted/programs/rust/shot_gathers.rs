//! Seismic processing: crews of workers read and filter the traces of one shot after another, pick the first arrival
//! of each trace, and stack the traces along their picks; traces go to the workers and come back over channels.
//!
//! The dial is the share of the traces whose arrival the dispatcher picks by itself, between the two rounds of the
//! workers, instead of the worker who filtered the trace. That stage has one thread while all workers wait for their
//! next crate, so it is a serial part; with one worker nothing is done twice and nothing ever ran beside it.
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

const TRACES: usize = 200;
const SAMPLES: usize = 1000;
const TAPS: usize = 32;
const LAGS: usize = 360;

struct Trace {
    number: u64,
    by_hand: bool,
    clean: Vec<i32>,
    arrival: usize,
    stacked: u64,
}

enum Crate {
    Field(Vec<Trace>),
    Stack(Vec<Trace>),
}

impl Trace {
    /// The recorded noise with a wavelet somewhere in it.
    fn read_tape(&self, raw: &mut [i32]) {
        let mut x = self.number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        for sample in raw.iter_mut() {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            *sample = (x >> 56) as i32 - 128;
        }
        let start = 100 + (x >> 20) as usize % 700;
        for i in 0..64 {
            raw[start + i] += (64 - i as i32) * if i / 8 % 2 == 0 { 6 } else { -6 };
        }
    }

    fn band_pass(&mut self, raw: &[i32], taps: &[i32; TAPS]) {
        for (i, out) in self.clean.iter_mut().enumerate() {
            let from = i.min(SAMPLES - TAPS);
            let sum: i32 = raw[from..from + TAPS].iter().zip(taps).map(|(a, b)| a * b).sum();
            *out = sum >> 6;
        }
    }

    /// The lag at which the sliding energy ratio, weighted by the correlation with the shot's sweep, is greatest.
    fn pick(&mut self, sweep: &[i32]) {
        let mut best = i64::MIN;
        for lag in 0..LAGS {
            let from = lag * (SAMPLES - 256) / LAGS;
            let (mut before, mut after, mut fit) = (1i64, 0i64, 0i64);
            for (i, &s) in self.clean[from..from + 256].iter().enumerate() {
                let power = i64::from(s) * i64::from(s);
                if i < 128 { before += power } else { after += power }
                fit += i64::from(s) * i64::from(sweep[i]);
            }
            let score = after * 1000 / before + fit.abs() / 4096;
            if score > best {
                best = score;
                self.arrival = from + 128;
            }
        }
    }

    fn stack(&mut self) {
        let mut digest = self.number ^ self.arrival as u64;
        for i in 0..SAMPLES {
            let s = self.clean[(i + self.arrival) % SAMPLES];
            digest = digest.rotate_left(5).wrapping_add(s as u64).wrapping_mul(0x0100_0000_01B3);
        }
        self.stacked = digest;
    }
}

fn crew(orders: Receiver<Crate>, done: Sender<(usize, Vec<Trace>)>, me: usize, taps: &[i32; TAPS], sweep: &[i32]) {
    let mut raw = vec![0; SAMPLES];
    for order in orders {
        let traces = match order {
            Crate::Field(mut traces) => {
                for trace in &mut traces {
                    trace.read_tape(&mut raw);
                    trace.band_pass(&raw, taps);
                    if !trace.by_hand {
                        trace.pick(sweep);
                    }
                }
                traces
            }
            Crate::Stack(mut traces) => {
                traces.iter_mut().for_each(Trace::stack);
                traces
            }
        };
        done.send((me, traces)).unwrap();
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let shots: usize = words[3].parse().unwrap();

    let taps: [i32; TAPS] = std::array::from_fn(|i| [3, -1, 4, 9, -5, 2, 6, -7][i % 8]);
    let sweep: Vec<i32> = (0..256).map(|i| (i * i / 16) % 97 - 48).collect();
    // Both traces of a pair have the same way, and crews take turns, so every crew has as many of each kind.
    let pairs = TRACES / 2;
    let by_hand = (dial * pairs as f64).round() as usize;

    let answer = thread::scope(|scope| {
        let (done, returned) = channel();
        let mut orders = Vec::new();
        for me in 0..threads {
            let (order, inbox) = channel();
            let (done, taps, sweep) = (done.clone(), &taps, &sweep[..]);
            scope.spawn(move || crew(inbox, done, me, taps, sweep));
            orders.push(order);
        }
        let mut crates: Vec<Vec<Trace>> = (0..threads).map(|_| Vec::new()).collect();
        for i in 0..TRACES {
            let pair = i / 2;
            crates[i % threads].push(Trace {
                number: i as u64,
                by_hand: (pair + 1) * by_hand / pairs > pair * by_hand / pairs,
                clean: vec![0; SAMPLES],
                arrival: 0,
                stacked: 0,
            });
        }
        let mut answer = 0u64;
        for _shot in 0..shots {
            for (order, traces) in orders.iter().zip(crates.iter_mut()) {
                order.send(Crate::Field(std::mem::take(traces))).unwrap();
            }
            for (me, traces) in returned.iter().take(threads) {
                crates[me] = traces;
            }
            for trace in crates.iter_mut().flatten().filter(|trace| trace.by_hand) {
                trace.pick(&sweep);
            }
            for (order, traces) in orders.iter().zip(crates.iter_mut()) {
                order.send(Crate::Stack(std::mem::take(traces))).unwrap();
            }
            for (me, traces) in returned.iter().take(threads) {
                crates[me] = traces;
            }
            for trace in crates.iter_mut().flatten() {
                answer = answer.wrapping_add(trace.stacked);
                trace.number += TRACES as u64;
            }
        }
        drop(orders);
        answer
    });
    println!("{answer:016x}");
}
