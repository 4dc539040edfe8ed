//! LU factorisation without pivoting, by recursion down to small blocks.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::data::{Data, LAYOUT, Layout};
use crate::matmul::multiply;
use crate::matrix::{Tile, View, agree, dot, probe, side, side_of};
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};
use crate::signed_unit;

/// Side of a block that is factored in one piece.
const BLOCK: usize = 16;

pub(crate) struct Lu;

impl Workload for Lu {
    fn name(&self) -> &'static str {
        "lu"
    }

    fn summary(&self) -> &'static str {
        "LU factorisation by recursion, without pivoting"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** A lower triangle L with ones on the diagonal and an upper triangle U with L U = M, in \
         place of M, an n × n matrix of f64 whose diagonal is dominant. One quadrant is factored, two are solved with it \
         at the same time, the fourth takes off their product and is factored in turn; blocks of 16 × 16 are leaves.\n\n\
         **What it stresses.** Vector arithmetic, mostly in products. The chain from block to block along the diagonal \
         leaves workers without work.\n\n\
         **Where it should bend.** Before `matmul`, the earlier the smaller n is: the chain is n log² n steps long \
         whatever the number of workers.\n\n\
         **Source.** `lu` of the Cilk-5 distribution (Frigo, Leiserson & Randall 1998), as in cilkbench."
    }

    fn phase(&self) -> &'static str {
        "factor"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[side("2048"), RUNTIME, REHEARSE, SEED, LAYOUT];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let (n, layout) = (side_of(args)?, Layout::of(args, team)?);
        Ok(Box::new(Prepared { n, layout, scheduler: Scheduler::start(args, team)?, factors: None }))
    }
}

struct Prepared {
    n: usize,
    layout: Layout,
    scheduler: Scheduler,
    factors: Option<Data<f64>>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let (n, layout) = (self.n, self.layout);
        let mut matrix = on!(self.scheduler, phases, "fill", F => {
            layout.array::<F, _>(n * n, |index| element(index / n, index % n, n))
        });
        on!(self.scheduler, phases, "factor", F => factor::<F>(Tile::new(&mut matrix, n)));
        log_determinant(self.factors.insert(matrix), n)
    }

    /// L (U x) is M x for a vector in general position: every element of the factors takes part.
    fn check(&self, answer: &str) -> Check {
        let Some(factors) = &self.factors else { return Check::Unknown };
        if let Some(row) = wrong_row(factors, self.n) {
            return Check::Wrong(format!("other factors in row {row}"));
        }
        let expected = log_determinant(factors, self.n);
        if answer == expected { Check::Right } else { Check::Wrong(expected) }
    }
}

/// An element of the matrix that is factored.
fn element(row: usize, column: usize, n: usize) -> f64 {
    signed_unit(1, row * n + column) + if row == column { n as f64 } else { 0.0 }
}

/// The logarithm of the determinant.
fn log_determinant(factors: &[f64], n: usize) -> String {
    let diagonal = (0..n).map(|row| factors[row * n + row]);
    format!("{:.9}", diagonal.map(f64::ln).sum::<f64>())
}

/// The first row in which L (U x) and M x differ.
fn wrong_row(factors: &[f64], n: usize) -> Option<usize> {
    let x = probe(n);
    let upper = |(row, factors): (usize, &[f64])| dot(&factors[row..], &x[row..]).0;
    let ux: Vec<f64> = factors.chunks(n).enumerate().map(upper).collect();
    factors.chunks(n).enumerate().position(|(row, factors)| {
        let (below, magnitude) = dot(&factors[..row], &ux);
        let original: Vec<f64> = (0..n).map(|column| element(row, column, n)).collect();
        !agree((below + ux[row], magnitude + ux[row].abs()), dot(&original, &x))
    })
}

fn factor<F: Fork>(mut m: Tile) {
    if m.rows() <= BLOCK {
        m.touch::<F>();
        return factor_block(&mut m);
    }
    let [mut m11, mut m12, mut m21, mut m22] = m.quarter();
    factor::<F>(m11.lend());
    let (near, first) = ((m12.start(), m21.start()), m11.view());
    F::join_near(near.0, || solve_lower::<F>(m12.lend(), first), near.1, || solve_upper::<F>(m21.lend(), first));
    multiply::<F>(m22.lend(), m21.view(), m12.view(), -1.0);
    factor::<F>(m22);
}

/// Replaces x by the solution y of L y = x, where L is the lower triangle of `factors`.
fn solve_lower<F: Fork>(mut x: Tile, factors: View) {
    if x.rows() <= BLOCK {
        x.touch::<F>();
        return solve_lower_block(&mut x, factors);
    }
    let [f11, _, f21, f22] = factors.quarter();
    let column = |mut upper: Tile, mut lower: Tile| {
        solve_lower::<F>(upper.lend(), f11);
        multiply::<F>(lower.lend(), f21, upper.view(), -1.0);
        solve_lower::<F>(lower, f22);
    };
    let [x11, x12, x21, x22] = x.quarter();
    F::join_near(x11.start(), || column(x11, x21), x12.start(), || column(x12, x22));
}

/// Replaces x by the solution y of y U = x, where U is the upper triangle of `factors`.
fn solve_upper<F: Fork>(mut x: Tile, factors: View) {
    if x.rows() <= BLOCK {
        x.touch::<F>();
        return solve_upper_block(&mut x, factors);
    }
    let [f11, f12, _, f22] = factors.quarter();
    let row = |mut left: Tile, mut right: Tile| {
        solve_upper::<F>(left.lend(), f11);
        multiply::<F>(right.lend(), left.view(), f12, -1.0);
        solve_upper::<F>(right, f22);
    };
    let [x11, x12, x21, x22] = x.quarter();
    F::join_near(x11.start(), || row(x11, x12), x21.start(), || row(x21, x22));
}

fn factor_block(m: &mut Tile) {
    for k in 0..BLOCK {
        let pivot = block_row(m, k);
        for row in k + 1..BLOCK {
            let row = m.row(row);
            row[k] /= pivot[k];
            let factor = row[k];
            take_off(&mut row[k + 1..], factor, &pivot[k + 1..]);
        }
    }
}

fn solve_lower_block(x: &mut Tile, factors: View) {
    for k in 0..BLOCK {
        let solved = block_row(x, k);
        (k + 1..BLOCK).for_each(|row| take_off(x.row(row), factors.row(row)[k], &solved));
    }
}

fn solve_upper_block(x: &mut Tile, factors: View) {
    for row in 0..BLOCK {
        let row = x.row(row);
        for k in 0..BLOCK {
            row[k] /= factors.row(k)[k];
            let solved = row[k];
            take_off(&mut row[k + 1..], solved, &factors.row(k)[k + 1..]);
        }
    }
}

fn block_row(block: &mut Tile, row: usize) -> [f64; BLOCK] {
    *block.row(row).first_chunk().expect("a block has as many columns")
}

/// Takes off the multiple of another row.
fn take_off(row: &mut [f64], factor: f64, other: &[f64]) {
    row.iter_mut().zip(other).for_each(|(element, other)| *element -= factor * other);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Serial;
    use crate::trial;

    fn factored(n: usize) -> Vec<f64> {
        let mut matrix: Vec<f64> = (0..n * n).map(|index| element(index / n, index % n, n)).collect();
        factor::<Serial>(Tile::new(&mut matrix, n));
        matrix
    }

    #[test]
    fn the_product_of_the_factors_is_the_matrix() {
        for n in [16, 32, 128, 256] {
            let factors = factored(n);
            for (i, j) in (0..n * n).map(|index| (index / n, index % n)) {
                let lower = |k: usize| if k == i { 1.0 } else { factors[i * n + k] };
                let product: f64 = (0..=i.min(j)).map(|k| lower(k) * factors[k * n + j]).sum();
                assert!((product - element(i, j, n)).abs() < 1e-12 * n as f64, "{n}: {i} {j}");
            }
        }
    }

    #[test]
    fn one_wrong_element_is_found() {
        let mut factors = factored(32);
        assert_eq!(wrong_row(&factors, 32), None);
        for index in [0, 33, 40, 20 * 32 + 3, 1023] {
            factors[index] += 1e-7;
            assert!(wrong_row(&factors, 32).is_some(), "{index}");
            factors[index] -= 1e-7;
        }
    }

    #[test]
    fn any_scheduler_gives_the_same_factors() {
        trial::answer(&Lu, "--n 512");
        trial::answer(&Lu, "--n 16");
    }
}
