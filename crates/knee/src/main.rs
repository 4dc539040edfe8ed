//! `knee`: find the knee of your speedup curve, know why it bends, move it.
//!
//! This binary is the front door. It measures; the verbs that explain are handed to the Python package beside it.

#![forbid(unsafe_code)]

mod cli;
mod error;
mod measures;
mod python;
mod record;
mod registry;
mod run;
mod run_spec;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Verb};
use crate::error::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli.verb) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn dispatch(verb: Verb) -> Result<ExitCode, Failure> {
    match verb {
        Verb::Machine(args) => verbs::machine::show(&args),
        Verb::Place(args) => verbs::place::show(&args),
        Verb::Doctor(args) => verbs::doctor::show(&args),
        Verb::Run(args) => run::verb(*args),
        Verb::Memory(args) => verbs::memory::act(&args),
        Verb::Mine(args) => verbs::mine::act(&args),
        Verb::Workloads(args) => verbs::workloads::show(&args),
        Verb::Study(_) => python::hand_over("study"),
        Verb::Plan(_) => python::hand_over("plan"),
        Verb::Report(_) => python::hand_over("report"),
        Verb::Analyze(_) => python::hand_over("analyze"),
        Verb::Compare(_) => python::hand_over("compare"),
        Verb::Selftest(_) => python::hand_over("selftest"),
        Verb::Launch(args) => run::launch_verb(&args),
        Verb::Child(args) => run::child::verb(&args),
        Verb::Copies(args) => run::copies::verb(&args),
        Verb::Generate(args) => verbs::generate::write(&args),
    }
}
