//! Reads the web logs of many tenants: batches of lines go through channels to parsing threads, which sum the bytes sent
//! and fold the status codes of each session. A tenant's batches always go to the same thread.
//!
//! The dial is the share of the batches that belong to the one large tenant, who lives with the first thread; the
//! batches of the many small tenants are dealt out evenly. The first thread then has more to parse, and the others end
//! early and wait for it. One thread gets the same batches in the same order.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

struct Batch {
    first_line: u64,
    lines: u64,
}

#[derive(Default)]
struct Summary {
    bytes: u64,
    sessions: u64,
    errors: u64,
}

fn mix(number: u64) -> u64 {
    let x = (number ^ number >> 29).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// Writes a line as the server would have logged it: address, path, status, bytes.
fn write_line(number: u64, line: &mut Vec<u8>) {
    line.clear();
    let x = mix(number);
    for shift in [0, 8, 16] {
        push_number(x >> shift & 255, line);
        line.push(b'.');
    }
    push_number(number % 250, line);
    line.extend_from_slice(b" GET /");
    for step in 0..4 + x % 9 {
        line.push(b'a' + (x >> (step * 4) & 15) as u8);
        if step % 3 == 2 {
            line.push(b'/');
        }
    }
    line.extend_from_slice(if x >> 60 == 0 { b" 404 " } else { b" 200 " });
    push_number(x >> 40 & 0xF_FFFF, line);
}

fn push_number(mut value: u64, line: &mut Vec<u8>) {
    let start = line.len();
    loop {
        line.push(b'0' + (value % 10) as u8);
        value /= 10;
        if value == 0 {
            break;
        }
    }
    line[start..].reverse();
}

fn parse(line: &[u8], summary: &mut Summary) {
    let mut fields = line.split(|byte| *byte == b' ');
    let address = fields.next().unwrap();
    let mut session = 0xCBF2_9CE4_8422_2325u64;
    for byte in address.iter().chain(fields.nth(1).unwrap()) {
        session = (session ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
    }
    let mut digits = fields.map(|field| field.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0')));
    let status = digits.next().unwrap();
    summary.bytes += digits.next().unwrap();
    summary.sessions = summary.sessions.wrapping_add(session >> 20);
    summary.errors += u64::from(status >= 400);
}

fn parser(inbox: Receiver<Batch>) -> Summary {
    let mut summary = Summary::default();
    let mut line = Vec::with_capacity(128);
    for batch in inbox {
        for number in batch.first_line..batch.first_line + batch.lines {
            write_line(number, &mut line);
            parse(&line, &mut summary);
        }
    }
    summary
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let (threads, dial): (usize, f64) = (words[1].parse().unwrap(), words[2].parse().unwrap());
    let batches: u64 = words[3].parse().unwrap();
    let mut total = Summary::default();
    thread::scope(|scope| {
        let mut outboxes: Vec<Sender<Batch>> = Vec::new();
        let mut parsers = Vec::new();
        for _ in 0..threads {
            let (outbox, inbox) = channel();
            outboxes.push(outbox);
            parsers.push(scope.spawn(move || parser(inbox)));
        }
        let mut first_line = 0;
        let mut turn = 0;
        for number in 0..batches {
            let lines = 300 + mix(number) % 400;
            let large = ((mix(number ^ 0xABCD_0000) >> 11) as f64) < dial * (1u64 << 53) as f64;
            let home = if large { 0 } else { turn % threads };
            turn += usize::from(!large);
            outboxes[home].send(Batch { first_line, lines }).unwrap();
            first_line += lines;
        }
        drop(outboxes);
        for parser in parsers {
            let part = parser.join().unwrap();
            total.bytes += part.bytes;
            total.sessions = total.sessions.wrapping_add(part.sessions);
            total.errors += part.errors;
        }
    });
    println!("{} bytes, {:016x} sessions, {} errors", total.bytes, total.sessions, total.errors);
}
