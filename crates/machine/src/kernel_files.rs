//! Reads small files of `/sys` and `/proc`: a word, a number or a set.

use std::path::Path;

use crate::{CpuSet, Error, files};

/// A file of the kernel's without the line end; captures made with `dd` keep a zero byte behind it.
pub(crate) fn text(path: &Path) -> Option<String> {
    let blank = |c: char| c.is_whitespace() || c == '\0';
    files::text(path).ok().map(|text| text.trim_matches(blank).to_owned())
}

/// The same, read as a value.
pub(crate) fn number<T: std::str::FromStr>(path: &Path) -> Option<T> {
    text(path)?.parse().ok()
}

/// The same as a set of cpus or nodes; none where there is no file.
pub(crate) fn list(path: &Path) -> Result<Option<CpuSet>, Error> {
    text(path).map(|text| text.parse()).transpose()
}

/// A set that the kernel writes twice, as a mask and as a list; old kernels and some captures have one of them, and
/// where they differ (caches of AMD's modules in Linux 2.6.32) the mask is right.
pub(crate) fn set(dir: &Path, list_name: &str, mask: &str) -> Result<Option<CpuSet>, Error> {
    match text(&dir.join(mask)) {
        Some(text) => CpuSet::from_mask(&text).map(Some),
        None => list(&dir.join(list_name)),
    }
}
