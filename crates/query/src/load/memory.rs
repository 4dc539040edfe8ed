//! How much memory a table needs, and whether it is there.

use std::sync::atomic::Ordering;

use knee_machine::room;
use knee_workload::Error;

use super::Wanted;
use crate::data::Source;
use crate::error::wrong;
use crate::kind::Kind;
use crate::table::Encoding;

/// Memory that a run needs beside its table.
const BESIDE: u64 = 256 << 20;

impl Wanted<'_> {
    /// Bytes of a table while it is built, as most of its columns need them: its copies, and chunks beside it.
    pub(super) fn building(&self, rows: u64, kinds: &[Kind]) -> u64 {
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
    pub(super) fn fitting(&self, table: u64, hint: Option<&'static str>) -> Result<(), Error> {
        let needed = table.saturating_add(BESIDE);
        if self.follow && needed <= self.room.load(Ordering::Relaxed) {
            // What one table took is kept for the next; to ask each time takes longer than to read a small one.
            return Ok(());
        }
        let short = || room::memory().filter(|left| *left < needed);
        if short().is_some() {
            // It may be what is kept for the next table that is missing.
            self.placed.forget();
            room::give_back();
        }
        let Some(left) = short() else {
            self.room.fetch_max(needed, Ordering::Relaxed);
            return Ok(());
        };
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
}

/// Bytes that all workers hold at most while they read, beside what they have read.
pub(super) fn held(source: &dyn Source, columns: &[usize], workers: usize) -> u64 {
    let together = if source.reads_together() { 1 } else { columns.len() };
    let at_once = workers.min(source.parts().saturating_mul(together));
    source.held(columns).saturating_mul(at_once as u64)
}
