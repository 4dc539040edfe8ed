//! What a program prints: counted, fingerprinted, and kept as far as it is needed.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes kept from each end of the output. Searches see these.
const KEPT: usize = 1 << 20;
/// Bytes of the tail that go into the record.
const SHOWN: usize = 2_000;

/// The reading end of a pipe and what came through it.
pub(crate) struct Capture {
    pipe: Option<File>,
    head: Vec<u8>,
    tail: Vec<u8>,
    bytes: u64,
    fnv1a: u64,
}

impl Capture {
    pub(crate) fn new(pipe: OwnedFd) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&pipe, rustix::fs::OFlags::NONBLOCK)?;
        let fnv1a = 0xcbf2_9ce4_8422_2325;
        Ok(Self { pipe: Some(pipe.into()), head: Vec::new(), tail: Vec::new(), bytes: 0, fnv1a })
    }

    /// To be polled for reading; none once the other end is closed.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Takes in what is there, without waiting.
    pub(crate) fn drain(&mut self) {
        let mut buffer = [0; 1 << 14];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(length) => self.take(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    fn take(&mut self, new: &[u8]) {
        self.bytes += new.len() as u64;
        for &byte in new {
            self.fnv1a = (self.fnv1a ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let (first, rest) = new.split_at(new.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > 2 * KEPT {
            self.tail.drain(..self.tail.len() - KEPT);
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn fingerprint(&self) -> String {
        format!("{:016x}", self.fnv1a)
    }

    /// All of it, or both ends with a line between them that says how much is missing.
    pub(crate) fn text(&self) -> String {
        let missing = self.bytes - (self.head.len() + self.tail.len()) as u64;
        let head = String::from_utf8_lossy(&self.head);
        let tail = String::from_utf8_lossy(&self.tail);
        if missing == 0 { format!("{head}{tail}") } else { format!("{head}\n[{missing} bytes not kept]\n{tail}") }
    }

    /// The end of it, for the record.
    pub(crate) fn shown(&self) -> String {
        let text = self.text();
        let from = text.len().saturating_sub(SHOWN);
        let from = (from..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text[from..].trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_flood_is_counted_whole_and_kept_at_both_ends() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let mut capture = Capture::new(read).unwrap();
        let mut write = File::from(write);
        for chunk in 0..100 {
            write.write_all(format!("{chunk:>60000}").as_bytes()).unwrap();
            capture.drain();
        }
        drop(write);
        capture.drain();
        assert!(capture.fd().is_none());
        assert_eq!(capture.bytes(), 6_000_000);
        assert!(capture.text().len() < 4 * KEPT && capture.text().contains("bytes not kept"));
        assert!(capture.shown().ends_with("99") && capture.shown().len() <= SHOWN);
    }
}
