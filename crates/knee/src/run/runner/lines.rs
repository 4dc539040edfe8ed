//! Splits standard input into lines: one run spec each.

use std::io;
use std::os::fd::BorrowedFd;

/// Longest line that is read, in bytes. No run spec is longer.
const MOST_BYTES: usize = 16 << 20;

/// Lines from a descriptor that is read only when it has data.
#[derive(Default)]
pub(super) struct Lines {
    buffer: Vec<u8>,
}

impl Lines {
    pub(super) fn take(&mut self) -> Option<String> {
        let end = self.buffer.iter().position(|&byte| byte == b'\n')?;
        let line: Vec<u8> = self.buffer.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    /// False at the end of the input.
    pub(super) fn fill(&mut self, fd: BorrowedFd<'_>) -> io::Result<bool> {
        let mut chunk = [0; 1 << 14];
        let length = rustix::io::retry_on_intr(|| rustix::io::read(fd, &mut chunk))?;
        self.buffer.extend_from_slice(&chunk[..length]);
        if self.buffer.len() > MOST_BYTES {
            return Err(io::Error::other(format!("a line has more than {} MiB", MOST_BYTES >> 20)));
        }
        Ok(length > 0)
    }

    /// The last line, if it does not end with a newline.
    pub(super) fn rest(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.buffer);
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest).into_owned())
    }
}
