//! Cycles of four and five vertices, from the paths of two edges below a vertex.
//!
//! Call a the highest vertex of a cycle, and w(j) the number of paths a - x - j with x and j below a. Then a is the
//! highest of Σ C(w(j), 2) squares. In a pentagon a - x - j - k - y an edge {j, k} lies opposite to a, and there are w(j)
//! w(k) ways to choose x and y. Not all of them are pentagons. If k is a neighbour of a, x may be k; if j is one, y may be
//! j. And x may be y: it then closes a triangle with j and k, and is joined to a. With n(v) 1 for the neighbours of a and
//! 0 for others, there are
//!
//! Σ (w(j) - n(k)) (w(k) - n(j))
//!
//! over all edges below a, less one for each triangle below a and each of its vertices that is a neighbour of a.

use crate::matching::marks::{self, Marks};
use crate::matching::reads::View;
use crate::matching::{Readers, small, vertex};
use crate::{Graph, Scheduler};

/// Whether twice the number of paths between two vertices fits 32 bits.
pub(super) fn fit(graph: &Graph) -> bool {
    (0..graph.vertices).all(|at| graph.degree(vertex(at)) < 1 << 31)
}

/// Squares.
pub(super) fn squares(readers: &Readers<'_>, scheduler: &Scheduler) -> u128 {
    let below = |graph: View<'_>, a: u32, marks: &mut Marks| {
        let mut squares = 0_u128;
        for &x in graph.downward(a) {
            let mut before = 0_u64;
            for &j in graph.between(x, 0, a) {
                // As the n-th path comes to n - 1 others, all of them come to C(w, 2).
                let paths = &mut marks.numbers[j as usize];
                before += u64::from(*paths);
                *paths += 1;
            }
            squares += u128::from(before);
        }
        for &x in graph.downward(a) {
            for &j in graph.between(x, 0, a) {
                marks.numbers[j as usize] = 0;
            }
        }
        squares
    };
    marks::sum(readers, scheduler, || 0, below, |a, b| small(a.checked_add(b)))
}

/// The sum for pentagons, from which they follow where it is known for each triangle and each of its vertices how many
/// neighbours of this vertex rank above all three.
pub(super) fn ways(readers: &Readers<'_>, scheduler: &Scheduler) -> u128 {
    let below = |graph: View<'_>, a: u32, marks: &mut Marks| {
        paths(graph, a, marks);
        let Marks { numbers, touched, .. } = marks;
        let mut sum = 0_u128;
        for &j in &*touched {
            let (ends, (w, n)) = (graph.downward(j), taken_apart(numbers[j as usize]));
            let [mut paths, mut beside, mut joined] = [0_u64; 3];
            for &k in ends {
                let (w, n) = taken_apart(numbers[k as usize]);
                paths += w;
                beside += w * n;
                joined += n;
            }
            // Σ (w - n(k)) (w(k) - n), multiplied out: no factor is negative.
            let [w, n, paths, beside, joined] = [w, n, paths, beside, joined].map(u128::from);
            sum += w * (paths - n * ends.len() as u128) - (beside - n * joined);
        }
        sum
    };
    marks::sum(readers, scheduler, || 0, below, |a: u128, b| small(a.checked_add(b)))
}

/// Notes 2 w(j) + n(j) for each vertex j below a.
fn paths(graph: View<'_>, a: u32, marks: &mut Marks) {
    let Marks { numbers, touched, .. } = marks;
    let mut add = |vertex: u32, what: u32| {
        let number = &mut numbers[vertex as usize];
        if *number == 0 {
            touched.push(vertex);
        }
        *number += what;
    };
    for &x in graph.downward(a) {
        add(x, 1);
        graph.between(x, 0, a).iter().for_each(|j| add(*j, 2));
    }
}

/// w and n.
fn taken_apart(number: u32) -> (u64, u64) {
    (u64::from(number >> 1), u64::from(number & 1))
}
