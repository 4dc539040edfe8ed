//! A query over rows that are read some row groups at a time: they need not all fit into memory, and the memory of some is
//! used again for the next, which the kernel would have to clear otherwise.

mod once;

use std::ops::Range;

use knee_runtime::Pool;
use knee_workload::{Error, Phases};

use crate::answer::Partial;
use crate::data::{Slice, Source};
use crate::dump::Dump;
use crate::known::Rest;
use crate::lanes::Isa;
use crate::load::Wanted;
use crate::plan::Plan;
use crate::run::Lies;
use crate::scan::Scan;
use crate::sql::Select;
use crate::table::Table;

pub use once::at_once;

/// How rows are read and asked.
pub(crate) struct Stream<'a> {
    pub(crate) wanted: &'a Wanted<'a>,
    pub(crate) pool: &'a Pool,
    pub(crate) isa: Isa,
    /// Whether it is asked on which nodes rows lie.
    pub(crate) homes: bool,
}

/// What is known of the rows so far.
#[derive(Debug)]
pub(crate) struct Streamed {
    /// Of the whole query, over the columns of its source.
    pub(crate) plan: Plan,
    pub(crate) partial: Partial,
    /// Rows that were read: all but those of row groups in which none counts.
    pub(crate) rows: u64,
    /// Bytes of these rows as they were encoded, and most that the query reads of one.
    pub(crate) bytes: u64,
    pub(crate) bytes_per_row: usize,
    /// Bytes read at home and elsewhere, or why that is not known.
    pub(crate) read: (u64, u64),
    pub(crate) unknown: Option<String>,
}

impl Stream<'_> {
    /// Asks a query of parts of a source, in batches of so many rows at least.
    pub(crate) fn of_source(
        &self,
        select: &Select,
        (source, parts): (&dyn Source, Range<usize>),
        rows: u64,
        phases: &mut Phases,
    ) -> Result<Streamed, Error> {
        let mut whole = Streamed::new(Plan::new(&select.clone().counting_rows(), &source.fields())?);
        for parts in batches(source, parts, rows) {
            let slice = Slice { of: source, parts };
            let rest = Rest::new(select, &whole.plan, &slice)?;
            let table = self.wanted.encoded(&slice, &rest.select, self.pool, phases)?;
            self.ask(&rest, table, &mut whole, phases)?;
        }
        Ok(whole)
    }

    /// Asks a query of a dump, in batches of so many morsels; what `hint` says is tried where these do not fit.
    pub(crate) fn of_dump(
        &self,
        select: &Select,
        (dump, hint): (&Dump, Option<&'static str>),
        morsels: usize,
        phases: &mut Phases,
    ) -> Result<Streamed, Error> {
        let fields = dump.fields();
        let mut whole = Streamed::new(Plan::new(&select.clone().counting_rows(), &fields)?);
        let rest = Rest::all(select, &whole.plan);
        let columns = Plan::new(select, &fields)?.columns().to_vec();
        let all = dump.morsels()?;
        // Once: to ask how much memory is free takes longer than to read a small batch.
        self.wanted.fits((dump, hint), &columns, morsels.min(all))?;
        for from in (0..all.max(1)).step_by(morsels) {
            let morsels = from..(from + morsels).min(all);
            let table = self.wanted.dumped(dump, &columns, morsels, self.pool, phases)?;
            self.ask(&rest, table, &mut whole, phases)?;
        }
        Ok(whole)
    }

    /// Asks what is left of a query of some rows.
    fn ask(&self, rest: &Rest, table: Table, whole: &mut Streamed, phases: &mut Phases) -> Result<(), Error> {
        let plan = phases.measure("plan", || Plan::new(&rest.select.clone().counting_rows(), &table.fields()))?;
        let scan = Scan::new(&plan, &table, self.isa)?;
        scan.check_memory(self.pool.workers())?;
        let lies = if self.homes { Lies::new(&table, Some(self.pool)) } else { Lies::AtHome };
        let state = phases.measure("scan", || scan.parallel(self.pool, &lies));
        whole.rows += table.rows() as u64;
        whole.bytes += table.bytes() as u64;
        whole.bytes_per_row = whole.bytes_per_row.max(scan.bytes_per_row());
        whole.read = (whole.read.0 + state.read.0, whole.read.1 + state.read.1);
        whole.unknown = whole.unknown.take().or_else(|| lies.unknown().map(str::to_owned));
        whole.partial.add(rest.complete(state.partial(&scan)?), &whole.plan)?;
        self.wanted.placed.keep(table);
        Ok(())
    }
}

impl Streamed {
    fn new(plan: Plan) -> Self {
        let partial = Partial::default();
        Self { plan, partial, rows: 0, bytes: 0, bytes_per_row: 0, read: (0, 0), unknown: None }
    }
}

/// Cuts parts into batches of so many rows at least.
fn batches(source: &dyn Source, parts: Range<usize>, least: u64) -> Vec<Range<usize>> {
    let parts = parts.start..parts.end.min(source.parts());
    let (mut batches, mut from, mut rows) = (Vec::new(), parts.start, 0);
    for part in parts.clone() {
        rows += source.rows_of(part);
        if rows >= least {
            batches.push(from..part + 1);
            (from, rows) = (part + 1, 0);
        }
    }
    // The last one may be the only one, without a row: what is known of an answer is known of this one, too.
    batches.extend((from < parts.end || batches.is_empty()).then_some(from..parts.end));
    batches
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use knee_workload::{Args, Workload};

    use super::*;
    use crate::answer::Answer;
    use crate::data::Parquet;
    use crate::field::Field;
    use crate::fuzzing::write_parquet;
    use crate::kind::Kind;
    use crate::table::{self, Chunk, Columns, Encoding, MORSEL, Placed};
    use crate::workload::Query;
    use crate::{dump, oracle, sql};

    /// Calls with a stream on two workers.
    fn with_stream(ask: impl FnOnce(&Stream<'_>)) {
        let args = Args::complete(Query.params(), &BTreeMap::new()).unwrap();
        let wanted = Wanted::new(&args).unwrap().following();
        let pool = Pool::builder().workers(2).build().unwrap();
        ask(&Stream { wanted: &wanted, pool: &pool, isa: Isa::best(), homes: true });
    }

    /// Asks in batches of each size, and of all rows at once by the plain loop.
    fn same(text: &str, table: &Table, sizes: &[usize], ask: impl Fn(&Select, usize) -> Streamed) {
        let select = sql::parse(text).unwrap();
        let expected = oracle::answer(&Plan::new(&select, &table.fields()).unwrap(), table).unwrap();
        for size in sizes {
            let found = ask(&select, *size);
            let answer = Answer::new(&found.plan, found.partial.rows(&found.plan).unwrap());
            assert!(answer.is_close(&expected), "{text}, batches of {size}: {answer:?}, not {expected:?}");
            assert_eq!(found.rows, table.rows() as u64, "{text}, batches of {size}");
        }
    }

    #[test]
    fn batches_of_row_groups_say_what_all_of_them_say() {
        let folder = tempfile::tempdir().unwrap();
        write_parquet(folder.path()).unwrap();
        let files = Parquet::open(folder.path()).unwrap();
        let texts = [
            "select count(*), sum(price), min(tax), max(day), avg(half) from t",
            "select min(word), max(word), max(price * small), count(word) from t where key > 0 and small < 2",
            "select word, day, sum(price), avg(tax), count(*) from t group by word, day order by word desc, day limit 7",
            "select small, max(half) from t where day between date '1991-11-29' and date '1991-12-02' group by small",
            "select sum(price) from t where word = 'none'",
        ];
        with_stream(|stream| {
            for text in texts {
                let select = sql::parse(text).unwrap();
                let table = stream.wanted.encoded(&files, &select, stream.pool, &mut Phases::default()).unwrap();
                same(text, &table, &[1, 50, usize::MAX], |select, rows| {
                    let parts = (&files as &dyn Source, 0..files.parts());
                    stream.of_source(select, parts, rows as u64, &mut Phases::default()).unwrap()
                });
            }
        });
    }

    #[test]
    fn batches_of_morsels_say_what_all_of_them_say() {
        let field = |(name, kind): (&str, Kind)| Field { name: name.into(), kind, dictionary: None };
        let fields = [("price", Kind::Decimal(2)), ("word", Kind::Text)].map(field);
        let rows = 3 * MORSEL + 5;
        let words = ["b", "a", "c"].map(str::to_owned).to_vec();
        let columns = vec![
            Columns::Numbers((0..rows as i64).map(|row| row * 77_777 % 999_983 - 300).collect()),
            Columns::Texts((0..rows as u32).map(|row| row % 3).collect(), words),
        ];
        let chunks = vec![Chunk::new(rows, columns)];
        let table = table::build(&fields, chunks, Encoding::Narrow, &Placed::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.knee");
        dump::write(&table, "a test", "narrow", &path).unwrap();
        let dump = Dump::open(&path).unwrap();
        let texts = [
            "select count(*), count(word) from t",
            "select min(price), max(price), avg(price), min(word) from t where word <> 'a'",
            "select word, sum(price * (1 - price)), count(*) from t where price > 50 group by word order by 2 limit 2",
        ];
        with_stream(|stream| {
            for text in texts {
                same(text, &table, &[1, 3, 9], |select, morsels| {
                    stream.of_dump(select, (&dump, None), morsels, &mut Phases::default()).unwrap()
                });
            }
        });
    }
}
