//! A plant's archive of measurements: every column is a chain of compressed pages, and a query decodes every column and
//! sums what its rows say. With n threads a column is cut in n ranges of pages.
//!
//! The dial says how far (as a share of a column) the index lags: for a page that starts a range it knows only a page
//! that much earlier, and a page's end is found by decoding it alone. So a thread that takes a range that starts at a cut
//! first decodes pages that another thread decodes as well. One thread cuts nothing; with more threads the same answer
//! takes more instructions, evenly in all threads: instruction growth.
use std::hint::black_box;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread;

const PAGES: usize = 64;
const ROWS: usize = 320;
const PAYLOAD: usize = 1 << 14;
const BATCH: usize = 24;

/// The stored bits are noise to us; every page of every column lies somewhere in them.
struct Archive {
    payload: Vec<u8>,
    lag: usize,
}

/// The decoder's state between two rows of a page.
#[derive(Clone, Copy)]
struct Decoder {
    value: i32,
    slope: i32,
    step: i32,
}

#[derive(Clone, Copy)]
struct Range {
    column: usize,
    from: usize,
    to: usize,
}

#[derive(Default)]
struct Found {
    rows: u64,
    high: u64,
    sum: u64,
}

impl Archive {
    fn open(dial: f64) -> Archive {
        let mut x = 88_172_645_463_325_252u64;
        let mut noise = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x >> 33) as u8
        };
        Archive { payload: (0..PAYLOAD).map(|_| noise()).collect(), lag: (dial * PAGES as f64).round() as usize }
    }

    /// The last page at or before this one that the index knows. A column's first page is in the directory.
    fn known_before(&self, page: usize) -> usize {
        page.saturating_sub(self.lag)
    }

    fn page(&self, column: usize, page: usize) -> &[u8] {
        let place = (column * 5003 + page * 1237) % (PAYLOAD - ROWS);
        &self.payload[place..place + ROWS]
    }

    fn decode(&self, range: Range, found: &mut Found) {
        let Range { column, from, to } = range;
        for page in self.known_before(from)..from {
            // Only the end matters here: it is where the next page starts.
            let mut decoder = Decoder::at(column, page);
            for &code in self.page(column, page) {
                decoder.next(code);
            }
            black_box(decoder);
        }
        for page in from..to {
            let mut decoder = Decoder::at(column, page);
            for &code in self.page(column, page) {
                let value = decoder.next(code);
                found.sum = found.sum.wrapping_add(value as u64);
                found.high += (value > 1 << 19) as u64;
            }
            found.rows += ROWS as u64;
            black_box(decoder);
        }
    }
}

impl Decoder {
    fn at(column: usize, page: usize) -> Decoder {
        let seed = (column as u32).wrapping_mul(0x9E37_79B9) ^ (page as u32).wrapping_mul(0x85EB_CA6B);
        Decoder { value: (seed >> 12) as i32, slope: 0, step: 16 }
    }

    #[inline(always)]
    fn next(&mut self, code: u8) -> i32 {
        let code = code as i32;
        let size = ((code & 7) * self.step) >> 2;
        let difference = if code & 8 != 0 { -size } else { size };
        self.slope = (self.slope * 7 + difference) >> 3;
        self.value = (self.value + self.slope + difference).clamp(-(1 << 20), 1 << 20);
        self.step = ((self.step * (29 + (code & 7))) >> 5).clamp(4, 4096);
        self.value
    }
}

fn reader(archive: &Archive, inbox: Receiver<Vec<Range>>, results: Sender<Found>) {
    let mut found = Found::default();
    for batch in inbox {
        for range in batch {
            archive.decode(range, &mut found);
        }
    }
    let _ = results.send(found);
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let archive = Archive::open(words[2].parse().unwrap());
    let columns: usize = words[3].parse().unwrap();

    let mut total = Found::default();
    thread::scope(|scope| {
        let (results, all_found) = channel();
        let inboxes: Vec<_> = (0..threads)
            .map(|_| {
                let (to, inbox) = sync_channel::<Vec<Range>>(16);
                let (archive, results) = (&archive, results.clone());
                scope.spawn(move || reader(archive, inbox, results));
                to
            })
            .collect();
        drop(results);
        let mut batches = vec![Vec::with_capacity(BATCH); threads];
        for column in 0..columns {
            for part in 0..threads {
                // The ranges of a column go round, so that everybody has first ranges and later ones.
                let to = (column + part) % threads;
                let cut = |part| PAGES * part / threads;
                batches[to].push(Range { column, from: cut(part), to: cut(part + 1) });
                if batches[to].len() == BATCH {
                    let full = std::mem::replace(&mut batches[to], Vec::with_capacity(BATCH));
                    inboxes[to].send(full).unwrap();
                }
            }
        }
        for (batch, inbox) in batches.into_iter().zip(inboxes) {
            inbox.send(batch).unwrap();
        }
        for found in all_found {
            total.rows += found.rows;
            total.high += found.high;
            total.sum = total.sum.wrapping_add(found.sum);
        }
    });
    println!("{} rows, {} high, {:016x}", total.rows, total.high, total.sum);
}
