//! Captures a program's output: size, fingerprint, and the text that checks need.
//!
//! Where every cpu is measured, reading takes time from the program. A program that prints in small pieces would wake us
//! for each of them, so the pipe is large and is read at intervals; a fast hash compares outputs.

use std::fs::File;
use std::hash::Hasher;
use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::io::retry_on_intr;
use twox_hash::XxHash3_64;

use super::super::signals::Signals;

/// Bytes kept from each end of the output. Searches see these.
const KEPT: usize = 1 << 20;
/// Capacity of the pipe: what an ordinary user may ask for.
const CAPACITY: usize = 1 << 20;
/// Bytes per read.
const BUFFER: usize = 1 << 16;
/// Bytes that a pipe takes without waiting when it takes any. A terminal may take fewer, and others come at once.
const PIECE: usize = 4096;
/// While nobody reads what is shown, the interval doubles so many times.
const LONGEST: u32 = 6;
/// Time between the end of one go and the next. Long enough to collect many small pieces, too short to fill the pipe.
const INTERVAL: Duration = Duration::from_millis(2);
/// No time to wait.
const NOW: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
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
    hash: XxHash3_64,
    buffer: Vec<u8>,
    /// Bytes that the pipe holds.
    capacity: usize,
    /// When to read again.
    due: Instant,
    /// Bytes per read: all that there are, or as many as can be shown without waiting.
    piece: usize,
    /// How often in a row nobody took what is shown.
    held: u32,
}

impl Capture {
    pub(crate) fn new(pipe: OwnedFd) -> io::Result<Self> {
        rustix::fs::fcntl_setfl(&pipe, rustix::fs::OFlags::NONBLOCK)?;
        // A user with many large pipes is refused, and the usual size will do.
        let _ = rustix::pipe::fcntl_setpipe_size(&pipe, CAPACITY);
        Ok(Self {
            capacity: rustix::pipe::fcntl_getpipe_size(&pipe)?,
            pipe: Some(pipe.into()),
            echo: None,
            head: Vec::new(),
            tail: Vec::new(),
            bytes: 0,
            hash: XxHash3_64::new(),
            buffer: vec![0; BUFFER],
            due: Instant::now(),
            piece: BUFFER,
            held: 0,
        })
    }

    /// Also passes everything on, as it comes.
    pub(crate) fn echoing(self, echo: Option<Echo>) -> Self {
        let kind = |fd: BorrowedFd<'_>| rustix::fs::fstat(fd).map(|found| FileType::from_raw_mode(found.st_mode));
        let kind = match echo {
            Some(Echo::StandardOutput) => Some(kind(io::stdout().as_fd())),
            Some(Echo::StandardError) => Some(kind(io::stderr().as_fd())),
            None => None,
        };
        // A file takes all of it.
        let whole = kind.is_none_or(|kind| kind == Ok(FileType::RegularFile));
        Self { echo, piece: if whole { BUFFER } else { PIECE }, ..self }
    }

    /// Whether the other end may still write.
    pub(crate) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// To be polled for reading, if it is open and due.
    pub(crate) fn fd(&self, now: Instant) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().filter(|_| self.due <= now).map(AsFd::as_fd)
    }

    /// How long to leave it alone, if it is open and not due.
    pub(crate) fn pause(&self, now: Instant) -> Option<Duration> {
        (self.is_open() && self.due > now).then(|| self.due - now)
    }

    /// Reads what is there, without waiting, and not without end: a program that prints faster than we read must not
    /// keep us from its time limit.
    ///
    /// Returns whether something was read.
    pub(crate) fn drain(&mut self) -> bool {
        let mut buffer = mem::take(&mut self.buffer);
        let (mut read, mut held) = (0, false);
        for _ in 0..CAPACITY / self.piece {
            held = !self.takes();
            let Some(pipe) = self.pipe.as_mut().filter(|_| !held) else { break };
            match pipe.read(&mut buffer[..self.piece]) {
                Ok(0) => self.pipe = None,
                Ok(length) => {
                    self.take(&buffer[..length]);
                    read += length;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => self.pipe = None,
            }
        }
        self.buffer = buffer;
        // A program that fills the pipe meanwhile would have to wait for us.
        let filling = 4 * read > self.capacity;
        self.held = if held { (self.held + 1).min(LONGEST) } else { 0 };
        if held || (read > 0 && !filling) {
            self.due = Instant::now() + INTERVAL * (1 << self.held);
        }
        read > 0
    }

    /// Whether a piece can be shown without waiting: a reader that has all it wants to read must not keep us from the
    /// program's time limit. One that is gone takes everything.
    fn takes(&self) -> bool {
        let writable = |fd: BorrowedFd<'_>| {
            let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
            let mut polled = || retry_on_intr(|| poll(&mut fds, Some(&NOW)));
            polled().is_ok_and(|ready| ready > 0)
        };
        match self.echo {
            Some(Echo::StandardOutput) => writable(io::stdout().as_fd()),
            Some(Echo::StandardError) => writable(io::stderr().as_fd()),
            None => true,
        }
    }

    /// Reads to the end, when the program has ended: then there is nothing to do but to wait for the reader, `most` for each
    /// piece, if there is a limit. After that, or once a signal asks to stop, the rest is recorded and no longer shown.
    ///
    /// Returns whether somebody reads what is shown, as far as that is known.
    pub(crate) fn drain_rest(&mut self, signals: &Signals, most: Option<Duration>) -> bool {
        let mut is_read = true;
        while self.is_open() {
            is_read &= self.await_reader(signals, most);
            if !self.drain() {
                break;
            }
        }
        is_read
    }

    /// Shows nothing any more.
    pub(crate) fn mute(&mut self) {
        self.echo = None;
    }

    /// Waits until a piece can be shown, or nothing is shown any more, and returns whether it can.
    fn await_reader(&mut self, signals: &Signals, most: Option<Duration>) -> bool {
        let (out, err) = (io::stdout(), io::stderr());
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        while !self.takes() {
            let shown = if self.echo == Some(Echo::StandardOutput) { out.as_fd() } else { err.as_fd() };
            let mut fds = vec![PollFd::from_borrowed_fd(shown, PollFlags::OUT)];
            fds.extend(signals.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            let ready = retry_on_intr(|| poll(&mut fds, most.as_ref()));
            if ready == Ok(0) || signals.next().is_some() {
                self.mute();
                return false;
            }
        }
        true
    }

    fn take(&mut self, new: &[u8]) {
        // An error means that our output was closed; the program goes on.
        let _ = match self.echo {
            Some(Echo::StandardOutput) => io::stdout().write_all(new).and_then(|()| io::stdout().flush()),
            Some(Echo::StandardError) => io::stderr().write_all(new),
            None => Ok(()),
        };
        self.bytes += new.len() as u64;
        self.hash.write(new);
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
        format!("{:016x}", self.hash.finish())
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
        // A character that begins before these bytes is not valid and falls to the cut.
        let whole = self.head.len() + self.tail.len();
        let last = self.head.iter().chain(&self.tail).skip(whole.saturating_sub(SHOWN + 3));
        let last: Vec<u8> = last.copied().collect();
        let text = String::from_utf8_lossy(&last);
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
        while capture.is_open() {
            capture.drain();
        }
        assert_eq!(capture.bytes(), 6_000_000);
        assert!(capture.text().len() < 4 * KEPT && capture.text().contains("bytes not kept"));
        assert!(capture.shown().ends_with("99") && capture.shown().len() <= SHOWN);
    }
    #[test]
    fn small_pieces_are_collected_and_a_pipe_that_fills_is_read_at_once() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let mut capture = Capture::new(read).unwrap();
        let mut write = File::from(write);
        for (length, collects) in [(10, true), (capture.capacity / 2, false)] {
            let before = Instant::now();
            capture.due = before;
            write.write_all(&vec![b'x'; length]).unwrap();
            assert!(capture.drain());
            assert_eq!(capture.pause(before).is_some(), collects, "{length}");
            assert_eq!(capture.fd(before).is_some(), !collects, "{length}");
            assert!(capture.fd(before + 2 * INTERVAL + before.elapsed()).is_some());
        }
    }

    #[test]
    fn the_end_begins_with_a_whole_character() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let mut capture = Capture::new(read).unwrap();
        let text = format!("{}end", "\u{20ac}".repeat(SHOWN));
        File::from(write).write_all(text.as_bytes()).unwrap();
        capture.drain();
        let shown = capture.shown();
        assert!(text.ends_with(&shown) && shown.len() > SHOWN - 4, "{shown}");
    }
}
