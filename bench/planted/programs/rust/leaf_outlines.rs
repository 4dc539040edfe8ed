//! Imbalance: which leaves of an album look most alike?
//!
//! An outline is 40 radii; two leaves are compared by a walk around both outlines. Every leaf is compared with all leaves
//! before it, so late leaves take longest. An album is cut into one contiguous range of leaves for each thread. A good
//! cut gives all ranges equally many comparisons, a poor one equally many leaves; the dial moves the cut from the one to
//! the other.

const LEAVES: usize = 2100;
const RADII: usize = 40;

type Outline = [i16; RADII];

#[derive(Clone, Copy)]
struct Nearest {
    distance: u32,
    which: usize,
}

fn album(number: usize) -> Vec<Outline> {
    let mut state = number as u32 * 747_796_405 + 2_891_336_453u32.wrapping_mul(number as u32 + 1) | 1;
    let mut radius = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 20) as i16
    };
    (0..LEAVES).map(|_| std::array::from_fn(|_| radius())).collect()
}

/// Goes around both outlines. A difference counts for less and less as the walk goes on.
fn distance(a: &Outline, b: &Outline) -> u32 {
    let mut strain = 0u32;
    for (x, y) in a.iter().zip(b) {
        strain = (strain * 13 >> 4) + x.abs_diff(*y) as u32;
    }
    strain
}

fn match_range(leaves: &[Outline], from: usize, to: usize) -> u64 {
    let mut sum = 0u64;
    for late in from..to {
        let mut best = Nearest { distance: u32::MAX, which: 0 };
        for early in 0..late {
            let distance = distance(&leaves[late], &leaves[early]);
            if distance < best.distance {
                best = Nearest { distance, which: early };
            }
        }
        sum = sum.wrapping_add((best.which as u64 + 1).wrapping_mul(u64::from(best.distance) + late as u64));
    }
    sum
}

/// Where the range of a thread begins.
fn cut(thread: usize, threads: usize, dial: f64) -> usize {
    let share = thread as f64 / threads as f64;
    (LEAVES as f64 * ((1.0 - dial) * share.sqrt() + dial * share)).round() as usize
}

fn main() {
    let mut words = std::env::args().skip(1);
    let threads: usize = words.next().and_then(|word| word.parse().ok()).expect("THREADS");
    let dial: f64 = words.next().and_then(|word| word.parse().ok()).expect("DIAL");
    let albums: usize = words.next().and_then(|word| word.parse().ok()).expect("WORK");
    let mut answer = 0u64;
    for number in 0..albums {
        let leaves = album(number);
        let leaves = leaves.as_slice();
        let found: u64 = std::thread::scope(|scope| {
            let range = move |t| match_range(leaves, cut(t, threads, dial), cut(t + 1, threads, dial));
            let others: Vec<_> = (1..threads).map(|t| scope.spawn(move || range(t))).collect();
            let own = range(0);
            others.into_iter().map(|one| one.join().unwrap()).fold(own, u64::wrapping_add)
        });
        answer = answer.wrapping_mul(3).wrapping_add(found);
    }
    println!("{answer}");
}
