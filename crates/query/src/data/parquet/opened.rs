//! The files of a table: which they are, and what their footers say.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use knee_machine::files::{self, State};
use knee_workload::Error;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use super::caught::{BROKEN, caught};
use super::{chunk, thrift};
use crate::error::wrong;

/// Most rows of a row group: what claims more is taken for a broken file.
const MOST_ROWS: i64 = 1 << 31;

/// The field of a footer that says how a file is encrypted. Where the footer itself is not, some columns are.
const ENCRYPTION: u64 = 8;

/// What to do about what is encrypted.
const KEYLESS: &str = "write it without encryption: knee query takes no keys";

/// One of them.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) state: State,
    pub(super) metadata: ParquetMetaData,
    /// Whether some of its columns are encrypted.
    encrypted: bool,
}

impl Opened {
    pub(super) fn open(path: PathBuf) -> Result<Self, Error> {
        let cannot = |error: std::io::Error| unreadable(&path, &error);
        let file = files::regular(&path).map_err(cannot)?;
        let known = file.metadata().map_err(cannot)?;
        let bytes = known.len();
        let mut magic = [0; 4];
        let begin = file.read_exact_at(&mut magic, 0);
        if magic == *b"PARE" {
            return Err(wrong(format!("cannot use {}: it is encrypted", shown(&path))).hint(KEYLESS));
        }
        if begin.is_err() || magic != *b"PAR1" {
            let what = format!("cannot read {}: it is not a Parquet file", shown(&path));
            return Err(wrong(what).hint("knee query reads Parquet; DuckDB makes it of CSV and of its own tables"));
        }
        // What is no Parquet file at all is left to the crate.
        let footer = thrift::footer(&file, bytes).map_err(cannot)?;
        if footer.as_ref().is_some_and(|footer| !thrift::is_structure(footer)) {
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
        let encrypted = footer.is_some_and(|footer| thrift::has_field(&footer, ENCRYPTION));
        Ok(Self { path, bytes, state: State::of(&known), metadata, encrypted })
    }

    /// What to say of a column that cannot be read: an encrypted one looks damaged.
    pub(super) fn of_column(&self, name: &str, error: Error) -> Error {
        if !self.encrypted || error.hinted() != Some(BROKEN) {
            return error;
        }
        let what = format!("cannot use {}: column {name}: it is encrypted, or damaged", shown(&self.path));
        wrong(what).hint(KEYLESS)
    }
}

/// Opens files, on the workers of the pool that this runs on: where there are many, their footers take long.
pub(super) fn opened(paths: Vec<PathBuf>) -> Result<Vec<Opened>, Error> {
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

/// A path as messages show it.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string().escape_debug().to_string()
}

/// The error for a file that the kernel does not let us read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let said = wrong(format!("cannot read {}: {error}", shown(path)));
    match error.kind() {
        std::io::ErrorKind::NotFound => said.hint("give the path of a Parquet file, or of a directory of them"),
        std::io::ErrorKind::PermissionDenied => {
            said.hint("run knee as a user who may read it, or change its permissions")
        }
        _ => said,
    }
}

/// The files of a table: this one, or every `*.parquet` of a directory in the order of names.
pub(super) fn paths(path: &Path) -> Result<Vec<PathBuf>, Error> {
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Parquet;
    use crate::data::Source;
    use crate::fuzzing::write_parquet;

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

    #[test]
    fn what_is_encrypted_is_not_called_damaged() {
        let folder = tempfile::tempdir().unwrap();
        write_parquet(folder.path()).unwrap();
        let path = folder.path().join("none-v1-plain.parquet");
        let mut bytes = fs::read(&path).unwrap();
        fs::write(&path, [b"PARE", &bytes[4..]].concat()).unwrap();
        let refused = Parquet::open(&path).unwrap_err().to_string();
        assert!(refused.ends_with("none-v1-plain.parquet: it is encrypted"), "{refused}");
        // A footer that can be read says in its last field how columns are encrypted. The first one begins behind the
        // magic, with what is no header of a page.
        bytes[4..8].fill(0xff);
        fs::write(&path, &bytes).unwrap();
        let said = || Parquet::open(&path).unwrap().read(0, &[0]).unwrap_err().error;
        assert_eq!(said().hinted(), Some(super::BROKEN));
        let (data, end) = bytes.split_at(bytes.len() - 9);
        let field = [0x0c, 2 * 8, 0x1c, 0, 0];
        let length = u32::from_le_bytes(end[1..5].try_into().unwrap()) + field.len() as u32;
        fs::write(&path, [data, &field, &[0], &length.to_le_bytes(), b"PAR1"].concat()).unwrap();
        let refused = said().to_string();
        assert!(refused.ends_with("column day: it is encrypted, or damaged"), "{refused}");
        assert!(Parquet::open(&path).unwrap().read(0, &[2]).is_ok(), "others are read");
    }
}
