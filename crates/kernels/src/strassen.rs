//! Strassen's matrix multiplication: seven products of halves instead of eight, for eighteen sums.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::data::{LAYOUT, Layout, fits};
use crate::matmul;
use crate::matrix::{Product, Tile, View, side, side_of};
use crate::number;
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};

use self::Factor::{Difference, Just, Sum};

/// Rows of a sum that are one task.
const ROWS: usize = 64;

pub(crate) struct Strassen;

impl Workload for Strassen {
    fn name(&self) -> &'static str {
        "strassen"
    }

    fn summary(&self) -> &'static str {
        "Strassen's matrix product, stored row by row"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The product of two n × n matrices of f64 by seven products of quadrants' sums, down to \
         `base`; from there on as `matmul` does. The seven are forked, each with temporaries of its own.\n\n\
         **What it stresses.** Memory for temporaries, and passes of sums over it that have little arithmetic; below \
         `base` vector arithmetic.\n\n\
         **Where it should bend.** Before `matmul`: sums ask for the memory's bandwidth, new temporaries for pages, and \
         seven does not divide by most numbers of workers.\n\n\
         **Source.** Strassen, *Gaussian elimination is not optimal*, 1969; `strassen` of the Cilk-5 distribution, as in \
         cilkbench."
    }

    fn phase(&self) -> &'static str {
        "multiply"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            side("2048"),
            number("base", "size up to which products are ordinary", "64"),
            RUNTIME,
            REHEARSE,
            SEED,
            LAYOUT,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let (n, layout) = (side_of(args)?, Layout::of(args, team)?);
        let base = usize::try_from(args.number("base", 16..=32_768)?).expect("inside the range");
        fits(least_bytes(n, base))?;
        Ok(Box::new(Prepared { n, base, layout, scheduler: Scheduler::start(args, team)?, product: None }))
    }
}

/// Bytes that a product needs at least, in any order of its tasks: three matrices, and at each level of one chain of calls
/// the seven products of quadrants and two sums. Every other task that runs at the same time has sums of its own.
fn least_bytes(n: usize, base: usize) -> usize {
    let levels = std::iter::successors(Some(n), |side| Some(side / 2)).take_while(|&side| side > base);
    let temporaries: usize = levels.map(|side| 9 * (side / 2) * (side / 2)).sum();
    (3 * n * n + temporaries) * size_of::<f64>()
}

struct Prepared {
    n: usize,
    base: usize,
    layout: Layout,
    scheduler: Scheduler,
    product: Option<Product>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let (n, base, layout) = (self.n, self.base, self.layout);
        let mut product = on!(self.scheduler, phases, "fill", F => Product::fill::<F>(n, layout));
        let Product { a, b, c, .. } = &mut product;
        let (a, b, c) = (View::new(a, n), View::new(b, n), Tile::new(c, n));
        on!(self.scheduler, phases, "multiply", F => multiply::<F>(c, a, b, base));
        self.product.insert(product).answer()
    }

    fn check(&self, answer: &str) -> Check {
        self.product.as_ref().map_or(Check::Unknown, |product| product.check(answer))
    }
}

/// Adds a · b to c, which holds zeros.
fn multiply<F: Fork>(c: Tile, a: View, b: View, base: usize) {
    if c.rows() <= base {
        return matmul::multiply::<F>(c, a, b, 1.0);
    }
    let ([a11, a12, a21, a22], [b11, b12, b21, b22]) = (a.quarter(), b.quarter());
    let factors = [
        (Sum(a11, a22), Sum(b11, b22)),
        (Sum(a21, a22), Just(b11)),
        (Just(a11), Difference(b12, b22)),
        (Just(a22), Difference(b21, b11)),
        (Sum(a11, a12), Just(b22)),
        (Difference(a21, a11), Sum(b11, b12)),
        (Difference(a12, a22), Sum(b21, b22)),
    ];
    let half = c.rows() / 2;
    let mut products = vec![0.0; factors.len() * half * half];
    multiply_all::<F>(&mut products, &factors, half, base);
    let m = |index: usize| View::new(&products[(index - 1) * half * half..][..half * half], half);
    let [c11, c12, c21, c22] = c.quarter();
    let near = (c11.start(), c21.start());
    F::join_near(
        near.0,
        || F::join(|| add::<F>(c11, &[m(1), m(4), m(7)], &[m(5)]), || add::<F>(c12, &[m(3), m(5)], &[])),
        near.1,
        || F::join(|| add::<F>(c21, &[m(2), m(4)], &[]), || add::<F>(c22, &[m(1), m(3), m(6)], &[m(2)])),
    );
}

/// One side of a product.
#[derive(Clone, Copy)]
enum Factor<'a> {
    Just(View<'a>),
    Sum(View<'a>, View<'a>),
    Difference(View<'a>, View<'a>),
}

impl<'a> Factor<'a> {
    /// The matrix; a sum is computed into `room` first.
    fn value<F: Fork>(self, room: &'a mut Vec<f64>) -> View<'a> {
        let (left, right) = match self {
            Just(matrix) => return matrix,
            Sum(left, right) | Difference(left, right) => (left, right),
        };
        let n = left.rows();
        room.resize(n * n, 0.0);
        let target = Tile::new(room, n);
        match self {
            Difference(..) => add::<F>(target, &[left], &[right]),
            _ => add::<F>(target, &[left, right], &[]),
        }
        View::new(room, n)
    }
}

/// Writes the product of each pair of n × n factors, one after another.
fn multiply_all<F: Fork>(products: &mut [f64], factors: &[(Factor, Factor)], n: usize, base: usize) {
    if let [(left, right)] = factors {
        let (mut left_room, mut right_room) = (Vec::new(), Vec::new());
        let (left, right) = (left.value::<F>(&mut left_room), right.value::<F>(&mut right_room));
        return multiply::<F>(Tile::new(products, n), left, right, base);
    }
    let (some, others) = factors.split_at(factors.len() / 2);
    let (low, high) = products.split_at_mut(some.len() * n * n);
    F::join(|| multiply_all::<F>(low, some, n, base), || multiply_all::<F>(high, others, n, base));
}

/// Adds some matrices to the target, which holds zeros, and subtracts others.
fn add<F: Fork>(target: Tile, plus: &[View], minus: &[View]) {
    fn rows<F: Fork>(mut target: Tile, first: usize, plus: &[View], minus: &[View]) {
        if target.rows() > ROWS {
            let (upper, lower) = target.split_rows();
            let (near, middle) = ((upper.start(), lower.start()), first + upper.rows());
            let halves = (|| rows::<F>(upper, first, plus, minus), || rows::<F>(lower, middle, plus, minus));
            F::join_near(near.0, halves.0, near.1, halves.1);
            return;
        }
        target.touch::<F>();
        for row in 0..target.rows() {
            let sums = target.row(row);
            for matrix in plus {
                sums.iter_mut().zip(matrix.row(first + row)).for_each(|(sum, element)| *sum += element);
            }
            for matrix in minus {
                sums.iter_mut().zip(matrix.row(first + row)).for_each(|(sum, element)| *sum -= element);
            }
        }
    }
    rows::<F>(target, 0, plus, minus);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Serial;
    use crate::signed_unit;
    use crate::trial;

    #[test]
    fn products_down_to_any_base_are_the_naive_one() {
        let n = 128;
        let a: Vec<f64> = (0..n * n).map(|index| signed_unit(4, index)).collect();
        let b: Vec<f64> = (0..n * n).map(|index| signed_unit(5, index)).collect();
        for base in [16, 64, 128] {
            let mut c = vec![0.0; n * n];
            multiply::<Serial>(Tile::new(&mut c, n), View::new(&a, n), View::new(&b, n), base);
            for (index, found) in c.iter().enumerate() {
                let (i, j) = (index / n, index % n);
                let expected: f64 = (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum();
                assert!((found - expected).abs() < 1e-11, "{base}: {i} {j}");
            }
        }
    }

    #[test]
    fn temporaries_count_before_anything_is_filled() {
        assert_eq!(least_bytes(64, 64), 3 * 64 * 64 * 8);
        assert_eq!(least_bytes(128, 64), (3 * 128 * 128 + 9 * 64 * 64) * 8);
        let six = 6 * 2048 * 2048 * 8;
        assert!((six - six / 100..six).contains(&least_bytes(2048, 64)));
        if knee_machine::room::too_little_for(least_bytes(32_768, 16)).is_some() {
            let (args, team) = trial::arguments(&Strassen, "--n 32768 --base 16");
            let refused = Strassen.prepare(&args, &team, &mut Phases::default()).err().expect("there is no memory");
            assert!(refused.to_string().starts_with("cannot fill 49151 MiB of memory: "), "{refused}");
        }
    }

    #[test]
    fn any_scheduler_gives_the_same_product() {
        trial::answer(&Strassen, "--n 256");
        trial::answer(&Strassen, "--n 512");
        trial::answer(&Strassen, "--n 16");
    }
}
