//! What a footer says of the values of a column in one row group.

use parquet::basic::ConvertedType;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;

use super::legacy::GREGORIAN;
use super::schema::Stored;
use crate::field::Bounds;
use crate::kind::{Kind, is_date};

/// The smallest and the largest value, of whole numbers with a sign, of decimals stored as such, and of dates. None where a
/// value may be missing, or where reading the column could find that it cannot be used: so nobody need read it.
pub(super) fn of(column: &ColumnChunkMetaData, stored: Stored, legacy: bool) -> Option<Bounds> {
    let statistics = column.statistics().filter(|known| !known.is_min_max_deprecated())?;
    let (low, high) = match statistics {
        Statistics::Int32(values) => ((*values.min_opt()?).into(), (*values.max_opt()?).into()),
        Statistics::Int64(values) => (*values.min_opt()?, *values.max_opt()?),
        _ => return None,
    };
    let usable = match stored.kind {
        Kind::Integer => !is_unsigned(column.column_descr().converted_type()),
        Kind::Decimal(_) => true,
        Kind::Date => is_date(low) && is_date(high) && !(legacy && low < GREGORIAN),
        Kind::Double | Kind::Text => false,
    };
    let bounds = Bounds { low: low.into(), high: high.into() };
    (usable && low <= high && is_full(column, stored)).then_some(bounds)
}

/// Whether the footer says that no value is missing.
pub(super) fn is_full(column: &ColumnChunkMetaData, stored: Stored) -> bool {
    !stored.optional || column.statistics().and_then(Statistics::null_count_opt) == Some(0)
}

/// Writers differ in how they order such numbers.
fn is_unsigned(of: ConvertedType) -> bool {
    use ConvertedType as Converted;
    matches!(of, Converted::UINT_8 | Converted::UINT_16 | Converted::UINT_32 | Converted::UINT_64)
}
