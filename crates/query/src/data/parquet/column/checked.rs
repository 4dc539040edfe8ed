//! Pages on their way to the crate's decoders, which take memory for as many words and lengths as a page claims to have.

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::serialized_reader::SerializedPageReader;

use crate::data::parquet::chunk::Pages;
use crate::data::parquet::thrift::number;

/// A reader of pages that refuses those with more words than bytes, or more lengths than values.
pub(super) struct Checked {
    pub(super) pages: SerializedPageReader<Pages>,
    /// Whether values may be missing.
    pub(super) optional: bool,
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        match &page {
            Some(page) if !is_sound(page, self.optional) => {
                Err(ParquetError::General("a page claims to have more than it has".into()))
            }
            _ => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

fn is_sound(page: &Page, optional: bool) -> bool {
    let values = match page {
        Page::DataPage { buf, .. } if optional => behind_levels(buf),
        Page::DataPage { buf, .. } => Some(&buf[..]),
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            buf.get(*def_levels_byte_len as usize..).and_then(|rest| rest.get(*rep_levels_byte_len as usize..))
        }
        // A value has a byte at least.
        Page::DictionaryPage { buf, num_values, .. } => return *num_values as usize <= buf.len(),
    };
    let most = page.num_values().into();
    match (page.encoding(), values) {
        (Encoding::DELTA_LENGTH_BYTE_ARRAY, Some(values)) => behind_packed(values, most).is_some(),
        (Encoding::DELTA_BYTE_ARRAY, Some(values)) => {
            behind_packed(values, most).and_then(|rest| behind_packed(rest, most)).is_some()
        }
        (_, values) => values.is_some(),
    }
}

fn behind_levels(page: &Bytes) -> Option<&[u8]> {
    let (length, rest) = page.split_first_chunk()?;
    rest.get(u32::from_le_bytes(*length) as usize..)
}

/// What follows numbers in the encoding `DELTA_BINARY_PACKED`; none if there are more than so many, or not all are there.
fn behind_packed(bytes: &[u8], most: u64) -> Option<&[u8]> {
    let (block, rest) = number(bytes)?;
    let (parts, rest) = number(rest)?;
    let (count, rest) = number(rest)?;
    let (_first, mut bytes) = number(rest)?;
    let each = usize::try_from(block.checked_div(parts)?).ok().filter(|each| *each > 0)?;
    let parts = usize::try_from(parts).ok()?;
    if count > most {
        return None;
    }
    let mut left = usize::try_from(count).ok()?.saturating_sub(1);
    while left > 0 {
        let (_least, rest) = number(bytes)?;
        let (widths, rest) = rest.split_at_checked(parts)?;
        bytes = rest;
        for width in &widths[..left.div_ceil(each).min(parts)] {
            bytes = bytes.get(each.checked_mul(usize::from(*width))? / 8..)?;
            left = left.saturating_sub(each);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_hold_what_they_claim() {
        let page = |num_values| Page::DictionaryPage {
            buf: Bytes::from_static(&[0; 40]),
            num_values,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        assert!(is_sound(&page(10), false));
        assert!(!is_sound(&page(u32::MAX), false));
    }

    #[test]
    fn packed_numbers_have_an_end() {
        // Blocks of 128 in 4 parts, five numbers: one part of 32 numbers of 3 bits; the other widths are not used.
        let packed = |count| {
            let header = [0x80, 0x01, 4, count, 0, 0, 3, 9, 9, 9];
            [&header[..], &[0; 12], b"rest"].concat()
        };
        assert_eq!(behind_packed(&packed(5), 5), Some(&b"rest"[..]));
        assert_eq!(behind_packed(&packed(6), 5), None);
        assert_eq!(behind_packed(&packed(5)[..20], 5), None);
        assert_eq!(behind_packed(&[0x80, 0x01, 4, 0, 0], 5), Some(&[][..]));
        assert_eq!(behind_packed(&[0x80, 0x01, 0, 1, 0], 5), None, "no parts");
    }
}
