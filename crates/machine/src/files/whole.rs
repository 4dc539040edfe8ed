//! Writes a file beside its place and moves it there when it is whole.
//!
//! A process that is killed meanwhile leaves its part behind, which may be as large as the file. The next one that writes
//! the same file removes it: a part has a lock while somebody writes it, and the kernel gives that back when the process ends.
//! A number of a process would not tell, for those of two containers may be the same; so a part is always a new file, which
//! nobody else writes.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Has a file written beside its place, and moves it there when it is whole: nobody ever reads a part of it.
///
/// # Errors
/// Those of `write`, which is given the other path; the system's.
pub fn write_whole(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    remove_left_over(path);
    let (part, lock) = locked(path)?;
    let written = write(&part).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // What is left of it is of no use; that it cannot be removed either says no more.
        let _ = fs::remove_file(&part);
    }
    drop(lock);
    written
}

/// Makes a file beside this one that has a lock. Between these two somebody else may have taken it for one that was left
/// over.
fn locked(path: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}{:09}.part", std::process::id(), since.subsec_nanos()));
        let part = path.with_file_name(name);
        let file = match File::options().write(true).create_new(true).open(&part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => made?,
        };
        match file.try_lock() {
            Ok(()) if is_there(&file, &part) => return Ok((part, file)),
            // A file system without locks.
            Err(TryLockError::Error(_)) => return Ok((part, file)),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
        }
    }
}

fn is_there(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(there)) = (file.metadata(), fs::metadata(path)) else { return false };
    (own.dev(), own.ino()) == (there.dev(), there.ino())
}

/// Removes parts of this file that nobody writes any more. What cannot be removed stays.
fn remove_left_over(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let name = [name.as_encoded_bytes(), b"."].concat();
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file_name = entry.file_name();
        let number = file_name.as_encoded_bytes().strip_prefix(&name[..]).and_then(|rest| rest.strip_suffix(b".part"));
        let ours = number.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit));
        // Opened without making or emptying it. A link may lead anywhere.
        if ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let part = entry.path();
            if File::open(&part).is_ok_and(|file| file.try_lock().is_ok() && is_there(&file, &part)) {
                let _ = fs::remove_file(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_writes_is_left_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a.1.part", "a.x.part", "a..part", "ab.1.part", "a.7.part"] {
            fs::write(at(name), "half").unwrap();
        }
        let other = File::open(at("a.7.part")).unwrap();
        other.lock().unwrap();
        write_whole(&at("a"), |part| {
            assert!(File::open(part)?.try_lock().is_err(), "nobody else takes it for one that was left over");
            fs::write(part, "whole")
        })
        .unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["a", "a..part", "a.7.part", "a.x.part", "ab.1.part"]);
        assert_eq!(fs::read_to_string(at("a")).unwrap(), "whole");
    }

    #[test]
    fn writers_of_one_process_number_have_parts_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_whole(&path, |mine| {
            fs::write(mine, "half")?;
            write_whole(&path, |other| fs::write(other, "another"))?;
            assert_eq!((fs::read(mine)?, fs::read(&path)?), (b"half".to_vec(), b"another".to_vec()));
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "half");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn of_a_failure_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let failed = write_whole(&folder.path().join("a"), |part| {
            fs::write(part, "half")?;
            Err(io::Error::other("the disk is full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
