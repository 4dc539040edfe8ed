//! An answer for programs that need the types of its columns and every digit.

use serde_json::{Value as Json, json};

use super::Answer;
use crate::kind::{Exact, Kind, Value};

impl Answer {
    /// The answer as JSON: `columns` have a `name` and a `type`, decimals also a `scale`; `rows` are lists. Exact numbers,
    /// doubles and dates are texts, and the average of exact numbers is their `sum` and `count`, and the `rounded` text that
    /// is written.
    #[must_use]
    pub fn typed(&self) -> Json {
        let columns: Vec<Json> = self.names.iter().zip(&self.kinds).map(|(name, kind)| column(name, *kind)).collect();
        let rows: Vec<Vec<Json>> = self.rows.iter().map(|row| row.iter().map(value).collect()).collect();
        json!({ "schema": 1, "columns": columns, "rows": rows })
    }
}

fn column(name: &str, kind: Kind) -> Json {
    match kind {
        Kind::Integer => json!({ "name": name, "type": "integer" }),
        Kind::Decimal(scale) => json!({ "name": name, "type": "decimal", "scale": scale }),
        Kind::Date => json!({ "name": name, "type": "date" }),
        Kind::Double => json!({ "name": name, "type": "double" }),
        Kind::Text => json!({ "name": name, "type": "text" }),
    }
}

fn value(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Average { sum, kind, count, rounded } => {
            let sum = Exact { digits: *sum, scale: kind.scale().unwrap_or(0) };
            json!({ "sum": sum.to_string(), "count": count, "rounded": rounded.to_string() })
        }
        other => other.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_every_digit_are_there() {
        let exact = |digits, scale| Exact { digits, scale };
        let average = Value::Average { sum: 200, kind: Kind::Decimal(2), count: 3, rounded: exact(666_667, 6) };
        let answer = Answer {
            names: ["a", "b", "c"].map(str::to_owned).to_vec(),
            kinds: vec![Kind::Decimal(6), Kind::Double, Kind::Integer],
            rows: vec![vec![average, Value::Double(f64::INFINITY), Value::Number(exact(i128::MAX, 0))]],
        };
        let typed = answer.typed();
        assert_eq!(typed["columns"][0], json!({ "name": "a", "type": "decimal", "scale": 6 }));
        assert_eq!(typed["rows"][0][0], json!({ "sum": "2.00", "count": 3, "rounded": "0.666667" }));
        assert_eq!(typed["rows"][0][1], "inf");
        assert_eq!(typed["rows"][0][2], i128::MAX.to_string());
    }
}
