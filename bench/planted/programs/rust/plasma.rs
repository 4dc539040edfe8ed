//! A plasma in one dimension, particle in cell: push the particles, deposit their charge, solve for the field.
//!
//!     plasma THREADS DIAL WORK
//!
//! Each thread owns a range of the particles and a charge grid. A step has two barriers: the leader of the first one adds
//! up the grids and solves for the field, and tabulates the spectrum of the field for the run's log. WORK is the number
//! of steps; DIAL is the size of the spectrum in hundreds of modes.

use std::f64::consts::TAU;
use std::sync::{Barrier, Mutex, RwLock};
use std::{env, thread};

const CELLS: usize = 512;
const PARTICLES: usize = 30_000;
const DT: f64 = 0.05;

/// Charge is counted in units of 2^-20, so that the order of additions does not matter.
const UNIT: f64 = (1 << 20) as f64;

struct Species {
    at: Vec<f64>,
    speed: Vec<f64>,
}

impl Species {
    /// Two counter-streaming beams, slightly perturbed.
    fn beams(first: usize, last: usize) -> Self {
        let at: Vec<f64> = (first..last)
            .map(|i| {
                let x = (i as f64 + 0.5) / PARTICLES as f64;
                (x + 0.003 * (TAU * 2.0 * x).sin()).rem_euclid(1.0) * CELLS as f64
            })
            .collect();
        let speed = (first..last).map(|i| if i % 2 == 0 { 1.2 } else { -1.2 }).collect();
        Species { at, speed }
    }

    fn push(&mut self, field: &[f64]) {
        for (at, speed) in self.at.iter_mut().zip(&mut self.speed) {
            let cell = *at as usize;
            let part = *at - cell as f64;
            let force = field[cell] * (1.0 - part) + field[(cell + 1) % CELLS] * part;
            *speed -= DT * force;
            *at += DT * *speed;
            if *at >= CELLS as f64 {
                *at -= CELLS as f64;
            } else if *at < 0.0 {
                *at = (*at + CELLS as f64).min(CELLS as f64 - 1e-9);
            }
        }
    }

    fn deposit(&self, charge: &mut [i64]) {
        charge.fill(0);
        for at in &self.at {
            let cell = *at as usize;
            let right = ((*at - cell as f64) * UNIT) as i64;
            charge[cell] += UNIT as i64 - right;
            charge[(cell + 1) % CELLS] += right;
        }
    }

    fn energy(&self) -> i64 {
        self.speed.iter().map(|v| (v * v * UNIT) as i64).sum()
    }
}

struct Log {
    spectrum: Vec<f64>,
    loudest: usize,
}

/// Gauss's law: the field is the running sum of the charge, less its mean.
fn solve(charges: &[Mutex<Vec<i64>>], field: &mut [f64]) {
    let mut total = [0i64; CELLS];
    for charge in charges {
        for (sum, part) in total.iter_mut().zip(charge.lock().unwrap().iter()) {
            *sum += part;
        }
    }
    let per_cell = PARTICLES as f64 / CELLS as f64;
    let mut running = 0.0;
    for (e, charge) in field.iter_mut().zip(total) {
        running += 1.0 - charge as f64 / UNIT / per_cell;
        *e = running;
    }
    let mean = field.iter().sum::<f64>() / CELLS as f64;
    field.iter_mut().for_each(|e| *e -= mean);
}

/// The power of each mode, by Goertzel's recurrence.
fn tabulate(field: &[f64], modes: usize, log: &mut Log) {
    for mode in 1..=modes {
        let turn = 2.0 * (TAU * mode as f64 / CELLS as f64).cos();
        let (mut one, mut two) = (0.0, 0.0);
        for e in field {
            (one, two) = (e + turn * one - two, one);
        }
        let power = one * one + two * two - turn * one * two;
        log.spectrum[mode] = log.spectrum[mode] * 0.9 + power * 0.1;
        if log.spectrum[mode] > log.spectrum[log.loudest] {
            log.loudest = mode;
        }
    }
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let threads: usize = args[1].parse().expect("THREADS");
    let modes = (args[2].parse::<f64>().expect("DIAL") * 100.0).round() as usize;
    let steps: usize = args[3].parse().expect("WORK");

    let charges: Vec<_> = (0..threads).map(|_| Mutex::new(vec![0i64; CELLS])).collect();
    let field = RwLock::new(vec![0.0f64; CELLS]);
    let log = Mutex::new(Log { spectrum: vec![0.0; modes + 1], loudest: 0 });
    let (deposited, solved) = (Barrier::new(threads), Barrier::new(threads));

    let energy: i64 = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|me| {
                let (charges, field, log, deposited, solved) = (&charges, &field, &log, &deposited, &solved);
                scope.spawn(move || {
                    let mut own = Species::beams(PARTICLES * me / threads, PARTICLES * (me + 1) / threads);
                    for _ in 0..steps {
                        own.deposit(&mut charges[me].lock().unwrap());
                        if deposited.wait().is_leader() {
                            let mut field = field.write().unwrap();
                            solve(charges, &mut field);
                            tabulate(&field, modes, &mut log.lock().unwrap());
                        }
                        solved.wait();
                        own.push(&field.read().unwrap());
                    }
                    own.energy()
                })
            })
            .collect();
        workers.into_iter().map(|w| w.join().unwrap()).sum()
    });
    let log = log.into_inner().unwrap();
    eprintln!("loudest mode {} of {modes}", log.loudest);
    println!("kinetic energy {:.6}", energy as f64 / UNIT / 2.0 / PARTICLES as f64);
}
