//! Values of one column in one row group: by pages where they allow it, else by the crate's own reader.

mod checked;
mod delta;
mod hybrid;
mod pages;
mod plain;

use std::collections::HashMap;
use std::sync::Arc;

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::chunk::Pages;
use super::schema::Stored;
use crate::data::too_many_texts;
use crate::kind::{Kind, is_date};
use crate::table::{Columns, TEXTS};

use checked::Checked;

/// Values that are read at a time: no memory is taken for more than the file turns out to hold.
const BATCH: usize = 16 << 10;

/// Reads all values of a column.
pub(super) fn read(pages: Pages, metadata: &ColumnChunkMetaData, rows: usize, stored: Stored) -> Result<Columns> {
    match pages::read(pages.clone(), metadata, rows, stored)? {
        Some(columns) => Ok(columns),
        None => one_by_one(pages, metadata, rows, stored),
    }
}

/// All values of a column as text, by pages or by the crate's own reader alone.
#[cfg(any(test, fuzzing))]
pub(super) fn as_text(
    pages: Pages,
    metadata: &ColumnChunkMetaData,
    rows: usize,
    stored: Stored,
    by_pages: bool,
) -> Result<Vec<String>> {
    Ok(match if by_pages { read } else { one_by_one }(pages, metadata, rows, stored)? {
        Columns::Numbers(values) => values.iter().map(i64::to_string).collect(),
        Columns::Coded(codes, values) => codes.iter().map(|code| values[*code as usize].to_string()).collect(),
        Columns::Doubles(values) => values.iter().map(|value| format!("{:x}", value.to_bits())).collect(),
        Columns::Texts(codes, words) => codes.iter().map(|code| words[*code as usize].clone()).collect(),
    })
}

/// Reads all values of a column, whatever the encodings of its pages are.
fn one_by_one(pages: Pages, metadata: &ColumnChunkMetaData, rows: usize, stored: Stored) -> Result<Columns> {
    let optional = stored.optional;
    let pages = Checked { pages: SerializedPageReader::new(Arc::new(pages), metadata, rows, None)?, optional };
    let reader = get_column_reader(metadata.column_descr_ptr(), Box::new(pages));
    match (reader, stored.physical) {
        (ColumnReader::Int32ColumnReader(reader), _) => {
            let unsigned = is_unsigned(metadata);
            let wide = |value: i32| if unsigned { i64::from(value as u32) } else { value.into() };
            let date = stored.kind == Kind::Date;
            numbers(reader, rows, optional, |value| if date { day(wide(value)) } else { Ok(wide(value)) })
        }
        (ColumnReader::Int64ColumnReader(reader), _) => numbers(reader, rows, optional, Ok),
        (ColumnReader::DoubleColumnReader(reader), _) => {
            let mut values = Vec::new();
            each(reader, rows, optional, |batch| {
                values.extend_from_slice(batch);
                Ok(())
            })?;
            Ok(Columns::Doubles(values))
        }
        (ColumnReader::FixedLenByteArrayColumnReader(reader), _) => {
            numbers(reader, rows, optional, |value| big_endian(value.data()))
        }
        (ColumnReader::ByteArrayColumnReader(reader), _) if stored.kind != Kind::Text => {
            numbers(reader, rows, optional, |value| big_endian(value.data()))
        }
        (ColumnReader::ByteArrayColumnReader(reader), _) => texts(reader, rows, optional),
        (_, other) => Err(ParquetError::General(format!("values of type {other}, not of {}", Type::INT64))),
    }
}

/// A day, if it is a date.
fn day(number: i64) -> Result<i64> {
    if is_date(number) { Ok(number) } else { Err(no_date()) }
}

fn no_date() -> ParquetError {
    ParquetError::NYI("a date is beyond the years -9999 to 9999".into())
}

/// The error for what a whole file may have, and this engine does not take.
fn has_nulls() -> ParquetError {
    ParquetError::NYI("it has nulls".into())
}

fn many_texts() -> ParquetError {
    ParquetError::NYI(too_many_texts())
}

fn not_utf8() -> ParquetError {
    ParquetError::General("a text is not UTF-8".into())
}

fn is_unsigned(metadata: &ColumnChunkMetaData) -> bool {
    use parquet::basic::ConvertedType as Converted;
    matches!(metadata.column_descr().converted_type(), Converted::UINT_8 | Converted::UINT_16 | Converted::UINT_32)
}

/// Calls `take` with all values, batch by batch.
fn each<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    optional: bool,
    mut take: impl FnMut(&[T::T]) -> Result<()>,
) -> Result<()> {
    let (mut done, mut values, mut levels) = (0, Vec::new(), Vec::new());
    while done < rows {
        values.clear();
        levels.clear();
        let wanted = BATCH.min(rows - done);
        let (records, count, _) = reader.read_records(wanted, optional.then_some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::EOF(format!("it has {done} of {rows} values")));
        }
        if count < records {
            return Err(has_nulls());
        }
        take(&values)?;
        done += records;
    }
    Ok(())
}

fn numbers<T: DataType>(
    reader: ColumnReaderImpl<T>,
    rows: usize,
    optional: bool,
    number: impl Fn(T::T) -> Result<i64>,
) -> Result<Columns>
where
    T::T: Clone,
{
    let mut numbers = Vec::new();
    each(reader, rows, optional, |batch| {
        for value in batch {
            numbers.push(number(value.clone())?);
        }
        Ok(())
    })?;
    Ok(Columns::Numbers(numbers))
}

/// A decimal in bytes, the highest first, with a sign.
fn big_endian(bytes: &[u8]) -> Result<i64> {
    let sign: u8 = if bytes.first().is_some_and(|first| first & 0x80 != 0) { 0xff } else { 0 };
    let (high, low) = bytes.split_at(bytes.len().saturating_sub(8));
    let mut all = [sign; 8];
    all[8 - low.len()..].copy_from_slice(low);
    let value = i64::from_be_bytes(all);
    if high.iter().any(|byte| *byte != sign) || (value < 0) != (sign != 0) {
        return Err(ParquetError::NYI("a decimal needs more than 64 bits".into()));
    }
    Ok(value)
}

fn texts(reader: ColumnReaderImpl<parquet::data_type::ByteArrayType>, rows: usize, optional: bool) -> Result<Columns> {
    let (mut positions, mut words): (Vec<u32>, HashMap<Vec<u8>, u32>) = (Vec::new(), HashMap::new());
    each(reader, rows, optional, |batch: &[ByteArray]| {
        for value in batch {
            let next = u32::try_from(words.len()).expect("there are few");
            let position = match words.get(value.data()) {
                Some(position) => *position,
                None if words.len() == TEXTS => return Err(many_texts()),
                None => {
                    words.insert(value.data().to_vec(), next);
                    next
                }
            };
            positions.push(position);
        }
        Ok(())
    })?;
    let mut list = vec![String::new(); words.len()];
    for (word, position) in words {
        let word = String::from_utf8(word).map_err(|_| not_utf8())?;
        list[position as usize] = word;
    }
    Ok(Columns::Texts(positions, list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_of_any_length_are_numbers() {
        let read = |bytes: &[u8]| big_endian(bytes).ok();
        assert_eq!(read(&[]), Some(0));
        assert_eq!(read(&[0xff]), Some(-1));
        assert_eq!(read(&[0x01, 0x00]), Some(256));
        assert_eq!(read(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), Some(1));
        assert_eq!(read(&[0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0]), Some(i64::MIN));
        assert_eq!(read(&[0x00, 0x80, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(read(&[0x01, 0, 0, 0, 0, 0, 0, 0, 0]), None);
    }
}
