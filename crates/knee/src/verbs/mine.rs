//! `knee mine`: count a pattern, or print a graph as a plain edge list.
//!
//! Pattern and graph are given by the parameters of the workload `mine`, so that `knee mine count ...`, `knee run mine
//! count ...` and `knee study mine count ...` take the same words.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, FromArgMatches};
use knee_machine::{Placement, Topology};
use knee_workload::{Args, Bind, Param, Phases, Team, Workload};

use super::workloads::meaning;
use crate::error::{Failure, print_out};
use crate::registry;
use crate::verb::Native;

const WORKLOAD: &str = "mine";
const ACTION: &str = "action";
/// The action that measures nothing, which the workload does not have.
const EDGES: &str = "edges";

/// Options of `knee mine`: those of the workload, and these.
#[derive(Debug, clap::Args)]
struct Options {
    /// Number of threads [default: all allowed cpus]
    #[arg(long, short = 'n')]
    threads: Option<usize>,
    /// Where the threads go; see `knee place`
    #[arg(long, short, default_value = "none")]
    placement: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What was asked.
#[derive(Debug)]
pub(crate) struct Mine {
    options: Options,
    /// Arguments of the workload, by name.
    given: BTreeMap<String, String>,
}

fn workload() -> &'static dyn Workload {
    registry::find(WORKLOAD).expect("it is built in")
}

impl clap::Args for Mine {
    fn augment_args(command: Command) -> Command {
        let command = command.args(workload().params().iter().map(arg));
        Options::augment_args(command)
            .override_usage(format!("knee mine count [OPTIONS] GRAPH\n       knee mine {EDGES} GRAPH"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// A parameter as an argument of clap. The workload checks its values; actions are checked here, since there is one
/// more.
fn arg(param: &Param) -> Arg {
    let arg = Arg::new(param.name).value_name(param.name.to_uppercase()).help(capitalised(&meaning(param)));
    match param.name {
        ACTION => {
            let actions: Vec<&'static str> = param.values.iter().copied().chain([EDGES]).collect();
            let help = format!("{}, or {EDGES}: print the graph as an edge list", param.summary);
            arg.required(true).value_parser(actions).help(capitalised(&help))
        }
        _ if param.positional => arg.required(true),
        name => arg.long(name),
    }
}

/// As the help of other options begins.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl FromArgMatches for Mine {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let value = |param: &Param| {
            let given = matches.get_one::<String>(param.name)?;
            Some((param.name.to_owned(), given.clone()))
        };
        let given = workload().params().iter().filter_map(value).collect();
        Ok(Self { options: Options::from_arg_matches(matches)?, given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Native for Mine {
    fn run(self) -> Result<ExitCode, Failure> {
        if self.given[ACTION] == EDGES { edges(&self.given["graph"]) } else { self.count() }
    }
}

impl Mine {
    fn count(self) -> Result<ExitCode, Failure> {
        let args = Args::complete(workload().params(), &self.given)?;
        let machine = Topology::this_machine()?;
        let threads = self.options.threads.unwrap_or(machine.allowed.cpus.len());
        let cpus = self.options.placement.parse::<Placement>()?.cpus(&machine, threads)?;
        let team = Team::new(threads, &cpus, Bind::Each).fitting()?;
        let mut phases = Phases::default();
        let mut run = workload().prepare(&args, &team, &mut phases)?;
        let answer = run.run(&mut phases);
        if !self.options.json {
            print_out(&format!("{answer}\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let facts: BTreeMap<_, _> = run.facts().into_iter().collect();
        let number: serde_json::Value = serde_json::from_str(&answer).map_err(Failure::new)?;
        let report = serde_json::json!({
            "schema": 1, "pattern": args.text("pattern"), "plan": args.text("plan"), "graph": args.text("graph"),
            "count": number, "threads": threads, "facts": facts, "phases": phases.done(),
        });
        print_out(&format!("{report:#}\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn edges(source: &str) -> Result<ExitCode, Failure> {
    let list = knee_mining::graph::load(source)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = list.edges.iter().try_for_each(|(a, b)| writeln!(out, "{a} {b}")).and_then(|()| out.flush());
    written.map_err(|error| Failure::new(format!("cannot write edges to standard output: {error}")))?;
    Ok(ExitCode::SUCCESS)
}
