//! Where this program is, to start it again.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

/// This program's file. Without `/proc`, which alone says so, it is where the caller looked for it.
///
/// # Errors
/// When it cannot be found in any way.
pub(crate) fn program() -> io::Result<PathBuf> {
    env::current_exe().or_else(|error| named().ok_or(error))
}

/// By the first word of the command line: a path, or a name in a folder of `PATH`.
fn named() -> Option<PathBuf> {
    let word = PathBuf::from(env::args_os().next()?);
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = if word.components().count() > 1 {
        Some(word)
    } else {
        env::split_paths(&folders).map(|folder| folder.join(&word)).find(|file| file.is_file())
    };
    // From the root on: the program that is started may be in another folder.
    found.and_then(|file| std::path::absolute(file).ok()).filter(|file: &PathBuf| Path::is_file(file))
}
