//! A query in parts.

use std::ops::RangeInclusive;

use knee_query::{Format, parts};
use knee_workload::Args;

use super::{Query, workload};
use crate::error::Failure;
use crate::verbs::parts::{Divide, Divided};

pub(super) const DIVIDED: Divided = Divided {
    verb: "query",
    noun: "query",
    positional: &["query", "data"],
    options: &["scale", "cache", "sql", "delta", "date", "discount", "quantity", "encoding", "repeat"],
};

/// Arguments that parts are described by.
const DESCRIBED: [&str; 9] = ["query", "data", "scale", "sql", "delta", "date", "discount", "quantity", "encoding"];

impl Divide for Query {
    fn split(&self, parts: RangeInclusive<usize>) -> Result<Vec<String>, Failure> {
        let args = Args::complete(workload().params(), &self.direct.given)?;
        if !args.text("cache").is_empty() {
            return Err(Failure::new("--split with --cache: parts read their rows from the files themselves")
                .hint("leave out --cache"));
        }
        let mut idle = self.direct.given.keys().map(String::as_str).filter(|name| !DESCRIBED.contains(name));
        if let Some(name) = idle.next().or_else(|| self.direct.options_given().next()) {
            return Err(Failure::new(format!("--split with --{name}: it only says which parts there are"))
                .hint("leave it out; how a machine answers is for --part to say"));
        }
        Ok(parts::split(&args, parts)?)
    }

    fn part(&self, line: &str, begin: &dyn Fn(usize)) -> Result<String, Failure> {
        // Before pages are placed: its cpus say on which nodes.
        let team = self.direct.team_within_quota()?;
        let mut given = self.direct.given.clone();
        // Who asks through a cluster cannot say how pages lie, and containers often forbid to place them.
        if !parts::may_place() {
            given.entry("layout".into()).or_insert_with(|| "contiguous".into());
        }
        let args = Args::complete(workload().params(), &given)?;
        if let Some(alone) = Some(args.text("runtime")).filter(|runtime| ["serial", "loop"].contains(runtime)) {
            return Err(Failure::new(format!("--part with --runtime {alone}: a part is answered by all threads"))
                .hint("leave it out; -n 1 is one thread"));
        }
        let part = parts::Part::read(line)?;
        begin(part.number());
        Ok(parts::answer(part, &args, &team)?)
    }

    fn merge(&self, text: &str) -> Result<String, Failure> {
        let answer = parts::merge(text.lines())?;
        let named = |name: &String| {
            Format::named(name).ok_or_else(|| {
                let names = knee_workload::one_of(Format::NAMES);
                Failure::new(format!("bad argument: format '{name}'; expected {names}"))
            })
        };
        if self.direct.json() {
            if let Some(format) = self.direct.given.get("format") {
                return Err(Failure::new(format!(
                    "--merge with --json and --format {format}: each is a form of its own"
                ))
                .hint("leave out one of them"));
            }
            return Ok(format!("{:#}\n", answer.typed()));
        }
        let format = self.direct.given.get("format").map_or(Ok(Format::Table), named)?;
        Ok(answer.written(format) + "\n")
    }
}
