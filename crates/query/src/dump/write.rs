//! Writing a dump.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use knee_machine::files;
use twox_hash::XxHash3_64;

use super::header::{Described, Header};
use super::{FRONT, LONGEST, MAGIC, PAGE, VERSION};
use crate::table::Table;

/// Writes a table beside the file's place and moves it there when it is whole.
///
/// # Errors
/// The kernel's.
pub(crate) fn write(table: &Table, input: &str, encoding: &str, path: &Path) -> io::Result<()> {
    files::write_whole(path, |part| whole(table, input, encoding, part))
}

fn whole(table: &Table, input: &str, encoding: &str, path: &Path) -> io::Result<()> {
    let all = || (0..table.morsels()).flat_map(|morsel| (0..table.columns().len()).map(move |column| (morsel, column)));
    let header = Header {
        input: input.to_owned(),
        encoding: encoding.to_owned(),
        rows: table.rows() as u64,
        columns: table.columns().iter().map(Described::of).collect(),
        checksums: all().map(|(morsel, column)| XxHash3_64::oneshot(table.morsel(morsel).piece(column))).collect(),
    };
    let header = serde_json::to_vec(&header).map_err(io::Error::other)?;
    if header.len() as u64 > LONGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the texts of its columns are too long to be kept"));
    }
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(&header)?;
    out.write_all(&XxHash3_64::oneshot(&header).to_le_bytes())?;
    let end = (FRONT + header.len() + 8) as u64;
    out.write_all(&vec![0; usize::try_from(end.next_multiple_of(PAGE) - end).expect("less than a page")])?;
    for (morsel, column) in all() {
        out.write_all(table.morsel(morsel).piece(column))?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}
