//! `knee mine`: count or find a pattern, or print a graph as a plain edge list.

mod arrow;
mod parts;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, FromArgMatches};
use knee_workload::{Args, Param, Workload};

use super::direct::{self, Direct, capitalised};
use super::parts::Parts;
use crate::error::{Failure, json_line, print_json, print_with, say};
use crate::registry;
use crate::verb::Native;
use report::Report;

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
        let given = &self.direct.given;
        let read = ["graph", "labels"].into_iter().filter_map(|name| given.get(name)).map(Path::new);
        let open = |path| arrow::Target::open(&given[ACTION], path, read);
        let table = self.table.arrow.as_deref().map(open).transpose()?;
        if let Some(done) = self.parts.run(&self.direct, parts::DIVIDED, &self) {
            return done;
        }
        if self.direct.given[ACTION] == EDGES {
            return edges(&self.direct.given["graph"]);
        }
        let done = self.direct.run(workload())?;
        say_facts(&done.facts);
        if let Some(table) = table {
            return table.write(&self.direct.given[ACTION], &done.answer).map(|()| ExitCode::SUCCESS);
        }
        if self.direct.json() {
            return print_json(&Report::of(&done)).map(|()| ExitCode::SUCCESS);
        }
        if done.answer.is_empty() {
            say(format_args!("knee: no pattern has a support of {} or more", done.args.text("support")));
            return Ok(ExitCode::SUCCESS);
        }
        // Numbers, names of patterns, and labels, whose letters were checked.
        print_with(|out| writeln!(out, "{}", done.answer))?;
        Ok(ExitCode::SUCCESS)
    }

    /// For `knee.mine` in Python.
    fn answer(self) -> Result<String, Failure> {
        if !self.parts.ask() || self.direct.given[ACTION] == EDGES {
            return Err(Failure::new("only questions are answered in this way"));
        }
        self.check()?;
        json_line(&Report::of(&self.direct.run(workload())?))
    }
}

impl Mine {
    /// Refuses what would have no effect.
    fn check(&self) -> Result<(), Failure> {
        let given = &self.direct.given;
        if given[ACTION] != EDGES {
            let args = Args::complete(workload().params(), given)?;
            return Ok(knee_mining::check_arguments(&args, |name| given.contains_key(name))?);
        }
        let mut words = given.keys().map(String::as_str).filter(|name| ![ACTION, "graph"].contains(name));
        match words.next().or_else(|| self.direct.options_given().next()) {
            Some(name) => Err(Failure::new(format!("--{name} is of no use for {EDGES}, which prints the graph"))
                .hint(format!("leave out --{name}"))),
            None => Ok(()),
        }
    }
}

fn edges(source: &str) -> Result<ExitCode, Failure> {
    let list = knee_mining::graph::load(source)?;
    say_header(list.header.map(|(vertices, edges)| format!("{vertices} vertices, {edges} edges")).as_deref());
    print_with(|out| list.written().iter().try_for_each(|(a, b)| writeln!(out, "{a} {b}")))?;
    Ok(ExitCode::SUCCESS)
}

/// Says what else a run has found out that its answer rests on.
fn say_facts(facts: &BTreeMap<String, String>) {
    say_header(facts.get("header").map(String::as_str).filter(|header| *header != "none"));
    if let Some(words) = facts.get("labels_of_no_vertex") {
        say(format_args!("knee: no vertex has the label {words}; those of the graph are {}", facts["labels"]));
        if let Some(lines) = facts.get("labels_of_other_vertices") {
            say(format_args!("knee: lines of the labels that name no vertex with an edge: {lines}"));
        }
    }
}

fn say_header(header: Option<&str>) {
    if let Some(header) = header {
        say(format_args!("knee: the graph's first line is taken for a header, not for an edge: {header}"));
        say("hint: if it is an edge, put it on another line");
    }
}
