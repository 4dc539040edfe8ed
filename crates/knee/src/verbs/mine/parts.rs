//! A count in parts.

use std::ops::RangeInclusive;

use knee_mining::parts;
use serde_json::json;

use super::{Mine, Report, say_header, workload};
use crate::error::Failure;
use crate::verbs::parts::{Divide, Divided};

pub(super) const DIVIDED: Divided = Divided {
    verb: "mine",
    noun: "count",
    positional: &["action", "graph"],
    options: &["pattern", "labels", "size", "limit", "edges", "support", "induced", "plan", "order", "repeat"],
};

impl Divide for Mine {
    fn split(&self, parts: RangeInclusive<usize>) -> Result<Vec<String>, Failure> {
        if self.direct.given[super::ACTION] == super::EDGES {
            return Err(Failure::new("--split with edges: only counts without labels are divided")
                .hint("use count, motifs or cliques"));
        }
        let (args, team) = self.direct.complete(workload())?;
        // Shares of roots are not exactly equal, so that more of them are better.
        Ok(parts::split(&args, &team, *parts.end())?)
    }

    fn part(&self, line: &str, begin: &dyn Fn(usize)) -> Result<String, Failure> {
        let part = parts::Part::read(line)?;
        let args = part.arguments(&self.direct.given)?;
        let team = self.direct.team_within_quota()?;
        begin(part.number());
        Ok(parts::answer(&part, &args, &team)?)
    }

    fn merge(&self, text: &str) -> Result<String, Failure> {
        let merged = parts::merge(text.lines())?;
        if self.direct.json() {
            let mut report = Report::new(&merged.args, &merged.answer);
            report.add("facts", json!({"header": merged.header.as_deref().unwrap_or("none")}));
            return Ok(serde_json::to_string_pretty(&report).map_err(Failure::new)? + "\n");
        }
        say_header(merged.header.as_deref());
        Ok(merged.answer + "\n")
    }
}
