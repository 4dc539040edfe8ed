//! Sums that need more than products of 16-bit numbers, and those of many groups.

use super::counting::Counting;
use super::program::{Computed, Programs, Rows};
use crate::field::Bounds;
use crate::lanes::{self, BLOCK, Isa};
use crate::plan::Number;
use crate::table::Table;

/// A sum, by where its numbers are computed.
#[derive(Debug)]
pub(super) enum Wide {
    /// In lanes of 32 bits.
    Of32(usize),
    /// In lanes of 64 bits, of which a block's sum fits 64 bits, too.
    Of64(usize),
    /// In lanes of 64 bits, of which only sums in 128 bits are safe.
    Large(usize),
    /// Row by row in 128 bits.
    Rows(Number),
}

/// A running sum, which may leave 128 bits and come back: the order in which rows are added does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Total {
    low: i128,
    /// How many times 2^128 is to be added.
    over: i64,
}

impl Total {
    fn of(value: i64) -> Self {
        Self { low: value.into(), over: 0 }
    }

    pub(crate) fn plus(self, value: i128) -> Self {
        let (low, over) = self.low.overflowing_add(value);
        let times = if !over {
            0
        } else if value < 0 {
            -1
        } else {
            1
        };
        Self { low, over: self.over + times }
    }

    pub(super) fn and(self, other: Self) -> Self {
        let sum = self.plus(other.low);
        Self { over: sum.over + other.over, ..sum }
    }

    /// The sum; none if it needs more than 128 bits.
    pub(crate) fn value(self) -> Option<i128> {
        (self.over == 0).then_some(self.low)
    }
}

/// The largest number that a block can add up in 64 bits.
const SUMMABLE: u128 = (i64::MAX as u128) / BLOCK as u128;

impl Wide {
    /// Of a number inside of these bounds; none where it may need more than 128 bits.
    pub(super) fn new(number: &Number, bounds: Option<Bounds>, table: &Table, programs: &mut Programs) -> Self {
        match bounds.map_or(u128::MAX, Bounds::largest) {
            0..=0x7fff_ffff => Self::Of32(programs.middle.slot(number, table)),
            0x8000_0000..=SUMMABLE => Self::Of64(programs.wide.slot(number, table)),
            largest if largest <= i64::MAX as u128 => Self::Large(programs.wide.slot(number, table)),
            _ => Self::Rows(number.clone()),
        }
    }

    /// A group's sum in a block.
    /// None if a number needs more than 128 bits.
    pub(super) fn sum(
        &self,
        isa: Isa,
        (groups, group): (&[u16], u16),
        computed: &Computed,
        rows: Rows<'_>,
    ) -> Option<Total> {
        match self {
            Self::Of32(slot) => Some(Total::of(lanes::sum(isa, groups, group, computed.middle.get(*slot)))),
            Self::Of64(slot) => Some(Total::of(lanes::sum(isa, groups, group, computed.wide.get(*slot)))),
            Self::Large(_) | Self::Rows(_) => {
                self.fold((groups, group), computed, rows, Total::default(), |sum, value| Some(sum.plus(value)))
            }
        }
    }

    /// Joins the values of a group in a block one by one.
    /// None if one of them needs more than 128 bits, or `join` gives none.
    pub(super) fn fold<T>(
        &self,
        (groups, group): (&[u16], u16),
        computed: &Computed,
        rows: Rows<'_>,
        first: T,
        join: impl Fn(T, i128) -> Option<T>,
    ) -> Option<T> {
        let mut own = (0..groups.len()).filter(|row| groups[*row] == group);
        own.try_fold(first, |joined, row| join(joined, self.value(row, computed, rows)?))
    }

    /// Adds each row of a block to its group; whether all numbers fit.
    pub(super) fn scatter(&self, rows: &Counting, computed: &Computed, block: Rows<'_>, sums: &mut [Total]) -> bool {
        let mut fits = true;
        self.each(rows, computed, block, |group, value| match value {
            Some(value) => sums[group] = sums[group].plus(value),
            None => fits = false,
        });
        fits
    }

    /// Calls `take` with the group and the value of each row that counts; none if it needs more than 128 bits. Of lanes,
    /// hidden rows may come, too, with a group of their own.
    pub(super) fn each(
        &self,
        rows: &Counting,
        computed: &Computed,
        block: Rows<'_>,
        mut take: impl FnMut(usize, Option<i128>),
    ) {
        match self {
            Self::Of32(slot) => {
                let lanes = computed.middle.get(*slot);
                rows.each_or_hidden(|row, group| take(group, Some(i128::from(lanes[row] as i32))));
            }
            Self::Of64(slot) | Self::Large(slot) => {
                let lanes = computed.wide.get(*slot);
                rows.each_or_hidden(|row, group| take(group, Some(i128::from(lanes[row] as i64))));
            }
            Self::Rows(_) => rows.each(|row, group| take(group, self.value(row, computed, block))),
        }
    }

    /// The value of a row; none if it needs more than 128 bits.
    fn value(&self, row: usize, computed: &Computed, rows: Rows<'_>) -> Option<i128> {
        match self {
            Self::Of32(slot) => Some((computed.middle.get(*slot)[row] as i32).into()),
            Self::Of64(slot) | Self::Large(slot) => Some((computed.wide.get(*slot)[row] as i64).into()),
            Self::Rows(number) => number.value(&|column| rows.number(column, row)),
        }
    }
}
