//! `knee mine`: count or find a pattern, or print a graph as a plain edge list.

mod arrow;
mod parts;

use std::io::{BufWriter, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, FromArgMatches};
use knee_workload::{Args, Param, Workload};

use super::direct::{self, Direct, Done, capitalised};
use super::parts::Parts;
use crate::error::{Failure, print_out, say};
use crate::registry;
use crate::verb::Native;

const WORKLOAD: &str = "mine";
const ACTION: &str = "action";
/// The action that measures nothing, which the workload does not have.
const EDGES: &str = "edges";

/// What was asked.
#[derive(Debug)]
pub(crate) struct Mine {
    direct: Direct,
    parts: Parts,
    table: Table,
}

/// Where an answer goes that is a table.
#[derive(Debug, clap::Args)]
struct Table {
    /// match, per-vertex, per-edge: write the table into FILE as an Arrow IPC stream (- for standard output)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "part", "merge", "split"])]
    arrow: Option<PathBuf>,
}

fn workload() -> &'static dyn Workload {
    registry::find(WORKLOAD).expect("it is built in")
}

impl clap::Args for Mine {
    fn augment_args(command: Command) -> Command {
        let action = workload().params().iter().find(|param| param.name == ACTION).expect("it has actions");
        let actions: Vec<&'static str> = action.values.iter().copied().chain([EDGES]).collect();
        let help = capitalised(&format!("{}, or {EDGES}: print the graph as an edge list", action.summary));
        let change = |param: &Param, arg: Arg| {
            // A part says itself what is asked.
            let arg = if param.positional { arg.required_unless_present_any(["part", "merge"]) } else { arg };
            if param.name == ACTION {
                arg.value_parser(actions.clone()).help(help.clone())
            } else {
                arg.required(false)
            }
        };
        let command = direct::options(command, workload(), change);
        <Table as clap::Args>::augment_args(<Parts as clap::Args>::augment_args(command)).override_usage(
            "knee mine ACTION [OPTIONS] GRAPH\n       knee mine --part < FILE\n       knee mine --merge < FILE",
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Mine {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            direct: Direct::from(matches, workload())?,
            parts: Parts::from_arg_matches(matches)?,
            table: Table::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Native for Mine {
    fn run(self) -> Result<ExitCode, Failure> {
        if self.parts.ask() {
            self.check()?;
        }
        let open = |path| arrow::Target::open(&self.direct.given[ACTION], path);
        let table = self.table.arrow.as_deref().map(open).transpose()?;
        if let Some(done) = self.parts.run(&self.direct, parts::DIVIDED, &self) {
            return done;
        }
        if self.direct.given[ACTION] == EDGES {
            return edges(&self.direct.given["graph"]);
        }
        let done = self.direct.run(workload())?;
        if let Some(table) = table {
            return table.write(&self.direct.given[ACTION], &done.answer).map(|()| ExitCode::SUCCESS);
        }
        if self.direct.json() {
            print_out(&format!("{:#}\n", whole_report(&done)))?;
            return Ok(ExitCode::SUCCESS);
        }
        if let Some((_, header)) = done.facts.iter().find(|(name, value)| *name == "header" && *value != "none") {
            say(format_args!("knee: the graph's first line is taken for a header, not for an edge: {header}"));
        }
        if done.answer.is_empty() {
            say(format_args!("knee: no pattern has a support of {} or more", done.args.text("support")));
            return Ok(ExitCode::SUCCESS);
        }
        print_out(&format!("{}\n", done.answer))?;
        Ok(ExitCode::SUCCESS)
    }

    /// For `knee.mine` in Python.
    fn answer(self) -> Result<String, Failure> {
        if !self.parts.ask() || self.direct.given[ACTION] == EDGES {
            return Err(Failure::new("only questions are answered in this way"));
        }
        self.check()?;
        Ok(whole_report(&self.direct.run(workload())?).to_string())
    }
}

impl Mine {
    /// Refuses what would have no effect.
    fn check(&self) -> Result<(), Failure> {
        let given = &self.direct.given;
        if given[ACTION] != EDGES {
            return Ok(knee_mining::check_arguments(&Args::complete(workload().params(), given)?)?);
        }
        match given.keys().find(|name| ![ACTION, "graph"].contains(&name.as_str())) {
            Some(name) => Err(Failure::new(format!("--{name} is of no use for {EDGES}, which prints the graph"))
                .hint(format!("leave out --{name}"))),
            None => Ok(()),
        }
    }
}

/// What `--json` prints.
fn whole_report(done: &Done) -> serde_json::Value {
    let mut report = report(&done.args, &done.answer);
    report["threads"] = done.threads.into();
    report["facts"] = serde_json::json!(done.facts);
    report["phases"] = serde_json::json!(done.phases);
    report
}

/// The question and its answer as JSON.
fn report(args: &Args, answer: &str) -> serde_json::Value {
    let action = args.text(ACTION);
    let induced = match (args.text("induced"), action) {
        ("auto", "motifs" | "per-vertex" | "per-edge") => "vertex",
        ("auto", _) => "edge",
        (given, _) => given,
    };
    let mut report = serde_json::json!({
        "schema": 1, "graph": args.text("graph"), "induced": induced, "plan": args.text("plan"),
    });
    let (name, value) = match action {
        "explain" => (action, answer.lines().collect()),
        "motifs" | "cliques" => (action, motifs(answer)),
        "per-vertex" | "per-edge" => {
            report["columns"] = columns(answer).into();
            (action, rows(answer))
        }
        "match" => {
            // Which vertex is which in each of them.
            report["pattern_edges"] = answer.lines().next().unwrap_or_default().trim_start_matches("# ").into();
            ("matches", rows(answer))
        }
        "fsm" => (action, frequent(answer)),
        "exists" => (action, (answer == "yes").into()),
        _ => ("count", number(answer)),
    };
    report[name] = value;
    if ["count", "explain", "match", "exists"].contains(&action) {
        report["pattern"] = args.text("pattern").into();
    }
    report
}

/// A count as JSON: a number, or its digits from 2^64 on.
fn number(digits: &str) -> serde_json::Value {
    digits.parse::<u64>().map_or_else(|_| digits.into(), Into::into)
}

/// Names and counts.
fn motifs(lines: &str) -> serde_json::Value {
    let pair = |line: &str| {
        let (name, count) = line.split_once(' ').unwrap_or((line, ""));
        (name.to_owned(), number(count.trim()))
    };
    lines.lines().map(pair).collect::<serde_json::Map<_, _>>().into()
}

/// Patterns with their supports, in the order of the answer.
fn frequent(lines: &str) -> serde_json::Value {
    let one = |line: &str| {
        let (support, pattern) = line.split_once(' ')?;
        Some(serde_json::json!({"pattern": pattern, "support": number(support)}))
    };
    lines.lines().filter_map(one).collect::<Vec<_>>().into()
}

/// The names of a table's columns, which its first line has.
fn columns(lines: &str) -> Vec<&str> {
    lines.lines().next().unwrap_or_default().trim_start_matches("# ").split(' ').collect()
}

/// A list of numbers for each line behind the first.
fn rows(lines: &str) -> serde_json::Value {
    let of = |line: &str| line.split(' ').map(number).collect::<Vec<_>>();
    lines.lines().skip(1).map(of).collect::<Vec<_>>().into()
}

fn edges(source: &str) -> Result<ExitCode, Failure> {
    let list = knee_mining::graph::load(source)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let name = |vertex: u32| list.names[vertex as usize];
    let written =
        list.edges.iter().try_for_each(|(a, b)| writeln!(out, "{} {}", name(*a), name(*b))).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write edges to standard output: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
