//! The Mandelbrot set: rows that cost very different amounts of the same arithmetic.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::number;
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};

pub(crate) struct Mandel;

impl Workload for Mandel {
    fn name(&self) -> &'static str {
        "mandel"
    }

    fn summary(&self) -> &'static str {
        "Mandelbrot set: iterations over a square of points"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The number of iterations until |z| > 2, at most `depth`, summed over size × size points \
         of the square from -2-2i to 2+2i. A row is one task.\n\n\
         **What it stresses.** Floating-point multiplication in registers, in a chain of dependent steps.\n\n\
         **Where it should bend.** At the number of cores, later with SMT: the chain leaves slots to a sibling. Rows \
         through the set cost far more than those beside it, so few rows per thread give an uneven tail.\n\n\
         **Source.** `mandel` of the parallel part of GHC's nofib suite."
    }

    fn phase(&self) -> &'static str {
        "rows"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            number("size", "points per side", "1024"),
            number("depth", "iteration limit", "1024"),
            RUNTIME,
            REHEARSE,
            SEED,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let size = u32::try_from(args.number("size", 1..=65_536)?).expect("inside the range");
        let depth = u32::try_from(args.number("depth", 1..=1_000_000)?).expect("inside the range");
        Ok(Box::new(Prepared { size, depth, scheduler: Scheduler::start(args, team)?, rows: Vec::new() }))
    }
}

struct Prepared {
    size: u32,
    depth: u32,
    scheduler: Scheduler,
    rows: Vec<u64>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let (size, depth) = (self.size, self.depth);
        let mut rows = vec![0; size as usize];
        on!(self.scheduler, phases, "rows", F => count::<F>(&mut rows, 0, size, depth));
        self.rows = rows;
        self.rows.iter().sum::<u64>().to_string()
    }

    /// A schedule can only get wrong which rows are counted and how often, so sixteen of them are counted again
    /// serially.
    fn check(&self, answer: &str) -> Check {
        let sampled = || (0..self.size).step_by(self.size as usize / 16 + 1);
        let wrong = sampled().find(|&y| self.rows.get(y as usize) != Some(&count_row(y, self.size, self.depth)));
        if let Some(y) = wrong {
            return Check::Wrong(format!("{} in row {y}", count_row(y, self.size, self.depth)));
        }
        // Each point counts once at least, so a row that nobody counted is seen.
        if let Some(y) = self.rows.iter().position(|&row| row < u64::from(self.size)) {
            return Check::Wrong(format!("row {y} was not counted"));
        }
        let total = self.rows.iter().sum::<u64>().to_string();
        if answer == total && self.rows.len() == self.size as usize { Check::Right } else { Check::Wrong(total) }
    }
}

/// Counts the rows from `first` on, each a task of its own.
fn count<F: Fork>(rows: &mut [u64], first: u32, size: u32, depth: u32) {
    if let [row] = rows {
        *row = count_row(first, size, depth);
        return;
    }
    let (low, high) = rows.split_at_mut(rows.len() / 2);
    let middle = first + u32::try_from(low.len()).expect("there are at most 65536 rows");
    F::join(|| count::<F>(low, first, size, depth), || count::<F>(high, middle, size, depth));
}

fn coordinate(step: u32, size: u32) -> f64 {
    -2.0 + 4.0 * f64::from(step) / f64::from(size)
}

fn count_row(y: u32, size: u32, depth: u32) -> u64 {
    let imaginary = coordinate(y, size);
    (0..size).map(|x| u64::from(escape(coordinate(x, size), imaginary, depth))).sum()
}

fn escape(real: f64, imaginary: f64, depth: u32) -> u32 {
    let (mut x, mut y, mut count) = (0.0, 0.0, 0);
    while count < depth && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + real, 2.0 * x * y + imaginary);
        count += 1;
    }
    count
}
