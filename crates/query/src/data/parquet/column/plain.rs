//! Values as plain pages and dictionaries have them: one behind the other.

use bytes::Bytes;
use parquet::basic::Type;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;

use super::delta;
use super::{big_endian, is_unsigned, no_date};
use crate::data::parquet::schema::Stored;
use crate::kind::{Kind, are_dates};

/// How a value is stored in a plain page.
#[derive(Debug, Clone, Copy)]
pub(super) enum Plain {
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
    pub(super) fn of(metadata: &ColumnChunkMetaData, stored: Stored) -> Result<Self> {
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

    /// Appends the values of a plain page or of a dictionary.
    pub(super) fn read(self, bytes: &Bytes, count: usize, kind: Kind, into: &mut Values) -> Result<()> {
        match (self, into) {
            (Self::Int32 { unsigned }, Values::Numbers(into)) => {
                let (words, begin) = (in_words::<4>(bytes, count)?, into.len());
                if unsigned {
                    into.extend(words.iter().map(|word| i64::from(u32::from_le_bytes(*word))));
                } else {
                    into.extend(words.iter().map(|word| i64::from(i32::from_le_bytes(*word))));
                }
                if kind == Kind::Date && !are_dates(&into[begin..]) {
                    return Err(no_date());
                }
            }
            (Self::Int64, Values::Numbers(into)) => {
                into.extend(in_words::<8>(bytes, count)?.iter().map(|word| i64::from_le_bytes(*word)));
            }
            (Self::Double, Values::Doubles(into)) => {
                into.extend(in_words::<8>(bytes, count)?.iter().map(|word| f64::from_le_bytes(*word)));
            }
            (Self::Fixed(length), Values::Numbers(into)) => decimals(all(bytes, length, count)?, length, into)?,
            (Self::Bytes, Values::Numbers(into)) => {
                for value in byte_arrays(bytes, count) {
                    into.push(big_endian(&value?)?);
                }
            }
            (Self::Text, Values::Texts(into)) => {
                for value in byte_arrays(bytes, count) {
                    into.push(value?);
                }
            }
            _ => unreachable!("values are of their column's type"),
        }
        Ok(())
    }

    /// Appends the whole numbers of a page of differences.
    pub(super) fn read_differences(self, bytes: &[u8], count: usize, kind: Kind, into: &mut Values) -> Result<()> {
        let Values::Numbers(into) = into else { unreachable!("values are of their column's type") };
        let begin = into.len();
        delta::decode(bytes, count, into).ok_or_else(cut_off)?;
        if let Self::Int32 { unsigned } = self {
            let wide = |value: i64| if unsigned { i64::from(value as u32) } else { i64::from(value as i32) };
            into[begin..].iter_mut().for_each(|value| *value = wide(*value));
            if kind == Kind::Date && !are_dates(&into[begin..]) {
                return Err(no_date());
            }
        }
        Ok(())
    }
}

/// Values, of pages or of a dictionary.
pub(super) enum Values {
    Numbers(Vec<i64>),
    Doubles(Vec<f64>),
    Texts(Vec<Bytes>),
}

impl Values {
    /// None yet, with room for so many.
    pub(super) fn none(plain: Plain, room: usize) -> Self {
        match plain {
            Plain::Double => Self::Doubles(Vec::with_capacity(room)),
            Plain::Text => Self::Texts(Vec::with_capacity(room)),
            _ => Self::Numbers(Vec::with_capacity(room)),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(list) => list.len(),
            Self::Doubles(list) => list.len(),
            Self::Texts(list) => list.len(),
        }
    }
}

pub(super) fn cut_off() -> ParquetError {
    ParquetError::EOF("a page ends before its last value".into())
}

/// The bytes of values of one length.
fn all(bytes: &[u8], length: usize, count: usize) -> Result<&[u8]> {
    length.checked_mul(count).and_then(|all| bytes.get(..all)).ok_or_else(cut_off)
}

fn in_words<const SIZE: usize>(bytes: &[u8], count: usize) -> Result<&[[u8; SIZE]]> {
    Ok(all(bytes, SIZE, count)?.as_chunks().0)
}

/// Appends decimals of one length, each with its highest byte first.
fn decimals(bytes: &[u8], length: usize, into: &mut Vec<i64>) -> Result<()> {
    macro_rules! of_length {
        ($($length:literal)*) => {
            match length {
                $($length => into.extend(bytes.as_chunks::<$length>().0.iter().map(decimal)),)*
                _ => {
                    for value in bytes.chunks_exact(length) {
                        into.push(big_endian(value)?);
                    }
                }
            }
        };
    }
    of_length!(1 2 3 4 5 6 7 8);
    Ok(())
}

/// A decimal of at most eight bytes.
fn decimal<const LENGTH: usize>(bytes: &[u8; LENGTH]) -> i64 {
    let mut word = [0; 8];
    word[..LENGTH].copy_from_slice(bytes);
    // The sign is the highest bit, and comes down with the others.
    i64::from_be_bytes(word) >> (64 - 8 * LENGTH)
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
