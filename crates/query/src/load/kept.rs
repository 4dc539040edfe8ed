//! Tables that are kept in a file: made once from a source, read as they are.

use std::ops::Range;
use std::path::Path;

use knee_runtime::Pool;
use knee_workload::{Error, Phases};
use twox_hash::XxHash3_64;

use super::Wanted;
use crate::data::Source;
use crate::dump::{self, Dump};
use crate::error::wrong;
use crate::known::planned;
use crate::sql::Select;
use crate::table::Table;

impl Wanted<'_> {
    /// The dump of a source, which is made first if it is not there.
    pub(super) fn cached(
        &self,
        source: &dyn Source,
        cache: &Path,
        select: &Select,
        pool: &Pool,
        phases: &mut Phases,
    ) -> Result<Dump, Error> {
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
        Ok(dump)
    }

    /// Some columns of some morsels of a dump, which have room in memory.
    pub(crate) fn dumped(
        &self,
        dump: &Dump,
        columns: &[usize],
        morsels: Range<usize>,
        pool: &Pool,
        phases: &mut Phases,
    ) -> Result<Table, Error> {
        phases.measure("load", || pool.install(|| dump.read(columns, morsels, &self.placed)))
    }

    /// Refuses so many morsels that memory cannot hold; the hint says what to try.
    pub(crate) fn fits(
        &self,
        (dump, hint): (&Dump, Option<&'static str>),
        columns: &[usize],
        morsels: usize,
    ) -> Result<(), Error> {
        let bytes = dump.bytes(columns).saturating_mul(morsels as u64);
        self.fitting(bytes.saturating_mul(self.placed.copies as u64), hint)
    }
}
