//! Dates of Spark's legacy calendar: before 1582-10-15 it is the Julian one, so that days are other dates.
//!
//! Versions before 3.0, and later ones with `datetimeRebaseModeInWrite=LEGACY`, write such days, and say so among the
//! keys of a file (`DataSourceUtils.datetimeRebaseSpec`).

use parquet::file::metadata::ParquetMetaData;

use super::schema::Stored;
use crate::kind::Kind;
use crate::table::Columns;

const VERSION: &str = "org.apache.spark.version";
const LEGACY: &str = "org.apache.spark.legacyDateTime";

/// 1582-10-15, in days since 1970-01-01.
pub(super) const GREGORIAN: i64 = -141_427;

/// Whether a file's early dates are those of the legacy calendar.
pub(super) fn is_of(metadata: &ParquetMetaData) -> bool {
    let keys = metadata.file_metadata().key_value_metadata().map_or(&[][..], Vec::as_slice);
    let version = keys.iter().find(|one| one.key == VERSION).and_then(|one| one.value.as_deref());
    let major = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    keys.iter().any(|one| one.key == LEGACY) || major.is_some_and(|major| major < 3)
}

/// Whether a column has dates that are others in that calendar.
pub(super) fn has_julian(values: &Columns, stored: &Result<Stored, String>) -> bool {
    let days = match values {
        Columns::Numbers(days) | Columns::Coded(_, days) => days,
        Columns::Doubles(_) | Columns::Texts(..) => return false,
    };
    stored.as_ref().is_ok_and(|stored| stored.kind == Kind::Date) && days.iter().any(|day| *day < GREGORIAN)
}
