//! A map server: renders tiles of a terrain, each from the coarse block of the terrain that it lies in.
//!
//!     terrain THREADS DIAL WORK
//!
//! Threads take the tiles in order. The tiles of a pair lie in one coarse block, which is generated when it is first
//! asked for and then kept: who finds none generates it and puts it into the cache, without holding the lock meanwhile.
//! WORK is the number of pairs; DIAL is the share of a tile's detail that comes from its coarse block.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::{env, thread};

const SIDE: usize = 64;
const OCTAVES: usize = 8;

type Heights = Vec<u32>;

struct Server {
    coarse: RwLock<HashMap<usize, Arc<Heights>>>,
    next: AtomicUsize,
    digest: AtomicU64,
    generated: AtomicUsize,
    pairs: usize,
    /// Rows that are refined with the coarse block once, rather than in each tile.
    in_block: usize,
}

fn hash(x: u32, y: u32, seed: u32) -> u32 {
    let mut h = x.wrapping_mul(0x85eb_ca6b) ^ y.wrapping_mul(0xc2b2_ae35) ^ seed.wrapping_mul(0x27d4_eb2f);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2c1b_3c6d);
    h ^ h >> 12
}

/// Value noise in fixed point: `OCTAVES` layers of smoothly interpolated random heights.
fn height(x: u32, y: u32, seed: u32) -> u32 {
    let mut sum = 0u32;
    for octave in 0..OCTAVES as u32 {
        let shift = OCTAVES as u32 - octave;
        let (cx, cy) = (x >> shift, y >> shift);
        let mask = (1 << shift) - 1;
        let smooth = |t: u32| {
            let t = ((t & mask) << 8) >> shift;
            (t * t * (768 - 2 * t)) >> 16
        };
        let (fx, fy) = (smooth(x), smooth(y));
        let corner = |dx, dy| hash(cx + dx, cy + dy, seed + octave) >> 16;
        let top = corner(0, 0) * (256 - fx) + corner(1, 0) * fx;
        let bottom = corner(0, 1) * (256 - fx) + corner(1, 1) * fx;
        sum += ((top >> 8) * (256 - fy) + (bottom >> 8) * fy) >> (8 + octave);
    }
    sum
}

fn rows(block: usize, from: usize, to: usize) -> Heights {
    let seed = block as u32;
    let mut heights = Vec::with_capacity((to - from) * SIDE);
    for y in from..to {
        heights.extend((0..SIDE).map(|x| height(x as u32, y as u32, seed)));
    }
    heights
}

impl Server {
    fn block(&self, number: usize) -> Arc<Heights> {
        if let Some(found) = self.coarse.read().unwrap().get(&number) {
            return found.clone();
        }
        let made = Arc::new(rows(number, 0, self.in_block));
        self.generated.fetch_add(1, Ordering::Relaxed);
        self.coarse.write().unwrap().entry(number).or_insert(made).clone()
    }

    /// Hill shading: the slope against a light from the north-west.
    fn shade(&self, heights: &[u32], tile: usize) -> u64 {
        let mut sum = 0u64;
        for row in heights.chunks_exact(SIDE) {
            for pair in row.windows(2) {
                let slope = pair[1].wrapping_sub(pair[0]) as i32 >> (tile % 2);
                sum = sum.wrapping_add(hash(slope.clamp(-4000, 4000) as u32, pair[0], 77) as u64);
            }
        }
        sum
    }

    fn render(&self, tile: usize) -> u64 {
        let number = tile / 2;
        let mut sum = 0;
        if self.in_block > 0 {
            sum += self.shade(&self.block(number), tile);
        }
        if self.in_block < SIDE {
            sum += self.shade(&rows(number, self.in_block, SIDE), tile);
        }
        sum
    }

    fn serve(&self) {
        loop {
            let tile = self.next.fetch_add(1, Ordering::Relaxed);
            if tile >= 2 * self.pairs {
                return;
            }
            self.digest.fetch_add(self.render(tile), Ordering::Relaxed);
        }
    }
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let threads: usize = args[1].parse().expect("THREADS");
    let dial: f64 = args[2].parse().expect("DIAL");
    let pairs = args[3].parse().expect("WORK");
    let server = Server {
        coarse: RwLock::default(),
        next: AtomicUsize::new(0),
        digest: AtomicU64::new(0),
        generated: AtomicUsize::new(0),
        pairs,
        in_block: (dial * SIDE as f64).round() as usize,
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| server.serve());
        }
    });
    eprintln!("{} blocks generated, {} kept", server.generated.into_inner(), server.coarse.into_inner().unwrap().len());
    println!("{:016x}", server.digest.into_inner());
}
