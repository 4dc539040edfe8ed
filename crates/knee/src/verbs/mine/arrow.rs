//! A table that an answer is, as an Arrow IPC stream: columns of whole numbers, which `pyarrow`, polars, pandas and R read
//! without parsing.

use std::collections::HashMap;
use std::fs::{File, remove_file, set_permissions};
use std::io::{self, BufWriter, ErrorKind, Write, stdout};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use knee_machine::files;

use crate::error::Failure;

/// Actions whose answers are tables.
const TABLES: [&str; 3] = ["match", "per-vertex", "per-edge"];
/// Why a file cannot be replaced that can be written: its folder cannot be, it is mounted, or it is another user's.
const IN_PLACE: [ErrorKind; 3] = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem, ErrorKind::ResourceBusy];
/// Rows of a batch: its columns fit a cache.
const ROWS: usize = 1 << 16;

/// Where a table goes. That it can be written is found out before the question is answered, so that no answer is lost for
/// want of a place; what a file held until then stays in it until the answer is there.
pub(super) struct Target<'a> {
    path: &'a Path,
    place: Place,
}

enum Place {
    Output,
    /// A file that is replaced by a whole one. One that is there already is written in place if it cannot be replaced.
    Replaced(PathBuf, Option<File>),
    /// A pipe or a device.
    Opened(File),
}

impl<'a> Target<'a> {
    /// A file, or standard output where the path is `-`; an error for an action whose answer is no table, and for a file
    /// that is `read` to answer the question.
    pub(super) fn open(
        action: &str,
        path: &'a Path,
        mut read: impl Iterator<Item = &'a Path>,
    ) -> Result<Self, Failure> {
        if !TABLES.contains(&action) {
            let what = format!("--arrow is of no use for {action}, whose answer is no table");
            return Err(Failure::new(what).hint("leave out --arrow, or ask for match, per-vertex or per-edge"));
        }
        if path == Path::new("-") {
            return Ok(Self { path, place: Place::Output });
        }
        if let Ok(found) = path.metadata() {
            let same =
                |other: &Path| other.metadata().is_ok_and(|it| (it.dev(), it.ino()) == (found.dev(), found.ino()));
            if found.is_file() && read.any(same) {
                let what = format!("--arrow {}: the table would replace what is read", path.display());
                return Err(Failure::new(what).hint("give --arrow another file"));
            }
        }
        Ok(Self { path, place: Place::of(path).map_err(|error| cannot_write(path, &error))? })
    }

    /// Writes an answer.
    pub(super) fn write(self, action: &str, answer: &str) -> Result<(), Failure> {
        let written = match self.place {
            Place::Output => table(action, answer, stdout()),
            Place::Opened(file) => table(action, answer, file),
            Place::Replaced(path, there) => {
                let whole = files::write_whole(&path, |part| {
                    if let Ok(found) = path.metadata() {
                        set_permissions(part, found.permissions())?;
                    }
                    table(action, answer, File::create(part)?)
                });
                match (whole, there) {
                    (Err(error), Some(file)) if IN_PLACE.contains(&error.kind()) => {
                        file.set_len(0).and_then(|()| table(action, answer, file))
                    }
                    (whole, _) => whole,
                }
            }
        };
        match written {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                Err(Failure::new(format!("cannot write {}: {error}", self.path.display()))
                    .hint("use --json, which has such numbers as text"))
            }
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(cannot_write(self.path, &error)),
            _ => Ok(()),
        }
    }
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        match path.metadata() {
            Ok(found) if found.is_file() => {
                let file = File::options().write(true).open(path)?;
                // A link stays one.
                let path = path.canonicalize()?;
                Ok(Self::Replaced(path, Some(file)))
            }
            Ok(_) => Ok(Self::Opened(File::options().write(true).open(path)?)),
            Err(_) => {
                File::create_new(path)?;
                remove_file(path)?;
                Ok(Self::Replaced(path.to_owned(), None))
            }
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {error}", path.display())).hint("give --arrow a file that can be written")
}

fn table(action: &str, answer: &str, out: impl Write) -> io::Result<()> {
    streamed(action, answer, out).map_err(|error| match error {
        ArrowError::IoError(_, error) => error,
        ArrowError::ComputeError(said) => io::Error::new(ErrorKind::InvalidData, said),
        other => io::Error::other(other),
    })
}

/// The first line names the columns; of `match` it is the pattern, whose vertices are the columns.
fn streamed(action: &str, answer: &str, out: impl Write) -> Result<(), ArrowError> {
    let mut lines = answer.lines();
    let head = lines.next().unwrap_or_default().trim_start_matches("# ");
    let names: Vec<String> =
        if action == "match" { vertices(head) } else { head.split(' ').map(str::to_owned).collect() };
    let fields: Vec<Field> = names.iter().map(|name| Field::new(name, DataType::UInt64, false)).collect();
    let pattern = (action == "match").then(|| ("pattern".to_owned(), head.to_owned()));
    let pattern: HashMap<String, String> = pattern.into_iter().collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, pattern));
    let mut out = StreamWriter::try_new(BufWriter::new(out), &schema)?;
    let mut columns: Vec<Vec<u64>> = vec![Vec::new(); names.len()];
    let mut batch = |columns: &mut Vec<Vec<u64>>| {
        let arrays = columns.iter_mut().map(|column| Arc::new(UInt64Array::from(std::mem::take(column))) as ArrayRef);
        out.write(&RecordBatch::try_new(Arc::clone(&schema), arrays.collect())?)
    };
    for line in lines {
        for (column, word) in columns.iter_mut().zip(line.split(' ')) {
            column.push(word.parse().map_err(|_| ArrowError::ComputeError(format!("{word} needs more than 64 bits")))?);
        }
        if columns[0].len() == ROWS {
            batch(&mut columns)?;
        }
    }
    if !columns[0].is_empty() {
        batch(&mut columns)?;
    }
    out.finish()?;
    Ok(out.into_inner()?.flush()?)
}

/// The vertices of a pattern such as `0-1,1:C-2,0!2`, in their order; those of `match` are numbers from 0. A single vertex
/// is written as a word.
fn vertices(pattern: &str) -> Vec<String> {
    let names = pattern.split([',', '-', '!']).filter_map(|word| word.split(':').next()?.parse::<u64>().ok());
    let many = names.max().map_or(1, |last| last + 1);
    (0..many).map(|number| number.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::UInt64Type;
    use arrow_ipc::reader::StreamReader;

    use super::*;

    fn read(action: &str, answer: &str) -> (Vec<String>, Vec<Vec<u64>>, Option<String>) {
        let mut bytes = Vec::new();
        table(action, answer, &mut bytes).unwrap();
        let reader = StreamReader::try_new(&bytes[..], None).unwrap();
        let schema = reader.schema();
        let names = schema.fields().iter().map(|field| field.name().clone()).collect();
        let mut columns = vec![Vec::new(); schema.fields().len()];
        for batch in reader {
            for (all, some) in columns.iter_mut().zip(batch.unwrap().columns()) {
                all.extend_from_slice(some.as_primitive::<UInt64Type>().values());
            }
        }
        (names, columns, schema.metadata().get("pattern").cloned())
    }

    #[test]
    fn columns_have_the_names_and_numbers_of_the_answer() {
        let (names, columns, pattern) = read("match", "# 0-1,0-2,1-2,2-3\n32 11 60 2\n32 11 60 25");
        assert_eq!(names, ["0", "1", "2", "3"]);
        assert_eq!(columns, [[32, 32], [11, 11], [60, 60], [2, 25]]);
        assert_eq!(pattern.as_deref(), Some("0-1,0-2,1-2,2-3"));
        let (names, columns, pattern) = read("per-edge", "# from to edge triangle\n0 7 1 18446744073709551615");
        assert_eq!(
            (names, columns),
            (
                ["from", "to", "edge", "triangle"].map(str::to_owned).to_vec(),
                vec![vec![0], vec![7], vec![1], vec![u64::MAX]]
            )
        );
        assert_eq!(pattern, None);
    }

    #[test]
    fn no_copies_and_many_batches_are_tables_as_well() {
        assert_eq!(read("match", "# 0:C-1,0!2,1-2").1, [[], [], []] as [[u64; 0]; 3]);
        assert_eq!(read("match", "# vertex\n7\n9").1, [[7, 9]]);
        let rows: Vec<_> = (0..=2 * ROWS).map(|row| row.to_string()).collect();
        assert_eq!(
            read("per-vertex", &format!("# vertex\n{}", rows.join("\n"))).1,
            [(0..=2 * ROWS as u64).collect::<Vec<_>>()]
        );
        assert!(table("per-vertex", "# vertex edge\n1 18446744073709551616", Vec::new()).is_err());
    }
}
