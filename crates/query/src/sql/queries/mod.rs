//! Queries with names: SQL files whose parameters are written in braces.

use knee_workload::Error;

use super::constants;
use crate::error::wrong;

/// A query that is built in.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// What it asks, in one line.
    pub asks: &'static str,
    text: &'static str,
    parameters: &'static [Parameter],
}

/// A parameter of a named query.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name, as it stands in braces in the text.
    pub name: &'static str,
    /// TPC-H's own value.
    pub default: &'static str,
    accepts: Accepts,
}

#[derive(Debug, Clone, Copy)]
enum Accepts {
    /// A whole number up to this.
    Whole(u32),
    Decimal,
    Date,
}

/// All of them.
pub const NAMED: &[Named] = &[
    Named {
        name: "q1",
        asks: "TPC-H Q1: eight aggregates in four groups, of nearly all rows",
        text: include_str!("q1.sql"),
        parameters: &[Parameter { name: "delta", default: "90", accepts: Accepts::Whole(100_000) }],
    },
    Named {
        name: "q6",
        asks: "TPC-H Q6: one sum of products, of 2 % of the rows",
        text: include_str!("q6.sql"),
        parameters: &[
            Parameter { name: "date", default: "1994-01-01", accepts: Accepts::Date },
            Parameter { name: "discount", default: "0.06", accepts: Accepts::Decimal },
            Parameter { name: "quantity", default: "24", accepts: Accepts::Decimal },
        ],
    },
    Named {
        name: "modes",
        asks: "four aggregates in 196 groups, of all rows",
        text: include_str!("modes.sql"),
        parameters: &[],
    },
    Named {
        name: "late",
        asks: "columns compared with each other and with a list of texts",
        text: include_str!("late.sql"),
        parameters: &[],
    },
    Named {
        name: "all",
        asks: "sums and extremes of all rows, which a condition tests in vain",
        text: include_str!("all.sql"),
        parameters: &[],
    },
    Named {
        name: "rare",
        asks: "the best of few groups, of 0.01 % of the rows",
        text: include_str!("rare.sql"),
        parameters: &[],
    },
];

/// The query of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Named> {
    NAMED.iter().find(|query| query.name == name)
}

impl Named {
    /// Its parameters.
    #[must_use]
    pub fn parameters(&self) -> &'static [Parameter] {
        self.parameters
    }

    /// Its SQL text with these values of parameters; those that are not given have TPC-H's own.
    ///
    /// # Errors
    /// A value that is no value of its parameter.
    pub fn sql(&self, value: impl Fn(&str) -> Option<String>) -> Result<String, Error> {
        let mut text = self.text.to_owned();
        for parameter in self.parameters {
            let value = value(parameter.name).unwrap_or_else(|| parameter.default.to_owned());
            parameter.check(&value)?;
            text = text.replace(&format!("{{{}}}", parameter.name), &value);
        }
        Ok(text)
    }
}

impl Parameter {
    fn check(&self, value: &str) -> Result<(), Error> {
        let (fits, expected) = match self.accepts {
            Accepts::Whole(most) => (
                value.parse::<u32>().is_ok_and(|number| number <= most) && !value.starts_with('+'),
                format!("a whole number up to {most}"),
            ),
            Accepts::Decimal => {
                let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
                let (whole, behind) = value.split_once('.').unwrap_or((value, "0"));
                let fits = !whole.is_empty() && !behind.is_empty() && digits(whole) && digits(behind);
                (fits && value.len() < 20, "a number with digits and a point".into())
            }
            Accepts::Date => (constants::date(value).is_ok(), "a date, written YYYY-MM-DD".into()),
        };
        if fits {
            return Ok(());
        }
        Err(wrong(format!("bad argument: {} '{value}'; expected {expected}", self.name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql;

    #[test]
    fn every_named_query_is_read() {
        for query in NAMED {
            let text = query.sql(|_| None).unwrap();
            assert!(!text.contains('{'), "{text}");
            sql::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", query.name));
        }
    }

    #[test]
    fn values_are_checked() {
        let q6 = named("q6").unwrap();
        let with = |name: &'static str, value: &'static str| {
            q6.sql(|asked| (asked == name).then(|| value.to_owned())).map_err(|error| error.to_string())
        };
        assert!(with("discount", "0.05").unwrap().contains("0.05 - 0.01"));
        assert_eq!(
            with("discount", "0.05; drop").unwrap_err(),
            "bad argument: discount '0.05; drop'; expected a number with digits and a point"
        );
        assert!(with("date", "1994-02-30").is_err() && with("quantity", "").is_err());
    }
}
