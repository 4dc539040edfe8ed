//! A card room: players deal themselves hands of seven cards, name the best poker hand in them, and keep count of the
//! suits that are dealt on a score sheet. Hands are claimed by the thousand from one counter.
//!
//! The dial is the share of the hands for which a player counts on the sheet of the house, where the rows of the players
//! follow each other without a gap, so that several rows lie in one cache line; the other hands are counted on a sheet
//! whose rows are far apart. No counter is written by two players, and one player writes as many counters.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;

const KINDS: usize = 9;
const ROW: usize = 4;
const WIDE: usize = 64;
const MOST: usize = 64;
const CLAIM: u64 = 1000;

#[repr(align(4096))]
struct Sheet([AtomicU32; MOST * WIDE]);

struct Room {
    house: Sheet,
    own: Sheet,
    next: AtomicU64,
    hands: u64,
    open: Barrier,
    level: u64,
}

impl Sheet {
    fn new() -> Self {
        Sheet(std::array::from_fn(|_| AtomicU32::new(0)))
    }

    /// Counts a card in the row that begins at `row`: only the player whose row it is does so.
    #[inline]
    fn count(&self, row: usize, card: u64) {
        self.0[row + (card / 13) as usize].fetch_add(1, Relaxed);
    }
}

fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Whether a mask of ranks has five in a row.
fn straight(ranks: u32) -> bool {
    let ranks = ranks << 1 | ranks >> 12;
    ranks & ranks >> 1 & ranks >> 2 & ranks >> 3 & ranks >> 4 != 0
}

fn kind_of(mut cards: u64) -> usize {
    let mut of_rank = [0u8; 13];
    let mut suits = [0u32; 4];
    while cards != 0 {
        let card = cards.trailing_zeros() as usize;
        of_rank[card % 13] += 1;
        suits[card / 13] |= 1 << (card % 13);
        cards &= cards - 1;
    }
    let mut times = [0u8; 5];
    for count in of_rank {
        times[count as usize] += 1;
    }
    let flush = suits.iter().copied().find(|suit| suit.count_ones() >= 5);
    if flush.is_some_and(straight) {
        8
    } else if times[4] > 0 {
        7
    } else if times[3] > 1 || times[3] == 1 && times[2] > 0 {
        6
    } else if flush.is_some() {
        5
    } else if straight(suits[0] | suits[1] | suits[2] | suits[3]) {
        4
    } else if times[3] > 0 {
        3
    } else {
        times[2].min(2) as usize
    }
}

fn play(room: &Room, player: usize) -> [u64; KINDS] {
    let mut kinds = [0; KINDS];
    room.open.wait();
    loop {
        let begin = room.next.fetch_add(CLAIM, Relaxed);
        if begin >= room.hands {
            return kinds;
        }
        for hand in begin..room.hands.min(begin + CLAIM) {
            let mut state = (hand + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let public = next(&mut state) >> 44 < room.level;
            let (sheet, row) = if public { (&room.house, player * ROW) } else { (&room.own, player * WIDE) };
            let mut cards = 0u64;
            while cards.count_ones() < 7 {
                let card = (next(&mut state) >> 32) * 52 >> 32;
                if cards >> card & 1 == 0 {
                    cards |= 1 << card;
                    sheet.count(row, card);
                }
            }
            kinds[kind_of(cards)] += 1;
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let (players, dial): (usize, f64) = (words[1].parse().unwrap(), words[2].parse().unwrap());
    let room = Arc::new(Room {
        house: Sheet::new(),
        own: Sheet::new(),
        next: AtomicU64::new(0),
        hands: words[3].parse().unwrap(),
        open: Barrier::new(players),
        level: (dial * (1 << 20) as f64) as u64,
    });
    let seated: Vec<_> = (0..players)
        .map(|player| {
            let room = Arc::clone(&room);
            thread::spawn(move || play(&room, player))
        })
        .collect();
    let mut kinds = [0; KINDS];
    for player in seated {
        for (kind, more) in player.join().unwrap().into_iter().enumerate() {
            kinds[kind] += more;
        }
    }
    let suits: [u32; ROW] = std::array::from_fn(|suit| {
        (0..players)
            .map(|p| room.house.0[p * ROW + suit].load(Relaxed) + room.own.0[p * WIDE + suit].load(Relaxed))
            .sum()
    });
    println!("hands {kinds:?}, suits {suits:?}");
}
