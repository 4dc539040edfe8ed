//! Reads files that other people or programs wrote: never waits forever, and refuses a text over [`MOST_BYTES`].

mod whole;

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::{Advice, OFlags, fadvise, fcntl_setfl};
use rustix::io::Errno;

pub use whole::write_whole;

/// Largest text file that is read. `/proc/cpuinfo` of 8192 cpus has 12 MB.
pub const MOST_BYTES: u64 = 64 << 20;

/// Opens a file, or a pipe such as a shell makes for `<(command)`. A named pipe without a writer reads as empty.
///
/// # Errors
/// The system's error. A device is refused too, because it may never end.
pub fn open(path: &Path) -> io::Result<File> {
    // With NONBLOCK, opening a named pipe does not wait for a writer.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_char_device() || kind.is_block_device() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a device, not a file"));
    }
    if kind.is_fifo() {
        fcntl_setfl(&file, OFlags::empty())?;
    }
    Ok(file)
}

/// Reads a range of a file, all of which has to be there.
///
/// # Errors
/// The system's error, or that the file ends before the range.
pub fn range(file: &File, range: Range<u64>) -> io::Result<Vec<u8>> {
    let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
    let mut bytes = Vec::with_capacity(length);
    while bytes.len() < length {
        let at = range.start + bytes.len() as u64;
        match rustix::io::pread(file, spare_capacity(&mut bytes), at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// Which file it is, and when it was changed last: its device, its number there, and seconds and nanoseconds since 1970.
/// Programs that copy a file can give it any other time, but not this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    device: u64,
    number: u64,
    changed: (i64, i64),
}

impl State {
    /// That of a file with this metadata.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        Self { device: metadata.dev(), number: metadata.ino(), changed }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, nanoseconds) = self.changed;
        write!(f, "{}:{}, {seconds}.{nanoseconds:09}", self.device, self.number)
    }
}

/// Opens a file that has its bytes on a disk.
///
/// # Errors
/// The system's error; for a directory, a pipe or a device, that it is none.
pub fn regular(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
}

/// The text of a file.
///
/// # Errors
/// Those of [`open`]; when it is larger than [`MOST_BYTES`], or not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", MOST_BYTES >> 20)));
    }
    Ok(text)
}

/// Has the kernel read a part of a file before it is asked for, without waiting. It may do nothing.
pub fn read_ahead(file: &File, range: Range<u64>) {
    // No length would mean all that follows.
    if let Some(length) = NonZeroU64::new(range.end.saturating_sub(range.start)) {
        _ = fadvise(file, range.start, Some(length), Advice::WillNeed);
    }
}

/// The number after a name, in a text of names and numbers like `cpu.stat`: `nr_periods 12`.
#[must_use]
pub fn number_after(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_pipes_and_large_files_do_not_block_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(text(Path::new("/dev/zero")).unwrap_err().to_string(), "it is a device, not a file");
        assert_eq!(regular(folder.path()).unwrap_err().to_string(), "it is not a regular file");
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(text(&at("pipe")).unwrap(), "");
        assert_eq!(regular(&at("pipe")).unwrap_err().to_string(), "it is not a regular file");
        File::create(at("holes")).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(text(&at("holes")).unwrap_err().to_string(), "it is larger than 64 MiB");
        assert_eq!(text(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        std::fs::write(at("text"), "words").unwrap();
        assert_eq!(text(&at("text")).unwrap(), "words");
    }
}
