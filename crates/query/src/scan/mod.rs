//! How a query is answered from a table: its conditions in terms of codes, its sums in terms of lanes.
//!
//! A worker takes a morsel and goes through it in blocks that stay in its first-level cache. In each block: a mask of the
//! rows that count; the group of each; and what is added up, chosen by the shape of the expression and by the encodings
//! of its columns, never by the query:
//!
//! - A condition that is a few ranges of a column's codes, or of the difference of two columns, is tested as bits
//!   ([`between`]), all others as lanes ([`filter`]).
//! - A sum of products of which at most one factor needs more than 16 bits becomes sums of products of 16-bit numbers
//!   ([`sums`]): the wide factor as digits, the others as one weight. Constants and bases of codes are multiplied in at
//!   the end, once for each group.
//! - What is wider is computed in lanes of 32 or 64 bits, or row by row in 128 ([`wide`]).
//! - Where few rows of a block count, only their positions are kept, and their cache lines asked for. When there are
//!   enough of them, or at the end of the morsel, they are brought together ([`Gathered`](crate::table::Gathered)) and
//!   added up as one block. So of the columns that no condition reads, only the lines are read in which rows count.
//! - With many groups, each row is added to its group ([`wide`]); with few, each group is added up by itself, two at a time.
//!
//! All sums are exact: bounds of columns are known, so that a lane is chosen that cannot overflow. Where no lane is sure,
//! rows are computed one by one, and an overflow of 128 bits is seen ([`State::overflow`]).

mod between;
mod block;
mod counting;
mod doubles;
mod extremes;
mod filter;
mod groups;
mod many;
mod program;
mod read;
mod slots;
mod state;
mod sums;
#[cfg(test)]
mod trial;
mod wide;

use knee_machine::room;
use knee_workload::Error;

use crate::error::wrong;
use crate::field::Bounds;
use crate::lanes::Isa;
use crate::plan::{Aggregate, Plan};
use crate::table::Table;

pub(crate) use block::Scratch;
pub(crate) use filter::floats;
pub(crate) use state::State;
pub(crate) use wide::Total;

use between::Between;
use doubles::Doubles;
use extremes::Extreme;
use filter::Test;
use groups::Groups;
use program::Programs;
use sums::{Recipe, Weighted};
use wide::Wide;

/// Bytes that are not worth a check.
const SMALL: u64 = 64 << 20;

/// A query and the table that it is asked of.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    pub(crate) table: &'a Table,
    isa: Isa,
    /// Conditions that are tested first.
    between: Vec<Between>,
    /// What is computed before the others.
    before: Programs,
    test: Test,
    /// Whether the others have to be tested even if no row is left.
    may_overflow: bool,
    /// What is computed in blocks where rows count.
    after: Programs,
    groups: Groups,
    weighted: Vec<Weighted>,
    /// How many sums of products there are, in all of `weighted` together.
    terms: usize,
    wide: Vec<Wide>,
    extremes: Vec<Extreme>,
    doubles: Vec<Doubles>,
    /// Where each aggregate's value comes from.
    values: Vec<Source>,
    /// Columns of whose next block neither tests nor programs ask.
    rest: Vec<usize>,
    /// Columns that are read of rows that count.
    counted: Vec<usize>,
    /// Columns that are read before the conditions that are tested as lanes.
    first: Vec<usize>,
    /// Bytes of a row in all columns that the query reads.
    bytes: usize,
}

/// Where the value of an aggregate comes from.
#[derive(Debug)]
enum Source {
    /// Sums of products, and the count.
    Products(Recipe),
    Wide(usize),
    Extreme(usize),
    Double(usize),
}

impl<'a> Scan<'a> {
    /// Prepares a query.
    ///
    /// # Errors
    /// Where there may be too many groups.
    pub(crate) fn new(plan: &Plan, table: &'a Table, isa: Isa) -> Result<Self, Error> {
        let mut before = Programs::default();
        let (between, test) = Between::taken_from(&plan.filter, table, &mut before);
        let first = before.asked();
        let asked =
            [between.iter().flat_map(Between::columns).copied().collect(), test.asked(), first.clone()].concat();
        let mut after = Programs::beside(&asked);
        let groups = Groups::new(&plan.keys, table)?;
        let mut scan = Self {
            table,
            isa,
            rest: Vec::new(),
            between,
            before,
            may_overflow: test.may_overflow(),
            test,
            after: Programs::default(),
            groups,
            weighted: Vec::new(),
            terms: 0,
            wide: Vec::new(),
            extremes: Vec::new(),
            doubles: Vec::new(),
            values: Vec::new(),
            counted: plan.counted(),
            first,
            bytes: plan.columns().iter().map(|column| table.bytes_of(*column)).sum(),
        };
        for aggregate in &plan.aggregates {
            let source = scan.source(aggregate, &mut after);
            scan.values.push(source);
        }
        let asked = after.asked();
        scan.rest = plan.columns().iter().copied().filter(|column| !asked.contains(column)).collect();
        scan.after = after;
        Ok(scan)
    }

    /// Refuses what memory cannot hold: each worker has a value of each aggregate for each group, and aggregates of doubles
    /// have one in each morsel. It is for who can still refuse: what is left changes, and may be less at the next look.
    pub(crate) fn check_memory(&self, workers: usize) -> Result<(), Error> {
        let groups = self.groups.combinations;
        let doubles = self.table.morsels().saturating_mul(groups).saturating_mul(self.doubles.len() * size_of::<f64>());
        let exact = (self.terms + self.extremes.len()) * size_of::<i128>() + self.wide.len() * size_of::<Total>();
        // A worker without a morsel has none. One more for the whole, and one more group for rows that do not count.
        let states =
            (workers.min(self.table.morsels()) + 1).saturating_mul(groups + 1).saturating_mul(exact + size_of::<u64>());
        let needed = doubles.saturating_add(states) as u64;
        // Asking how much is left takes longer than some queries.
        match Some(needed).filter(|needed| *needed > SMALL).and_then(|_| room::memory()) {
            Some(left) if left < needed => {
                let mib = |bytes: u64| bytes >> 20;
                let what = format!(
                    "the aggregates of {groups} groups need about {} MiB of memory; {} MiB are free",
                    mib(needed),
                    mib(left)
                );
                Err(wrong(what).hint("ask for fewer groups, use fewer threads, or use a machine with more memory"))
            }
            _ => Ok(()),
        }
    }

    fn source(&mut self, aggregate: &Aggregate, programs: &mut Programs) -> Source {
        match aggregate {
            Aggregate::Sum(number) => {
                let rows = self.table.rows().max(1) as u128;
                let bounds = number.bounds(&|column| self.table.columns()[column].bounds);
                let safe = |bounds: &Bounds| bounds.largest().checked_mul(rows).is_some_and(|sum| sum < 1 << 126);
                let bounds = bounds.filter(safe);
                if bounds.is_some()
                    && self.groups.are_few()
                    && let Some(recipe) =
                        sums::recipe(number, self.table, programs, &mut self.weighted, &mut self.terms)
                {
                    return Source::Products(recipe);
                }
                self.wide.push(Wide::new(number, bounds, self.table, programs));
                Source::Wide(self.wide.len() - 1)
            }
            Aggregate::Least(number) | Aggregate::Greatest(number) => {
                let bounds = number.bounds(&|column| self.table.columns()[column].bounds);
                let least = matches!(aggregate, Aggregate::Least(_));
                self.extremes.push(Extreme::new(number, least, bounds, self.table, programs));
                Source::Extreme(self.extremes.len() - 1)
            }
            Aggregate::FloatSum(value) => self.double(Doubles::Sum(value.clone())),
            Aggregate::FloatLeast(value) => self.double(Doubles::Least(value.clone())),
            Aggregate::FloatGreatest(value) => self.double(Doubles::Greatest(value.clone())),
        }
    }

    fn double(&mut self, doubles: Doubles) -> Source {
        self.doubles.push(doubles);
        Source::Double(self.doubles.len() - 1)
    }

    /// Bytes of a row in all columns that the query reads.
    pub(crate) fn bytes_per_row(&self) -> usize {
        self.bytes
    }
}
