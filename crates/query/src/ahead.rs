//! Reading a file ahead of those who work on it, so that its disk and they work at the same time.

use std::borrow::Borrow;
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use knee_machine::files;

/// How many parts are read ahead: some megabytes, as row groups and morsels are.
const PARTS: usize = 8;

/// Parts of which each is asked for once.
#[derive(Debug)]
pub(crate) struct Ahead {
    asked: Vec<AtomicBool>,
}

impl Ahead {
    /// So many parts, none of which was asked for.
    pub(crate) fn new(parts: usize) -> Self {
        Self { asked: (0..parts).map(|_| AtomicBool::new(false)).collect() }
    }

    /// Has the kernel read a part that is needed now, and the next ones. `of` gives a part's file, and where it stands in it.
    pub(crate) fn ask<F: Borrow<File>>(&self, part: usize, of: impl Fn(usize) -> Option<(F, Vec<Range<u64>>)>) {
        for next in part..self.asked.len().min(part + PARTS) {
            // Relaxed: to ask twice does no harm.
            if !self.asked[next].swap(true, Ordering::Relaxed)
                && let Some((file, ranges)) = of(next)
            {
                for range in ranges {
                    files::read_ahead(file.borrow(), range);
                }
            }
        }
    }
}
