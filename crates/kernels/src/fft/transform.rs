//! Cooley and Tukey's transform, recursive, radix 4; a length that is an odd power of two ends in pairs.
//!
//! A level distributes its elements over four parts ("hands") of the other array, transforms each there, and combines
//! them back. So every part is contiguous, and once it fits into a cache it stays there.

use super::complex::Complex;
use crate::data::{Data, Layout};
use crate::scheduler::{Fork, Serial};

/// Elements that are transformed in one task.
const LEAF: usize = 4096;
/// Elements of a hand that are distributed or combined in one task.
const GRAIN: usize = 1024;

/// The factors of each level from the longest to the shortest: for each k its roots w^k, w^2k and w^3k.
pub(super) struct Plan(Vec<Data<[Complex; 3]>>);

impl Plan {
    pub(super) fn new<F: Fork>(n: usize, layout: Layout) -> Self {
        let lengths = std::iter::successors(Some(n), |length| Some(length / 4)).take_while(|&length| length > 4);
        let level = |length: usize| {
            let roots = move |k: usize| [1, 2, 3].map(|times| Complex::root(times * k, length));
            layout.array::<F, _>(length / 4, roots)
        };
        Self(lengths.map(level).collect())
    }

    /// Transforms `data` in place.
    pub(super) fn transform<F: Fork>(&self, data: &mut [Complex], scratch: &mut [Complex]) {
        transform::<F>(data, scratch, &self.0);
    }
}

fn transform<F: Fork>(data: &mut [Complex], scratch: &mut [Complex], levels: &[Data<[Complex; 3]>]) {
    let Some((level, deeper)) = levels.split_first() else { return transform_few(data) };
    if data.len() <= LEAF {
        // Both stay in a cache, so that their bytes count once and not at each level.
        F::touch(data);
        F::touch(scratch);
        deal::<Serial>(data, quarters_mut(scratch));
        let parts = quarters_mut(scratch).into_iter().zip(quarters_mut(data));
        parts.for_each(|(hand, room)| transform::<Serial>(hand, room, deeper));
        combine::<Serial>(quarters_mut(data), quarters(scratch), level);
    } else {
        deal::<F>(data, quarters_mut(scratch));
        transform_hands::<F>(scratch, data, deeper, 4);
        combine::<F>(quarters_mut(data), quarters(scratch), level);
    }
}

/// Transforms equal parts of `data`.
fn transform_hands<F: Fork>(
    data: &mut [Complex],
    scratch: &mut [Complex],
    levels: &[Data<[Complex; 3]>],
    hands: usize,
) {
    if hands == 1 {
        return transform::<F>(data, scratch, levels);
    }
    let middle = data.len() / 2;
    let ((low, high), (low_room, high_room)) = (data.split_at_mut(middle), scratch.split_at_mut(middle));
    let near = (low.as_ptr(), high.as_ptr());
    F::join_near(
        near.0,
        || transform_hands::<F>(low, low_room, levels, hands / 2),
        near.1,
        || transform_hands::<F>(high, high_room, levels, hands / 2),
    );
}

/// Transforms at most four elements, whose roots are 1, -1, i and -i.
fn transform_few(data: &mut [Complex]) {
    match data {
        [a, b] => (*a, *b) = (*a + *b, *a - *b),
        [a, b, c, d] => [*a, *b, *c, *d] = butterfly([*a, *b, *c, *d]),
        _ => {}
    }
}

/// Copies element 4 k + h to place k of hand h.
fn deal<F: Fork>(data: &[Complex], hands: [&mut [Complex]; 4]) {
    if hands[0].len() > GRAIN {
        let (low, high) = data.split_at(data.len() / 2);
        let (low_hands, high_hands) = halves_mut(hands);
        F::join_near(low.as_ptr(), || deal::<F>(low, low_hands), high.as_ptr(), || deal::<F>(high, high_hands));
        return;
    }
    F::touch(data);
    for (h, hand) in hands.into_iter().enumerate() {
        F::touch(hand);
        hand.iter_mut().zip(data.as_chunks::<4>().0).for_each(|(place, four)| *place = four[h]);
    }
}

/// Combines four transforms into one.
fn combine<F: Fork>(target: [&mut [Complex]; 4], hands: [&[Complex]; 4], roots: &[[Complex; 3]]) {
    if roots.len() > GRAIN {
        let ((low, high), (low_roots, high_roots)) = (halves_mut(target), roots.split_at(roots.len() / 2));
        let (low_hands, high_hands) = halves(hands);
        let near = (low[0].as_ptr(), high[0].as_ptr());
        F::join_near(
            near.0,
            || combine::<F>(low, low_hands, low_roots),
            near.1,
            || combine::<F>(high, high_hands, high_roots),
        );
        return;
    }
    let [t0, t1, t2, t3] = target.map(|part| &mut part[..roots.len()]);
    let [h0, h1, h2, h3] = hands.map(|part| &part[..roots.len()]);
    [&*t0, &*t1, &*t2, &*t3, h0, h1, h2, h3].into_iter().for_each(F::touch);
    F::touch(roots);
    for (k, roots) in roots.iter().enumerate() {
        let turned = [h0[k], h1[k] * roots[0], h2[k] * roots[1], h3[k] * roots[2]];
        [t0[k], t1[k], t2[k], t3[k]] = butterfly(turned);
    }
}

/// The transform of four.
fn butterfly([a, b, c, d]: [Complex; 4]) -> [Complex; 4] {
    let (even_sum, even_difference) = (a + c, a - c);
    let (odd_sum, odd_difference) = (b + d, (b - d).turned());
    [even_sum + odd_sum, even_difference + odd_difference, even_sum - odd_sum, even_difference - odd_difference]
}

fn quarters(data: &[Complex]) -> [&[Complex]; 4] {
    let (low, high) = data.split_at(data.len() / 2);
    let ((a, b), (c, d)) = (low.split_at(low.len() / 2), high.split_at(high.len() / 2));
    [a, b, c, d]
}

fn quarters_mut(data: &mut [Complex]) -> [&mut [Complex]; 4] {
    let (low, high) = data.split_at_mut(data.len() / 2);
    let ((a, b), (c, d)) = (low.split_at_mut(low.len() / 2), high.split_at_mut(high.len() / 2));
    [a, b, c, d]
}

/// The lower and the upper half of each.
fn halves(parts: [&[Complex]; 4]) -> ([&[Complex]; 4], [&[Complex]; 4]) {
    let [a, b, c, d] = parts.map(|part| part.split_at(part.len() / 2));
    ([a.0, b.0, c.0, d.0], [a.1, b.1, c.1, d.1])
}

/// The lower and the upper half of each.
fn halves_mut(parts: [&mut [Complex]; 4]) -> ([&mut [Complex]; 4], [&mut [Complex]; 4]) {
    let [a, b, c, d] = parts.map(|part| part.split_at_mut(part.len() / 2));
    ([a.0, b.0, c.0, d.0], [a.1, b.1, c.1, d.1])
}
