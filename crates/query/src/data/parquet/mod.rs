//! Parquet files, read by the `parquet` crate without arrow. A part is a row group.
//!
//! Columns that no query can use here (nested ones, times, texts with too many values) are only refused when a query
//! asks for them. Whatever panics inside of the crate is caught at the file.

mod caught;
mod chunk;
mod column;
mod extremes;
mod legacy;
mod opened;
mod piece;
mod schema;
mod source;
mod thrift;

pub(crate) use piece::Piece;

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use knee_machine::files::{self, State};
use knee_workload::Error;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};

use super::Unread;
use crate::ahead::Ahead;
use crate::error::wrong;
use crate::table::Columns;

use caught::caught;
use chunk::Pages;
use opened::{Opened, opened, paths, shown, unreadable};
use schema::Stored;

/// One file, or all files of a directory.
#[derive(Debug)]
pub(crate) struct Parquet {
    files: Vec<Opened>,
    columns: Vec<(String, Result<Stored, String>)>,
    /// The file and the row group of each part.
    parts: Vec<(usize, usize)>,
    ahead: Ahead,
}

impl Parquet {
    /// Opens a file, or every `*.parquet` of a directory in the order of names.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let files = opened(paths(path)?)?;
        let groups = |(at, file): (usize, &Opened)| (0..file.metadata.num_row_groups()).map(move |group| (at, group));
        let parts = files.iter().enumerate().flat_map(groups).collect();
        Self::of(files, parts)
    }

    /// Row groups of files, which have one schema.
    fn of(files: Vec<Opened>, parts: Vec<(usize, usize)>) -> Result<Self, Error> {
        let columns = schema::columns(files[0].metadata.file_metadata().schema_descr());
        for file in &files[1..] {
            let own = schema::columns(file.metadata.file_metadata().schema_descr());
            if let Some(((name, _), _)) = columns.iter().zip(&own).find(|(one, other)| one != other) {
                let what = format!("{}: its column {name} is not as in {}", shown(&file.path), shown(&files[0].path));
                return Err(wrong(what).hint("one table has one schema; give one file"));
            }
            if own.len() != columns.len() {
                let counts = (own.len(), columns.len());
                let what = format!(
                    "{} has {} columns, {} has {}",
                    shown(&file.path),
                    counts.0,
                    shown(&files[0].path),
                    counts.1
                );
                return Err(wrong(what).hint("one table has one schema; give one file"));
            }
        }
        Ok(Self { files, columns, ahead: Ahead::new(parts.len()), parts })
    }

    /// Leaves out parts: those that a query need not read.
    pub(crate) fn retain(mut self, wanted: impl Fn(&Self, usize) -> bool) -> Self {
        let parts = (0..self.parts.len()).filter(|part| wanted(&self, *part)).map(|part| self.parts[part]).collect();
        self.parts = parts;
        self.ahead = Ahead::new(self.parts.len());
        self
    }

    fn rows_in(&self, part: usize) -> usize {
        usize::try_from(self.group(part).num_rows()).expect("it was checked")
    }

    /// Where columns of a part stand, and in which file. What cannot be opened is said where it is read.
    fn ranges(&self, part: usize, columns: &[usize]) -> Option<(File, Vec<Range<u64>>)> {
        let file = &self.files[self.parts[part].0];
        let range = |column: &usize| chunk::range(self.group(part).column(*column), file.bytes);
        Some((files::regular(&file.path).ok()?, columns.iter().filter_map(range).collect()))
    }

    /// The values of a column in a part.
    fn column(&self, part: usize, column: usize) -> Result<Columns, Unread> {
        let values = self.with_pages(part, column, column::read)?;
        let file = &self.files[self.parts[part].0];
        if legacy::is_of(&file.metadata) && legacy::has_julian(&values, &self.columns[column].1) {
            let what = format!("{}: column {} has dates before 1582-10-15", shown(&file.path), self.columns[column].0);
            let error = wrong(format!("{what}, which Spark wrote as those of another calendar"))
                .hint("write them again with spark.sql.parquet.datetimeRebaseModeInWrite=CORRECTED");
            return Err(Unread { column, error, lasting: true });
        }
        Ok(values)
    }

    /// The values of a column in a part as text, by pages and one by one.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn both_ways(&self, part: usize, column: usize) -> [Result<Vec<String>, Error>; 2] {
        [false, true].map(|by_pages| {
            self.with_pages(part, column, |pages, metadata, rows, stored| {
                column::as_text(pages, metadata, rows, stored, by_pages)
            })
            .map_err(Error::from)
        })
    }

    /// Reads the pages of a column in a part, and calls what may panic with them.
    fn with_pages<T>(
        &self,
        part: usize,
        column: usize,
        read: impl FnOnce(Pages, &ColumnChunkMetaData, usize, Stored) -> parquet::errors::Result<T>,
    ) -> Result<T, Unread> {
        let file = &self.files[self.parts[part].0];
        let now = |error| Unread { column, error, lasting: false };
        let cannot = |error: std::io::Error| now(unreadable(&file.path, &error));
        let (name, stored) = &self.columns[column];
        let stored = stored.as_ref().expect("only usable columns are read");
        let metadata = self.group(part).column(column);
        let opened = files::regular(&file.path).map_err(cannot)?;
        let pages = chunk::bytes(&opened, metadata, file.bytes);
        // Asked after they were read, and before what is wrong with them is believed.
        if State::of(&opened.metadata().map_err(cannot)?) != file.state {
            let what = format!("{} changed while it was read", shown(&file.path));
            return Err(now(wrong(what).hint("ask again, of a file that nobody writes")));
        }
        let pages = pages.map_err(cannot)?;
        let values = caught(&file.path, &format!("column {name}"), || {
            read(pages, chunk::corrected(metadata)?.as_ref(), self.rows_in(part), *stored)
        });
        values.map_err(|error| Unread { column, error: file.of_column(name, error), lasting: true })
    }

    /// The row group of a part.
    fn group(&self, part: usize) -> &RowGroupMetaData {
        let (file, group) = self.parts[part];
        self.files[file].metadata.row_group(group)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use parquet::file::metadata::ParquetMetaDataReader;

    use super::*;
    use crate::data::Source;
    use crate::fuzzing::write_parquet;

    #[test]
    fn a_file_that_changes_while_it_is_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        write_parquet(folder.path()).unwrap();
        let path = folder.path().join("none-v1-plain.parquet");
        let source = Parquet::open(&path).unwrap();
        let input = source.input();
        assert!(source.read(0, &[2]).is_ok());
        // The same bytes, in another file of the same name.
        fs::copy(&path, folder.path().join("new")).unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        let error = source.read(1, &[2]).unwrap_err().error.to_string();
        assert!(error.contains("none-v1-plain.parquet changed while it was read"), "{error}");
        assert_ne!(Parquet::open(&path).unwrap().input(), input, "a kept table is not of this file");
    }

    #[test]
    fn a_dictionary_at_the_begin_of_the_file_is_none() {
        let folder = tempfile::tempdir().unwrap();
        write_parquet(folder.path()).unwrap();
        let path = folder.path().join("none-v1-plain.parquet");
        let expected = Parquet::open(&path).unwrap().both_ways(0, 2).map(Result::unwrap);
        // The same pages behind a footer that says 0 of each column, as some writers do.
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&File::open(&path).unwrap()).unwrap();
        let column = |one: &ColumnChunkMetaData| one.clone().into_builder().set_dictionary_page_offset(Some(0)).build();
        let group = |one: &RowGroupMetaData| {
            let columns = one.columns().iter().map(|one| column(one).unwrap()).collect();
            one.clone().into_builder().set_column_metadata(columns).build().unwrap()
        };
        let groups = metadata.row_groups().iter().map(group).collect();
        let mut bytes = fs::read(&path).unwrap();
        let length = bytes.len();
        let footer = u32::from_le_bytes(bytes[length - 8..length - 4].try_into().unwrap()) as usize;
        bytes.truncate(length - 8 - footer);
        let metadata = metadata.into_builder().set_row_groups(groups).build();
        parquet::file::metadata::ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
        fs::write(&path, bytes).unwrap();
        let source = Parquet::open(&path).unwrap();
        assert!(source.group(0).column(2).dictionary_page_offset() == Some(0), "the footer says so");
        assert_eq!(source.both_ways(0, 2).map(Result::unwrap), expected);
    }
}
