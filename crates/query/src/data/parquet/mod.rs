//! Parquet files, read by the `parquet` crate without arrow. A part is a row group.
//!
//! Columns that no query can use here (nested ones, times, texts with too many values) are only refused when a query
//! asks for them. Whatever panics inside of the crate is caught at the file.

mod checked;
mod chunk;
mod column;
mod hybrid;
mod legacy;
mod pages;
mod piece;
mod plain;
mod schema;
mod thrift;

pub(crate) use piece::Piece;

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use knee_machine::files::{self, State};
use knee_workload::Error;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};

use super::{HELD, Source, Unread};
use crate::ahead::Ahead;
use crate::error::wrong;
use crate::field::Field;
use crate::kind::Kind;
use crate::table::{Chunk, Columns};

use chunk::Pages;
use schema::Stored;

/// Most rows of a row group: what claims more is taken for a broken file.
const MOST_ROWS: i64 = 1 << 31;

/// One file, or all files of a directory.
#[derive(Debug)]
pub(crate) struct Parquet {
    files: Vec<Opened>,
    columns: Vec<(String, Result<Stored, String>)>,
    /// The file and the row group of each part.
    parts: Vec<(usize, usize)>,
    ahead: Ahead,
}

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    bytes: u64,
    state: State,
    metadata: ParquetMetaData,
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
        values.map_err(|error| Unread { column, error, lasting: true })
    }

    /// The row group of a part.
    fn group(&self, part: usize) -> &RowGroupMetaData {
        let (file, group) = self.parts[part];
        self.files[file].metadata.row_group(group)
    }
}

/// Opens files, on the workers of the pool that this runs on: where there are many, their footers take long.
fn opened(paths: Vec<PathBuf>) -> Result<Vec<Opened>, Error> {
    if paths.len() == 1 || knee_runtime::current_worker().is_none() {
        return paths.into_iter().map(Opened::open).collect();
    }
    let files: Vec<Mutex<Option<Result<Opened, Error>>>> = paths.iter().map(|_| Mutex::new(None)).collect();
    knee_runtime::parallel_for_grain(0..paths.len(), 1, |at| {
        *files[at].lock().expect("no holder panics") = Some(Opened::open(paths[at].clone()));
    });
    let opened = |file: Mutex<Option<_>>| file.into_inner().expect("no holder panics").expect("each was opened");
    files.into_iter().map(opened).collect()
}

fn shown(path: &Path) -> String {
    path.display().to_string().escape_debug().to_string()
}

/// The error for a file that the kernel does not let us read.
fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let said = wrong(format!("cannot read {}: {error}", shown(path)));
    match error.kind() {
        std::io::ErrorKind::NotFound => said.hint("give the path of a Parquet file, or of a directory of them"),
        std::io::ErrorKind::PermissionDenied => {
            said.hint("run knee as a user who may read it, or change its permissions")
        }
        _ => said,
    }
}

fn paths(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let cannot = |error: std::io::Error| unreadable(path, &error);
    if !path.metadata().map_err(cannot)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = path.read_dir().map_err(cannot)?;
    let all = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(cannot)?;
    if let Some(log) = all.iter().find(|path| LOGS.iter().any(|name| path.file_name() == Some(name.as_ref()))) {
        let what = format!("cannot read {}: {} says which of its files count", shown(path), shown(log));
        return Err(wrong(what).hint("let the engine that keeps this log write the table into a directory of its own"));
    }
    let mut files: Vec<PathBuf> = all.into_iter().filter(|path| is_part(path)).collect();
    files.sort_unstable();
    if files.is_empty() {
        return Err(wrong(format!("{} has no file whose name ends in .parquet", shown(path)))
            .hint("give the directory of a table's files, or one file"));
    }
    Ok(files)
}

/// What engines keep beside files of a table that may be removed, or not there yet: Delta Lake, Spark's streams, and Hudi.
const LOGS: [&str; 3] = ["_delta_log", "_spark_metadata", ".hoodie"];

/// Whether a file is a part of the table that its directory is. Writers begin the names of others with a point or a line.
fn is_part(path: &Path) -> bool {
    let hidden = path
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b".") || name.as_encoded_bytes().starts_with(b"_"));
    !hidden && path.extension().is_some_and(|end| end == "parquet")
}

/// What to do about a file that is not whole.
const BROKEN: &str = "it is damaged or cut short: copy it again, or write it again";

/// Runs what may panic inside of the crate.
fn caught<T>(path: &Path, what: &str, work: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T, Error> {
    let broken = |reason: String| {
        let reason = reason
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("Parquet error: ")
            .trim_start_matches("External: ")
            .to_owned();
        wrong(format!("cannot read {}: {what}: {reason}", shown(path))).hint(BROKEN)
    };
    match quietly(work) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(ParquetError::NYI(reason))) => {
            Err(wrong(format!("cannot use {}: {what}: {reason}", shown(path))).hint("DuckDB reads such columns"))
        }
        // Such as a codec that this build leaves out.
        Ok(Err(ParquetError::General(reason))) if reason.starts_with("Disabled feature") => {
            let what = format!("cannot use {}: {what}: its compression is not known here", shown(path));
            Err(wrong(what).hint("DuckDB reads such columns; knee reads snappy, zstd, gzip and lz4"))
        }
        Ok(Err(error)) => Err(broken(error.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(broken(text.unwrap_or("the reader gave up").to_owned()))
        }
    }
}

thread_local! {
    /// Whether a panic on this thread is expected, and nothing is printed.
    static QUIET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

fn quietly<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(outer);
    result
}

impl Opened {
    fn open(path: PathBuf) -> Result<Self, Error> {
        let cannot = |error: std::io::Error| unreadable(&path, &error);
        let file = files::regular(&path).map_err(cannot)?;
        let known = file.metadata().map_err(cannot)?;
        let bytes = known.len();
        let mut magic = [0; 4];
        if file.read_exact_at(&mut magic, 0).is_err() || magic != *b"PAR1" {
            let what = format!("cannot read {}: it is not a Parquet file", shown(&path));
            return Err(wrong(what).hint("knee query reads Parquet; DuckDB makes it of CSV and of its own tables"));
        }
        // What is no Parquet file at all is left to the crate.
        if thrift::footer(&file, bytes).map_err(cannot)?.is_some_and(|footer| !thrift::is_structure(&footer)) {
            let what = format!("cannot read {}: its footer is damaged", shown(&path));
            return Err(wrong(what).hint("is it a whole Parquet file?"));
        }
        let metadata = caught(&path, "its footer", || ParquetMetaDataReader::new().parse_and_finish(&file))?;
        for group in metadata.row_groups() {
            let (rows, columns) = (group.num_rows(), group.columns());
            let same =
                columns.iter().all(|column| column.num_values() == rows || column.column_descr().max_rep_level() > 0);
            let inside = columns.iter().all(|column| chunk::range(column, bytes).is_some());
            if !(0..=MOST_ROWS).contains(&rows) || !same || !inside {
                let what = format!("cannot read {}: its footer: a row group does not fit the file", shown(&path));
                return Err(wrong(what).hint(BROKEN));
            }
        }
        Ok(Self { path, bytes, state: State::of(&known), metadata })
    }
}

impl Source for Parquet {
    fn fields(&self) -> Vec<Field> {
        let field = |(name, stored): &(String, Result<Stored, String>)| Field {
            name: name.clone(),
            kind: stored.as_ref().map_or(crate::kind::Kind::Text, |stored| stored.kind),
            dictionary: None,
        };
        self.columns.iter().map(field).collect()
    }

    fn usable(&self, column: usize) -> Result<(), Error> {
        let (name, stored) = &self.columns[column];
        let refused = |why: &String| {
            wrong(format!("{}: column {name} {why}", shown(&self.files[0].path))).hint("DuckDB reads such columns")
        };
        stored.as_ref().map(|_| ()).map_err(refused)
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn input(&self) -> String {
        let file = |file: &Opened| {
            let path = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
            format!("{} with {} bytes ({})", shown(&path), file.bytes, file.state)
        };
        self.files.iter().map(file).collect::<Vec<_>>().join(", ")
    }

    fn rows_of(&self, part: usize) -> u64 {
        self.group(part).num_rows().unsigned_abs()
    }

    fn cost(&self, part: usize) -> u64 {
        self.group(part).compressed_size().unsigned_abs()
    }

    fn read(&self, part: usize, columns: &[usize]) -> Result<Chunk, Unread> {
        let read = |column: &usize| self.column(part, *column);
        let values = columns.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Chunk::new(self.rows_in(part), values))
    }

    fn soon(&self, part: usize, columns: &[usize]) {
        self.ahead.ask(part, |part| self.ranges(part, columns));
    }

    fn held(&self, columns: &[usize]) -> u64 {
        let held = |part: usize| columns.iter().map(move |column| self.held_of(part, *column));
        (0..self.parts()).flat_map(held).max().unwrap_or(0)
    }
}

/// Bytes of a text while its column is read, beside the text itself: where it stands, and its position.
const TEXT: u64 = 36;

impl Parquet {
    /// Bytes that are held while a column of a part is read. Whole pages of texts stay, since these stand in them.
    fn held_of(&self, part: usize, column: usize) -> u64 {
        let (group, stored) = (self.group(part), &self.columns[column].1);
        let chunk = group.column(column);
        let (rows, packed) = (group.num_rows().unsigned_abs(), chunk.compressed_size().unsigned_abs());
        if stored.as_ref().is_ok_and(|stored| stored.kind == Kind::Text) {
            let pages = chunk.uncompressed_size().unsigned_abs();
            return rows.saturating_mul(TEXT).saturating_add(pages).saturating_add(packed);
        }
        rows.saturating_mul(HELD).saturating_add(packed)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fuzzing::write_parquet;

    #[test]
    fn whole_pages_of_texts_are_held() {
        let folder = tempfile::tempdir().unwrap();
        write_parquet(folder.path()).unwrap();
        let source = Parquet::open(&folder.path().join("none-v1-plain.parquet")).unwrap();
        let fields = source.fields();
        let is_text = |column: &usize| fields[*column].kind == Kind::Text && source.usable(*column).is_ok();
        let texts: Vec<usize> = (0..fields.len()).filter(is_text).collect();
        assert!(!texts.is_empty());
        for column in texts {
            let pages = source.group(0).column(column).uncompressed_size().unsigned_abs();
            assert!(source.held(&[column]) >= pages + 36 * source.most_rows(), "{}", fields[column].name);
        }
    }

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

    #[test]
    fn files_that_are_opened_side_by_side_are_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        write_parquet(folder.path()).unwrap();
        let pool = knee_runtime::Pool::builder().workers(3).build().unwrap();
        let open = || pool.install(|| Parquet::open(folder.path()));
        let (one, other) = (open().unwrap(), Parquet::open(folder.path()).unwrap());
        assert_eq!((one.input(), &one.parts), (other.input(), &other.parts));
        assert!(one.files.len() > 20 && one.files.is_sorted_by_key(|file| &file.path));
        // Of all that is wrong, what comes first is said.
        for name in ["none-v1.parquet", "a.parquet", "z.parquet"] {
            fs::write(folder.path().join(name), "none").unwrap();
        }
        let refused = open().unwrap_err().to_string();
        assert!(refused.contains("a.parquet: it is not a Parquet file"), "{refused}");
    }
}
