//! From a source, or from the dump of one, to a table in placed memory.

use std::path::Path;

use knee_machine::room;
use knee_runtime::{Arrangement, Pool};
use knee_workload::{Args, Error, Phases};
use twox_hash::XxHash3_64;

use crate::data::{self, Parquet, Source, Tpch};
use crate::dump::{self, Dump};
use crate::error::wrong;
use crate::field::Field;
use crate::kind::Kind;
use crate::plan::{self, Plan};
use crate::sql::{self, Select};
use crate::table::{self, Blocks, Encoding, Placed, Table};

/// Memory that a run needs beside its table.
const BESIDE: u64 = 256 << 20;

/// The table that is generated.
const LINEITEM: &str = "lineitem";

/// What a table is made of, and how.
pub(crate) struct Wanted<'a> {
    pub(crate) args: &'a Args,
    pub(crate) encoding: Encoding,
    pub(crate) placed: Placed,
    /// What to try where memory is short, for who cannot give other options.
    pub(crate) instead: Option<&'static str>,
    /// Whether small tables follow one another, so that the memory of one is kept for the next.
    pub(crate) follow: bool,
}

impl<'a> Wanted<'a> {
    /// Reads the arguments, and checks that memory can be placed so.
    pub(crate) fn new(args: &'a Args) -> Result<Self, Error> {
        let encoding = Encoding::named(args.text("encoding")).expect("values were checked");
        // Huge pages: a scan reads several streams, and each small page of each of them would need its own translation.
        let arrangement = Arrangement::named(args.text("layout")).expect("values were checked").huge(true);
        let trial = arrangement.uninit::<u64>(1 << 16).map_err(|error| cannot_lay_out(args, &error))?;
        let copies = trial.copies();
        Ok(Self { args, encoding, placed: Placed::new(arrangement, copies), instead: None, follow: false })
    }

    /// The table, with the columns that a query reads.
    pub(crate) fn table(&self, select: &Select, pool: &Pool, phases: &mut Phases) -> Result<Table, Error> {
        let opened = |data: &str| pool.install(|| Parquet::open(Path::new(data)));
        match (self.args.text("data"), self.args.text("cache")) {
            ("", "") => self.encoded(&lineitem(select, self.args.text("scale"))?, select, pool, phases),
            ("", cache) => {
                self.cached(&lineitem(select, self.args.text("scale"))?, Path::new(cache), select, pool, phases)
            }
            (data, cache) if Dump::is_one(Path::new(data)) => {
                if !cache.is_empty() {
                    let what = format!("--cache with {data}: its columns are encoded already");
                    return Err(wrong(what).hint("leave out --cache"));
                }
                let dump = Dump::open(Path::new(data))?;
                let (own, wanted) = (dump.encoding(), self.args.text("encoding"));
                if own != wanted {
                    let what = format!("the columns of {data} are stored as {own}, not as {wanted}");
                    return Err(wrong(what).hint(format!("give --encoding {own}")));
                }
                let plain = self.encoding == Encoding::Plain;
                let other = "ask for fewer columns, or give the files that it was made of with --encoding narrow";
                self.dumped(&dump, plain.then_some(other), select, pool, phases)
            }
            (data, "") => self.encoded(&opened(data)?, select, pool, phases),
            (data, cache) => self.cached(&opened(data)?, Path::new(cache), select, pool, phases),
        }
    }

    /// The columns that a query reads, from the source itself.
    pub(crate) fn encoded(
        &self,
        source: &dyn Source,
        select: &Select,
        pool: &Pool,
        phases: &mut Phases,
    ) -> Result<Table, Error> {
        let columns = planned(select, source)?.columns().to_vec();
        self.of_columns(source, (&columns, &columns), None, pool, phases)
    }

    /// All columns that can be used, and at least these. That a column cannot be used may only be seen as it is read.
    fn every_usable(
        &self,
        source: &dyn Source,
        needed: &[usize],
        pool: &Pool,
        phases: &mut Phases,
    ) -> Result<Table, Error> {
        let all = 0..source.fields().len();
        let columns: Vec<usize> = all.filter(|column| source.usable(*column).is_ok()).collect();
        let hint = Some("leave out --cache, which keeps all columns");
        self.of_columns(source, (&columns, needed), hint, pool, phases)
    }

    /// Some columns, of which those that are not needed are left out if it turns out that they cannot be used.
    fn of_columns(
        &self,
        source: &dyn Source,
        (columns, needed): (&[usize], &[usize]),
        hint: Option<&'static str>,
        pool: &Pool,
        phases: &mut Phases,
    ) -> Result<Table, Error> {
        let all = source.fields();
        let copies = self.placed.copies as u64;
        let kinds: Vec<Kind> = columns.iter().map(|column| all[*column].kind).collect();
        let reading = held(source, columns, pool.workers());
        self.fitting(self.building(source.rows(), &kinds).saturating_add(reading), hint)?;
        let blocks = (!self.follow).then(Blocks::default);
        let read = || pool.install(|| data::read_usable(source, columns, needed, blocks.as_ref()));
        let (columns, chunks) = phases.measure("load", read)?;
        let fields: Vec<Field> = columns.iter().map(|column| all[*column].clone()).collect();
        // What values need is known only now. Chunks are there already, and go while the table is written.
        let table = source.rows().saturating_mul(table::bytes_per_row(&fields, &chunks, self.encoding) as u64);
        self.fitting(table.saturating_mul(copies).saturating_sub(table / 2), hint)?;
        if !self.follow {
            // Buffers are no longer needed.
            room::give_back();
        }
        let build = || pool.install(|| table::build(&fields, chunks, self.encoding, &self.placed));
        phases.measure("encode", build).map_err(|error| cannot_lay_out(self.args, &error))
    }

    /// From the dump of a source, which is made first if it is not there.
    fn cached(
        &self,
        source: &dyn Source,
        cache: &Path,
        select: &Select,
        pool: &Pool,
        phases: &mut Phases,
    ) -> Result<Table, Error> {
        // What is wrong with the query is said before anything is made.
        let needed = planned(select, source)?.columns().to_vec();
        let (input, encoding) = (source.input(), self.args.text("encoding"));
        // Other versions may read the same source by other rules.
        let of = format!("{} {} {input}", dump::VERSION, env!("CARGO_PKG_VERSION"));
        let file = cache.join(format!("{:016x}-{encoding}.knee", XxHash3_64::oneshot(of.as_bytes())));
        if !file.exists() {
            let no_directory = |error| {
                let what = format!("cannot make the directory {}: {error}", cache.display());
                wrong(what).hint("give --cache a directory that can be written")
            };
            std::fs::create_dir_all(cache).map_err(no_directory)?;
            let table = self.every_usable(source, &needed, pool, phases)?;
            let written = phases.measure("dump", || dump::write(&table, &input, encoding, &file));
            let unwritten = |error: std::io::Error| {
                // What is too long is kept in no directory.
                let hint = match error.kind() {
                    std::io::ErrorKind::FileTooLarge => "leave out --cache",
                    _ => "give --cache a directory that can be written, with room for the table",
                };
                wrong(format!("cannot write {}: {error}", file.display())).hint(hint)
            };
            written.map_err(unwritten)?;
        }
        let dump = Dump::open(&file)?;
        for (own, wanted) in [(dump.input(), input.as_str()), (dump.encoding(), encoding)] {
            if own != wanted {
                let what = format!("cannot use {}: it is of {own}, not of {wanted}", file.display());
                return Err(wrong(what).hint("remove it; --cache makes it again"));
            }
        }
        let (fields, kept) = (source.fields(), dump.fields());
        let left_out = |column: &&usize| kept.iter().all(|field| field.name != fields[**column].name);
        if let Some(column) = needed.iter().find(left_out) {
            let name = &fields[*column].name;
            return Err(wrong(format!("column {name} was left out of {}, as it cannot be used", file.display()))
                .hint("ask without --cache, which says why"));
        }
        self.dumped(&dump, None, select, pool, phases)
    }

    fn dumped(
        &self,
        dump: &Dump,
        hint: Option<&'static str>,
        select: &Select,
        pool: &Pool,
        phases: &mut Phases,
    ) -> Result<Table, Error> {
        let fields = dump.fields();
        let columns = Plan::new(select, &fields)?.columns().to_vec();
        self.fitting(dump.bytes(&columns).saturating_mul(self.placed.copies as u64), hint)?;
        phases.measure("load", || pool.install(|| dump.read(&columns, &self.placed)))
    }

    /// Bytes of a table while it is built, as most of its columns need them: its copies, and chunks beside it.
    fn building(&self, rows: u64, kinds: &[Kind]) -> u64 {
        let copies = self.placed.copies as u64;
        let bytes = |kind: &Kind| {
            let usual = self.usual_bytes(*kind);
            // Chunks are packed, but for doubles.
            copies * 2 * usual + if *kind == Kind::Double { 2 * usual } else { usual }
        };
        // Halves of bytes, so that none is lost.
        rows.saturating_mul(kinds.iter().map(bytes).sum()) / 2
    }

    /// Bytes of a value, as most columns of its type need.
    fn usual_bytes(&self, kind: Kind) -> u64 {
        match (self.encoding, kind) {
            (_, Kind::Double) | (Encoding::Plain, Kind::Integer | Kind::Decimal(_)) => 8,
            (Encoding::Plain, Kind::Date) | (_, Kind::Integer | Kind::Decimal(_)) => 4,
            (_, Kind::Date | Kind::Text) => 2,
        }
    }

    /// Refuses a table that memory cannot hold; `hint` says what to try, where it is known.
    fn fitting(&self, table: u64, hint: Option<&'static str>) -> Result<(), Error> {
        let needed = table.saturating_add(BESIDE);
        let short = || room::memory().filter(|left| *left < needed);
        if short().is_some() {
            // It may be what is kept for the next table that is missing.
            self.placed.forget();
            room::give_back();
        }
        match short() {
            Some(left) => {
                let mib = |bytes: u64| bytes >> 20;
                let what = format!("the table needs about {} MiB of memory; {} MiB are free", mib(needed), mib(left));
                let generated = self.args.text("data").is_empty();
                Err(wrong(what).hint(self.instead.or(hint).unwrap_or(match (generated, self.encoding) {
                    (true, Encoding::Plain) => "try a smaller --scale, or --encoding narrow",
                    (true, _) => "try a smaller --scale",
                    (false, Encoding::Plain) => "try --encoding narrow",
                    (false, _) => "ask for fewer columns, or use a machine with more memory",
                })))
            }
            None => Ok(()),
        }
    }
}

/// The table that is generated, if it is the one that a query names.
pub(crate) fn lineitem(select: &Select, scale: &str) -> Result<Tpch, Error> {
    if !sql::same(&select.table, LINEITEM) {
        let what = format!("there is no table {}: without a file, it is {LINEITEM}", select.table);
        return Err(wrong(what).hint("give a Parquet file or a directory of them, or write FROM lineitem"));
    }
    Tpch::new(scale)
}

/// Bytes that all workers hold at most while they read, beside what they have read.
fn held(source: &dyn Source, columns: &[usize], workers: usize) -> u64 {
    let together = if source.reads_together() { 1 } else { columns.len() };
    let at_once = workers.min(source.parts().saturating_mul(together));
    source.held(columns).saturating_mul(at_once as u64)
}

/// A query bound to the columns of a source, none of which is of a type that cannot be read.
pub(crate) fn planned(select: &Select, source: &dyn Source) -> Result<Plan, Error> {
    let fields = source.fields();
    let mut named = select.names().into_iter().filter_map(|name| plan::column(&fields, name).ok());
    named.try_for_each(|column| source.usable(column))?;
    Plan::new(select, &fields)
}

fn cannot_lay_out(args: &Args, error: &std::io::Error) -> Error {
    let hint = match error.kind() {
        std::io::ErrorKind::OutOfMemory => "--layout contiguous takes memory of any node; or ask for fewer columns",
        _ => "--layout contiguous asks nothing of the kernel; containers often forbid mbind",
    };
    Error::new(format!("cannot lay out the table: {}: {error}", args.text("layout"))).hint(hint)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use knee_workload::Workload;

    use super::*;
    use crate::data::Unread;
    use crate::table::{Chunk, Columns};

    /// Two columns, of which the second cannot be read the first time.
    struct Stumbling(AtomicBool);

    impl Source for Stumbling {
        fn fields(&self) -> Vec<Field> {
            ["a", "b"].map(|name| Field { name: name.into(), kind: Kind::Integer, dictionary: None }).to_vec()
        }

        fn parts(&self) -> usize {
            1
        }

        fn input(&self) -> String {
            String::new()
        }

        fn rows_of(&self, _: usize) -> u64 {
            1
        }

        fn read(&self, _: usize, columns: &[usize]) -> Result<Chunk, Unread> {
            if columns.contains(&1) && !self.0.swap(true, Ordering::Relaxed) {
                return Err(Unread { column: 1, error: wrong("the disk did not answer"), lasting: false });
            }
            Ok(Chunk::new(1, columns.iter().map(|_| Columns::Numbers(vec![1])).collect()))
        }
    }

    #[test]
    fn no_column_is_left_out_for_good_since_it_could_not_be_read_once() {
        let args = Args::complete(crate::workload::Query.params(), &BTreeMap::new()).unwrap();
        let wanted = Wanted::new(&args).unwrap();
        let pool = Pool::builder().workers(1).build().unwrap();
        let source = Stumbling(AtomicBool::new(false));
        let mut phases = Phases::default();
        let kept = wanted.every_usable(&source, &[0], &pool, &mut phases);
        assert_eq!(kept.unwrap_err().to_string(), "the disk did not answer");
        assert_eq!(wanted.every_usable(&source, &[0], &pool, &mut phases).unwrap().columns().len(), 2);
    }

    /// Three columns in three parts. Of the second and the third one some values cannot be used.
    struct Halves(Mutex<Vec<(usize, Vec<usize>)>>);

    impl Source for Halves {
        fn fields(&self) -> Vec<Field> {
            let kinds = [("a", Kind::Integer), ("b", Kind::Integer), ("c", Kind::Double)];
            kinds.map(|(name, kind)| Field { name: name.into(), kind, dictionary: None }).to_vec()
        }

        fn parts(&self) -> usize {
            3
        }

        fn input(&self) -> String {
            String::new()
        }

        fn rows_of(&self, part: usize) -> u64 {
            100 * (part as u64 + 1)
        }

        fn read(&self, part: usize, columns: &[usize]) -> Result<Chunk, Unread> {
            self.0.lock().unwrap().push((part, columns.to_vec()));
            if let Some(column) = columns.iter().find(|column| part > 0 && **column == part) {
                return Err(Unread { column: *column, error: wrong("it has nulls"), lasting: true });
            }
            let rows = self.rows_of(part) as usize;
            let values = |column: &usize| match column {
                2 => Columns::Doubles(vec![0.5; rows]),
                _ => Columns::Numbers(vec![part as i64; rows]),
            };
            Ok(Chunk::new(rows, columns.iter().map(values).collect()))
        }
    }

    #[test]
    fn nothing_is_read_twice_where_columns_are_left_out() {
        let args = Args::complete(crate::workload::Query.params(), &BTreeMap::new()).unwrap();
        let wanted = Wanted::new(&args).unwrap();
        let pool = Pool::builder().workers(2).build().unwrap();
        let source = Halves(Mutex::default());
        let table = wanted.every_usable(&source, &[0], &pool, &mut Phases::default()).unwrap();
        let kept: Vec<_> = table.columns().iter().map(|column| column.name.as_str()).collect();
        assert_eq!((kept, table.rows()), (vec!["a"], 600));
        assert_eq!([0, 100, 300].map(|row| table.morsel(0).number(0, row)), [0, 1, 2]);
        let mut read = source.0.into_inner().unwrap();
        assert!(read.iter().all(|(_, columns)| columns.len() == 1), "workers share parts");
        read.sort_unstable();
        let all = read.len();
        read.dedup();
        assert_eq!(read.len(), all, "{read:?}");
        for needed in [[0, 1], [0, 2]] {
            let source = Halves(Mutex::default());
            let refused = wanted.every_usable(&source, &needed, &pool, &mut Phases::default()).unwrap_err();
            assert_eq!(refused.to_string(), "it has nulls");
        }
    }

    #[test]
    fn what_workers_hold_while_they_read_needs_memory_too() {
        let source = Halves(Mutex::default());
        // The largest part has 300 rows.
        assert_eq!([1, 2, 100].map(|workers| held(&source, &[0, 2], workers)), [7_200, 14_400, 43_200]);
        assert_eq!(held(&source, &[], 100), 0);
        let lineitem = Tpch::new("1").unwrap();
        assert!(held(&lineitem, &[4, 5, 6], 2) > 2 * 250_000 * 3 * 8);
        let args = Args::complete(crate::workload::Query.params(), &BTreeMap::new()).unwrap();
        let wanted = Wanted::new(&args).unwrap();
        assert_eq!(wanted.placed.copies, 1);
        // Four bytes and half as many beside them; doubles are not packed.
        assert_eq!(wanted.building(600, &[Kind::Integer, Kind::Double]), 600 * (4 + 2 + 8 + 8));
    }
}
