//! Reading a dump.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use knee_machine::files;
use knee_workload::Error;
use twox_hash::XxHash3_64;

use super::header::{Described, Header};
use super::{FRONT, LONGEST, MAGIC, PAGE, VERSION};
use crate::ahead::Ahead;
use crate::error::wrong;
use crate::field::Field;
use crate::table::{Column, MORSEL, Morsel, Placed, Table};

/// A dump that is open.
#[derive(Debug)]
pub(crate) struct Dump {
    path: PathBuf,
    file: File,
    header: Header,
    /// Where the first morsel begins.
    begin: u64,
    ahead: Ahead,
}

/// What is wrong with a dump, and what to do about it.
fn bad(path: &Path, what: impl std::fmt::Display) -> Error {
    wrong(format!("cannot use {}: {what}", path.display()))
        .hint("remove it, and make it again from its source with --cache")
}

impl Dump {
    /// Whether a file begins as dumps do.
    pub(crate) fn is_one(path: &Path) -> bool {
        let mut begin = [0; MAGIC.len()];
        files::regular(path).is_ok_and(|mut file| file.read_exact(&mut begin).is_ok() && begin == *MAGIC)
    }

    /// Opens a dump and checks all but its pieces.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let cannot = |error: io::Error| wrong(format!("cannot read {}: {error}", path.display()));
        let file = files::regular(path).map_err(cannot)?;
        let size = file.metadata().map_err(cannot)?.len();
        let mut front = [0; FRONT];
        file.read_exact_at(&mut front, 0).map_err(|_| bad(path, "it is cut short"))?;
        if !front.starts_with(MAGIC) {
            return Err(bad(path, "it is not a table that knee encoded"));
        }
        let version = u32::from_le_bytes(front[8..12].try_into().expect("four bytes"));
        if version != VERSION {
            return Err(bad(path, format_args!("its version is {version}; this knee reads {VERSION}")));
        }
        let length = u64::from_le_bytes(front[12..].try_into().expect("eight bytes"));
        if length > LONGEST {
            return Err(bad(path, "its header is longer than any that knee writes"));
        }
        if length > size {
            return Err(bad(path, "it is cut short"));
        }
        let mut bytes = vec![0; length as usize + 8];
        file.read_exact_at(&mut bytes, FRONT as u64).map_err(|_| bad(path, "it is cut short"))?;
        let (header, checksum) = bytes.split_at(length as usize);
        if XxHash3_64::oneshot(header).to_le_bytes() != checksum {
            return Err(bad(path, "its header is damaged"));
        }
        let header: Header = serde_json::from_slice(header).map_err(|_| bad(path, "its header is damaged"))?;
        let begin = (FRONT as u64 + length + 8).next_multiple_of(PAGE);
        let mut dump = Self { path: path.to_owned(), file, header, begin, ahead: Ahead::new(0) };
        if !dump.header.is_sound() {
            return Err(bad(path, "its header is damaged"));
        }
        match dump.end() {
            Some(end) if end == size => {
                dump.ahead = Ahead::new(dump.morsels()?);
                Ok(dump)
            }
            Some(end) => Err(bad(path, format_args!("it has {size} bytes where {end} are expected"))),
            None => Err(bad(path, "its header is damaged")),
        }
    }

    fn morsel_bytes(&self) -> u64 {
        self.header.columns.iter().map(|column| column.bytes() as u64).sum()
    }

    fn end(&self) -> Option<u64> {
        self.header.morsels().checked_mul(self.morsel_bytes())?.checked_add(self.begin)
    }

    /// What it was made of.
    pub(crate) fn input(&self) -> &str {
        &self.header.input
    }

    /// The rule of its encodings.
    pub(crate) fn encoding(&self) -> &str {
        &self.header.encoding
    }

    /// How many rows it has.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn rows(&self) -> u64 {
        self.header.rows
    }

    /// How many morsels it has.
    ///
    /// # Errors
    /// More than there can be in memory.
    pub(crate) fn morsels(&self) -> Result<usize, Error> {
        usize::try_from(self.header.morsels()).map_err(|_| bad(&self.path, "it has too many rows"))
    }

    /// Bytes of some columns of a morsel.
    pub(crate) fn bytes(&self, columns: &[usize]) -> u64 {
        columns.iter().map(|column| self.header.columns[*column].bytes() as u64).sum()
    }

    /// Its columns as a query sees them.
    pub(crate) fn fields(&self) -> Vec<Field> {
        self.header.columns.iter().map(|column| column.column().field()).collect()
    }

    /// Reads some columns of some morsels into placed memory, in parallel on the pool that this runs on.
    ///
    /// # Errors
    /// What cannot be read or is damaged.
    pub(crate) fn read(&self, columns: &[usize], morsels: Range<usize>, placed: &Placed) -> Result<Table, Error> {
        let wanted: Vec<Column> = columns.iter().map(|column| self.header.columns[*column].column()).collect();
        let all = usize::try_from(self.header.rows).map_err(|_| bad(&self.path, "it has too many rows"))?;
        let rows = all.min(morsels.end.saturating_mul(MORSEL)).saturating_sub(morsels.start * MORSEL);
        let failed = Mutex::new(None);
        // Not laid out in a table: each piece is looked at by itself, while it is in the cache.
        let alone = wanted.clone();
        let table = Table::write(wanted, rows, placed, &|morsel, column, piece: &mut [u8]| {
            let rows = (rows - morsel * MORSEL).min(MORSEL);
            let morsel = morsels.start + morsel;
            self.ahead.ask(morsel, |morsel| {
                Some((&self.file, columns.iter().map(|column| self.range(morsel, *column)).collect()))
            });
            if let Err(error) = self.piece(morsel, columns[column], piece, (&alone[column], rows)) {
                failed.lock().expect("no holder panics").get_or_insert(error);
            }
        });
        let table = table.map_err(|error| wrong(format!("cannot lay out the table: {error}")))?;
        if let Some(error) = failed.into_inner().expect("no holder panics") {
            return Err(error);
        }
        Ok(table)
    }

    /// Where the piece of a column in a morsel stands.
    fn range(&self, morsel: usize, column: usize) -> Range<u64> {
        let (before, from) = self.header.columns.split_at(column);
        let bytes = |columns: &[Described]| columns.iter().map(|column| column.bytes() as u64).sum::<u64>();
        let begin = self.begin + morsel as u64 * self.morsel_bytes() + bytes(before);
        begin..begin + bytes(&from[..1])
    }

    /// Reads a piece, in which `there` says which column and how many rows have to be.
    fn piece(&self, morsel: usize, column: usize, piece: &mut [u8], there: (&Column, usize)) -> Result<(), Error> {
        let read = self.file.read_exact_at(piece, self.range(morsel, column).start);
        read.map_err(|error| wrong(format!("cannot read {}: {error}", self.path.display())))?;
        let checksum = self.header.checksums[morsel * self.header.columns.len() + column];
        if XxHash3_64::oneshot(piece) != checksum {
            let rows = (morsel * MORSEL, (morsel + 1) * MORSEL);
            return Err(bad(&self.path, format_args!("rows {} to {} are damaged", rows.0, rows.1)));
        }
        if !there.0.bounds_hold(Morsel::of_piece(there.0, piece).codes(0, 0, there.1)) {
            let name = &there.0.name;
            return Err(bad(&self.path, format_args!("column {name} has values outside of its bounds")));
        }
        Ok(())
    }
}
