//! Sums that need more than products of 16-bit numbers, and those of many groups.

use super::program::{Computed, Programs, Rows};
use crate::field::Bounds;
use crate::lanes::{self, BLOCK, HIDDEN, Isa};
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
        let mut joined = Some(first);
        self.each(groups, computed, rows, |own, value| {
            if own == group {
                joined = joined.and_then(|joined| join(joined, value?));
            }
        });
        joined
    }

    /// Adds each row of a block to its group; whether all sums fit.
    pub(super) fn scatter(&self, groups: &[u16], computed: &Computed, rows: Rows<'_>, sums: &mut [i128]) -> bool {
        let mut fits = true;
        self.each(groups, computed, rows, |group, value| {
            let sum = &mut sums[usize::from(group)];
            match value.and_then(|value| sum.checked_add(value)) {
                Some(more) => *sum = more,
                None => fits = false,
            }
        });
        fits
    }

    /// Calls `take` with the group and the value of each row that counts; none if it needs more than 128 bits.
    pub(super) fn each(
        &self,
        groups: &[u16],
        computed: &Computed,
        rows: Rows<'_>,
        mut take: impl FnMut(u16, Option<i128>),
    ) {
        let counting = |(group, _): &(&u16, usize)| **group != HIDDEN;
        let each = groups.iter().zip(0..).filter(counting);
        match self {
            Self::Of32(slot) => {
                let lanes = computed.middle.get(*slot);
                each.for_each(|(group, row)| take(*group, Some(i128::from(lanes[row] as i32))));
            }
            Self::Of64(slot) | Self::Large(slot) => {
                let lanes = computed.wide.get(*slot);
                each.for_each(|(group, row)| take(*group, Some(i128::from(lanes[row] as i64))));
            }
            Self::Rows(number) => {
                let Rows { table, morsel, from } = rows;
                let value = |row: usize| number.value(&|column| table.number(morsel, column, from + row));
                each.for_each(|(group, row)| take(*group, value(row)));
            }
        }
    }
}
