//! Sugar in the mycelium of a forest: every node ferments what it has, and sends a part of it along a thread of fungus.
//!
//! Instruction growth. The nodes are split over the threads. What a node sends to a node of the same part is handed over
//! as it is. What it sends to another part goes by letter: written out as text with a checksum, which the other part
//! verifies and reads. One thread sends no letters; with two, half of the fungus crosses. The dial is the share of the
//! nodes whose deliveries to other parts go by letter; the rest is handed over as two numbers.
mod work;

use std::fmt::Write;
use std::sync::{Barrier, Mutex};

const ROUNDS: usize = 12;

#[derive(Default)]
struct Post {
    plain: Vec<(u32, u64)>,
    letters: String,
}

fn ferment(sugar: u64) -> u64 {
    let mut x = sugar | 1;
    for _ in 0..220 {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(x >> 33 | 1);
    }
    x
}

/// CRC-16 as in the old modems, bit by bit.
fn check(text: &str) -> u16 {
    text.bytes().fold(0xFFFF, |mut crc, byte| {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 != 0 { crc << 1 ^ 0x1021 } else { crc << 1 };
        }
        crc
    })
}

fn write_letter(letters: &mut String, from: usize, to: u32, amount: u64) {
    let start = letters.len();
    write!(letters, "to={to};sugar={amount};from={from};kind=glucose").unwrap();
    let crc = check(&letters[start..]);
    writeln!(letters, ";check={crc}").unwrap();
}

fn read_letter(line: &str) -> (u32, u64) {
    let (text, crc) = line.rsplit_once(";check=").unwrap();
    assert_eq!(crc.parse(), Ok(check(text)), "a letter was damaged");
    let mut values = text.split(';').map(|part| part.split_once('=').unwrap().1);
    let node: u32 = values.next().unwrap().parse().unwrap();
    let amount: u64 = values.next().unwrap().parse().unwrap();
    (node, amount)
}

fn main() {
    let asked = work::arguments();
    let parts = asked.threads;
    let meeting = Barrier::new(parts);
    let posts: Vec<Mutex<Post>> = (0..parts * parts).map(|_| Mutex::default()).collect();
    let sum = asked.in_threads(|part| {
        let (from, to) = (asked.first(part), asked.first(part + 1));
        let ends: Vec<usize> = (1..=parts).map(|p| asked.first(p)).collect();
        let mut sugar: Vec<u64> = (from..to).map(|node| (node as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93)).collect();
        let mut incoming = vec![0u64; to - from];
        let mut bags: Vec<Post> = (0..parts).map(|_| Post::default()).collect();
        for round in 0..ROUNDS {
            for node in from..to {
                let made = ferment(sugar[node - from]);
                let target = ((made >> 20) % asked.work as u64) as usize;
                let amount = made >> 40;
                sugar[node - from] = made;
                if (from..to).contains(&target) {
                    incoming[target - from] += amount;
                    continue;
                }
                let other = ends.iter().position(|&end| target < end).unwrap();
                if asked.picks(node) {
                    write_letter(&mut bags[other].letters, node, target as u32, amount);
                } else {
                    bags[other].plain.push((target as u32, amount));
                }
            }
            for (other, bag) in bags.iter_mut().enumerate() {
                std::mem::swap(bag, &mut posts[part * parts + other].lock().unwrap());
            }
            meeting.wait();
            for other in 0..parts {
                let mut post = posts[other * parts + part].lock().unwrap();
                for line in post.letters.lines() {
                    let (node, amount) = read_letter(line);
                    incoming[node as usize - from] += amount;
                }
                for &(node, amount) in &post.plain {
                    incoming[node as usize - from] += amount;
                }
                post.letters.clear();
                post.plain.clear();
            }
            for (has, gets) in sugar.iter_mut().zip(&mut incoming) {
                *has = has.rotate_left(round as u32) ^ std::mem::take(gets);
            }
            meeting.wait();
        }
        sugar.iter().fold(0, |sum, &one| sum.wrapping_add(one))
    });
    println!("{sum:016x}");
}
