//! A query in parts.

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
    fn split(&self, parts: usize) -> Result<Vec<String>, Failure> {
        let (args, _) = self.direct.complete(workload())?;
        if !args.text("cache").is_empty() {
            return Err(Failure::new("--split with --cache: parts read their rows from the files themselves")
                .hint("leave out --cache"));
        }
        if let Some(name) = self.direct.given.keys().find(|name| !DESCRIBED.contains(&name.as_str())) {
            return Err(Failure::new(format!("--split with --{name}: it only says which parts there are"))
                .hint("leave it out; how a machine answers is for --part to say"));
        }
        Ok(parts::split(&args, parts)?)
    }

    fn part(&self, line: &str, begin: &dyn Fn(usize)) -> Result<String, Failure> {
        let args = Args::complete(workload().params(), &self.direct.given)?;
        let team = self.direct.team_within_quota()?;
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
            return Ok(format!("{:#}\n", answer.typed()));
        }
        let format = self.direct.given.get("format").map_or(Ok(Format::Table), named)?;
        Ok(answer.written(format) + "\n")
    }
}
