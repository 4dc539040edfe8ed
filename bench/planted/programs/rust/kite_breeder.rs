//! Breeds kites: flies every kite of a generation in gusty wind, and mates those that stayed up best.
//!
//! Serial part. The flights of a generation are divided evenly among the threads. The dial is the share of the kites
//! that the breeder has not had flown when the threads are done: their flights are computed as soon as she ranks the
//! generation and asks for them, in one thread, before the next generation is there. No kite is flown twice.
use std::env;
use std::sync::mpsc;
use std::thread;

const KITES: usize = 160;
const GENES: usize = 8;
const STEPS: usize = 2_500;

#[derive(Clone, Default)]
struct Kite {
    genes: [f64; GENES],
    height: Option<f64>,
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl Kite {
    /// Mean height of a kite on its line, in the same gusts for all.
    fn fly(&self, weather: u64) -> f64 {
        let mut gusts = Dice(weather);
        let [sail, keel, tail, bridle, weight, flex, line, bow] = self.genes;
        let (mut angle, mut turn, mut height, mut climb, mut sum) = (0.6, 0.0, 0.3, 0.0, 0.0);
        for _ in 0..STEPS {
            let wind = 0.7 + 0.6 * gusts.roll() - flex * climb;
            let lift = wind * wind * (0.2 + sail) * angle * (1.6 - angle);
            turn += 0.02 * ((bridle + 0.3 - angle) * (0.5 + keel) - turn * (0.2 + tail) + bow * (wind - 1.0));
            angle = (angle + 0.1 * turn).clamp(0.05, 1.5);
            climb = 0.96 * climb + 0.01 * (lift - 0.1 - 0.3 * weight - 0.05 * tail);
            height = (height + climb).clamp(0.0, 0.5 + line);
            sum += height;
        }
        sum / STEPS as f64
    }
}

/// Half of the next generation are children of the best quarter; the others are the best half, flown again.
fn mate(ranked: &[Kite], dice: &mut Dice) -> Vec<Kite> {
    let mut next: Vec<Kite> = ranked[..KITES / 2].iter().map(|old| Kite { height: None, ..old.clone() }).collect();
    while next.len() < KITES {
        let parents = [(); 2].map(|_| &ranked[(dice.roll() * (KITES / 4) as f64) as usize]);
        let mut child = Kite::default();
        for (gene, value) in child.genes.iter_mut().enumerate() {
            let from = parents[usize::from(dice.roll() < 0.5)].genes[gene];
            *value = (from + 0.1 * (dice.roll() - 0.5)).clamp(0.0, 1.0);
        }
        next.push(child);
    }
    next
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let [threads, dial, generations] = &words[..] else { panic!("usage: kite_breeder THREADS DIAL WORK") };
    let (threads, generations): (usize, u64) = (threads.parse().unwrap(), generations.parse().unwrap());
    let grounded = (dial.parse::<f64>().unwrap() * KITES as f64).round() as usize;
    let mut dice = Dice(2026);
    let mut kites = vec![Kite::default(); KITES];
    kites.iter_mut().flat_map(|kite| &mut kite.genes).for_each(|gene| *gene = dice.roll());
    let mut best = 0u64;
    for weather in 0..generations {
        let (landed, heights) = mpsc::channel();
        thread::scope(|field| {
            for helper in 0..threads {
                let (landed, kites) = (landed.clone(), &kites);
                field.spawn(move || {
                    let flown = (grounded..KITES).skip(helper).step_by(threads);
                    landed.send(flown.map(|k| (k, kites[k].fly(weather))).collect::<Vec<_>>()).unwrap();
                });
            }
        });
        drop(landed);
        for (kite, height) in heights.iter().flatten() {
            kites[kite].height = Some(height);
        }
        for kite in &mut kites {
            kite.height = kite.height.or_else(|| Some(kite.fly(weather)));
        }
        kites.sort_by(|a, b| b.height.partial_cmp(&a.height).unwrap());
        best = best.rotate_left(7) ^ kites[0].height.unwrap().to_bits();
        kites = mate(&kites, &mut dice);
    }
    println!("{best:016x}");
}
