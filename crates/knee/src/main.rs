//! `knee`: find the knee of your speedup curve, know why it bends, move it.
//!
//! This binary is the front door. It measures; the verbs that explain are handed to the Python package beside it.

#![forbid(unsafe_code)]

mod error;
mod listing;
mod measures;
mod python;
mod record;
mod registry;
mod run;
mod run_spec;
mod verb;
mod verbs;

use std::process::ExitCode;

fn main() -> ExitCode {
    let given = verbs::command().get_matches();
    let (name, words) = given.subcommand().expect("clap asks for a verb");
    let verb = verbs::find(name).expect("clap knows the verbs of the table only");
    verb.serve(words).unwrap_or_else(error::Failure::report)
}
