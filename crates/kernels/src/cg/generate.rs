//! The matrix of NPB CG: a sum of outer products of sparse random vectors, with a known range of eigenvalues.

use super::Class;
use crate::data::{Data, Layout};
use crate::scheduler::Fork;

/// The condition number's reciprocal, before the shift.
const RCOND: f64 = 0.1;

/// A sparse matrix in compressed rows: those of row `i` are the entries from `starts[i]` up to `starts[i + 1]`.
pub(super) struct Matrix {
    pub(super) starts: Data<usize>,
    pub(super) columns: Data<u32>,
    pub(super) values: Data<f64>,
}

impl Matrix {
    /// The rows, copied by the scheduler to where they will be used.
    pub(super) fn new<F: Fork>(rows: &[Row], layout: Layout) -> Self {
        let mut starts = vec![0];
        starts.extend(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        let entries = rows.concat();
        Self {
            starts: layout.array::<F, _>(starts.len(), |i| starts[i]),
            columns: layout.array::<F, _>(entries.len(), |k| entries[k].0),
            values: layout.array::<F, _>(entries.len(), |k| entries[k].1),
        }
    }
}

/// The entries of a sparse vector: where, and what.
pub(super) type Row = Vec<(u32, f64)>;

/// The matrix Σ wᵢ vᵢ vᵢᵀ + (RCOND - shift) I, where the weights wᵢ fall from 1 to RCOND in equal ratios.
pub(super) fn rows<F: Fork>(class: &Class) -> Vec<Row> {
    let vectors = vectors(class);
    let ratio = RCOND.powf(1.0 / f64::from(class.n));
    let weights: Vec<f64> =
        std::iter::successors(Some(1.0), |weight| Some(weight * ratio)).take(vectors.len()).collect();
    let mut holders = vec![Vec::new(); vectors.len()];
    for (i, vector) in vectors.iter().enumerate() {
        for &(j, value) in vector {
            holders[j as usize].push((i, weights[i] * value));
        }
    }
    let mut rows = vec![Row::new(); vectors.len()];
    assemble::<F>(&mut rows, &holders, &vectors);
    for (i, row) in rows.iter_mut().enumerate() {
        let (_, diagonal) = row.iter_mut().find(|(j, _)| *j as usize == i).expect("vector i has an element i");
        *diagonal += RCOND - class.shift;
    }
    rows
}

/// Adds up each row from the vectors that have an element in it.
fn assemble<F: Fork>(rows: &mut [Row], holders: &[Vec<(usize, f64)>], vectors: &[Row]) {
    if rows.len() <= 64 {
        return rows.iter_mut().zip(holders).for_each(|(row, holders)| *row = row_of(holders, vectors));
    }
    let middle = rows.len() / 2;
    let ((low, high), (low_holders, high_holders)) = (rows.split_at_mut(middle), holders.split_at(middle));
    F::join(|| assemble::<F>(low, low_holders, vectors), || assemble::<F>(high, high_holders, vectors));
}

fn row_of(holders: &[(usize, f64)], vectors: &[Row]) -> Row {
    let scaled = |&(i, scale): &(usize, f64)| vectors[i].iter().map(move |&(column, value)| (column, value * scale));
    let mut row: Row = holders.iter().flat_map(scaled).collect();
    // Equal columns stay in the order of vectors, and are added in it as NPB does.
    row.sort_by_key(|&(column, _)| column);
    row.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    row
}

/// NPB's `sprnvc` and `vecset`: vector i has `nonzero` random elements at random places, and 0.5 at i.
fn vectors(class: &Class) -> Vec<Row> {
    let mut random = Randlc(314_159_265);
    // NPB draws one number before the matrix is made.
    random.next();
    (0..class.n).map(|i| vector(&mut random, class, i)).collect()
}

fn vector(random: &mut Randlc, class: &Class, own: u32) -> Row {
    let places = f64::from(class.n.next_power_of_two());
    let mut vector = Row::new();
    while vector.len() < class.nonzero {
        let (value, place) = (random.next(), random.next() * places);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounds down; from 0 to places")]
        let place = place as u32;
        if place < class.n && vector.iter().all(|&(taken, _)| taken != place) {
            vector.push((place, value));
        }
    }
    match vector.iter_mut().find(|(place, _)| *place == own) {
        Some((_, value)) => *value = 0.5,
        None => vector.push((own, 0.5)),
    }
    vector
}

/// NPB's numbers between 0 and 1: x ← 5¹³ x mod 2⁴⁶.
struct Randlc(u64);

impl Randlc {
    fn next(&mut self) -> f64 {
        // Wrapping at 2⁶⁴ leaves the low 46 bits of the product exact.
        self.0 = self.0.wrapping_mul(1_220_703_125) & ((1 << 46) - 1);
        self.0 as f64 / 2_f64.powi(46)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Serial;

    #[test]
    fn rows_are_sorted_and_symmetric() {
        let rows = rows::<Serial>(&Class { n: 50, nonzero: 3, iterations: 1, shift: 10.0, zeta: 0.0 });
        let entry = |i: u32, j: u32| rows[i as usize].iter().find(|(column, _)| *column == j).map(|(_, value)| *value);
        for (i, row) in (0..).zip(&rows) {
            assert!(row.is_sorted_by(|left, right| left.0 < right.0));
            assert!(row.iter().all(|&(j, value)| (entry(j, i).unwrap() - value).abs() < 1e-15));
        }
    }

    #[test]
    fn a_sum_of_outer_products_added_densely_is_the_same() {
        let class = Class { n: 40, nonzero: 4, iterations: 1, shift: 10.0, zeta: 0.0 };
        let mut dense = vec![vec![0.0; 40]; 40];
        for (i, vector) in (0_i32..).zip(vectors(&class)) {
            let weight = RCOND.powf(f64::from(i) / 40.0);
            for &(row, left) in &vector {
                for &(column, right) in &vector {
                    dense[row as usize][column as usize] += weight * left * right;
                }
            }
        }
        (0..40).for_each(|i| dense[i][i] += RCOND - class.shift);
        for (row, dense) in rows::<Serial>(&class).iter().zip(&mut dense) {
            for &(column, value) in row {
                dense[column as usize] -= value;
            }
            assert!(dense.iter().all(|rest| rest.abs() < 1e-14));
        }
    }
}
