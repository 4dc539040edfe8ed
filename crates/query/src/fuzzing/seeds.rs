//! Small Parquet files to begin with: each codec, with plain pages and with dictionaries, in both versions of pages.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
    Int64Type,
};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

const SCHEMA: &str = "message table {
    required int32 day (DATE);
    optional int32 small (INTEGER(8, false));
    required int64 key;
    required int64 price (DECIMAL(12, 2));
    required fixed_len_byte_array(6) tax (DECIMAL(13, 3));
    required double half;
    optional binary word (UTF8);
    required boolean odd;
}";
/// Rows of each of two row groups.
const ROWS: i32 = 20;

/// Writes the files into a directory.
///
/// # Errors
/// What cannot be written.
pub fn write_parquet(directory: &Path) -> Result<()> {
    let codecs = [
        ("none", Compression::UNCOMPRESSED),
        ("snappy", Compression::SNAPPY),
        ("zstd", Compression::ZSTD(ZstdLevel::default())),
        ("gzip", Compression::GZIP(GzipLevel::default())),
        ("lz4", Compression::LZ4_RAW),
        ("hadoop-lz4", Compression::LZ4),
    ];
    fs::create_dir_all(directory)?;
    for (codec, compression) in codecs {
        for (pages, version) in [("v1", WriterVersion::PARQUET_1_0), ("v2", WriterVersion::PARQUET_2_0)] {
            for (values, dictionary) in [("plain", false), ("dictionary", true)] {
                let properties = WriterProperties::builder()
                    .set_compression(compression)
                    .set_writer_version(version)
                    .set_dictionary_enabled(dictionary)
                    .set_statistics_enabled(EnabledStatistics::None)
                    .build();
                one(&directory.join(format!("{codec}-{pages}-{values}.parquet")), properties)?;
            }
        }
    }
    Ok(())
}

fn one(path: &Path, properties: WriterProperties) -> Result<()> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut writer = SerializedFileWriter::new(File::create(path)?, schema, Arc::new(properties))?;
    for first in [0, ROWS] {
        let mut group = writer.next_row_group()?;
        let words = ["AIR", "FOB", "MAIL", "", "REG AIR"].map(ByteArray::from);
        column::<Int32Type>(&mut group, first, false, |row| 8_000 + row % 9)?;
        column::<Int32Type>(&mut group, first, true, |row| row % 3)?;
        column::<Int64Type>(&mut group, first, false, |row| i64::from(row / 4) << 33)?;
        column::<Int64Type>(&mut group, first, false, |row| 70_000 + i64::from(row))?;
        column::<FixedLenByteArrayType>(&mut group, first, false, |row| {
            FixedLenByteArray::from(vec![0, 0, 0, 0, 1, row as u8])
        })?;
        column::<DoubleType>(&mut group, first, false, |row| f64::from(row % 5) / 2.0)?;
        column::<ByteArrayType>(&mut group, first, true, |row| words[row as usize % 5].clone())?;
        column::<BoolType>(&mut group, first, false, |row| row % 2 == 1)?;
        group.close()?;
    }
    writer.close().map(|_| ())
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    first: i32,
    optional: bool,
    value: impl Fn(i32) -> T::T,
) -> Result<()> {
    let mut writer = group.next_column()?.expect("the schema has it");
    let values: Vec<T::T> = (first..first + ROWS).map(value).collect();
    let levels = optional.then(|| vec![1; values.len()]);
    writer.typed::<T>().write_batch(&values, levels.as_deref(), None)?;
    writer.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Parquet, Source};

    #[test]
    fn every_file_is_read() {
        let directory = tempfile::tempdir().unwrap();
        write_parquet(directory.path()).unwrap();
        let source = Parquet::open(directory.path()).unwrap();
        assert_eq!((source.parts(), source.rows()), (2 * 24, 2 * 24 * ROWS as u64));
        let usable: Vec<usize> = (0..source.fields().len()).filter(|column| source.usable(*column).is_ok()).collect();
        assert_eq!(usable.len(), 7, "all but the booleans");
        for part in 0..source.parts() {
            source.read(part, &usable).unwrap();
            for column in &usable {
                let [by_pages, one_by_one] = source.both_ways(part, *column).map(Result::unwrap);
                assert_eq!(by_pages, one_by_one, "part {part}, column {column}");
            }
        }
    }

    #[test]
    fn memory_is_not_taken_for_a_claim() {
        let directory = tempfile::tempdir().unwrap();
        write_parquet(directory.path()).unwrap();
        let path = directory.path().join("snappy-v1-plain.parquet");
        let mut bytes = fs::read(&path).unwrap();
        // The first page's header, behind the magic: its kind, and its size without compression.
        assert_eq!(bytes[4..9], [0x15, 0, 0x15, 2 * 4 * ROWS as u8, 1]);
        bytes[8] = 0x7f;
        fs::write(&path, bytes).unwrap();
        let refused = Parquet::open(&path).unwrap().read(0, &[0]).unwrap_err().error.to_string();
        assert!(refused.contains("claims to hold more"), "{refused}");
    }

    #[test]
    fn time_is_not_taken_for_a_claim() {
        let directory = tempfile::tempdir().unwrap();
        write_parquet(directory.path()).unwrap();
        let path = directory.path().join("none-v2-plain.parquet");
        let bytes = fs::read(&path).unwrap();
        let (data, end) = bytes.split_at(bytes.len() - 9);
        // Before the footer's end: field 100, a list of 2^31 - 1 booleans.
        let list = [0x09, 0xc8, 0x01, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07];
        let length = u32::from_le_bytes(end[1..5].try_into().unwrap()) + list.len() as u32;
        fs::write(&path, [data, &list, &[0], &length.to_le_bytes(), b"PAR1"].concat()).unwrap();
        let refused = Parquet::open(&path).unwrap_err().to_string();
        assert!(refused.ends_with("its footer is damaged"), "{refused}");
    }
}
