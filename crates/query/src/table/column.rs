//! A column of a table.

use std::sync::Arc;

use super::encoding::Storage;
use crate::field::{Bounds, Field};
use crate::kind::Kind;

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Kind,
    /// The sorted texts that its values are positions in.
    pub dictionary: Option<Arc<[String]>>,
    /// Its smallest and largest value; 0 for doubles.
    pub bounds: Bounds,
    pub(crate) storage: Storage,
    /// Where its piece begins in a morsel, in bytes.
    pub(super) offset: usize,
}

impl Column {
    /// A column of a table that is not laid out yet.
    pub(crate) fn new(
        name: String,
        kind: Kind,
        dictionary: Option<Arc<[String]>>,
        bounds: Bounds,
        storage: Storage,
    ) -> Self {
        Self { name, kind, dictionary, bounds, storage, offset: 0 }
    }

    /// The column as a query sees it.
    pub(crate) fn field(&self) -> Field {
        Field { name: self.name.clone(), kind: self.kind, dictionary: self.dictionary.clone() }
    }
}
