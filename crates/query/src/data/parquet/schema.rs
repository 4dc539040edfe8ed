//! Types of Parquet as types of columns.

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use crate::kind::Kind;

/// How a column is stored in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) kind: Kind,
    pub(super) physical: Type,
    /// Whether values may be missing.
    pub(super) optional: bool,
}

/// The columns of a schema: for each how it is stored, or why it cannot be used.
pub(super) fn columns(schema: &SchemaDescriptor) -> Vec<(String, Result<Stored, String>)> {
    schema.columns().iter().map(|column| (column.path().string(), stored(column))).collect()
}

fn stored(column: &ColumnDescriptor) -> Result<Stored, String> {
    if column.max_rep_level() > 0 || column.max_def_level() > 1 || column.path().parts().len() > 1 {
        return Err("is nested".into());
    }
    let kind = kind(column)?;
    Ok(Stored { kind, physical: column.physical_type(), optional: column.max_def_level() > 0 })
}

fn kind(column: &ColumnDescriptor) -> Result<Kind, String> {
    let decimal = |scale: i32| {
        let scale = u8::try_from(scale).ok().filter(|scale| *scale <= 18);
        scale.map(Kind::Decimal).ok_or_else(|| "is a decimal with over 18 digits after the point".to_owned())
    };
    let logical = column.logical_type_ref();
    let converted = column.converted_type();
    if let Some(LogicalType::Decimal(decimals)) = logical {
        return decimal(decimals.scale);
    }
    if converted == ConvertedType::DECIMAL {
        return decimal(column.type_scale());
    }
    match (column.physical_type(), logical, converted) {
        (Type::INT32, Some(LogicalType::Date), _) | (Type::INT32, None, ConvertedType::DATE) => Ok(Kind::Date),
        (Type::INT32 | Type::INT64, Some(LogicalType::Integer(_)) | None, ConvertedType::UINT_64) => {
            Err("has whole numbers of 64 bits without a sign".into())
        }
        (Type::INT32 | Type::INT64, Some(LogicalType::Integer(_)), _)
        | (
            Type::INT32 | Type::INT64,
            None,
            ConvertedType::NONE
            | ConvertedType::INT_8
            | ConvertedType::INT_16
            | ConvertedType::INT_32
            | ConvertedType::INT_64
            | ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32,
        ) => Ok(Kind::Integer),
        (Type::DOUBLE, ..) => Ok(Kind::Double),
        (Type::BYTE_ARRAY, Some(LogicalType::String), _) | (Type::BYTE_ARRAY, None, ConvertedType::UTF8) => {
            Ok(Kind::Text)
        }
        (physical, Some(logical), _) => {
            let all = format!("{logical:?}");
            let name = all.split(['(', ' ', '{']).next().unwrap_or_default().to_uppercase();
            Err(format!("has the type {name} ({physical})"))
        }
        (physical, None, ConvertedType::NONE) => Err(format!("has the type {physical}")),
        (physical, None, converted) => Err(format!("has the type {converted} ({physical})")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::schema::parser::parse_message_type;

    use super::*;

    #[test]
    fn what_a_column_cannot_be_used_for_is_named() {
        let schema = "message t { required int64 a (TIMESTAMP_MICROS); required int64 b; required binary c (JSON); required int96 d; }";
        let schema = SchemaDescriptor::new(Arc::new(parse_message_type(schema).unwrap()));
        let said: Vec<_> = columns(&schema).into_iter().map(|(_, stored)| stored.err()).collect();
        assert_eq!(said[0].as_deref(), Some("has the type TIMESTAMP_MICROS (INT64)"));
        assert_eq!(said[1], None);
        assert_eq!(said[2].as_deref(), Some("has the type JSON (BYTE_ARRAY)"));
        assert_eq!(said[3].as_deref(), Some("has the type INT96"));
    }
}
