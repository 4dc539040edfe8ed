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
    /// None if it overflows.
    pub(super) fn sum(
        &self,
        isa: Isa,
        (groups, group): (&[u16], u16),
        computed: &Computed,
        rows: Rows<'_>,
    ) -> Option<i128> {
        match self {
            Self::Of32(slot) => Some(lanes::sum(isa, groups, group, computed.middle.get(*slot)).into()),
            Self::Of64(slot) => Some(lanes::sum(isa, groups, group, computed.wide.get(*slot)).into()),
            Self::Large(_) | Self::Rows(_) => self.fold((groups, group), computed, rows, 0, i128::checked_add),
        }
    }

    /// Joins the values of a group in a block one by one.
    /// None if one of them needs more than 128 bits, or `join` gives none.
    pub(super) fn fold(
        &self,
        (groups, group): (&[u16], u16),
        computed: &Computed,
        rows: Rows<'_>,
        first: i128,
        join: impl Fn(i128, i128) -> Option<i128>,
    ) -> Option<i128> {
        let mut own = (0..groups.len()).filter(|row| groups[*row] == group);
        own.try_fold(first, |joined, row| join(joined, self.value(row, computed, rows)?))
    }

    /// Adds each row of a block to its group; whether all sums fit.
    pub(super) fn scatter(&self, rows: &Counting, computed: &Computed, block: Rows<'_>, sums: &mut [i128]) -> bool {
        let mut fits = true;
        self.each(rows, computed, block, |group, value| match value.and_then(|value| sums[group].checked_add(value)) {
            Some(sum) => sums[group] = sum,
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
