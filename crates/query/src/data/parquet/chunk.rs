//! The bytes of one column in one row group, read at once.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use bytes::{Buf, Bytes};
use knee_machine::files;
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};

use super::thrift;

/// Where a column's pages stand in a file of this size; none where its metadata cannot be true.
pub(super) fn range(column: &ColumnChunkMetaData, file: u64) -> Option<Range<u64>> {
    let data = u64::try_from(column.data_page_offset()).ok()?;
    let begin = match column.dictionary_page_offset() {
        // Some writers say 0 where there is no dictionary: the file's first bytes are its name.
        Some(dictionary) if dictionary >= 4 => u64::try_from(dictionary).ok()?.min(data),
        _ => data,
    };
    let end = begin.checked_add(u64::try_from(column.compressed_size()).ok()?)?;
    (end <= file).then_some(begin..end)
}

/// The metadata that the crate is given: it starts to read at the dictionary's offset, even at one where there can be no
/// dictionary.
pub(super) fn corrected(column: &ColumnChunkMetaData) -> Result<Cow<'_, ColumnChunkMetaData>> {
    match column.dictionary_page_offset() {
        Some(dictionary) if !(4..column.data_page_offset()).contains(&dictionary) => {
            column.clone().into_builder().set_dictionary_page_offset(None).build().map(Cow::Owned)
        }
        _ => Ok(Cow::Borrowed(column)),
    }
}

/// Reads a column's pages.
pub(super) fn bytes(file: &File, column: &ColumnChunkMetaData, size: u64) -> io::Result<Pages> {
    let range = range(column, size).expect("it was checked when the file was opened");
    let begin = range.start;
    Ok(Pages { begin, bytes: files::range(file, range)?.into(), codec: column.compression() })
}

/// Bytes that know where in their file they stand.
#[derive(Debug, Clone)]
pub(super) struct Pages {
    begin: u64,
    bytes: Bytes,
    codec: Compression,
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
    type T = Header;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(Header { bytes: self.from(start)?.reader(), codec: self.codec, is_new: true })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let rest = self.from(start)?;
        if length > rest.len() {
            return Err(ParquetError::EOF("a page ends behind its column".into()));
        }
        Ok(rest.slice(..length))
    }
}

/// A header of a page and what follows. Only headers are read in this way.
pub(super) struct Header {
    bytes: bytes::buf::Reader<Bytes>,
    codec: Compression,
    is_new: bool,
}

impl Read for Header {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.is_new) {
            if !thrift::is_structure(self.bytes.get_ref()) {
                return Err(io::Error::other("the header of a page is damaged"));
            }
            if !is_credible(self.bytes.get_ref(), self.codec) {
                return Err(io::Error::other("a page claims to hold more than its bytes can"));
            }
        }
        self.bytes.read(into)
    }
}

/// Whether a codec can make as many bytes of a page as its header says. The crate takes memory for them, and fills it with
/// zeros, before it looks at the page.
fn is_credible(header: &[u8], codec: Compression) -> bool {
    let most = match codec {
        Compression::SNAPPY => 32,
        Compression::LZ4 | Compression::LZ4_RAW => 256,
        Compression::GZIP(_) => 1_100,
        // Blocks of 128 KiB that repeat one byte.
        Compression::ZSTD(_) => 64 << 10,
        _ => return true,
    };
    let mut header = header;
    let mut field = || size(&mut header);
    let [Some(_kind), Some(plain), Some(stored)] = [field(), field(), field()] else { return false };
    // Some more, for what a codec writes around its data.
    plain <= stored.saturating_add(32).saturating_mul(most)
}

/// The next field of a structure, which has to be an `i32` and is never negative here.
fn size(bytes: &mut &[u8]) -> Option<u64> {
    let (&[0x15], rest) = bytes.split_first_chunk::<1>()? else { return None };
    let (zigzag, rest) = thrift::number(rest)?;
    *bytes = rest;
    (zigzag & 1 == 0).then_some(zigzag >> 1)
}

#[cfg(test)]
mod tests {
    use parquet::basic::ZstdLevel;

    use super::*;

    #[test]
    fn pages_that_claim_too_much_are_refused() {
        let header = |plain: [u8; 3]| [0x15, 4, 0x15, plain[0], plain[1], plain[2], 0x15, 0x80, 0x01, 0x2c];
        // 64 bytes are stored: 96 * 32 with this codec, which is 0x1800 as it is written.
        let limit = [0x80, 0xb0, 0];
        assert!(is_credible(&header(limit), Compression::SNAPPY));
        assert!(!is_credible(&header([limit[0] + 2, limit[1], limit[2]]), Compression::SNAPPY));
        assert!(is_credible(&header([0xff, 0xff, 0x7f]), Compression::UNCOMPRESSED));
        assert!(!is_credible(&header([0xff, 0xff, 0xff]), Compression::ZSTD(ZstdLevel::default())), "negative");
        for end in 0..9 {
            assert!(!is_credible(&header(limit)[..end], Compression::SNAPPY), "{end} bytes");
        }
    }
}
