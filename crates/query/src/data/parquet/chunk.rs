//! The bytes of one column in one row group, read at once.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};

/// Where a column's pages stand in a file of this size; none where its metadata cannot be true.
pub(super) fn range(column: &ColumnChunkMetaData, file: u64) -> Option<Range<u64>> {
    let data = u64::try_from(column.data_page_offset()).ok()?;
    let begin = match column.dictionary_page_offset() {
        Some(dictionary) => u64::try_from(dictionary).ok()?.min(data),
        None => data,
    };
    let end = begin.checked_add(u64::try_from(column.compressed_size()).ok()?)?;
    (end <= file).then_some(begin..end)
}

/// Reads a column's pages.
pub(super) fn bytes(file: &File, column: &ColumnChunkMetaData, size: u64) -> io::Result<Pages> {
    let range = range(column, size).expect("it was checked when the file was opened");
    let mut bytes = vec![0; usize::try_from(range.end - range.start).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, range.start)?;
    Ok(Pages { begin: range.start, bytes: bytes.into() })
}

/// Bytes that know where in their file they stand.
#[derive(Debug, Clone)]
pub(super) struct Pages {
    begin: u64,
    bytes: Bytes,
}

impl Pages {
    fn from(&self, start: u64) -> Result<Bytes> {
        let at = start.checked_sub(self.begin).and_then(|at| usize::try_from(at).ok());
        let at = at.filter(|at| *at <= self.bytes.len());
        at.map(|at| self.bytes.slice(at..)).ok_or_else(|| ParquetError::EOF("a page lies outside of its column".into()))
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.begin + self.bytes.len() as u64
    }
}

impl ChunkReader for Pages {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(self.from(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let rest = self.from(start)?;
        if length > rest.len() {
            return Err(ParquetError::EOF("a page ends behind its column".into()));
        }
        Ok(rest.slice(..length))
    }
}
