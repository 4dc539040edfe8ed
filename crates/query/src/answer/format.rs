//! Ways to write an answer.

use super::Answer;
use crate::error::shown;
use crate::kind::{Exact, Value};

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Table,
    /// Comma-separated values, with names in the first line.
    Csv,
    /// A list of objects. Numbers with digits after the point, or beyond 2^53, are texts: most readers of JSON would round them.
    Json,
}

impl Format {
    /// Names, in the order of the variants.
    pub const NAMES: &'static [&'static str] = &["table", "csv", "json"];

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Table, Self::Csv, Self::Json];
        Self::NAMES.iter().position(|known| *known == name).map(|at| all[at])
    }
}

impl Answer {
    /// The answer as text, with a line break at the end of each line but the last.
    #[must_use]
    pub fn written(&self, format: Format) -> String {
        match format {
            Format::Table => self.table(),
            Format::Csv => self.csv(),
            Format::Json => self.json(),
        }
    }

    fn table(&self) -> String {
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|value| shown(&value.to_string())).collect()).collect();
        let names: Vec<String> = self.names.iter().map(|name| shown(name)).collect();
        let width = |column: usize| {
            let own = cells.iter().map(|row| row[column].chars().count());
            own.chain([names[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        let right = |column: usize| {
            let number = |value: &Value| !matches!(value, Value::Date(_) | Value::Text(_));
            self.rows.iter().all(|row| number(&row[column]))
        };
        let line = |cells: &[String]| {
            let cell = |(column, text): (usize, &String)| {
                let space = " ".repeat(widths[column] - text.chars().count());
                if right(column) { space + text } else { text.clone() + &space }
            };
            cells.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        [line(&names)].into_iter().chain(cells.iter().map(|row| line(row))).collect::<Vec<_>>().join("\n")
    }

    fn csv(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| cells.collect::<Vec<_>>().join(",");
        let value = |value: &Value| if *value == Value::Null { String::new() } else { quoted(&value.to_string()) };
        let rows = self.rows.iter().map(|row| line(&mut row.iter().map(value)));
        [line(&mut self.names.iter().map(|name| quoted(name)))].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
    }

    /// Columns stay in order. Of those with the same name, all but the first get a number: readers keep only one of each.
    /// JSON has no numbers for infinity and not-a-number, so that these are texts; so is a column of whole numbers of which
    /// one is beyond 2^53, since most readers of JSON would round it.
    fn json(&self) -> String {
        let safe = |value: &Value| match value {
            Value::Number(Exact { digits, scale: 0 }) => digits.unsigned_abs() <= 1 << 53,
            _ => true,
        };
        let whole: Vec<bool> = (0..self.names.len()).map(|at| self.rows.iter().all(|row| safe(&row[at]))).collect();
        let value = |value: &Value, whole: bool| match value {
            Value::Null => serde_json::Value::Null,
            Value::Number(Exact { digits, scale: 0 }) if whole => {
                i64::try_from(*digits).map_or_else(|_| value.to_string().into(), serde_json::Value::from)
            }
            Value::Double(number) if number.is_finite() => (*number).into(),
            other => other.to_string().into(),
        };
        let mut names: Vec<String> = Vec::new();
        for name in &self.names {
            let numbered = (1..).map(|number| format!("{name}_{number}"));
            let mut free = [name.clone()].into_iter().chain(numbered).filter(|name| !names.contains(name));
            names.push(free.next().expect("numbers do not end"));
        }
        let keys: Vec<String> = names.into_iter().map(|name| serde_json::Value::from(name).to_string()).collect();
        let row = |row: &Vec<Value>| {
            let members =
                keys.iter().zip(row).zip(&whole).map(|((key, one), whole)| format!("{key}:{}", value(one, *whole)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        };
        format!("[{}]", self.rows.iter().map(row).collect::<Vec<_>>().join(","))
    }
}

/// A value of CSV, in quotes where it needs them (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.is_empty() {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;

    fn answer() -> Answer {
        let number = |digits, scale| Value::Number(Exact { digits, scale });
        let text = |text: &str| Value::Text(text.into());
        Answer {
            names: vec!["l_returnflag".into(), "revenue".into()],
            kinds: vec![Kind::Text, Kind::Decimal(2)],
            rows: vec![vec![text("A"), number(12_345, 2)], vec![text("a, \"b\"\u{1b}"), Value::Null]],
        }
    }

    #[test]
    fn a_table_has_columns() {
        let expected = "l_returnflag      revenue\nA                  123.45\na, \"b\"\\u{1b}       NULL";
        let lines: Vec<String> = answer().written(Format::Table).lines().map(str::to_owned).collect();
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(
            lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect::<Vec<_>>(),
            expected.iter().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect::<Vec<_>>()
        );
        let ends: Vec<usize> = lines.iter().map(String::len).collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{lines:?}");
    }

    #[test]
    fn csv_and_json_are_read_back() {
        assert_eq!(answer().written(Format::Csv), "l_returnflag,revenue\nA,123.45\n\"a, \"\"b\"\"\u{1b}\",");
        let json: serde_json::Value = serde_json::from_str(&answer().written(Format::Json)).unwrap();
        assert_eq!(json[0]["revenue"], "123.45");
        assert!(json[1]["revenue"].is_null());
        let names = ["b", "a", "b", "b_1"].map(str::to_owned).to_vec();
        let rows = vec![vec![Value::Date(0), Value::Double(0.5), Value::Null, Value::Null]];
        let expected = r#"[{"b":"1970-01-01","a":0.5,"b_1":null,"b_1_1":null}]"#;
        let kinds = vec![Kind::Date, Kind::Double, Kind::Integer, Kind::Integer];
        assert_eq!(Answer { names, kinds, rows }.written(Format::Json), expected);
        let rows = [f64::NAN, f64::INFINITY].map(|number| vec![Value::Double(number)]).to_vec();
        let expected = r#"[{"x":"NaN"},{"x":"inf"}]"#;
        let answer = Answer { names: vec!["x".into()], kinds: vec![Kind::Double], rows };
        assert_eq!(answer.written(Format::Json), expected);
    }
}
