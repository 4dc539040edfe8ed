//! Edges that are drawn at random, in parallel.
//!
//! Blocks of edges draw from streams of their own, so that a seed gives the same graph on any number of threads.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::EdgeList;

/// Edges drawn from one stream.
const BLOCK: usize = 1 << 14;

/// A simple graph of edges that `edge` draws, and of others besides, between vertices whose numbers are then exchanged at random, so that they
/// say nothing of a degree. Loops and repetitions are dropped.
pub(super) fn graph(
    vertices: u32,
    edges: usize,
    besides: Vec<(u32, u32)>,
    seed: u64,
    edge: impl Fn(&mut ChaCha8Rng) -> (u32, u32) + Sync,
) -> EdgeList {
    let stream = |number: u64| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(number);
        random
    };
    let mut names: Vec<u32> = (0..vertices).collect();
    names.shuffle(&mut stream(0));
    let mut drawn = vec![(0, 0); edges];
    drawn.par_chunks_mut(BLOCK).enumerate().for_each(|(number, block)| {
        let mut random = stream(number as u64 + 1);
        for slot in block {
            let (a, b) = edge(&mut random);
            *slot = (names[a as usize], names[b as usize]);
        }
    });
    drawn.extend(besides.into_iter().map(|(a, b)| (names[a as usize], names[b as usize])));
    drop(names);
    EdgeList::from_short(drawn)
}
