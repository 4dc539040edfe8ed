//! The table as a source of rows, and what reading it holds in memory.

use knee_workload::Error;

use super::opened::shown;
use super::schema::Stored;
use super::{Opened, Parquet, extremes, legacy};
use crate::data::{HELD, Source, Unread};
use crate::error::wrong;
use crate::field::{Bounds, Field};
use crate::kind::Kind;
use crate::table::Chunk;

impl Source for Parquet {
    fn fields(&self) -> Vec<Field> {
        let field = |(name, stored): &(String, Result<Stored, String>)| Field {
            name: name.clone(),
            kind: stored.as_ref().map_or(Kind::Text, |stored| stored.kind),
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

    fn cost(&self, part: usize, columns: &[usize]) -> u64 {
        let group = self.group(part);
        let bytes = |column: &usize| group.column(*column).compressed_size().unsigned_abs();
        columns.iter().map(bytes).fold(0, u64::saturating_add)
    }

    fn bounds(&self, part: usize, column: usize) -> Option<Bounds> {
        let file = &self.files[self.parts[part].0];
        let stored = self.columns[column].1.as_ref().ok()?;
        extremes::of(self.group(part).column(column), *stored, legacy::is_of(&file.metadata))
    }

    fn is_full(&self, part: usize, column: usize) -> bool {
        let stored = self.columns[column].1.as_ref();
        stored.is_ok_and(|stored| extremes::is_full(self.group(part).column(column), *stored))
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
}
