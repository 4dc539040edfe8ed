//! Values of a column whose pages are plain or name entries of a dictionary, as nearly all are. Entries stay entries: a
//! table's codes are made once for each of them, not once for each row. Any other page is left to the crate's own reader
//! ([`column`](super::column)).

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::chunk::Pages;
use super::column::{big_endian, day, has_nulls, is_unsigned, many_texts, not_utf8};
use super::hybrid;
use super::schema::Stored;
use crate::kind::Kind;
use crate::table::{Columns, TEXTS, all_below};

/// Most rows that room is made for at once, before they turn out to be there.
const ROWS: usize = 1 << 20;

/// Reads all values of a column; none where a page is of another encoding.
pub(super) fn read(
    pages: Pages,
    metadata: &ColumnChunkMetaData,
    rows: usize,
    stored: Stored,
) -> Result<Option<Columns>> {
    let mut pages = SerializedPageReader::new(Arc::new(pages), metadata, rows, None)?;
    let plain = Plain::of(metadata, stored)?;
    let mut column = Reading { plain, stored, rows, done: 0, dictionary: None, positions: Vec::new(), values: None };
    while column.done < rows {
        let page = pages.get_next_page()?;
        let page = page.ok_or_else(|| ParquetError::EOF(format!("it has {} of {rows} values", column.done)))?;
        if !column.page(page)? {
            return Ok(None);
        }
    }
    column.columns().map(Some)
}

/// How a value is stored in a plain page.
#[derive(Debug, Clone, Copy)]
enum Plain {
    Int32 {
        unsigned: bool,
    },
    Int64,
    Double,
    /// Decimals in so many bytes.
    Fixed(usize),
    /// Decimals, each behind its length.
    Bytes,
    Text,
}

impl Plain {
    fn of(metadata: &ColumnChunkMetaData, stored: Stored) -> Result<Self> {
        Ok(match stored.physical {
            Type::INT32 => Self::Int32 { unsigned: is_unsigned(metadata) },
            Type::INT64 => Self::Int64,
            Type::DOUBLE => Self::Double,
            Type::FIXED_LEN_BYTE_ARRAY => {
                let length = usize::try_from(metadata.column_descr().type_length()).unwrap_or(0);
                Self::Fixed(length.max(1))
            }
            Type::BYTE_ARRAY if stored.kind == Kind::Text => Self::Text,
            Type::BYTE_ARRAY => Self::Bytes,
            other => return Err(ParquetError::General(format!("values of type {other}"))),
        })
    }
}

/// Values, of plain pages or of a dictionary.
enum Values {
    Numbers(Vec<i64>),
    Doubles(Vec<f64>),
    Texts(Vec<Bytes>),
}

/// What is known of a column.
struct Reading {
    plain: Plain,
    stored: Stored,
    rows: usize,
    /// Rows that were read.
    done: usize,
    dictionary: Option<Values>,
    /// The entry of each row, until a page without entries comes.
    positions: Vec<u32>,
    /// From then on, the values of all rows.
    values: Option<Values>,
}

impl Reading {
    /// Takes a page; false if it is of another encoding.
    fn page(&mut self, page: Page) -> Result<bool> {
        let (bytes, count, encoding) = match page {
            Page::DictionaryPage {
                buf, num_values, encoding: Encoding::PLAIN | Encoding::PLAIN_DICTIONARY, ..
            } => {
                self.dictionary = Some(self.plain(&buf, num_values as usize)?);
                return Ok(true);
            }
            Page::DictionaryPage { .. } => return Ok(false),
            Page::DataPage { buf, num_values, encoding, def_level_encoding, .. } => {
                self.fits(num_values)?;
                let levels = match (self.stored.optional, def_level_encoding) {
                    (false, _) => 0,
                    (true, Encoding::RLE) => {
                        let length = buf.first_chunk().ok_or_else(cut_off)?;
                        let length = u32::from_le_bytes(*length) as usize;
                        all_there(buf.get(4..).and_then(|rest| rest.get(..length)), num_values)?;
                        4 + length
                    }
                    _ => {
                        return Err(ParquetError::NYI("its levels have an encoding that is no longer in use".into()));
                    }
                };
                (buf.slice(levels..), num_values as usize, encoding)
            }
            Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
                self.fits(num_values)?;
                let (begin, length) = (rep_levels_byte_len as usize, def_levels_byte_len as usize);
                if self.stored.optional {
                    all_there(buf.get(begin..).and_then(|rest| rest.get(..length)), num_values)?;
                }
                let rest = buf.get(begin..).and_then(|rest| rest.get(length..)).ok_or_else(cut_off)?;
                (buf.slice(buf.len() - rest.len()..), num_values as usize, encoding)
            }
        };
        match encoding {
            Encoding::PLAIN => {
                let values = self.plain(&bytes, count)?;
                self.append(values);
            }
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => self.entries(&bytes, count)?,
            _ => return Ok(false),
        }
        self.done += count;
        Ok(true)
    }

    /// Refuses a page with more values than are left. Few bytes can claim to be levels of many, which would all be decoded.
    fn fits(&self, count: u32) -> Result<()> {
        let fits = count as usize <= self.rows - self.done;
        fits.then_some(()).ok_or_else(|| ParquetError::General(format!("it has more than {} values", self.rows)))
    }

    /// Values of a plain page or of a dictionary.
    fn plain(&self, bytes: &Bytes, count: usize) -> Result<Values> {
        let words = |size: usize| {
            let all = size.checked_mul(count).and_then(|all| bytes.get(..all));
            all.map(|all| all.chunks_exact(size)).ok_or_else(cut_off)
        };
        let eight = |word: &[u8]| -> [u8; 8] { word.try_into().expect("there are eight") };
        Ok(match self.plain {
            Plain::Int32 { unsigned } => {
                let number = |word: &[u8]| i32::from_le_bytes(word.try_into().expect("there are four"));
                let wide = |word| if unsigned { i64::from(number(word) as u32) } else { number(word).into() };
                let numbers = words(4)?.map(wide);
                Values::Numbers(match self.stored.kind {
                    Kind::Date => numbers.map(day).collect::<Result<_>>()?,
                    _ => numbers.collect(),
                })
            }
            Plain::Int64 => Values::Numbers(words(8)?.map(|word| i64::from_le_bytes(eight(word))).collect()),
            Plain::Double => Values::Doubles(words(8)?.map(|word| f64::from_le_bytes(eight(word))).collect()),
            Plain::Fixed(length) => Values::Numbers(words(length)?.map(big_endian).collect::<Result<_>>()?),
            Plain::Bytes => {
                let decimals = byte_arrays(bytes, count).map(|value| big_endian(&value?));
                Values::Numbers(decimals.collect::<Result<_>>()?)
            }
            Plain::Text => Values::Texts(byte_arrays(bytes, count).collect::<Result<_>>()?),
        })
    }

    /// A page of entries: their width, and their numbers.
    fn entries(&mut self, bytes: &Bytes, count: usize) -> Result<()> {
        let length = match &self.dictionary {
            Some(Values::Numbers(list)) => list.len(),
            Some(Values::Doubles(list)) => list.len(),
            Some(Values::Texts(list)) => list.len(),
            None => return Err(ParquetError::General("a page has no dictionary".into())),
        };
        if self.positions.is_empty() {
            self.positions.reserve(self.rows.min(ROWS));
        }
        let begin = self.positions.len();
        let (width, packed) = bytes.split_first().ok_or_else(cut_off)?;
        hybrid::decode(packed, (*width).into(), count, &mut self.positions).ok_or_else(cut_off)?;
        if !all_below(&self.positions[begin..], length) {
            return Err(ParquetError::General("a page names a value that its dictionary does not have".into()));
        }
        if self.values.is_some() {
            self.resolve();
        }
        Ok(())
    }

    /// Appends the values of a plain page.
    fn append(&mut self, more: Values) {
        self.resolve();
        match (&mut self.values, more) {
            (Some(Values::Numbers(all)), Values::Numbers(more)) => all.extend(more),
            (Some(Values::Doubles(all)), Values::Doubles(more)) => all.extend(more),
            (Some(Values::Texts(all)), Values::Texts(more)) => all.extend(more),
            (values, more) => *values = Some(more),
        }
    }

    /// Puts the values of entries in their place.
    fn resolve(&mut self) {
        fn of<T: Clone>(list: &[T], positions: &[u32]) -> impl Iterator<Item = T> {
            positions.iter().map(|position| list[*position as usize].clone())
        }
        let positions = std::mem::take(&mut self.positions);
        match (&mut self.values, &self.dictionary) {
            (_, None) => {}
            (Some(Values::Numbers(all)), Some(Values::Numbers(list))) => all.extend(of(list, &positions)),
            (Some(Values::Doubles(all)), Some(Values::Doubles(list))) => all.extend(of(list, &positions)),
            (Some(Values::Texts(all)), Some(Values::Texts(list))) => all.extend(of(list, &positions)),
            (values, Some(Values::Numbers(list))) => *values = Some(Values::Numbers(of(list, &positions).collect())),
            (values, Some(Values::Doubles(list))) => *values = Some(Values::Doubles(of(list, &positions).collect())),
            (values, Some(Values::Texts(list))) => *values = Some(Values::Texts(of(list, &positions).collect())),
        }
    }

    fn columns(mut self) -> Result<Columns> {
        if matches!(self.plain, Plain::Double) && self.values.is_none() {
            self.resolve();
        }
        let positions = self.positions;
        match (self.values, self.dictionary) {
            (Some(Values::Numbers(values)), _) => Ok(Columns::Numbers(values)),
            (Some(Values::Doubles(values)), _) => Ok(Columns::Doubles(values)),
            (Some(Values::Texts(values)), _) => interned(&values),
            (None, Some(Values::Numbers(list))) => Ok(Columns::Coded(positions, list)),
            (None, Some(Values::Texts(list))) => Ok(Columns::Texts(positions, words(&list)?)),
            (None, Some(Values::Doubles(_)) | None) => Ok(match self.plain {
                Plain::Double => Columns::Doubles(Vec::new()),
                Plain::Text => Columns::Texts(Vec::new(), Vec::new()),
                _ => Columns::Numbers(Vec::new()),
            }),
        }
    }
}

fn cut_off() -> ParquetError {
    ParquetError::EOF("a page ends before its last value".into())
}

/// Whether levels say that each value is there.
fn all_there(levels: Option<&[u8]>, count: u32) -> Result<()> {
    let mut there = Vec::new();
    levels.and_then(|levels| hybrid::decode(levels, 1, count as usize, &mut there)).ok_or_else(cut_off)?;
    if there.contains(&0) { Err(has_nulls()) } else { Ok(()) }
}

/// Values of any length, each behind its own in four bytes.
fn byte_arrays(bytes: &Bytes, count: usize) -> impl Iterator<Item = Result<Bytes>> {
    let mut at = 0;
    (0..count).map(move |_| {
        let rest = bytes.get(at..).unwrap_or_default();
        let length = u32::from_le_bytes(*rest.first_chunk().ok_or_else(cut_off)?) as usize;
        if rest.len() - 4 < length {
            return Err(cut_off());
        }
        let value = bytes.slice(at + 4..at + 4 + length);
        at += 4 + length;
        Ok(value)
    })
}

/// Texts as positions in a list of them.
fn interned(values: &[Bytes]) -> Result<Columns> {
    let (mut list, mut known): (Vec<Bytes>, HashMap<&Bytes, u32>) = (Vec::new(), HashMap::new());
    let mut positions = Vec::with_capacity(values.len());
    for value in values {
        let position = *known.entry(value).or_insert_with(|| {
            list.push(value.clone());
            list.len() as u32 - 1
        });
        positions.push(position);
    }
    Ok(Columns::Texts(positions, words(&list)?))
}

fn words(list: &[Bytes]) -> Result<Vec<String>> {
    if list.len() > TEXTS {
        return Err(many_texts());
    }
    list.iter().map(|word| std::str::from_utf8(word).map(str::to_owned).map_err(|_| not_utf8())).collect()
}
