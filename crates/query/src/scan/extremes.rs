//! MIN and MAX of whole numbers.

use std::sync::Arc;

use super::counting::Counting;
use super::program::{Computed, Programs, Rows};
use super::wide::Wide;
use crate::answer::Found;
use crate::field::Bounds;
use crate::lanes::{self, Isa, Lane};
use crate::plan::Number;
use crate::table::Table;

/// A smallest or a largest value.
#[derive(Debug)]
pub(super) struct Extreme {
    of: Wide,
    least: bool,
    /// The texts that its values are positions in.
    words: Option<Arc<[String]>>,
}

impl Extreme {
    pub(super) fn new(
        number: &Number,
        least: bool,
        bounds: Option<Bounds>,
        table: &Table,
        programs: &mut Programs,
    ) -> Self {
        let words = match number {
            Number::Column(column) => table.columns()[*column].dictionary.clone(),
            _ => None,
        };
        Self { of: Wide::new(number, bounds, table, programs), least, words }
    }

    /// What a group has before its first row.
    pub(super) fn none(&self) -> i128 {
        if self.least { i128::MAX } else { i128::MIN }
    }

    /// The better one of two.
    pub(super) fn better(&self, one: i128, other: i128) -> i128 {
        if self.least { one.min(other) } else { one.max(other) }
    }

    /// A value of it, as the answer has it.
    pub(super) fn found(&self, value: i128) -> Found {
        match &self.words {
            Some(words) => Found::Text(words[value as usize].clone()),
            None => Found::Exact(value),
        }
    }

    /// A group's extreme in a block, which has rows of it; none if a value needs more than 128 bits.
    pub(super) fn find(
        &self,
        isa: Isa,
        (groups, group): (&[u16], u16),
        computed: &Computed,
        rows: Rows<'_>,
    ) -> Option<i128> {
        match &self.of {
            Wide::Of32(slot) => Some(self.of_lanes(isa, groups, group, computed.middle.get(*slot))),
            Wide::Of64(slot) | Wide::Large(slot) => Some(self.of_lanes(isa, groups, group, computed.wide.get(*slot))),
            Wide::Rows(_) => {
                let better = |one, other| Some(self.better(one, other));
                self.of.fold((groups, group), computed, rows, self.none(), better)
            }
        }
    }

    fn of_lanes<L: Lane>(&self, isa: Isa, groups: &[u16], group: u16, lanes: &[L]) -> i128 {
        let find = if self.least { lanes::least } else { lanes::greatest };
        find(isa, groups, group, lanes).into()
    }

    /// Shows each row of a block to its group; whether all values fit.
    pub(super) fn scatter(&self, rows: &Counting, computed: &Computed, block: Rows<'_>, found: &mut [i128]) -> bool {
        let mut fits = true;
        self.of.each(rows, computed, block, |group, value| match value {
            Some(value) => found[group] = self.better(found[group], value),
            None => fits = false,
        });
        fits
    }
}
