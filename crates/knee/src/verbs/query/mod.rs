//! `knee query`: answer a query in SQL over one table.

mod given;
mod parts;

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, FromArgMatches};
use knee_query::at_once;
use knee_workload::{Param, Phase, Workload};
use serde::Serialize;
use serde_json::value::RawValue;

use super::direct::{self, Direct};
use super::parts::Parts;
use crate::error::{Failure, print_data, print_out};
use crate::registry;
use crate::verb::Native;

const WORKLOAD: &str = "query";
/// What the help says of it here, where no name is needed.
const SQL: &str = "The query's own text, which needs no QUERY: knee query FILE --sql TEXT";

/// What was asked.
#[derive(Debug)]
pub(crate) struct Query {
    direct: Direct,
    parts: Parts,
}

fn workload() -> &'static dyn Workload {
    registry::find(WORKLOAD).expect("it is built in")
}

impl clap::Args for Query {
    fn augment_args(command: Command) -> Command {
        let own = |param: &Param, arg: Arg| if param.name == "sql" { arg.help(SQL) } else { arg };
        <Parts as clap::Args>::augment_args(direct::options(command, workload(), own))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Query {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { direct: Direct::from(matches, workload())?, parts: Parts::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Native for Query {
    fn run(mut self) -> Result<ExitCode, Failure> {
        if self.parts.ask() {
            given::complete(&mut self.direct.given)?;
            given::check(&self.direct.given)?;
        }
        if let Some(done) = self.parts.run(&self.direct, parts::DIVIDED, &self) {
            return done;
        }
        if self.direct.json() {
            if let Some(format) = self.direct.given.get("format").filter(|format| *format != "json") {
                return Err(Failure::new(format!("--json with --format {format}: the report has its rows as JSON"))
                    .hint("leave out one of them"));
            }
            // The answer is a part of the report.
            self.direct.given.insert("format".into(), "json".into());
        }
        let done = self.direct.run_by(workload(), |args, team, phases| match at_once(args, team, phases) {
            Some(made) => Ok(made),
            None => direct::prepared(workload(), args, team, phases),
        })?;
        if !self.direct.json() {
            let print = if done.args.text("format") == "csv" { print_data } else { print_out };
            print(&format!("{}\n", done.answer))?;
            return Ok(ExitCode::SUCCESS);
        }
        let report = Report {
            schema: 1,
            query: done.args.text("query"),
            rows: RawValue::from_string(done.answer).map_err(Failure::new)?,
            threads: done.threads,
            arguments: done.args.all(),
            facts: &done.facts,
            phases: &done.phases,
        };
        print_out(&format!("{}\n", serde_json::to_string_pretty(&report).map_err(Failure::new)?))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What `--json` prints. Rows are as the answer has them, with their columns in order.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    query: &'a str,
    rows: Box<RawValue>,
    threads: usize,
    arguments: &'a BTreeMap<String, String>,
    facts: &'a BTreeMap<String, String>,
    phases: &'a [Phase],
}
