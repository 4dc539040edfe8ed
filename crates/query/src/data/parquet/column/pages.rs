//! Values of a column whose pages are plain, name entries of a dictionary or have differences, as nearly all do. Entries
//! stay entries: a table's codes are made once for each of them, not once for each row. Any other page is left to the
//! crate's own reader ([`column`](super)).

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::hybrid;
use super::plain::{Plain, Values, cut_off};
use super::{has_nulls, many_texts, not_utf8};
use crate::data::parquet::chunk::Pages;
use crate::data::parquet::schema::Stored;
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
                // Positions of earlier pages would mean entries of the second one.
                if self.dictionary.is_some() {
                    return Err(ParquetError::General("it has two dictionaries".into()));
                }
                let mut values = Values::none(self.plain, 0);
                self.plain.read(&buf, num_values as usize, self.stored.kind, &mut values)?;
                self.dictionary = Some(values);
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
                self.resolve();
                let mut values = self.values.take().expect("there are some now");
                self.plain.read(&bytes, count, self.stored.kind, &mut values)?;
                self.values = Some(values);
            }
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => self.entries(&bytes, count)?,
            Encoding::DELTA_BINARY_PACKED if matches!(self.plain, Plain::Int32 { .. } | Plain::Int64) => {
                self.resolve();
                let mut values = self.values.take().expect("there are some now");
                self.plain.read_differences(&bytes, count, self.stored.kind, &mut values)?;
                self.values = Some(values);
            }
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

    /// A page of entries: their width, and their numbers.
    fn entries(&mut self, bytes: &Bytes, count: usize) -> Result<()> {
        let length = self.dictionary.as_ref().map(Values::len);
        let length = length.ok_or_else(|| ParquetError::General("a page has no dictionary".into()))?;
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

    /// Puts the values of entries in their place.
    fn resolve(&mut self) {
        fn of<T: Clone>(list: &[T], positions: &[u32]) -> impl Iterator<Item = T> {
            positions.iter().map(|position| list[*position as usize].clone())
        }
        let room = self.rows.min(ROWS);
        let values = self.values.get_or_insert_with(|| Values::none(self.plain, room));
        match (values, &self.dictionary) {
            (Values::Numbers(all), Some(Values::Numbers(list))) => all.extend(of(list, &self.positions)),
            (Values::Doubles(all), Some(Values::Doubles(list))) => all.extend(of(list, &self.positions)),
            (Values::Texts(all), Some(Values::Texts(list))) => all.extend(of(list, &self.positions)),
            // Without a dictionary there are no entries.
            _ => {}
        }
        self.positions.clear();
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

/// Whether levels say that each value is there.
fn all_there(levels: Option<&[u8]>, count: u32) -> Result<()> {
    let all = levels.and_then(|levels| hybrid::all_ones(levels, count as usize)).ok_or_else(cut_off)?;
    if all { Ok(()) } else { Err(has_nulls()) }
}

/// Texts as positions in a list of them.
fn interned(values: &[Bytes]) -> Result<Columns> {
    let (mut list, mut known): (Vec<Bytes>, HashMap<&Bytes, u32>) = (Vec::new(), HashMap::new());
    let mut positions = Vec::with_capacity(values.len());
    for value in values {
        let next = list.len() as u32;
        let position = match known.get(value) {
            Some(position) => *position,
            None if list.len() == TEXTS => return Err(many_texts()),
            None => {
                list.push(value.clone());
                known.insert(value, next);
                next
            }
        };
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

#[cfg(test)]
mod tests {
    use parquet::basic::Type;

    use super::super::big_endian;
    use super::*;
    use crate::kind::Kind;

    /// A column of which nothing was read.
    fn reading(plain: Plain, kind: Kind, physical: Type, rows: usize) -> Reading {
        let stored = Stored { kind, physical, optional: false };
        Reading { plain, stored, rows, done: 0, dictionary: None, positions: Vec::new(), values: None }
    }

    fn dictionary(values: &[i64]) -> Page {
        let buf = values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>().into();
        Page::DictionaryPage { buf, num_values: values.len() as u32, encoding: Encoding::PLAIN, is_sorted: false }
    }

    fn data(buf: Vec<u8>, num_values: u32, encoding: Encoding) -> Page {
        let (def_level_encoding, rep_level_encoding) = (Encoding::RLE, Encoding::RLE);
        Page::DataPage {
            buf: buf.into(),
            num_values,
            encoding,
            def_level_encoding,
            rep_level_encoding,
            statistics: None,
        }
    }

    /// So many times the entry of this number.
    fn entries(count: u8, entry: u8) -> Page {
        data(vec![2, count << 1, entry], count.into(), Encoding::RLE_DICTIONARY)
    }

    #[test]
    fn a_second_dictionary_is_refused() {
        let mut column = reading(Plain::Int64, Kind::Integer, Type::INT64, 8);
        assert!(column.page(dictionary(&[5, 6, 7])).unwrap());
        assert!(column.page(entries(4, 2)).unwrap());
        // A shorter one, in which the entry of the rows before is not there.
        let refused = column.page(dictionary(&[8])).unwrap_err().to_string();
        assert!(refused.contains("it has two dictionaries"), "{refused}");
    }

    fn numbers(column: Reading) -> Vec<i64> {
        match column.columns().unwrap() {
            Columns::Numbers(values) => {
                assert!(values.capacity() == values.len(), "room was made once");
                values
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn room_for_the_values_of_all_pages_is_made_once() {
        let page = |values: &[i64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        let mut column = reading(Plain::Int64, Kind::Integer, Type::INT64, 1_060);
        assert!(column.page(dictionary(&[5, 6, 7])).unwrap());
        assert!(column.page(entries(40, 2)).unwrap());
        for first in [0, 500] {
            let values: Vec<i64> = (first..first + 500).collect();
            assert!(column.page(data(page(&values), 500, Encoding::PLAIN)).unwrap());
        }
        assert!(column.page(entries(20, 1)).unwrap());
        let expected: Vec<i64> = [7; 40].into_iter().chain(0..1_000).chain([6; 20]).collect();
        assert_eq!(numbers(column), expected);
    }

    #[test]
    fn decimals_of_every_length_are_those_of_big_endian_numbers() {
        for length in 1..=17 {
            let value = |row: usize| {
                let value = (row as i64).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> (64 - 8 * length.min(8));
                let bytes = i128::from(value).to_be_bytes();
                [&[if value < 0 { 0xff } else { 0 }][..], &bytes].concat()[17 - length..].to_vec()
            };
            let bytes: Vec<Vec<u8>> = (0..100).map(value).collect();
            let expected: Vec<i64> = bytes.iter().map(|bytes| big_endian(bytes).unwrap()).collect();
            let mut column = reading(Plain::Fixed(length), Kind::Decimal(2), Type::FIXED_LEN_BYTE_ARRAY, 100);
            assert!(column.page(data(bytes.concat(), 100, Encoding::PLAIN)).unwrap());
            assert_eq!(numbers(column), expected, "{length} bytes");
            assert!(expected.iter().any(|value| *value < 0) && expected.iter().any(|value| *value > 0));
        }
    }

    #[test]
    fn each_day_of_a_page_is_a_date() {
        let read = |days: &[i32], rows: usize| {
            let plain = Plain::Int32 { unsigned: false };
            let mut column = reading(plain, Kind::Date, Type::INT32, rows);
            let page = days.iter().flat_map(|day| day.to_le_bytes()).collect();
            column.page(data(page, days.len() as u32, Encoding::PLAIN)).map(|_| numbers(column))
        };
        let (first, last) = (-4_371_587, 2_932_896);
        assert_eq!(read(&[first, 0, last], 3).unwrap(), [first.into(), 0, last.into()]);
        for day in [first - 1, last + 1, i32::MIN, i32::MAX] {
            for at in 0..20 {
                let mut days = [0; 20];
                days[at] = day;
                let refused = read(&days, 20).unwrap_err().to_string();
                assert!(refused.contains("a date is beyond"), "{day}: {refused}");
            }
        }
    }
}
