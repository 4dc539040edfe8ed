//! Values of one column in one row group.

use std::collections::HashMap;
use std::sync::Arc;

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::chunk::Pages;
use super::pages::Checked;
use super::schema::Stored;
use crate::kind::{Kind, is_date};
use crate::table::Columns;

/// Values that are read at a time: no memory is taken for more than the file turns out to hold.
const BATCH: usize = 16 << 10;
/// Most different texts.
const TEXTS: usize = 1 << 16;

/// Reads all values of a column.
pub(super) fn read(pages: Pages, metadata: &ColumnChunkMetaData, rows: usize, stored: Stored) -> Result<Columns> {
    let optional = stored.optional;
    let pages = Checked { pages: SerializedPageReader::new(Arc::new(pages), metadata, rows, None)?, optional };
    let reader = get_column_reader(metadata.column_descr_ptr(), Box::new(pages));
    match (reader, stored.physical) {
        (ColumnReader::Int32ColumnReader(reader), _) => {
            let unsigned = is_unsigned(metadata);
            let wide = |value: i32| if unsigned { i64::from(value as u32) } else { value.into() };
            numbers(reader, rows, optional, |value| match wide(value) {
                day if stored.kind == Kind::Date && !is_date(day) => {
                    Err(ParquetError::General("a date is beyond the years -9999 to 9999".into()))
                }
                number => Ok(number),
            })
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
            return Err(ParquetError::General("it has nulls, which knee query does not know; DuckDB does".into()));
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
        return Err(ParquetError::General("a decimal needs more than 64 bits".into()));
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
                None if words.len() == TEXTS => {
                    let what = format!("it has over {TEXTS} different texts, too many for knee query; DuckDB reads it");
                    return Err(ParquetError::General(what));
                }
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
        let word = String::from_utf8(word).map_err(|_| ParquetError::General("a text is not UTF-8".into()))?;
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
