//! Arithmetic on lanes, and sums and extremes of those of one group.

use super::{Code, Lane, for_each_isa};

for_each_isa! {
    /// `out` = one × other + constant.
    pub(crate) fn multiply<L: Lane>(one: &[L], other: &[L], constant: L, out: &mut [L]) {
        for ((out, one), other) in out.iter_mut().zip(one).zip(other) {
            *out = constant.plus(one.times(*other));
        }
    }

    /// `out` = one + other.
    pub(crate) fn add<L: Lane>(one: &[L], other: &[L], out: &mut [L]) {
        for ((out, one), other) in out.iter_mut().zip(one).zip(other) {
            *out = one.plus(*other);
        }
    }

    /// `out` = one − other.
    pub(crate) fn minus<C: Code>(one: &[C], other: &[C], out: &mut [C]) {
        for ((out, one), other) in out.iter_mut().zip(one).zip(other) {
            *out = one.minus(*other);
        }
    }

    /// The largest of some positions; 0 of none.
    pub(crate) fn last_position(positions: &[u32]) -> u32 {
        positions.iter().fold(0, |last, position| last.max(*position))
    }

    /// The smallest and the largest of some numbers and `other`.
    pub(crate) fn extremes(other: i64, numbers: &[i64]) -> (i64, i64) {
        numbers.iter().fold((other, other), |(low, high), number| (low.min(*number), high.max(*number)))
    }

    /// The sum of a group's lanes, which has to fit 64 bits.
    pub(crate) fn sum<L: Lane>(groups: &[u16], group: u16, lanes: &[L]) -> i64 {
        groups.iter().zip(lanes).map(|(own, lane)| if *own == group { lane.signed() } else { 0 }).sum()
    }

    /// The smallest of a group's lanes; the largest number of a group without rows.
    pub(crate) fn least<L: Lane>(groups: &[u16], group: u16, lanes: &[L]) -> i64 {
        fold(groups, group, lanes, L::MOST, L::lesser).signed()
    }

    /// The largest of a group's lanes; the smallest number of a group without rows.
    pub(crate) fn greatest<L: Lane>(groups: &[u16], group: u16, lanes: &[L]) -> i64 {
        fold(groups, group, lanes, L::LEAST, L::greater).signed()
    }
}

/// Rows that are joined side by side: one after the other, the compiler makes no vectors of them.
const ASIDE: usize = 32;

/// Joins a group's lanes; `none` changes nothing.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for the instruction set of its callers")]
fn fold<L: Lane>(groups: &[u16], group: u16, lanes: &[L], none: L, join: impl Fn(L, L) -> L) -> L {
    let (groups, rest_of_groups) = groups.as_chunks::<ASIDE>();
    let (lanes, rest) = lanes.as_chunks::<ASIDE>();
    let own = |own: u16, lane: L| if own == group { lane } else { none };
    let mut all = [none; ASIDE];
    for (groups, lanes) in groups.iter().zip(lanes) {
        for at in 0..ASIDE {
            all[at] = join(all[at], own(groups[at], lanes[at]));
        }
    }
    let rest = rest_of_groups.iter().zip(rest).map(|(group, lane)| own(*group, *lane));
    all.into_iter().chain(rest).fold(none, join)
}
