//! Harbour traffic: decodes position reports of ships and adds up how fast everything moves.
//!
//! A report is 168 bits of six-bit letters. Its checksum is verified, its fields are taken apart, and it is put on a
//! coarse chart. The dial is the share of the reports whose speed is added at once to the one total of the harbour, an
//! atomic number that all threads update; the others go to the thread's own total, which is handed in at the end.
mod work;

use std::sync::atomic::{AtomicU64, Ordering};

#[repr(align(256))]
struct HarbourTotal(AtomicU64);

/// The 28 letters of report `number`, packed in four words of seven letters.
fn received(number: u64) -> [u64; 4] {
    let mut words = [0; 4];
    let mut x = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5EED;
    for word in &mut words {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        *word = x & 0x3FF_FFFF_FFFF;
    }
    words
}

fn checksum(words: &[u64; 4]) -> u64 {
    let mut sum = 0x2D;
    for word in words {
        for letter in 0..7 {
            let six = word >> (6 * letter) & 63;
            sum = ((sum << 1 | sum >> 11) & 0xFFF) ^ six;
        }
    }
    sum
}

struct Report {
    ship: u64,
    speed: u64,
    longitude: u64,
    latitude: u64,
}

fn decode(words: &[u64; 4]) -> Report {
    Report {
        ship: words[0] >> 6 & 0x3FFF_FFFF,
        speed: words[1] & 1023,
        longitude: words[2] >> 3 & 0xFFF_FFFF,
        latitude: words[3] >> 4 & 0x7FF_FFFF,
    }
}

fn main() {
    let asked = work::arguments();
    let harbour = HarbourTotal(AtomicU64::new(0));
    let charted = asked.in_threads(|thread| {
        let mut chart = vec![0u32; 1024];
        let mut own_total = 0;
        let mut oddities = 0u64;
        for number in asked.first(thread)..asked.first(thread + 1) {
            let words = received(number as u64);
            let check = checksum(&words);
            let report = decode(&words);
            let cell = (report.longitude >> 23 << 5 | report.latitude >> 22) as usize & 1023;
            chart[cell] = chart[cell].wrapping_add((check as u32) ^ (report.ship as u32));
            if check == report.ship & 0xFFF {
                oddities += report.ship;
            }
            if asked.picks(number) {
                harbour.0.fetch_add(report.speed, Ordering::Relaxed);
            } else {
                own_total += report.speed;
            }
        }
        harbour.0.fetch_add(own_total, Ordering::Relaxed);
        chart.iter().fold(oddities, |sum, &cell| sum.wrapping_add(u64::from(cell))) & 0xFFFF_FFFF
    });
    println!("{:08x} {}", charted & 0xFFFF_FFFF, harbour.0.load(Ordering::Relaxed));
}
