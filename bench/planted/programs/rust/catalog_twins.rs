//! Finds near twins in a library's catalog: every title is cut into shingles and hashed into a signature; titles whose
//! signatures agree in a band are twins. The titles are handed to an executor in bundles, as futures that the caller
//! collects in order.
//!
//! The dial is the size of a bundle, as a share of a catalog of usual length (0: many small bundles). All bundles are
//! alike, but when they are few and their number is no multiple of the threads, threads find nothing to do at the end:
//! too few tasks. A catalog four times as long has four times as many bundles.
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

const USUAL: f64 = 17_000.0;
const SMALLEST: usize = 100;
const BAND: usize = 16;
const LETTERS: usize = 180;
const HASHES: usize = 64;

/// What a bundle comes to: for every band, how many titles fall on each of the shelves, in a sum that has no order.
#[derive(Default, Clone, Copy)]
struct Signatures {
    titles: u64,
    shelf: [u64; HASHES / BAND],
}

struct Slot<T> {
    value: Mutex<Option<T>>,
    ready: Condvar,
}

struct Future<T>(Arc<Slot<T>>);

impl<T> Future<T> {
    fn wait(self) -> T {
        let mut value = self.0.value.lock().unwrap();
        loop {
            match value.take() {
                Some(value) => return value,
                None => value = self.0.ready.wait(value).unwrap(),
            }
        }
    }
}

type Task = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Backlog {
    tasks: VecDeque<Task>,
    closed: bool,
}

struct Executor {
    shared: Arc<(Mutex<Backlog>, Condvar)>,
    hands: Vec<JoinHandle<()>>,
}

impl Executor {
    fn new(threads: usize) -> Executor {
        let shared = Arc::new((Mutex::new(Backlog::default()), Condvar::new()));
        let hands = (0..threads)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    while let Some(task) = Executor::next(&shared) {
                        task();
                    }
                })
            })
            .collect();
        Executor { shared, hands }
    }

    fn next((backlog, changed): &(Mutex<Backlog>, Condvar)) -> Option<Task> {
        let waiting = backlog.lock().unwrap();
        let mut backlog = changed.wait_while(waiting, |b| b.tasks.is_empty() && !b.closed).unwrap();
        backlog.tasks.pop_front()
    }

    /// All at once, so that no thread starts late for want of a task.
    fn submit_all<T: Send + 'static>(&self, jobs: impl Iterator<Item = impl FnOnce() -> T + Send + 'static>) -> Vec<Future<T>> {
        let mut futures = Vec::new();
        let mut tasks = VecDeque::new();
        for job in jobs {
            let slot = Arc::new(Slot { value: Mutex::new(None), ready: Condvar::new() });
            futures.push(Future(Arc::clone(&slot)));
            tasks.push_back(Box::new(move || {
                let value = job();
                *slot.value.lock().unwrap() = Some(value);
                slot.ready.notify_one();
            }) as Task);
        }
        self.shared.0.lock().unwrap().tasks.append(&mut tasks);
        self.shared.1.notify_all();
        futures
    }

    fn close(self) {
        self.shared.0.lock().unwrap().closed = true;
        self.shared.1.notify_all();
        for hand in self.hands {
            hand.join().unwrap();
        }
    }
}

/// The catalog's text follows from the title's number, a letter after another.
fn title(number: usize, text: &mut [u8; LETTERS]) {
    let mut x = (number as u64 / 3 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for letter in text.iter_mut() {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *letter = b'a' + (x >> 59) as u8 % 26;
    }
    text[number * 31 % LETTERS] = b'?'; // one letter is illegible
}

/// For each of the hash functions the smallest hash of all shingles of five letters.
fn signature(text: &[u8; LETTERS]) -> [u32; HASHES] {
    let mut least = [u32::MAX; HASHES];
    for shingle in text.windows(5) {
        let mut h = 0x811C_9DC5u32;
        for &letter in shingle {
            h = (h ^ letter as u32).wrapping_mul(0x0100_0193);
        }
        for l in least.iter_mut() {
            h = (h ^ h >> 15).wrapping_mul(0x2C1B_3C6D) ^ h >> 12;
            *l = (*l).min(h);
        }
    }
    least
}

fn bundle(from: usize, to: usize) -> Signatures {
    let mut all = Signatures::default();
    let mut text = [0; LETTERS];
    for number in from..to {
        title(number, &mut text);
        let signature = signature(&text);
        for (shelf, band) in all.shelf.iter_mut().zip(signature.chunks(BAND)) {
            let key = band.iter().fold(1u64, |key, &h| (key ^ h as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93));
            *shelf = shelf.wrapping_add(key ^ key >> 29);
        }
        all.titles += 1;
    }
    all
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let titles: usize = words[3].parse().unwrap();
    let size = ((dial * USUAL).round() as usize).max(SMALLEST);

    let executor = Executor::new(threads);
    let bundles = (0..titles).step_by(size).map(|from| move || bundle(from, (from + size).min(titles)));
    let futures = executor.submit_all(bundles);
    let mut total = Signatures::default();
    for future in futures {
        let some = future.wait();
        total.titles += some.titles;
        for (sum, shelf) in total.shelf.iter_mut().zip(some.shelf) {
            *sum = sum.wrapping_add(shelf);
        }
    }
    executor.close();
    println!("{} titles, shelves {:016x?}", total.titles, total.shelf);
}
