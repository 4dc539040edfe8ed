//! Finds this program's file, to start it again.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// This program's file. `/proc` names it; without `/proc` it is searched for as the caller did.
///
/// # Errors
/// When neither way finds it.
pub(crate) fn program() -> io::Result<PathBuf> {
    env::current_exe().or_else(|error| named().ok_or(error))
}

/// The file that the first word of the command line names: a path, or a name in a folder of `PATH`.
fn named() -> Option<PathBuf> {
    let word = PathBuf::from(env::args_os().next()?);
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = if word.components().count() > 1 { Some(word) } else { in_folders(&folders, &word) };
    // An absolute path, because the new process may start in another folder.
    found.and_then(|file| std::path::absolute(file).ok()).filter(|file: &PathBuf| Path::is_file(file))
}

/// The file of this name in the first of these folders that has one; they are listed as `PATH` lists them.
pub(crate) fn in_folders(folders: &OsStr, name: impl AsRef<Path>) -> Option<PathBuf> {
    env::split_paths(folders).map(|folder| folder.join(&name)).find(|file| file.is_file())
}
