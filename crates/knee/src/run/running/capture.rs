//! Captures a program's output: size, fingerprint, and the text that checks need.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes kept from each end of the output. Searches see these.
const KEPT: usize = 1 << 20;
/// Reads in one go.
const READS_AT_ONCE: u32 = 16;
/// Bytes of the tail that go into the record.
const SHOWN: usize = 2_000;

/// Where what is captured is also shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Echo {
    StandardOutput,
    StandardError,
}

/// The reading end of a pipe and what came through it.
pub(crate) struct Capture {
    pipe: Option<File>,
    echo: Option<Echo>,
    head: Vec<u8>,
    tail: Vec<u8>,
    bytes: u64,
    fnv1a: u64,
}

impl Capture {
    pub(crate) fn new(pipe: OwnedFd) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&pipe, rustix::fs::OFlags::NONBLOCK)?;
        let fnv1a = 0xcbf2_9ce4_8422_2325;
        Ok(Self { pipe: Some(pipe.into()), echo: None, head: Vec::new(), tail: Vec::new(), bytes: 0, fnv1a })
    }

    /// Also passes everything on, as it comes.
    pub(crate) fn echoing(self, echo: Option<Echo>) -> Self {
        Self { echo, ..self }
    }

    /// To be polled for reading; none once the other end is closed.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Takes in what is there, without waiting, and not without end: a program that prints faster than we read must
    /// not keep us from its time limit.
    ///
    /// Returns whether something was read.
    pub(crate) fn drain(&mut self) -> bool {
        let mut buffer = [0; 1 << 14];
        let mut found = false;
        for _ in 0..READS_AT_ONCE {
            let Some(pipe) = &mut self.pipe else { break };
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(length) => {
                    self.take(&buffer[..length]);
                    found = true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => self.pipe = None,
            }
        }
        found
    }

    fn take(&mut self, new: &[u8]) {
        // Somebody who closed our output does not want to see more of it.
        let _ = match self.echo {
            Some(Echo::StandardOutput) => io::stdout().write_all(new).and_then(|()| io::stdout().flush()),
            Some(Echo::StandardError) => io::stderr().write_all(new),
            None => Ok(()),
        };
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
        while capture.fd().is_some() {
            capture.drain();
        }
        assert_eq!(capture.bytes(), 6_000_000);
        assert!(capture.text().len() < 4 * KEPT && capture.text().contains("bytes not kept"));
        assert!(capture.shown().ends_with("99") && capture.shown().len() <= SHOWN);
    }
}
