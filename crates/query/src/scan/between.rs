//! Conditions that are one range of a column's codes, as most are: tested first, as bits.

use super::filter::Test;
use super::program::Rows;
use super::read::Read;
use crate::lanes::{self, Bits, Code, Isa};
use crate::table::{Codes, Storage, Table};

/// Rows whose code is one of `low..=high`.
#[derive(Debug)]
pub(super) struct Between {
    pub(super) column: usize,
    low: u64,
    high: u64,
}

impl Between {
    /// Takes all such conditions out of those that must hold.
    pub(super) fn taken_from(test: Test, table: &Table) -> (Vec<Self>, Test) {
        let (mut between, mut others) = (Vec::new(), Vec::new());
        for part in if let Test::All(parts) = test { parts } else { vec![test] } {
            match part {
                Test::Codes(column, ranges) if ranges.len() == 1 && is_stored_as_codes(table, column) => {
                    let (low, high) = ranges[0];
                    between.push(Self { column, low, high });
                }
                Test::Every => {}
                other => others.push(other),
            }
        }
        if others.iter().any(|part| matches!(part, Test::Never)) {
            // No row need be read for the others to know it.
            between.clear();
        }
        let rest = if others.len() > 1 { Test::All(others) } else { others.pop().unwrap_or(Test::Every) };
        (between, rest)
    }

    /// Drops rows where it does not hold; whether any is left.
    pub(super) fn test(&self, isa: Isa, rows: Rows<'_>, read: &mut Read, bits: &mut Bits) -> bool {
        read.take(&[self.column]);
        rows.ahead(self.column, (0, 1));
        match rows.codes(self.column) {
            Codes::U8(codes) => self.of(isa, codes, bits),
            Codes::U16(codes) => self.of(isa, codes, bits),
            Codes::U32(codes) => self.of(isa, codes, bits),
            Codes::I32(codes) => self.of(isa, codes, bits),
            Codes::I64(codes) => self.of(isa, codes, bits),
            other => unreachable!("these are tested as lanes: {other:?}"),
        }
    }

    fn of<C: Code>(&self, isa: Isa, codes: &[C], bits: &mut Bits) -> bool {
        let low = C::low(self.low);
        lanes::between(isa, codes, low, C::low(self.high).minus(low), bits)
    }
}

/// Codes as digits have to be put together first.
fn is_stored_as_codes(table: &Table, column: usize) -> bool {
    matches!(table.columns()[column].storage, Storage::Codes { .. })
}
