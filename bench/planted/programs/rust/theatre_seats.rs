//! A box office: each request for a party of seats gets the best block of a hall, by sight line, price and the gaps
//! that it leaves. The seating plan is only read; what changes is the tally of wishes by row.
//!
//! The dial is the share of the requests that are for the premiere. Its plan and its tally are in one table behind a
//! mutex, and a clerk keeps the table for the whole search (some 50 us), while another clerk who wants it sleeps.
//! Requests for any other night use a plan that all may read and a tally of the clerk's own.
mod work;

use std::sync::Mutex;

const ROWS: usize = 120;
const SEATS: usize = 160;

struct Hall {
    free: Vec<[u8; SEATS]>,
    view: Vec<[u16; SEATS]>,
}

struct Premiere {
    hall: Hall,
    wishes: [u64; ROWS],
}

struct Request {
    party: usize,
    budget: u32,
    side: i32,
}

impl Hall {
    fn new() -> Hall {
        let mut seed = 20_031u32;
        let mut draw = move || {
            seed ^= seed << 13;
            seed ^= seed >> 17;
            seed ^= seed << 5;
            seed
        };
        let free = (0..ROWS).map(|_| std::array::from_fn(|_| u8::from(draw() % 9 != 0))).collect();
        let view = (0..ROWS)
            .map(|row| {
                std::array::from_fn(|seat| {
                    let aside = (seat as i32 - SEATS as i32 / 2).unsigned_abs();
                    (9000 - 30 * aside - 25 * row as u32 + draw() % 64) as u16
                })
            })
            .collect();
        Hall { free, view }
    }

    /// The row of the best block, and what it is worth.
    fn best(&self, wanted: &Request) -> (usize, u32) {
        let (mut found, mut most) = (0, 0);
        for row in 0..ROWS {
            let (free, view) = (&self.free[row], &self.view[row]);
            let price = 150 - row as u32;
            let mut run = 0;
            let mut sight = 0u32;
            for seat in 0..SEATS {
                if free[seat] == 0 {
                    run = 0;
                    sight = 0;
                    continue;
                }
                run += 1;
                sight += u32::from(view[seat]);
                if run > wanted.party {
                    sight -= u32::from(view[seat - wanted.party]);
                }
                if run >= wanted.party {
                    let middle = seat as i32 - wanted.party as i32 / 2 - SEATS as i32 / 2;
                    let off = (middle - wanted.side).unsigned_abs();
                    let over = (price * wanted.party as u32).saturating_sub(wanted.budget);
                    let single = seat + 1 < SEATS && free[seat + 1] == 1 && (seat + 2 == SEATS || free[seat + 2] == 0);
                    let worth = (sight / wanted.party as u32 + 5000)
                        .saturating_sub(off * 11 + over * 3 + if single { 400 } else { 0 });
                    if worth > most {
                        (found, most) = (row, worth);
                    }
                }
            }
        }
        (found, most)
    }
}

fn request(number: usize) -> Request {
    let x = work::unit(number, 3);
    Request {
        party: 2 + (x >> 20) as usize % 6,
        budget: 90 + (x >> 30) as u32 % 700,
        side: (x >> 45) as i32 % 100 - 50,
    }
}

fn main() {
    let asked = work::arguments();
    let any_night = Hall::new();
    let premiere = Mutex::new(Premiere { hall: Hall::new(), wishes: [0; ROWS] });
    let worth = asked.in_threads(|clerk| {
        let mut wishes = [0u64; ROWS];
        let mut sum = 0u64;
        for number in asked.first(clerk)..asked.first(clerk + 1) {
            let wanted = request(number);
            let worth;
            if asked.picks(number) {
                let mut table = premiere.lock().unwrap();
                let (row, value) = table.hall.best(&wanted);
                table.wishes[row] += 1;
                worth = value;
            } else {
                let (row, value) = any_night.best(&wanted);
                wishes[row] += 1;
                worth = value;
            }
            sum = sum.wrapping_add(u64::from(worth) * (number as u64 + 1));
        }
        wishes.iter().enumerate().fold(sum, |sum, (row, count)| sum + (row as u64 * count << 40))
    });
    let wishes = premiere.into_inner().unwrap().wishes;
    let all = wishes.iter().enumerate().fold(worth, |sum, (row, count)| sum.wrapping_add(row as u64 * count << 40));
    println!("{all:016x}");
}
