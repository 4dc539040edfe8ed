//! An answer as JSON. That of a table may have a line for each edge of the graph, so it is made line by line as it is written.

use knee_workload::Args;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use super::ACTION;
use crate::verbs::direct::Done;

/// A question and its answer.
pub(super) struct Report<'a> {
    entries: Map<String, Value>,
    /// A name, and numbers in lines behind a first one that says what they are.
    table: Option<(&'a str, &'a str)>,
}

impl<'a> Report<'a> {
    /// What `--json` prints.
    pub(super) fn of(done: &'a Done) -> Self {
        let mut report = Self::new(&done.args, &done.answer);
        report.add("threads", done.threads.into());
        report.add("facts", json!(done.facts));
        report.add("phases", json!(done.phases));
        report
    }

    /// Without what is known of a run.
    pub(super) fn new(args: &'a Args, answer: &'a str) -> Self {
        let action = args.text(ACTION);
        let induced = match (args.text("induced"), action) {
            ("auto", "motifs" | "per-vertex" | "per-edge") => "vertex",
            ("auto", _) => "edge",
            (given, _) => given,
        };
        let mut report = Self { entries: Map::new(), table: None };
        report.add("schema", 1.into());
        report.add("graph", args.text("graph").into());
        report.add("induced", induced.into());
        report.add("plan", args.text("plan").into());
        match action {
            "explain" => report.add(action, answer.lines().collect()),
            "motifs" | "cliques" => report.add(action, motifs(answer)),
            "per-vertex" | "per-edge" => {
                report.add("columns", head(answer).split(' ').collect());
                report.table = Some((action, answer));
            }
            "match" => {
                // Which vertex is which in each of them.
                report.add("pattern_edges", head(answer).into());
                report.table = Some(("matches", answer));
            }
            "fsm" => report.add(action, frequent(answer)),
            "exists" => report.add(action, (answer == "yes").into()),
            _ => report.add("count", number(answer)),
        }
        if ["count", "explain", "match", "exists"].contains(&action) {
            report.add("pattern", args.text("pattern").into());
        }
        report
    }

    pub(super) fn add(&mut self, name: &str, value: Value) {
        self.entries.insert(name.to_owned(), value);
    }
}

impl Serialize for Report<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.entries {
            map.serialize_entry(name, value)?;
        }
        if let Some((name, lines)) = self.table {
            map.serialize_entry(name, &Rows(lines))?;
        }
        map.end()
    }
}

/// A list of numbers for each line behind the first.
struct Rows<'a>(&'a str);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.lines().skip(1).map(Row))
    }
}

/// The numbers of a line.
struct Row<'a>(&'a str);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.split(' ').map(number))
    }
}

/// What the first line of a table says.
fn head(lines: &str) -> &str {
    lines.lines().next().unwrap_or_default().trim_start_matches("# ")
}

/// A count as JSON: a number, or its digits from 2^64 on.
fn number(digits: &str) -> Value {
    digits.parse::<u64>().map_or_else(|_| digits.into(), Into::into)
}

/// Names and counts.
fn motifs(lines: &str) -> Value {
    let pair = |line: &str| {
        let (name, count) = line.split_once(' ').unwrap_or((line, ""));
        (name.to_owned(), number(count.trim()))
    };
    lines.lines().map(pair).collect::<Map<_, _>>().into()
}

/// Patterns with their supports, in the order of the answer.
fn frequent(lines: &str) -> Value {
    let one = |line: &str| {
        let (support, pattern) = line.split_once(' ')?;
        Some(json!({"pattern": pattern, "support": number(support)}))
    };
    lines.lines().filter_map(one).collect::<Vec<_>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_a_list_of_rows_with_large_numbers_as_digits() {
        let report = Report { entries: Map::new(), table: Some(("matches", "# 0-1\n1 2\n3 18446744073709551616")) };
        let said = serde_json::to_value(&report).unwrap();
        assert_eq!(said, json!({"matches": [[1, 2], [3, "18446744073709551616"]]}));
        let none = Report { entries: Map::new(), table: Some(("matches", "# 0-1")) };
        assert_eq!(serde_json::to_string(&none).unwrap(), "{\"matches\":[]}");
    }
}
