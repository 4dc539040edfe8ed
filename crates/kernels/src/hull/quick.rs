//! Quickhull: the point farthest beyond a line is a vertex; keep what lies beyond the two lines to it, and go on.

use super::{Line, Point, area};
use crate::scheduler::{Fork, Serial};

/// All points. Everything below handles their numbers, `leaf` of them in a task.
pub(super) struct Cloud<'a> {
    pub(super) points: &'a [Point],
    pub(super) leaf: usize,
}

impl Cloud<'_> {
    /// The vertices, clockwise from the leftmost. Both arrays are used up.
    pub(super) fn hull<F: Fork>(&self, numbers: &mut [u32], spare: &mut [u32]) -> Vec<u32> {
        let [left, right] = self.ends::<F>(numbers);
        let (upper, lower) = self.along::<F>(numbers, spare, [left, right, left]);
        [&[left], &upper[..], &[right], &lower[..]].concat()
    }

    /// The vertices between two of them; the numbers are of the points beyond their line.
    fn beyond<F: Fork>(&self, numbers: &mut [u32], spare: &mut [u32], [from, to]: [u32; 2]) -> Vec<u32> {
        if numbers.len() <= self.leaf {
            F::touch(numbers);
            let mut hull = Vec::new();
            self.beyond_alone(numbers, spare, [from, to], &mut hull);
            return hull;
        }
        let top = self.farthest::<F>(numbers, [from, to]);
        let (mut before, after) = self.along::<F>(numbers, spare, [from, top, to]);
        before.push(top);
        before.extend(after);
        before
    }

    /// The vertices between the first two of three, and between the last two.
    fn along<F: Fork>(&self, numbers: &mut [u32], spare: &mut [u32], way: [u32; 3]) -> (Vec<u32>, Vec<u32>) {
        let kept = self.filter::<F>(numbers, spare, way.map(|number| self.point(number)));
        let [(first, first_spare), (second, second_spare)] = both_ends(kept, numbers, spare);
        F::join_near(
            first.as_ptr(),
            || self.beyond::<F>(first, first_spare, [way[0], way[1]]),
            second.as_ptr(),
            || self.beyond::<F>(second, second_spare, [way[1], way[2]]),
        )
    }

    fn beyond_alone(&self, numbers: &mut [u32], spare: &mut [u32], [from, to]: [u32; 2], hull: &mut Vec<u32>) {
        if numbers.is_empty() {
            return;
        }
        let top = self.farthest::<Serial>(numbers, [from, to]);
        let kept = self.filter_alone(numbers, spare, [from, top, to].map(|number| self.point(number)));
        let [(first, first_spare), (second, second_spare)] = both_ends(kept, spare, numbers);
        self.beyond_alone(first, first_spare, [from, top], hull);
        hull.push(top);
        self.beyond_alone(second, second_spare, [top, to], hull);
    }

    /// The leftmost and the rightmost point.
    fn ends<F: Fork>(&self, numbers: &[u32]) -> [u32; 2] {
        let outer = |a: [u32; 2], b: [u32; 2]| {
            let left = if self.point(b[0]) < self.point(a[0]) { b[0] } else { a[0] };
            let right = if self.point(b[1]) > self.point(a[1]) { b[1] } else { a[1] };
            [left, right]
        };
        best::<F, _>(numbers, self.leaf, &|number| [number; 2], &outer)
    }

    /// The point that makes the largest triangle over a line. Of equal ones the first, so that the schedule does not
    /// matter.
    fn farthest<F: Fork>(&self, numbers: &[u32], line: [u32; 2]) -> u32 {
        let line: Line = line.map(|number| self.point(number));
        let larger = |a: (f64, u32), b: (f64, u32)| if b.0 > a.0 || (b.0 >= a.0 && b.1 < a.1) { b } else { a };
        best::<F, _>(numbers, self.leaf, &|number| (area(line, self.point(number)), number), &larger).1
    }

    /// Keeps numbers of points beyond the first line of a way at the front, beyond the second at the end, and counts
    /// them: each leaf first by itself in `spare`, then all together, when their places are known.
    fn filter<F: Fork>(&self, numbers: &mut [u32], spare: &mut [u32], way: [Point; 3]) -> [usize; 2] {
        let mut counts = vec![[0; 2]; numbers.len().div_ceil(self.leaf)];
        self.filter_leaves::<F>(numbers, spare, &mut counts, way);
        let [front, end] = total(&counts);
        let (first, rest) = numbers.split_at_mut(front);
        let second = rest.len() - end;
        self.gather::<F>(spare, &counts, first, &mut rest[second..]);
        [front, end]
    }

    fn filter_leaves<F: Fork>(&self, numbers: &[u32], kept: &mut [u32], counts: &mut [[usize; 2]], way: [Point; 3]) {
        if let [count] = counts {
            F::touch(numbers);
            *count = self.filter_alone(numbers, kept, way);
            return;
        }
        let (low_counts, high_counts) = counts.split_at_mut(counts.len() / 2);
        let (low, high) = numbers.split_at(low_counts.len() * self.leaf);
        let (low_kept, high_kept) = kept.split_at_mut(low.len());
        F::join_near(
            low.as_ptr(),
            || self.filter_leaves::<F>(low, low_kept, low_counts, way),
            high.as_ptr(),
            || self.filter_leaves::<F>(high, high_kept, high_counts, way),
        );
    }

    /// Writes each number to both ends and moves on by arithmetic: a branch would often be wrongly predicted.
    fn filter_alone(&self, numbers: &[u32], kept: &mut [u32], [a, b, c]: [Point; 3]) -> [usize; 2] {
        let (mut front, mut end) = (0, numbers.len());
        for &number in numbers {
            let point = self.point(number);
            let first = area([a, b], point) > 0.0;
            let second = !first & (area([b, c], point) > 0.0);
            kept[front] = number;
            kept[end - 1] = number;
            front += usize::from(first);
            end -= usize::from(second);
        }
        [front, numbers.len() - end]
    }

    fn gather<F: Fork>(&self, kept: &[u32], counts: &[[usize; 2]], first: &mut [u32], second: &mut [u32]) {
        if let &[[front, end]] = counts {
            F::touch(kept);
            first.copy_from_slice(&kept[..front]);
            return second.copy_from_slice(&kept[kept.len() - end..]);
        }
        let (low_counts, high_counts) = counts.split_at(counts.len() / 2);
        let (low, high) = kept.split_at(low_counts.len() * self.leaf);
        let [front, end] = total(low_counts);
        let (first_low, first_high) = first.split_at_mut(front);
        let (second_low, second_high) = second.split_at_mut(end);
        F::join_near(
            low.as_ptr(),
            || self.gather::<F>(low, low_counts, first_low, second_low),
            high.as_ptr(),
            || self.gather::<F>(high, high_counts, first_high, second_high),
        );
    }

    fn point(&self, number: u32) -> Point {
        self.points[number as usize]
    }
}

/// The best of some numbers by a value of each.
fn best<F: Fork, T: Send>(
    numbers: &[u32],
    leaf: usize,
    worth: &(impl Fn(u32) -> T + Sync),
    better: &(impl Fn(T, T) -> T + Sync),
) -> T {
    if numbers.len() <= leaf {
        F::touch(numbers);
        return numbers.iter().map(|&number| worth(number)).reduce(better).expect("a half is not empty");
    }
    let (low, high) = numbers.split_at(numbers.len() / 2);
    let (a, b) = F::join_near(
        low.as_ptr(),
        || best::<F, T>(low, leaf, worth, better),
        high.as_ptr(),
        || best::<F, T>(high, leaf, worth, better),
    );
    better(a, b)
}

fn total(counts: &[[usize; 2]]) -> [usize; 2] {
    counts.iter().fold([0; 2], |total, count| [total[0] + count[0], total[1] + count[1]])
}

/// What a filter kept at the front and at the end, each with as much of the spare array.
fn both_ends<'a>(
    [front, end]: [usize; 2],
    kept: &'a mut [u32],
    spare: &'a mut [u32],
) -> [(&'a mut [u32], &'a mut [u32]); 2] {
    let (first, rest) = kept.split_at_mut(front);
    let second = rest.len() - end;
    let (first_spare, second_spare) = spare.split_at_mut(front);
    [(first, first_spare), (&mut rest[second..], &mut second_spare[..end])]
}
