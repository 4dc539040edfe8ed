//! Dense matrix multiplication by divide and conquer, on matrices that are stored as tiles in Z order.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::data::{LAYOUT, Layout};
use crate::matrix::{Product, Tile, View, multiply_leaf, side, side_of};
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};

pub(crate) struct MatmulZ;

impl Workload for MatmulZ {
    fn name(&self) -> &'static str {
        "matmul-z"
    }

    fn summary(&self) -> &'static str {
        "matrix product by divide and conquer, stored as tiles in Z order"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The product of two n × n matrices of f64, with n³ multiplications, as `matmul` does. But \
         each tile of `tile` × `tile` elements is contiguous, and so is each quadrant, down to a tile. Bringing the \
         matrices into that order and back are phases of their own.\n\n\
         **What it stresses.** Vector arithmetic, with all three operands of a leaf in the first cache.\n\n\
         **Where it should bend.** At the number of cores, as `matmul`. On several sockets a quadrant can be on the \
         node of the workers that use it, which rows of the whole width cannot.\n\n\
         **Source.** Blocked Z-Morton order: Chatterjee et al., *Recursive array layouts and fast parallel matrix \
         multiplication*, SPAA 1999; as a NUMA experiment Deters, Wu, Xu & Lee 2018 (NUMA-WS)."
    }

    fn phase(&self) -> &'static str {
        "multiply"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[side("2048"), TILE, RUNTIME, REHEARSE, SEED, LAYOUT];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let (n, layout) = (side_of(args)?, Layout::of(args, team)?);
        let tile = usize::try_from(args.number("tile", 16..=64)?).expect("inside the range").min(n);
        Ok(Box::new(Prepared { n, tile, layout, scheduler: Scheduler::start(args, team)?, product: None }))
    }
}

const TILE: Param = Param::choice("tile", "rows and columns of a tile", "32", &["16", "32", "64"]);

struct Prepared {
    n: usize,
    tile: usize,
    layout: Layout,
    scheduler: Scheduler,
    product: Option<Product>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let (n, tile, layout) = (self.n, self.tile, self.layout);
        let order = Order { matrix: n.ilog2(), tile: tile.ilog2() };
        let mut product = on!(self.scheduler, phases, "fill", F => Product::fill::<F>(n, layout));
        let (tiles_a, tiles_b, mut tiles_c) = on!(self.scheduler, phases, "to-tiles", F => {
            let tiles = |rows: &[f64]| layout.array::<F, _>(n * n, |index| rows[order.in_rows(index)]);
            (tiles(&product.a), tiles(&product.b), layout.array::<F, _>(n * n, |_| 0.0))
        });
        on!(self.scheduler, phases, "multiply", F => multiply::<F>(&mut tiles_c, &tiles_a, &tiles_b, tile));
        product.c = on!(self.scheduler, phases, "to-rows", F => {
            layout.array::<F, _>(n * n, |index| tiles_c[order.in_tiles(index)])
        });
        self.product.insert(product).answer()
    }

    fn check(&self, answer: &str) -> Check {
        self.product.as_ref().map_or(Check::Unknown, |product| product.check(answer))
    }
}

/// Adds a · b to c. All three are one tile, or their four quadrants one after another.
fn multiply<F: Fork>(c: &mut [f64], a: &[f64], b: &[f64], tile: usize) {
    if c.len() == tile * tile {
        F::touch(c);
        F::touch(a);
        F::touch(b);
        return multiply_leaf(&mut Tile::new(c, tile), View::new(a, tile), View::new(b, tile), 1.0);
    }
    let (a, b) = (quadrants(a), quadrants(b));
    let sum = |c: &mut [f64], row: usize, column: usize| {
        multiply::<F>(c, a[2 * row], b[column], tile);
        multiply::<F>(c, a[2 * row + 1], b[2 + column], tile);
    };
    let row = |c: &mut [f64], row: usize| {
        let (left, right) = c.split_at_mut(c.len() / 2);
        let near = (left.as_ptr(), right.as_ptr());
        F::join_near(near.0, || sum(left, row, 0), near.1, || sum(right, row, 1));
    };
    let (upper, lower) = c.split_at_mut(c.len() / 2);
    let near = (upper.as_ptr(), lower.as_ptr());
    F::join_near(near.0, || row(upper, 0), near.1, || row(lower, 1));
}

fn quadrants(matrix: &[f64]) -> [&[f64]; 4] {
    let len = matrix.len() / 4;
    std::array::from_fn(|index| &matrix[index * len..][..len])
}

/// Where the elements of a matrix are, in rows and in tiles. Sides are powers of two, and these are the exponents.
#[derive(Clone, Copy)]
struct Order {
    matrix: u32,
    tile: u32,
}

impl Order {
    /// The position by rows of the element at `index` by tiles.
    fn in_rows(self, index: usize) -> usize {
        let (tile, inside) = (index >> (2 * self.tile), index & low(2 * self.tile));
        let row = even_bits(tile >> 1) << self.tile | inside >> self.tile;
        let column = even_bits(tile) << self.tile | inside & low(self.tile);
        row << self.matrix | column
    }

    /// The position by tiles of the element at `index` by rows.
    fn in_tiles(self, index: usize) -> usize {
        let (row, column) = (index >> self.matrix, index & low(self.matrix));
        let tile = spread_bits(row >> self.tile) << 1 | spread_bits(column >> self.tile);
        let inside = (row & low(self.tile)) << self.tile | column & low(self.tile);
        tile << (2 * self.tile) | inside
    }
}

/// The lowest `bits` bits.
fn low(bits: u32) -> usize {
    (1 << bits) - 1
}

/// The number whose bits are every second one of the lower 32, from the lowest on.
fn even_bits(bits: usize) -> usize {
    let steps = [(1, 0x3333_3333), (2, 0x0f0f_0f0f), (4, 0x00ff_00ff), (8, 0x0000_ffff)];
    steps.iter().fold(bits & 0x5555_5555, |bits, (shift, mask)| (bits | bits >> shift) & mask)
}

/// The number whose every second bit, from the lowest on, is the next of the lower 16.
fn spread_bits(bits: usize) -> usize {
    let steps = [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)];
    steps.iter().fold(bits, |bits, (shift, mask)| (bits | bits << shift) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn tiles_follow_each_other_in_z_order() {
        let order = Order { matrix: 3, tile: 1 };
        let corners: Vec<_> = (0..16).map(|tile| order.in_rows(4 * tile)).collect();
        assert_eq!(corners, [0, 2, 16, 18, 4, 6, 20, 22, 32, 34, 48, 50, 36, 38, 52, 54]);
        assert_eq!([0, 1, 2, 3].map(|index| order.in_rows(index)), [0, 1, 8, 9]);
        assert!((0..64).all(|index| order.in_tiles(order.in_rows(index)) == index));
    }

    #[test]
    fn any_scheduler_and_any_tile_give_the_right_product() {
        trial::answer(&MatmulZ, "--n 256");
        trial::answer(&MatmulZ, "--n 128 --tile 16");
        trial::answer(&MatmulZ, "--n 16 --tile 64");
    }

    #[test]
    fn the_answer_is_the_one_of_rows() {
        let answer = |workload| trial::answer(workload, "--n 64");
        let (tiles, rows): (f64, f64) =
            (answer(&MatmulZ).parse().unwrap(), answer(&crate::matmul::Matmul).parse().unwrap());
        assert!((tiles - rows).abs() < 1e-5);
    }
}
