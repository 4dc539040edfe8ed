//! Sources of a topology: this machine, a folder with its `/sys` and `/proc`, hwloc's XML, or hwloc's synthetic text.

use std::path::Path;

use super::Topology;
use crate::{Error, files};

impl Topology {
    /// Reads what `lstopo -i` would: a folder with `sys` and `proc` under it, a file of hwloc's XML (format 2 or 3), or
    /// a synthetic description like `pack:2 core:4 pu:2`.
    ///
    /// # Errors
    /// Those of the reader; [`Error::Unreadable`] when the text names no file and is no description either.
    pub fn from_input(input: &str) -> Result<Self, Error> {
        let path = Path::new(input);
        if path.is_dir() {
            return Self::from_sysfs(path);
        }
        let looks_like_path = input.contains('/') || path.extension().is_some_and(|end| end == "xml");
        if path.exists() || looks_like_path {
            let unreadable =
                |error: std::io::Error| Error::Unreadable { path: input.into(), reason: error.to_string() };
            return Self::from_hwloc_xml(&files::text(path).map_err(unreadable)?, input);
        }
        Self::from_synthetic(input)
    }
}
