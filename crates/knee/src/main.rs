//! `knee`: find the knee of your speedup curve, know why it bends, move it.
//!
//! This binary measures. Verbs that plan and explain are passed to the Python package.

#![deny(unsafe_code)]
// All printing goes through `shown`, which escapes control characters.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod error;
mod listing;
mod measures;
mod nearest;
mod python;
mod record;
mod registry;
mod run;
mod run_spec;
mod shown;
#[allow(unsafe_code)]
mod sys;
mod this;
mod usage;
mod verb;
mod verbs;

use std::ffi::OsStr;
use std::process::ExitCode;

use clap::error::ErrorKind;
use knee_machine::sys::OrExit;

#[global_allocator]
static ALLOCATOR: OrExit = OrExit;

fn main() -> ExitCode {
    let given = match verbs::command().try_get_matches() {
        Ok(given) => given,
        // Help and version.
        Err(error) if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.exit()
        }
        Err(error) => {
            let verb = std::env::args_os().nth(1);
            return usage::failure(&error, verb.as_deref().and_then(OsStr::to_str)).report();
        }
    };
    let (name, words) = given.subcommand().expect("clap asks for a verb");
    let verb = verbs::find(name).expect("clap knows the verbs of the table only");
    verb.serve(words).unwrap_or_else(error::Failure::report)
}
