//! Arithmetic on lanes, and sums and extremes of those of one group.

use super::{Lane, for_each_isa};

for_each_isa! {
    /// `out` = one × other.
    pub(crate) fn multiply<L: Lane>(one: &[L], other: &[L], out: &mut [L]) {
        for ((out, one), other) in out.iter_mut().zip(one).zip(other) {
            *out = one.times(*other);
        }
    }

    /// `out` = one + other.
    pub(crate) fn add<L: Lane>(one: &[L], other: &[L], out: &mut [L]) {
        for ((out, one), other) in out.iter_mut().zip(one).zip(other) {
            *out = one.plus(*other);
        }
    }

    /// The sum of a group's lanes, which has to fit 64 bits.
    pub(crate) fn sum<L: Lane>(groups: &[u16], group: u16, lanes: &[L]) -> i64 {
        groups.iter().zip(lanes).map(|(own, lane)| if *own == group { lane.signed() } else { 0 }).sum()
    }

    /// The smallest and the largest of a group's lanes; none of a group without rows.
    pub(crate) fn extremes<L: Lane>(groups: &[u16], group: u16, lanes: &[L]) -> (i64, i64) {
        groups.iter().zip(lanes).fold((i64::MAX, i64::MIN), |(low, high), (own, lane)| {
            let value = lane.signed();
            let there = *own == group;
            (low.min(if there { value } else { i64::MAX }), high.max(if there { value } else { i64::MIN }))
        })
    }
}
