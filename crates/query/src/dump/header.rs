//! What a dump says of itself.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::field::Bounds;
use crate::kind::{Kind, is_date};
use crate::table::{Column, MORSEL, Storage};

/// Most rows of a table without columns: nothing in the file stands for them, and a scan goes through them all.
const BARE: u64 = 1 << 36;

/// The header.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    /// What the table was made of.
    pub(super) input: String,
    /// The rule of its encodings.
    pub(super) encoding: String,
    pub(super) rows: u64,
    pub(super) columns: Vec<Described>,
    /// The checksum of each piece, morsel by morsel.
    pub(super) checksums: Vec<u64>,
}

/// A column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Described {
    name: String,
    kind: Kind,
    dictionary: Option<Vec<String>>,
    low: i64,
    high: i64,
    storage: Storage,
}

impl Described {
    pub(super) fn of(column: &Column) -> Self {
        let end = |value: i128| i64::try_from(value).expect("bounds are values");
        Self {
            name: column.name.clone(),
            kind: column.kind,
            dictionary: column.dictionary.as_ref().map(|words| words.to_vec()),
            low: end(column.bounds.low),
            high: end(column.bounds.high),
            storage: column.storage,
        }
    }

    pub(super) fn column(&self) -> Column {
        let bounds = Bounds { low: self.low.into(), high: self.high.into() };
        let dictionary: Option<Arc<[String]>> = self.dictionary.clone().map(Into::into);
        Column::new(self.name.clone(), self.kind, dictionary, bounds, self.storage)
    }

    /// Bytes of a piece.
    pub(super) fn bytes(&self) -> usize {
        self.storage.bytes() * MORSEL
    }

    /// Whether it makes sense: what a scan takes for granted.
    fn is_sound(&self) -> bool {
        let stored = self.storage.is_sound(self.low, self.high);
        let words = match (&self.dictionary, self.kind) {
            (Some(words), Kind::Text) => {
                let sorted = words.windows(2).all(|pair| pair[0] < pair[1]);
                let last = words.len().saturating_sub(1);
                sorted && self.low == 0 && u64::try_from(self.high) == Ok(last as u64) && words.len() <= 1 << 16
            }
            (None, Kind::Text) | (Some(_), _) => false,
            (None, _) => true,
        };
        let kind = (self.kind == Kind::Double) == (self.storage == Storage::Doubles);
        let scale = self.kind.scale().is_none_or(|scale| scale <= 38);
        let dates = self.kind != Kind::Date || (is_date(self.low) && is_date(self.high));
        stored && words && kind && scale && dates && self.low <= self.high
    }
}

impl Header {
    /// How many morsels there are.
    pub(super) fn morsels(&self) -> u64 {
        self.rows.div_ceil(MORSEL as u64)
    }

    /// Whether it makes sense.
    pub(super) fn is_sound(&self) -> bool {
        let pieces = self.morsels().checked_mul(self.columns.len() as u64);
        let end = !self.columns.is_empty() || self.rows <= BARE;
        let words =
            |column: &Described| self.rows == 0 || column.dictionary.as_ref().is_none_or(|words| !words.is_empty());
        let columns = self.columns.iter().all(|column| column.is_sound() && words(column));
        pieces == Some(self.checksums.len() as u64) && end && columns
    }
}
