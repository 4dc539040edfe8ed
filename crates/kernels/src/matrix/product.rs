//! Shared by the kernels of matrix multiplication: the matrices, the answer, and its check.

use knee_workload::Check;

use crate::data::{Data, Layout};
use crate::scheduler::Fork;
use crate::signed_unit;

/// Two factors and the space for their product.
pub(crate) struct Product {
    pub(crate) n: usize,
    pub(crate) a: Data<f64>,
    pub(crate) b: Data<f64>,
    pub(crate) c: Data<f64>,
}

impl Product {
    /// Factors with elements from -1 to 1, and zeros.
    pub(crate) fn fill<F: Fork>(n: usize, layout: Layout) -> Self {
        let factor = |seed| layout.array::<F, _>(n * n, move |index| signed_unit(seed, index));
        Self { n, a: factor(1), b: factor(2), c: layout.array::<F, _>(n * n, |_| 0.0) }
    }

    /// The sum of all elements of the product.
    pub(crate) fn answer(&self) -> String {
        format!("{:.6}", self.c.iter().sum::<f64>())
    }

    pub(crate) fn check(&self, answer: &str) -> Check {
        if let Some(row) = self.wrong_row() {
            return Check::Wrong(format!("another product in row {row}"));
        }
        let expected = self.answer();
        if answer == expected { Check::Right } else { Check::Wrong(expected) }
    }

    /// Freivalds' check: A (B x) is C x for a vector x in general position. It reads every element of the product, and
    /// needs three products with a vector. Freivalds, "Probabilistic machines can use less running time", 1977.
    fn wrong_row(&self) -> Option<usize> {
        let x = probe(self.n);
        let bx: Vec<f64> = self.b.chunks(self.n).map(|row| dot(row, &x).0).collect();
        let mut rows = self.a.chunks(self.n).zip(self.c.chunks(self.n));
        rows.position(|(a, c)| !agree(dot(a, &bx), dot(c, &x)))
    }
}

/// A vector in general position, with no element near zero.
pub(crate) fn probe(n: usize) -> Vec<f64> {
    (0..n).map(|index| 1.0 + signed_unit(3, index) / 2.0).collect()
}

/// The scalar product, and the same of the magnitudes.
pub(crate) fn dot(row: &[f64], x: &[f64]) -> (f64, f64) {
    let terms = || row.iter().zip(x).map(|(element, x)| element * x);
    (terms().sum(), terms().map(f64::abs).sum())
}

/// Whether two sums differ by less than their rounding explains.
pub(crate) fn agree(left: (f64, f64), right: (f64, f64)) -> bool {
    (left.0 - right.0).abs() <= 1e-12 * (left.1 + right.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Serial;

    #[test]
    fn one_wrong_element_is_found_in_its_row() {
        let mut product = Product::fill::<Serial>(16, Layout::CONTIGUOUS);
        for index in 0..256 {
            let (i, j) = (index / 16, index % 16);
            product.c[index] = (0..16).map(|k| product.a[i * 16 + k] * product.b[k * 16 + j]).sum();
        }
        assert_eq!(product.wrong_row(), None);
        for (index, wrong) in [(0, 1e-9), (100, -1e-9), (255, f64::NAN)] {
            let right = std::mem::replace(&mut product.c[index], wrong);
            product.c[index] += right;
            assert_eq!(product.wrong_row(), Some(index / 16));
            product.c[index] = right;
        }
        assert_eq!(product.check("0.5"), Check::Wrong(product.answer()));
    }
}
