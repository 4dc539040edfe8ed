//! Errors for the user: message with the system's reason, hint, exit status.

use std::fmt;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write, stdout};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use knee_machine::placement::{PLACE_KINDS, PlaceKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

use crate::shown::shown;

/// Exit statuses. `run` passes on those of the program it ran; these are knee's own.
pub(crate) mod status {
    /// A check failed: the answer was wrong.
    pub(crate) const GATE: u8 = 1;
    /// Wrong usage, or the machine refused.
    pub(crate) const USAGE: u8 = 2;
    /// `run`: the program was stopped at its time limit.
    pub(crate) const TIMEOUT: u8 = 124;
    /// `run`: knee itself failed.
    pub(crate) const KNEE: u8 = 125;
    /// `run`: the program was found and cannot be executed.
    pub(crate) const NOT_EXECUTABLE: u8 = 126;
    /// `run`: the program was not found.
    pub(crate) const NOT_FOUND: u8 = 127;
    /// `run`: 128 + n when signal n ended the program.
    pub(crate) const SIGNALLED: u8 = 128;
}

/// An error on its way to the user.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    code: u8,
}

impl Failure {
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), hint: None, code: status::USAGE }
    }

    pub(crate) fn hint(self, hint: impl fmt::Display) -> Self {
        Self { hint: Some(hint.to_string()), ..self }
    }

    pub(crate) fn code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    /// The one thing to try, if there is one.
    pub(crate) fn hinted(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Prints it on standard error and returns the exit status.
    pub(crate) fn report(self) -> ExitCode {
        say(format_args!("knee: {}", self.message));
        if let Some(hint) = self.hint {
            say(format_args!("\nhint: {hint}"));
        }
        ExitCode::from(self.code)
    }

    /// The form in which Python reads it.
    pub(crate) fn json(&self) -> String {
        serde_json::json!({ "message": self.message, "hint": self.hint }).to_string()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<knee_machine::Error> for Failure {
    fn from(error: knee_machine::Error) -> Self {
        use knee_machine::Error as E;
        let hint = match &error {
            E::UnknownPlacement(_) => {
                let kinds: Vec<_> = PLACE_KINDS.iter().map(PlaceKind::name).collect();
                let kinds = kinds.join(", ");
                Some(format!(
                    "PLACES-close or PLACES-spread, where PLACES is one of\n      {kinds}; none; or cpus like 0,2,4-7"
                ))
            }
            E::NoSuchPart { .. } | E::NothingLeft { .. } => {
                Some("`knee machine` shows the parts of this machine".into())
            }
            E::TooFewSiblings { .. } => Some("`knee machine` shows the hardware threads of each core".into()),
            E::Synthetic { .. } => Some(
                "write a description like \"pack:2 core:4 pu:2\", or give the path of a folder or an XML file".into(),
            ),
            E::TooFewPlaces { .. } => {
                Some("give fewer threads; only `knee run --bind set` allows more than there are places".into())
            }
            E::Unreadable { path, .. } if path.starts_with("/sys/") => {
                Some("mount /sys; without it only unpinned runs are possible: `knee run -- COMMAND`".into())
            }
            E::UnknownMemory(_) => Some("NODES are numbers, such as 0 or 0-1; `knee machine` lists the nodes".into()),
            E::NotAllowed { .. } => Some("`knee machine` shows which cpus this process may use".into()),
            _ => None,
        };
        Self { hint, ..Self::new(error) }
    }
}

impl From<knee_meter::events::Error> for Failure {
    fn from(error: knee_meter::events::Error) -> Self {
        let hint = error.hint.clone();
        Self::new(error.to_string()).hint(hint)
    }
}

impl From<knee_workload::Error> for Failure {
    fn from(error: knee_workload::Error) -> Self {
        Self { hint: error.hinted().map(Into::into), ..Self::new(&error) }
    }
}

/// Prints a line on standard error, with control characters escaped. `eprintln!` panics when standard error is closed
/// or its disk is full, and then the result would be lost.
pub(crate) fn say(line: impl fmt::Display) {
    // Relaxed: it is set and read by the same thread.
    if UNREAD.load(Ordering::Relaxed) && !takes_a_line() {
        return;
    }
    let _ = writeln!(io::stderr(), "{}", shown(&line.to_string()));
}

/// Whether nobody may read what is said.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// From here on what cannot be said without waiting is left out.
pub(crate) fn expect_no_reader() {
    UNREAD.store(true, Ordering::Relaxed);
}

fn takes_a_line() -> bool {
    let err = io::stderr();
    let mut fds = [PollFd::from_borrowed_fd(err.as_fd(), PollFlags::OUT)];
    retry_on_intr(|| poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))).is_ok_and(|ready| ready > 0)
}

/// Plain data as JSON on one line.
pub(crate) fn json_line(data: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(data).map_err(Failure::new)
}

/// Prints data on standard output, with control characters escaped (see [`shown`]). A closed pipe is no error;
/// everything else is reported.
pub(crate) fn print_out(text: &str) -> Result<(), Failure> {
    print_raw(&shown(text))
}

/// Prints data for other programs: as it is, unless a terminal shows it.
pub(crate) fn print_data(text: &str) -> Result<(), Failure> {
    if stdout().is_terminal() { print_out(text) } else { print_raw(text) }
}

/// The same as JSON over several lines, piece by piece: there may be a lot of it.
pub(crate) fn print_json(data: &impl serde::Serialize) -> Result<(), Failure> {
    if stdout().is_terminal() {
        return print_out(&(serde_json::to_string_pretty(data).map_err(Failure::new)? + "\n"));
    }
    print_with(|out| {
        serde_json::to_writer_pretty(&mut *out, data)?;
        writeln!(out)
    })
}

fn print_raw(text: &str) -> Result<(), Failure> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// Lets `write` print what can hold no control characters, such as a long table of numbers. A closed pipe is no error.
pub(crate) fn print_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = BufWriter::new(stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write: standard output: {error}")))
        }
        _ => Ok(()),
    }
}
