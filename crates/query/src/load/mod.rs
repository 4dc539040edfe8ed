//! From a source, or from the dump of one, to a table in placed memory.

mod kept;
mod memory;

use std::path::Path;
use std::sync::atomic::AtomicU64;

use knee_machine::room;
use knee_runtime::{Arrangement, Pool};
use knee_workload::{Args, Error, Phases};

use crate::data::{self, Parquet, Source, Tpch};
use crate::dump::Dump;
use crate::error::wrong;
use crate::field::Field;
use crate::kind::Kind;
use crate::known::{needed, planned, sums_doubles};
use crate::plan::Plan;
use crate::sql::{self, Select};
use crate::table::{self, Blocks, Encoding, Placed, Table};
use memory::held;

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
    follow: bool,
    /// Bytes that memory had room for, where tables follow one another.
    room: AtomicU64,
}

/// Where rows come from.
pub(crate) enum Rows {
    Generated(Tpch),
    Files(Parquet),
    /// Encoded before; and what to try where memory is short.
    Encoded(Dump, Option<&'static str>),
}

impl<'a> Wanted<'a> {
    /// Reads the arguments, and checks that memory can be placed so.
    pub(crate) fn new(args: &'a Args) -> Result<Self, Error> {
        let encoding = Encoding::named(args.text("encoding")).expect("values were checked");
        // Huge pages: a scan reads several streams, and each small page of each of them would need its own translation.
        let arrangement = Arrangement::named(args.text("layout")).expect("values were checked").huge(true);
        let trial = arrangement.uninit::<u64>(1 << 16).map_err(|error| cannot_lay_out(args, &error))?;
        let copies = trial.copies();
        Ok(Self {
            args,
            encoding,
            placed: Placed::new(arrangement, copies),
            instead: None,
            follow: false,
            room: AtomicU64::new(0),
        })
    }

    /// The same, for small tables that follow one another.
    pub(crate) fn following(self) -> Self {
        Self { follow: true, ..self }
    }

    /// Where the rows of a query come from. What is kept is made first if it is not there.
    pub(crate) fn rows(&self, select: &Select, pool: &Pool, phases: &mut Phases) -> Result<Rows, Error> {
        let opened = |data: &str| pool.install(|| Parquet::open(Path::new(data)));
        Ok(match (self.args.text("data"), self.args.text("cache")) {
            ("", "") => Rows::Generated(lineitem(select, self.args.text("scale"))?),
            ("", cache) => {
                let lineitem = lineitem(select, self.args.text("scale"))?;
                Rows::Encoded(self.cached(&lineitem, Path::new(cache), select, pool, phases)?, None)
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
                Rows::Encoded(dump, plain.then_some(other))
            }
            (data, "") => Rows::Files(opened(data)?),
            (data, cache) => Rows::Encoded(self.cached(&opened(data)?, Path::new(cache), select, pool, phases)?, None),
        })
    }

    /// The table, with the columns that a query reads.
    pub(crate) fn table(&self, select: &Select, pool: &Pool, phases: &mut Phases) -> Result<Table, Error> {
        match self.rows(select, pool, phases)? {
            Rows::Generated(lineitem) => self.encoded(&lineitem, select, pool, phases),
            // Others than sums of doubles were asked in batches, unless somebody wants a table of all rows.
            Rows::Files(files) if sums_doubles(select, &files.fields())? => {
                self.encoded(&needed(files, select)?, select, pool, phases)
            }
            Rows::Files(files) => self.encoded(&files, select, pool, phases),
            Rows::Encoded(dump, hint) => {
                let columns = Plan::new(select, &dump.fields())?.columns().to_vec();
                let morsels = dump.morsels()?;
                self.fits((&dump, hint), &columns, morsels)?;
                self.dumped(&dump, &columns, 0..morsels, pool, phases)
            }
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
}

/// The table that is generated, if it is the one that a query names.
pub(crate) fn lineitem(select: &Select, scale: &str) -> Result<Tpch, Error> {
    if !sql::same(&select.table, LINEITEM) {
        let what = format!("there is no table {}: without a file, it is {LINEITEM}", select.table);
        return Err(wrong(what).hint("give a Parquet file or a directory of them, or write FROM lineitem"));
    }
    Tpch::new(scale)
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
