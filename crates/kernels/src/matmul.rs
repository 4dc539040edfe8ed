//! Dense matrix multiplication by divide and conquer, on matrices that are stored row by row.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::data::{LAYOUT, Layout};
use crate::matrix::{Product, Tile, View, multiply_leaf, side, side_of};
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};

/// Longest side of a leaf.
const LEAF: usize = 64;

pub(crate) struct Matmul;

impl Workload for Matmul {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn summary(&self) -> &'static str {
        "matrix product by divide and conquer, stored row by row"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The product of two n × n matrices of f64, with n³ multiplications. The longest of the \
         three sides is halved, down to 64; halves of rows and of columns are forked, halves of a sum follow each other.\n\n\
         **What it stresses.** Vector arithmetic. The rows of a leaf are a power of two of bytes apart and evict each \
         other in the cache, so that its operands come from the next one: compare `matmul-z`.\n\n\
         **Where it should bend.** At the number of cores: siblings share the vector units and have few gaps to fill. \
         A socket whose clock falls under vector load bends it earlier.\n\n\
         **Source.** `matmul` of the Cilk-5 distribution (Frigo, Leiserson & Randall 1998), as in cilkbench."
    }

    fn phase(&self) -> &'static str {
        "multiply"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[side("2048"), RUNTIME, REHEARSE, SEED, LAYOUT];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let (n, layout) = (side_of(args)?, Layout::of(args, team)?);
        Ok(Box::new(Prepared { n, layout, scheduler: Scheduler::start(args, team)?, product: None }))
    }
}

struct Prepared {
    n: usize,
    layout: Layout,
    scheduler: Scheduler,
    product: Option<Product>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let (n, layout) = (self.n, self.layout);
        let mut product = on!(self.scheduler, phases, "fill", F => Product::fill::<F>(n, layout));
        let Product { a, b, c, .. } = &mut product;
        let (a, b, c) = (View::new(a, n), View::new(b, n), Tile::new(c, n));
        on!(self.scheduler, phases, "multiply", F => multiply::<F>(c, a, b, 1.0));
        self.product.insert(product).answer()
    }

    fn check(&self, answer: &str) -> Check {
        self.product.as_ref().map_or(Check::Unknown, |product| product.check(answer))
    }
}

/// Adds `sign` · a · b to c.
pub(crate) fn multiply<F: Fork>(mut c: Tile, a: View, b: View, sign: f64) {
    let longest = c.rows().max(c.columns()).max(b.rows());
    if longest <= LEAF {
        c.touch::<F>();
        a.touch::<F>();
        b.touch::<F>();
        multiply_leaf(&mut c, a, b, sign);
    } else if longest == c.rows() {
        let ((upper, lower), (a_upper, a_lower)) = (c.split_rows(), a.split_rows());
        both::<F>((upper, a_upper, b), (lower, a_lower, b), sign);
    } else if longest == c.columns() {
        let ((left, right), (b_left, b_right)) = (c.split_columns(), b.split_columns());
        both::<F>((left, a, b_left), (right, a, b_right), sign);
    } else {
        let ((a_left, a_right), (b_upper, b_lower)) = (a.split_columns(), b.split_rows());
        multiply::<F>(c.lend(), a_left, b_upper, sign);
        multiply::<F>(c, a_right, b_lower, sign);
    }
}

/// Two products at the same time, each near its result.
fn both<F: Fork>(first: (Tile, View, View), second: (Tile, View, View), sign: f64) {
    let near = (first.0.start(), second.0.start());
    F::join_near(
        near.0,
        || multiply::<F>(first.0, first.1, first.2, sign),
        near.1,
        || multiply::<F>(second.0, second.1, second.2, sign),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Serial;
    use crate::signed_unit;
    use crate::trial;

    #[test]
    fn products_of_all_shapes_are_the_naive_ones() {
        for (rows, depth, columns) in [(16, 16, 16), (128, 128, 128), (256, 16, 64), (16, 256, 128)] {
            let a: Vec<f64> = (0..rows * depth).map(|index| signed_unit(4, index)).collect();
            let b: Vec<f64> = (0..depth * columns).map(|index| signed_unit(5, index)).collect();
            let mut c = vec![0.0; rows * columns];
            multiply::<Serial>(Tile::new(&mut c, columns), View::new(&a, depth), View::new(&b, columns), 1.0);
            for (index, found) in c.iter().enumerate() {
                let (i, j) = (index / columns, index % columns);
                let expected: f64 = (0..depth).map(|k| a[i * depth + k] * b[k * columns + j]).sum();
                assert!((found - expected).abs() < 1e-12, "{rows} {depth} {columns}: {i} {j}");
            }
        }
    }

    #[test]
    fn any_scheduler_gives_the_same_product() {
        trial::answer(&Matmul, "--n 256");
        trial::answer(&Matmul, "--n 16");
    }

    #[test]
    fn a_side_that_cannot_be_halved_is_refused() {
        let (args, team) = trial::arguments(&Matmul, "--n 100");
        let refused = Matmul.prepare(&args, &team, &mut Phases::default()).err().expect("it is not a power of two");
        assert_eq!(refused.to_string(), "bad argument: n '100'; expected a power of two");
        assert_eq!(refused.hinted(), Some("use 128"));
    }
}
