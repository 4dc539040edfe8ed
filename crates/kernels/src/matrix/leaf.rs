//! The product of small matrices, where all the arithmetic of the dense kernels is done.

use super::{Tile, View};

/// A block of the result that is summed up in registers.
const ROWS: usize = 4;
const COLUMNS: usize = 8;

/// Adds `sign` · a · b to c. Rows and columns of c are multiples of eight.
///
/// The instructions depend on the machine; the terms and their order do not.
pub(crate) fn multiply_leaf(c: &mut Tile, a: View, b: View, sign: f64) {
    assert!(c.rows().is_multiple_of(ROWS) && c.columns().is_multiple_of(COLUMNS), "leaves are of whole blocks");
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: this cpu has AVX2.
        return unsafe { multiply_wide(c, a, b, sign) };
    }
    multiply_blocks(c, a, b, sign);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn multiply_wide(c: &mut Tile, a: View, b: View, sign: f64) {
    multiply_blocks(c, a, b, sign);
}

#[expect(clippy::inline_always, reason = "it is compiled for the instructions of its caller")]
#[inline(always)]
fn multiply_blocks(c: &mut Tile, a: View, b: View, sign: f64) {
    for top in (0..c.rows()).step_by(ROWS) {
        let left: [&[f64]; ROWS] = std::array::from_fn(|row| a.row(top + row));
        for block in 0..c.columns() / COLUMNS {
            let sums = block_sums(left, b, block);
            for (row, sums) in sums.iter().enumerate() {
                let target = &mut c.row(top + row).as_chunks_mut::<COLUMNS>().0[block];
                target.iter_mut().zip(sums).for_each(|(target, sum)| *target += sign * sum);
            }
        }
    }
}

#[expect(clippy::inline_always, reason = "it is compiled for the instructions of its caller")]
#[inline(always)]
fn block_sums(left: [&[f64]; ROWS], b: View, block: usize) -> [[f64; COLUMNS]; ROWS] {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    for k in 0..b.rows() {
        let right = b.row(k).as_chunks::<COLUMNS>().0[block];
        for (sums, left) in sums.iter_mut().zip(left) {
            let factor = left[k];
            sums.iter_mut().zip(right).for_each(|(sum, right)| *sum += factor * right);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signed_unit;

    #[test]
    fn rectangles_of_eights_are_multiplied_whatever_the_instructions() {
        let (rows, depth, columns) = (8, 3, 24);
        let a: Vec<f64> = (0..rows * depth).map(|index| signed_unit(1, index)).collect();
        let b: Vec<f64> = (0..depth * columns).map(|index| signed_unit(2, index)).collect();
        let (mut c, mut plain) = (vec![1.0; rows * columns], vec![1.0; rows * columns]);
        multiply_leaf(&mut Tile::new(&mut c, columns), View::new(&a, depth), View::new(&b, columns), -1.0);
        multiply_blocks(&mut Tile::new(&mut plain, columns), View::new(&a, depth), View::new(&b, columns), -1.0);
        assert_eq!(c, plain);
        for (index, found) in c.iter().enumerate() {
            let (i, j) = (index / columns, index % columns);
            let sum: f64 = (0..depth).map(|k| a[i * depth + k] * b[k * columns + j]).sum();
            assert!((found - (1.0 - sum)).abs() < 1e-14);
        }
    }
}
