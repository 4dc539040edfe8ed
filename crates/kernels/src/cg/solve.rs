//! Inverse power iteration, each step a system solved by 25 steps of conjugate gradients.
//!
//! Every sum is taken over a tree that depends on its length only: any schedule gives the same bits.

use super::generate::Matrix;
use crate::data::{Data, Layout};
use crate::scheduler::Fork;

/// Rows of a sparse product in one task: some thousands of multiplications.
const ROWS: usize = 64;
/// Elements of a vector in one task.
const ELEMENTS: usize = 1024;
const STEPS: usize = 25;

/// The vectors of NPB's program, under its names.
pub(super) struct Vectors {
    x: Data<f64>,
    z: Data<f64>,
    p: Data<f64>,
    q: Data<f64>,
    r: Data<f64>,
}

impl Vectors {
    pub(super) fn new<F: Fork>(n: usize, layout: Layout) -> Self {
        let zeros = || layout.array::<F, _>(n, |_| 0.0);
        Self { x: zeros(), z: zeros(), p: zeros(), q: zeros(), r: zeros() }
    }
}

/// What a run found: the shifted reciprocal of the largest eigenvalue, and how well the last system was solved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) zeta: f64,
    pub(super) residual: f64,
}

impl Found {
    pub(super) fn answer(&self) -> String {
        format!("{:.13}", self.zeta)
    }
}

pub(super) fn iterate<F: Fork>(matrix: &Matrix, vectors: &mut Vectors, iterations: usize, shift: f64) -> Found {
    let mut found = Found { zeta: 0.0, residual: f64::INFINITY };
    update::<F>(&mut vectors.x, &vectors.z, &|_, _| 1.0);
    for _ in 0..iterations {
        let residual = conjugate_gradients::<F>(matrix, vectors);
        let scale = 1.0 / dot::<F>(&vectors.z, &vectors.z).sqrt();
        found = Found { zeta: shift + 1.0 / dot::<F>(&vectors.x, &vectors.z), residual };
        update::<F>(&mut vectors.x, &vectors.z, &|_, z| scale * z);
    }
    found
}

/// Solves A z = x and returns |x - A z|.
fn conjugate_gradients<F: Fork>(matrix: &Matrix, vectors: &mut Vectors) -> f64 {
    let Vectors { x, z, p, q, r } = vectors;
    update::<F>(z, x, &|_, _| 0.0);
    update::<F>(r, x, &|_, x| x);
    update::<F>(p, x, &|_, x| x);
    let mut rho = dot::<F>(r, r);
    for _ in 0..STEPS {
        multiply::<F>(q, matrix, 0, p);
        let alpha = rho / dot::<F>(p, q);
        update::<F>(z, p, &|z, p| z + alpha * p);
        update::<F>(r, q, &|r, q| r - alpha * q);
        let before = rho;
        rho = dot::<F>(r, r);
        let beta = rho / before;
        update::<F>(p, r, &|p, r| r + beta * p);
    }
    multiply::<F>(q, matrix, 0, z);
    update::<F>(q, x, &|product, x| x - product);
    dot::<F>(q, q).sqrt()
}

/// Writes the rows of `matrix` · `vector` from `first` on.
fn multiply<F: Fork>(product: &mut [f64], matrix: &Matrix, first: usize, vector: &[f64]) {
    if product.len() <= ROWS {
        let starts = &matrix.starts[first..=first + product.len()];
        F::touch(&matrix.values[starts[0]..starts[product.len()]]);
        for (sum, ends) in product.iter_mut().zip(starts.windows(2)) {
            *sum = gathered_dot(&matrix.values[ends[0]..ends[1]], &matrix.columns[ends[0]..ends[1]], vector);
        }
        return;
    }
    let middle = product.len() / 2;
    let (low, high) = product.split_at_mut(middle);
    let near = |row: usize| &raw const matrix.values[matrix.starts[row]];
    F::join_near(
        near(first),
        || multiply::<F>(low, matrix, first, vector),
        near(first + middle),
        || multiply::<F>(high, matrix, first + middle, vector),
    );
}

/// One row times a vector, in four sums so that no addition waits for the one before.
fn gathered_dot(values: &[f64], columns: &[u32], vector: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (fours, rest) = values.as_chunks::<4>();
    let (four_columns, rest_columns) = columns.as_chunks::<4>();
    for (values, columns) in fours.iter().zip(four_columns) {
        for lane in 0..4 {
            sums[lane] += values[lane] * vector[columns[lane] as usize];
        }
    }
    let rest: f64 = rest.iter().zip(rest_columns).map(|(value, &column)| value * vector[column as usize]).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn dot<F: Fork>(a: &[f64], b: &[f64]) -> f64 {
    if a.len() <= ELEMENTS {
        F::touch(a);
        return a.iter().zip(b).map(|(a, b)| a * b).sum();
    }
    let middle = a.len() / 2;
    let ((low, high), (low_b, high_b)) = (a.split_at(middle), b.split_at(middle));
    let sums = F::join_near(low.as_ptr(), || dot::<F>(low, low_b), high.as_ptr(), || dot::<F>(high, high_b));
    sums.0 + sums.1
}

/// Replaces each element of `target` by `rule` of it and its partner in `source`.
fn update<F: Fork>(target: &mut [f64], source: &[f64], rule: &(impl Fn(f64, f64) -> f64 + Sync)) {
    if target.len() <= ELEMENTS {
        F::touch(target);
        return target.iter_mut().zip(source).for_each(|(target, &source)| *target = rule(*target, source));
    }
    let middle = target.len() / 2;
    let ((low, high), (low_source, high_source)) = (target.split_at_mut(middle), source.split_at(middle));
    let near = (low.as_ptr(), high.as_ptr());
    F::join_near(near.0, || update::<F>(low, low_source, rule), near.1, || update::<F>(high, high_source, rule));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Serial;

    #[test]
    fn a_tridiagonal_system_is_solved() {
        let n: u32 = 100;
        let row = |i: u32| {
            let neighbours = (i.saturating_sub(1)..n.min(i + 2)).map(move |j| (j, if i == j { 4.0 } else { -1.0 }));
            neighbours.collect::<Vec<_>>()
        };
        let rows: Vec<_> = (0..n).map(row).collect();
        let layout = Layout::CONTIGUOUS;
        let matrix = Matrix::new::<Serial>(&rows, layout);
        let mut vectors = Vectors::new::<Serial>(n as usize, layout);
        vectors.x.fill(1.0);
        assert!(conjugate_gradients::<Serial>(&matrix, &mut vectors) < 1e-10);
        let product = |row: &[(u32, f64)]| row.iter().map(|&(j, value)| value * vectors.z[j as usize]).sum::<f64>();
        assert!(rows.iter().all(|row| (product(row) - 1.0).abs() < 1e-10));
    }
}
