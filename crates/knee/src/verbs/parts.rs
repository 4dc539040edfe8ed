//! `--split`, `--part` and `--merge`: a question for engines that run on several machines.

use std::cell::OnceCell;
use std::io::{self, BufRead, IsTerminal};
use std::ops::RangeInclusive;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::direct::Direct;
use crate::error::{Failure, print_data, print_out, status};

/// What to do with parts.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub(super) struct Parts {
    /// Describe at most this many parts of the question for --part, one line each; of FEWEST..MOST, as many as are worth
    /// their while
    #[arg(long, value_name = "PARTS", value_parser = numbers)]
    split: Option<RangeInclusive<usize>>,
    /// Answer the part that the first line of standard input describes
    #[arg(long)]
    part: bool,
    /// Join the answers of all parts, read from standard input
    #[arg(long)]
    merge: bool,
}

/// A verb whose questions can be divided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Divided {
    pub verb: &'static str,
    /// What is divided, such as `query`.
    pub noun: &'static str,
    /// The parameters that say what to ask, which a part knows by itself; those without `--` first.
    pub positional: &'static [&'static str],
    pub options: &'static [&'static str],
}

/// What a verb does with parts.
pub(super) trait Divide {
    /// Describes parts of what is asked, a line each.
    fn split(&self, parts: RangeInclusive<usize>) -> Result<Vec<String>, Failure>;

    /// Answers the part that a line describes; `begin` is called with its number when the line is known to be one.
    fn part(&self, line: &str, begin: &dyn Fn(usize)) -> Result<String, Failure>;

    /// Joins lines to the answer, which ends with a newline.
    fn merge(&self, text: &str) -> Result<String, Failure>;
}

impl Parts {
    /// Whether the command line asks a question, also with `--split`.
    pub(super) fn ask(&self) -> bool {
        !self.part && !self.merge
    }

    /// Does what was asked; none if it was nothing about parts.
    pub(super) fn run(
        &self,
        asked: &Direct,
        divided: Divided,
        verb: &impl Divide,
    ) -> Option<Result<ExitCode, Failure>> {
        let printed = match self {
            Self { split: Some(parts), .. } => split(asked, divided, parts.clone(), verb),
            Self { part: true, .. } => for_a_part(asked, divided).and_then(|()| part(divided, verb)),
            Self { merge: true, .. } => for_a_merge(asked, divided).and_then(|()| merge(divided, verb)),
            _ => return None,
        };
        // Values of CSV are for other programs, which want them as they are.
        let csv = self.merge && asked.given.get("format").is_some_and(|format| format == "csv");
        let print = if csv { print_data } else { print_out };
        Some(printed.and_then(|text| print(&text)).map(|()| ExitCode::SUCCESS))
    }
}

fn nothing_asked(asked: &Direct, divided: Divided, option: &str) -> Result<(), Failure> {
    let Divided { verb, positional, options, .. } = divided;
    let given = |name: &&&str| asked.given.contains_key(**name);
    let name = positional.iter().find(given).map(|name| name.to_uppercase());
    match name.or_else(|| options.iter().find(given).map(|name| format!("--{name}"))) {
        Some(name) => Err(Failure::new(format!("{option} with {name}: the part itself says what to ask"))
            .hint(format!("knee {verb} {option} < FILE"))),
        None => Ok(()),
    }
}

/// Refuses what would have no effect on a part.
fn for_a_part(asked: &Direct, divided: Divided) -> Result<(), Failure> {
    nothing_asked(asked, divided, "--part")?;
    match shown(asked) {
        Some(option) => Err(Failure::new(format!("--part with --{option}: its answer is a line of JSON in any case"))
            .hint(format!("leave out --{option}"))),
        None => Ok(()),
    }
}

/// The option that says how an answer is shown, if any is given.
fn shown(asked: &Direct) -> Option<&'static str> {
    if asked.json() { Some("json") } else { asked.given.get("format").map(|_| "format") }
}

/// And on a merge, which only adds up.
fn for_a_merge(asked: &Direct, divided: Divided) -> Result<(), Failure> {
    nothing_asked(asked, divided, "--merge")?;
    let given = asked.given.keys().map(String::as_str).find(|name| *name != "format");
    match given.or_else(|| asked.options_given().find(|name| *name != "json")) {
        Some(name) => Err(Failure::new(format!("--merge with --{name}: it only adds up what parts found"))
            .hint(format!("leave out --{name}"))),
        None => Ok(()),
    }
}

/// Reads how many parts there may be: `8`, or `2..8`.
fn numbers(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (fewest, most) = text.split_once("..").unwrap_or((text, text));
    match (fewest.parse(), most.parse()) {
        (Ok(fewest), Ok(most)) => Ok(fewest..=most),
        _ => Err("expected a number, or a range such as 2..8".into()),
    }
}

fn split(
    asked: &Direct,
    divided: Divided,
    parts: RangeInclusive<usize>,
    verb: &impl Divide,
) -> Result<String, Failure> {
    if *parts.start() == 0 || *parts.end() == 0 {
        let message = format!("--split 0: a {} has at least one part", divided.noun);
        return Err(Failure::new(message).hint("--split 8, or another number from 1 on"));
    }
    if parts.is_empty() {
        let message = format!("--split {}..{}: the fewest are more than the most", parts.start(), parts.end());
        return Err(Failure::new(message).hint(format!("--split {}..{}", parts.end(), parts.start())));
    }
    if let Some(option) = shown(asked) {
        return Err(Failure::new(format!("--split with --{option}: it prints parts, one line of JSON each"))
            .hint("give it to --merge, which prints the answer"));
    }
    Ok(verb.split(parts)?.join("\n") + "\n")
}

fn part(divided: Divided, verb: &impl Divide) -> Result<String, Failure> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| unreadable(&error))?;
    // Where this process is measured, each part is a region of its own.
    let region = OnceCell::new();
    let answered = verb.part(&line, &|number| {
        end_with_input(divided.verb);
        knee_region::begin(region.get_or_init(|| format!("part-{number}")));
    });
    if let Some(name) = region.get() {
        knee_region::end(name);
    }
    if ENDING.swap(true, Ordering::SeqCst) {
        // The other thread says why, and ends the process.
        std::thread::sleep(Duration::MAX);
    }
    Ok(answered? + "\n")
}

fn merge(divided: Divided, verb: &impl Divide) -> Result<String, Failure> {
    if io::stdin().is_terminal() {
        return Err(Failure::new("--merge reads the answers of the parts from standard input")
            .hint(format!("knee {} --merge < ANSWERS", divided.verb)));
    }
    verb.merge(&io::read_to_string(io::stdin()).map_err(|error| unreadable(&error))?)
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::new(format!("cannot read standard input: {error}")).hint("give lines as --split and --part print them")
}

/// Whether what comes of a part is settled: it has an answer or an error, or its input was closed before.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Ends this process when the other end of standard input is closed: the program that asked for the part is gone, and
/// nothing else would end it. The end of a file says nothing of the kind.
fn end_with_input(verb: &'static str) {
    let is_pipe = io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from).and_then(|input| input.metadata());
    let is_pipe = is_pipe.is_ok_and(|input| input.file_type().is_fifo() || input.file_type().is_socket());
    if !is_pipe {
        return;
    }
    std::thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        if ENDING.swap(true, Ordering::SeqCst) {
            return;
        }
        let reason = "standard input was closed before the part was answered";
        let hint = format!("keep it open until the answer is there, or give a file: knee {verb} --part < FILE");
        let _ = Failure::new(reason).hint(hint).report();
        std::process::exit(status::USAGE.into());
    });
}
