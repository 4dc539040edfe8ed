//! Where a program's standard streams go.

use std::io;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};

use super::Echo;

/// Where the program's standard streams go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streams {
    /// Into the record; standard input is empty.
    Captured,
    /// To ours.
    Inherited,
    /// Ours too, but standard output goes to standard error.
    ToStandardError,
    /// Into the record and to ours, standard output to this one; standard input is ours.
    Shown(Echo),
}

impl Streams {
    /// Connects the streams of a command that is about to start.
    pub(super) fn connect(self, command: &mut Command) -> io::Result<()> {
        match self {
            Self::Captured => {
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            }
            Self::Shown(_) => {
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
            }
            Self::ToStandardError => {
                command.stdout(Stdio::from(io::stderr().as_fd().try_clone_to_owned()?));
            }
            Self::Inherited => {}
        }
        Ok(())
    }

    /// Where standard output and standard error, once captured, are shown too.
    pub(super) fn echoes(self) -> [Option<Echo>; 2] {
        match self {
            Self::Shown(echo) => [Some(echo), Some(Echo::StandardError)],
            _ => [None, None],
        }
    }
}
