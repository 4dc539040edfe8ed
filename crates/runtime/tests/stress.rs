//! Everything at once, for a few seconds, or for as many spawns as `KNEE_STRESS_SPAWNS` says (the long run has a billion).
//! One large pool is kept for `KNEE_STRESS_SECONDS`. `KNEE_STRESS_SEED` repeats a run's trees and panics; the schedule
//! is the machine's.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use knee_runtime::{Place, Pool, Wait, join, join_at, parallel_for, scope};

/// Time without progress after which it counts as hanging.
const PATIENCE: Duration = Duration::from_mins(2);

static SPAWNS: AtomicU64 = AtomicU64::new(0);
static MADE: AtomicU64 = AtomicU64::new(0);
static DROPPED: AtomicU64 = AtomicU64::new(0);
/// Held by the test that counts.
static COUNTING: Mutex<()> = Mutex::new(());

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect(name))
}

/// What every job carries, so that one that is lost or run twice is counted.
struct Payload(u64);

impl Payload {
    fn new(value: u64) -> Self {
        MADE.fetch_add(1, Ordering::Relaxed);
        Self(value)
    }
}

impl Drop for Payload {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

/// A random number that depends on the position in the tree, not on the worker (`SplitMix64`).
fn mix(seed: u64) -> u64 {
    let mut state = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

/// One kind of tree.
#[derive(Clone, Copy)]
struct Tree {
    /// One node in so many panics; 0 for none.
    panics: u64,
    /// Nodes that places name. There need not be workers on them.
    places: u32,
}

impl Tree {
    fn place(self, seed: u64) -> Place {
        match mix(seed ^ 1) {
            any if self.places == 0 || any % 3 == 0 => Place::Any,
            some => Place::Node(u32::try_from(some >> 32).unwrap() % self.places),
        }
    }

    /// The number of leaves below, by joins, scopes, placed joins and loops, as the seed of each node says.
    fn count(self, depth: u32, seed: u64) -> u64 {
        if self.panics > 0 && mix(seed).is_multiple_of(self.panics) {
            resume_unwind(Box::new(Payload::new(seed)));
        }
        if depth == 0 {
            return 1;
        }
        SPAWNS.fetch_add(1, Ordering::Relaxed);
        let seeds = [mix(seed ^ 2), mix(seed ^ 3)];
        let payloads = seeds.map(Payload::new);
        let [left, right] = payloads.map(|payload| move || self.count(depth - 1, payload.0));
        match mix(seed ^ 4) % 16 {
            0 => {
                let sums = [AtomicU64::new(0), AtomicU64::new(0)];
                scope(|s| {
                    s.spawn_at(self.place(seed), |_| sums[0].store(left(), Ordering::Relaxed));
                    s.spawn(|_| sums[1].store(right(), Ordering::Relaxed));
                });
                sums.map(AtomicU64::into_inner).iter().sum()
            }
            1 => {
                // The first half of a join spawns into a scope around it.
                let sum = AtomicU64::new(0);
                let spawned = scope(|s| join(|| s.spawn(|_| _ = sum.fetch_add(left(), Ordering::Relaxed)), right).1);
                sum.into_inner() + spawned
            }
            2 => {
                let (a, b) = join_at(self.place(seed), left, self.place(seed ^ 5), right);
                a + b
            }
            3 => {
                let seen = AtomicU64::new(0);
                parallel_for(0..40, |number| _ = seen.fetch_add(number as u64, Ordering::Relaxed));
                assert_eq!(seen.into_inner(), 780);
                left() + right()
            }
            _ => {
                let (a, b) = join(left, right);
                a + b
            }
        }
    }
}

/// Runs a tree on a pool and checks what comes out.
fn run(pool: &Pool, tree: Tree, depth: u32, seed: u64) {
    match catch_unwind(AssertUnwindSafe(|| pool.install(|| tree.count(depth, seed)))) {
        Ok(leaves) => assert_eq!(leaves, 1 << depth, "seed {seed}"),
        Err(payload) => {
            let payload = payload.downcast::<Payload>().expect("only the trees panic");
            assert!(tree.panics > 0 && mix(payload.0).is_multiple_of(tree.panics), "seed {seed}");
        }
    }
}

/// Ends the process if no job is spawned for too long.
fn watch() {
    thread::spawn(|| {
        let (mut seen, mut since) = (0, Instant::now());
        loop {
            thread::sleep(Duration::from_secs(1));
            let now = SPAWNS.load(Ordering::Relaxed);
            if now != seen {
                (seen, since) = (now, Instant::now());
            } else if since.elapsed() > PATIENCE {
                eprintln!("nothing was spawned for {PATIENCE:?} after {now}: it hangs");
                std::process::abort();
            }
        }
    });
}

fn build(workers: usize, wait: Wait, strict: bool, seed: u64) -> Arc<Pool> {
    let builder = Pool::builder().workers(workers).wait(wait).strict(strict).seed(seed);
    Arc::new(builder.build().unwrap())
}

/// Three threads call both pools, with and without panics, and from one pool to the other and back.
fn call(pools: &[Arc<Pool>; 2], round: u64) {
    let threads: Vec<_> = (0..3)
        .map(|caller| {
            let pools = pools.clone();
            thread::spawn(move || {
                for turn in 0..8_u8 {
                    let seed = mix(round ^ (caller << 8) ^ u64::from(turn));
                    let tree = Tree { panics: [0, 0, 50, 5000][usize::from(turn) % 4], places: 2 };
                    let pool = &pools[(seed % 2) as usize];
                    run(pool, tree, 10 + u32::try_from(seed % 4).unwrap(), seed);
                    if turn == 3 {
                        let other = &pools[1 - (seed % 2) as usize];
                        pool.install(|| other.install(|| run(pool, Tree { panics: 0, places: 0 }, 8, seed)));
                        let workers = pool.broadcast(|worker| worker);
                        assert_eq!(workers, (0..pool.workers()).collect::<Vec<_>>());
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(MADE.load(Ordering::Relaxed), DROPPED.load(Ordering::Relaxed), "round {round}");
}

#[test]
fn nothing_is_lost_run_twice_or_left_waiting() {
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let (wanted, seed) = (number("KNEE_STRESS_SPAWNS", 3_000_000), number("KNEE_STRESS_SEED", 1));
    watch();
    // The other test's spawns count in the same number.
    let (mut round, before) = (seed, SPAWNS.load(Ordering::Relaxed));
    while SPAWNS.load(Ordering::Relaxed) - before < wanted {
        round = mix(round);
        // Two pools, one with more workers than there are cpus.
        let workers = 1 + usize::try_from(round % 9).unwrap();
        let wait = if round.is_multiple_of(5) { Wait::Any } else { Wait::Leapfrog };
        let pools = [build(workers, wait, false, round), build(2, Wait::Leapfrog, round.is_multiple_of(3), round)];
        call(&pools, round);
    }
}

#[test]
fn a_large_pool_works_for_long_and_leaves_nothing() {
    const WORKERS: usize = 256;
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let seconds = Duration::from_secs(number("KNEE_STRESS_SECONDS", 2));
    watch();
    let pool = build(WORKERS, Wait::Leapfrog, false, 1);
    let (begin, mut round, mut rounds, mut resident) = (Instant::now(), number("KNEE_STRESS_SEED", 1), 0_u64, None);
    while begin.elapsed() < seconds {
        round = mix(round);
        call(&[pool.clone(), pool.clone()], round);
        // Long enough for all to fall asleep, in some rounds.
        thread::sleep(Duration::from_millis(round % 30));
        rounds += 1;
        if begin.elapsed() > seconds / 10 {
            resident.get_or_insert_with(|| status("VmRSS:"));
        }
    }
    let (before, after) = (resident.unwrap_or_default(), status("VmRSS:"));
    let spawns = SPAWNS.load(Ordering::Relaxed);
    eprintln!("{WORKERS} workers, {rounds} rounds, {spawns} spawns, resident {before} to {after} KiB");
    // Stacks of 256 threads may still be touched more deeply.
    assert!(after < before + (64 << 10), "memory grew from {before} to {after} KiB");
    assert!(status("Threads:") > WORKERS as u64);
    drop(pool);
    assert!(status("Threads:") < WORKERS as u64, "threads are left");
}

/// A number of this process, as the kernel says.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}
