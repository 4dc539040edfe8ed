//! What a query knows of a column.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::kind::Kind;

/// A column as a query sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Kind,
    /// The sorted texts that its values are positions in; none while they are not known.
    #[serde(skip)]
    pub dictionary: Option<Arc<[String]>>,
}

/// The smallest and the largest value of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest.
    pub low: i128,
    /// The largest.
    pub high: i128,
}

impl Bounds {
    /// The largest value without its sign.
    #[must_use]
    pub fn largest(self) -> u128 {
        self.low.unsigned_abs().max(self.high.unsigned_abs())
    }
}
