//! What the crate says about a file, or where it panics, as errors that name the file.

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use knee_workload::Error;
use parquet::errors::ParquetError;

use super::opened::shown;
use crate::error::wrong;

/// What to do about a file that is not whole.
pub(super) const BROKEN: &str = "it is damaged or cut short: copy it again, or write it again";

/// Runs what may panic inside of the crate.
pub(super) fn caught<T>(
    path: &Path,
    what: &str,
    work: impl FnOnce() -> parquet::errors::Result<T>,
) -> Result<T, Error> {
    let broken = |reason: String| {
        let reason = reason
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("Parquet error: ")
            .trim_start_matches("External: ")
            .to_owned();
        wrong(format!("cannot read {}: {what}: {reason}", shown(path))).hint(BROKEN)
    };
    match quietly(work) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(ParquetError::NYI(reason))) => {
            Err(wrong(format!("cannot use {}: {what}: {reason}", shown(path))).hint("DuckDB reads such columns"))
        }
        // Such as a codec that this build leaves out.
        Ok(Err(ParquetError::General(reason))) if reason.starts_with("Disabled feature") => {
            let what = format!("cannot use {}: {what}: its compression is not known here", shown(path));
            Err(wrong(what).hint("DuckDB reads such columns; knee reads snappy, zstd, gzip and lz4"))
        }
        Ok(Err(error)) => Err(broken(error.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(broken(text.unwrap_or("the reader gave up").to_owned()))
        }
    }
}

thread_local! {
    /// Whether a panic on this thread is expected, and nothing is printed.
    static QUIET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

fn quietly<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(outer);
    result
}
