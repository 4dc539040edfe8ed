//! Groups: each combination of values that the keys can have is a number.

use knee_workload::Error;

use super::program::{Rows, load};
use crate::answer;
use crate::error::wrong;
use crate::lanes::{self, Isa};
use crate::table::Table;

/// Most groups that are added up each by itself; with more of them, rows are added to their groups.
const FEW: usize = 16;
/// Most combinations of keys. A group's number fits a lane of 16 bits, and one number is of rows that do not count.
pub(super) const MOST: usize = lanes::HIDDEN as usize;

/// The keys of a query: group = sum of code × factor.
#[derive(Debug)]
pub(super) struct Groups {
    keys: Vec<Key>,
    pub(super) combinations: usize,
}

#[derive(Debug)]
struct Key {
    column: usize,
    /// Combinations of the keys after this one.
    factor: usize,
    /// How many codes the column has.
    codes: usize,
    /// The smallest code: 0 but for plain columns.
    least: i128,
}

impl Groups {
    pub(super) fn new(columns: &[usize], table: &Table) -> Result<Self, Error> {
        let mut keys = Vec::new();
        let mut combinations = 1_usize;
        for &column in columns.iter().rev() {
            let (base, step) = table.columns()[column].storage.base_and_step().expect("doubles make no groups");
            let least = (table.columns()[column].bounds.low - i128::from(base)) / i128::from(step);
            let codes = largest_code_signed(table, column) - least + 1;
            if codes.saturating_mul(combinations as i128) > MOST as i128 {
                let name = &table.columns()[column].name;
                let others = if combinations == 1 { String::new() } else { format!(" x {combinations} behind it") };
                let what = format!("GROUP BY {name}: up to {codes} values{others}; at most {MOST} groups are possible");
                return Err(wrong(what).hint("DuckDB makes as many groups as memory holds"));
            }
            let codes = usize::try_from(codes).expect("it was just compared");
            keys.push(Key { column, factor: combinations, codes, least });
            combinations *= codes;
        }
        keys.reverse();
        Ok(Self { keys, combinations })
    }

    /// Whether groups are added up each by itself.
    pub(super) fn are_few(&self) -> bool {
        self.combinations <= FEW
    }

    /// Writes the group of each row; those that do not count are hidden.
    pub(super) fn of_rows(&self, isa: Isa, rows: Rows<'_>, mask: &[u16], groups: &mut [u16]) {
        if self.keys.is_empty() {
            return lanes::hide_or_first(isa, mask, groups);
        }
        let least: i128 = self.keys.iter().map(|key| key.least * key.factor as i128).sum();
        let mut constant = Some((-least) as u16);
        for key in &self.keys {
            load(isa, rows, key.column, key.factor as u16, constant.take(), groups);
        }
        lanes::hide(isa, mask, groups);
    }

    /// The values of all keys in a group.
    pub(super) fn keys(&self, group: usize, table: &Table) -> Vec<answer::Key> {
        let value = |Key { column, factor, codes, least }: &Key| {
            let column = &table.columns()[*column];
            let (base, step) = column.storage.base_and_step().expect("doubles make no groups");
            let code = i128::from(step) * (least + (group / factor % codes) as i128);
            let value = i64::try_from(i128::from(base) + code).expect("a column holds 64 bits");
            match &column.dictionary {
                Some(words) => answer::Key::Text(words[value as usize].clone()),
                None => answer::Key::Whole(value),
            }
        };
        self.keys.iter().map(value).collect()
    }
}

fn largest_code_signed(table: &Table, column: usize) -> i128 {
    let (base, step) = table.columns()[column].storage.base_and_step().expect("doubles make no groups");
    (table.columns()[column].bounds.high - i128::from(base)) / i128::from(step)
}
