//! `knee query --split`, `--part` and `--merge`: a query for engines that run on several machines.

use std::io::{self, BufRead, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use knee_query::{Format, parts};
use knee_workload::Workload;

use super::super::direct::Direct;
use crate::error::{Failure, print_out, status};

/// What to do with parts.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub(super) struct Parts {
    /// Describe at most this many parts of the query for --part, one line each
    #[arg(long, value_name = "PARTS")]
    split: Option<usize>,
    /// Answer the part that the first line of standard input describes
    #[arg(long)]
    part: bool,
    /// Join the answers of all parts, read from standard input
    #[arg(long)]
    merge: bool,
}

/// The parameters that say what to ask, which a part knows by itself.
const ASKED: &[&str] =
    &["query", "data", "scale", "cache", "sql", "delta", "date", "discount", "quantity", "encoding", "repeat"];

impl Parts {
    /// Whether a query is asked, whole or to be split, and not what a part or its answer says.
    pub(super) fn ask(&self) -> bool {
        !self.part && !self.merge
    }

    /// Does what was asked; none if it was nothing about parts.
    pub(super) fn run(&self, asked: &Direct, workload: &'static dyn Workload) -> Option<Result<ExitCode, Failure>> {
        let printed = match self {
            Self { split: Some(parts), .. } => split(asked, workload, *parts),
            Self { part: true, .. } => nothing_asked(asked, "--part").and_then(|()| part(asked, workload)),
            Self { merge: true, .. } => nothing_asked(asked, "--merge").and_then(|()| merge(asked)),
            _ => return None,
        };
        Some(printed.and_then(|text| print_out(&text)).map(|()| ExitCode::SUCCESS))
    }
}

fn nothing_asked(asked: &Direct, option: &str) -> Result<(), Failure> {
    match ASKED.iter().find(|name| asked.given.contains_key(**name)) {
        Some(name) => {
            let name = if ["query", "data"].contains(name) { name.to_uppercase() } else { format!("--{name}") };
            Err(Failure::new(format!("{option} with {name}: the part itself says what to ask"))
                .hint(format!("knee query {option} < FILE")))
        }
        None => Ok(()),
    }
}

fn split(asked: &Direct, workload: &'static dyn Workload, parts: usize) -> Result<String, Failure> {
    if parts == 0 {
        return Err(Failure::new("--split 0: a query has at least one part"));
    }
    let shown = if asked.json() { Some("json") } else { asked.given.get("format").map(|_| "format") };
    if let Some(option) = shown {
        return Err(Failure::new(format!("--split with --{option}: it prints parts, one line of JSON each"))
            .hint("give it to --merge, which prints the answer"));
    }
    let (args, _) = asked.complete(workload)?;
    if !args.text("cache").is_empty() {
        return Err(Failure::new("--split with --cache: parts read their rows from the files themselves")
            .hint("leave out --cache"));
    }
    let lines = parts::split(&args, parts)?;
    Ok(lines.join("\n") + "\n")
}

fn part(asked: &Direct, workload: &'static dyn Workload) -> Result<String, Failure> {
    let (args, team) = asked.complete(workload)?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| unreadable(&error))?;
    let part = parts::Part::read(&line)?;
    end_with_input();
    let answered = parts::answer(part, &args, &team);
    if ENDING.swap(true, Ordering::SeqCst) {
        // The other thread says why, and ends the process.
        std::thread::sleep(Duration::MAX);
    }
    Ok(answered? + "\n")
}

fn merge(asked: &Direct) -> Result<String, Failure> {
    if io::stdin().is_terminal() {
        return Err(Failure::new("--merge reads the answers of the parts from standard input")
            .hint("knee query --merge < ANSWERS"));
    }
    let text = io::read_to_string(io::stdin()).map_err(|error| unreadable(&error))?;
    let answer = parts::merge(text.lines())?;
    let named = |name: &String| {
        Format::named(name).ok_or_else(|| {
            let names = knee_workload::one_of(Format::NAMES);
            Failure::new(format!("bad argument: format '{name}'; expected {names}"))
        })
    };
    let format = match (asked.json(), asked.given.get("format")) {
        (true, _) => Format::Json,
        (false, Some(name)) => named(name)?,
        (false, None) => Format::Table,
    };
    Ok(answer.written(format) + "\n")
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::new(format!("cannot read standard input: {error}"))
}

/// Whether what comes of a part is settled: it has an answer or an error, or its input was closed before.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Ends this process when the other end of standard input is closed: the program that asked for the part is gone, and
/// nothing else would end it. The end of a file says nothing of the kind.
fn end_with_input() {
    let is_pipe = io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from).and_then(|input| input.metadata());
    let is_pipe = is_pipe.is_ok_and(|input| input.file_type().is_fifo() || input.file_type().is_socket());
    if !is_pipe {
        return;
    }
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        if ENDING.swap(true, Ordering::SeqCst) {
            return;
        }
        let reason = "standard input was closed before the part was answered";
        let hint = "keep it open until the answer is there, or give a file: knee query --part < FILE";
        let _ = Failure::new(reason).hint(hint).report();
        std::process::exit(status::USAGE.into());
    });
}
