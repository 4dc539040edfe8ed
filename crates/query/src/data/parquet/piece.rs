//! Row groups of files, described so that another machine reads the same ones.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use knee_workload::Error;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::{Opened, Parquet, shown, thrift, unreadable};
use crate::error::wrong;

/// Some row groups of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// From the root.
    path: String,
    bytes: u64,
    /// Hash of the file's footer, which says where all values are and what lies between.
    footer: String,
    groups: Range<usize>,
}

impl Parquet {
    /// Describes parts.
    ///
    /// # Errors
    /// Where a file cannot be read, or its path is no text.
    pub(crate) fn pieces(&self, parts: Range<usize>) -> Result<Vec<Piece>, Error> {
        let mut pieces: Vec<(usize, Range<usize>)> = Vec::new();
        for &(file, group) in &self.parts[parts] {
            match pieces.last_mut() {
                Some((last, groups)) if *last == file => groups.end = group + 1,
                _ => pieces.push((file, group..group + 1)),
            }
        }
        if pieces.is_empty() {
            // The columns of a table without rows are still known.
            pieces.push((0, 0..0));
        }
        let piece = |(file, groups): (usize, Range<usize>)| {
            let file = &self.files[file];
            let cannot = |error: io::Error| unreadable(&file.path, &error);
            // As it was given: where others see the same files, links may lead elsewhere.
            let path = std::path::absolute(&file.path).map_err(cannot)?;
            let path = path.to_str().ok_or_else(|| wrong(format!("the name of {} is not UTF-8", shown(&path))))?;
            let footer = footer(&file.path, file.bytes).map_err(cannot)?;
            Ok(Piece { path: path.to_owned(), bytes: file.bytes, footer, groups })
        };
        pieces.into_iter().map(piece).collect()
    }

    /// The row groups of pieces.
    ///
    /// # Errors
    /// Where a file is not there, or not as it was when it was described.
    pub(crate) fn of_pieces(pieces: &[Piece]) -> Result<Self, Error> {
        let (mut files, mut parts) = (Vec::new(), Vec::new());
        for piece in pieces {
            let path = Path::new(&piece.path);
            let unseen = |error: Error| {
                let hint = "each machine that answers parts has to see the same files under the same paths";
                if path.exists() { error } else { error.hint(hint) }
            };
            let file = Opened::open(path.to_owned()).map_err(unseen)?;
            let cannot = |error: io::Error| unreadable(path, &error);
            let same = file.bytes == piece.bytes && footer(path, file.bytes).map_err(cannot)? == piece.footer;
            if !same || piece.groups.end > file.metadata.num_row_groups() {
                let what = format!("{} is not as it was when the query was split", shown(path));
                return Err(
                    wrong(what).hint("split the query again, and let no file change until all parts are answered")
                );
            }
            parts.extend(piece.groups.clone().map(|group| (files.len(), group)));
            files.push(file);
        }
        if files.is_empty() {
            return Err(wrong("the part names no file"));
        }
        Self::of(files, parts)
    }
}

/// Hash of the footer of a file that was opened.
fn footer(path: &Path, bytes: u64) -> io::Result<String> {
    let footer = thrift::footer(&File::open(path)?, bytes)?.unwrap_or_default();
    Ok(format!("{:016x}", XxHash3_64::oneshot(&footer)))
}
