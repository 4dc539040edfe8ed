//! `knee mine`: count or find a pattern, or print a graph as a plain edge list.

use std::io::{BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, FromArgMatches};
use knee_workload::{Param, Workload};

use super::direct::{self, Direct, Done, capitalised};
use crate::error::{Failure, print_out, say};
use crate::registry;
use crate::verb::Native;

const WORKLOAD: &str = "mine";
const ACTION: &str = "action";
/// The action that measures nothing, which the workload does not have.
const EDGES: &str = "edges";

/// What was asked.
#[derive(Debug)]
pub(crate) struct Mine(Direct);

fn workload() -> &'static dyn Workload {
    registry::find(WORKLOAD).expect("it is built in")
}

impl clap::Args for Mine {
    fn augment_args(command: Command) -> Command {
        let action = workload().params().iter().find(|param| param.name == ACTION).expect("it has actions");
        let actions: Vec<&'static str> = action.values.iter().copied().chain([EDGES]).collect();
        let help = capitalised(&format!("{}, or {EDGES}: print the graph as an edge list", action.summary));
        let change = |param: &Param, arg: Arg| {
            if param.name != ACTION {
                return arg;
            }
            arg.required(true).value_parser(actions.clone()).help(help.clone())
        };
        direct::options(command, workload(), change).override_usage(format!(
            "knee mine count|motifs|explain|match|exists [OPTIONS] GRAPH\n       knee mine {EDGES} GRAPH"
        ))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Mine {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Direct::from(matches, workload()).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Native for Mine {
    fn run(self) -> Result<ExitCode, Failure> {
        if self.0.given[ACTION] == EDGES {
            return edges(&self.0.given["graph"]);
        }
        let done = self.0.run(workload())?;
        if self.0.json() {
            print_out(&format!("{:#}\n", report(&done)))?;
            return Ok(ExitCode::SUCCESS);
        }
        if let Some((_, header)) = done.facts.iter().find(|(name, value)| *name == "header" && *value != "none") {
            say(format_args!("knee: the graph's first line is taken for a header, not for an edge: {header}"));
        }
        print_out(&format!("{}\n", done.answer))?;
        Ok(ExitCode::SUCCESS)
    }

    /// For `knee.mine` in Python.
    fn answer(self) -> Result<String, Failure> {
        if self.0.given[ACTION] == EDGES {
            return Err(Failure::new(format!("{EDGES} prints text, and answers no question")));
        }
        Ok(report(&self.0.run(workload())?).to_string())
    }
}

/// What `--json` prints.
fn report(done: &Done) -> serde_json::Value {
    let args = &done.args;
    let induced = match (args.text("induced"), args.text(ACTION)) {
        ("auto", "motifs") => "vertex",
        ("auto", _) => "edge",
        (given, _) => given,
    };
    let mut report = serde_json::json!({
        "schema": 1, "graph": args.text("graph"), "induced": induced, "plan": args.text("plan"),
        "threads": done.threads, "facts": done.facts, "phases": done.phases,
    });
    let (name, value) = match args.text(ACTION) {
        "explain" => ("explain", done.answer.lines().collect()),
        "motifs" => ("motifs", motifs(&done.answer)),
        "match" => {
            // Which vertex is which in each of them.
            report["pattern_edges"] = done.answer.lines().next().unwrap_or_default().trim_start_matches("# ").into();
            ("matches", copies(&done.answer))
        }
        "exists" => ("exists", (done.answer == "yes").into()),
        _ => ("count", number(&done.answer)),
    };
    report[name] = value;
    if args.text(ACTION) != "motifs" {
        report["pattern"] = args.text("pattern").into();
    }
    report
}

/// A count as JSON: a number, or its digits where readers of JSON would round it.
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

/// For each copy a list of its vertices.
fn copies(lines: &str) -> serde_json::Value {
    let of = |line: &str| line.split(' ').map(number).collect::<Vec<_>>();
    lines.lines().skip(1).map(of).collect::<Vec<_>>().into()
}

fn edges(source: &str) -> Result<ExitCode, Failure> {
    let list = knee_mining::graph::load(source)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = list.edges.iter().try_for_each(|(a, b)| writeln!(out, "{a} {b}")).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write edges to standard output: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
