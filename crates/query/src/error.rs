//! What can be wrong with a query or with its data.

use knee_workload::Error;

/// The engine that answers what is outside of this one.
const ELSEWHERE: &str = "DuckDB answers it: duckdb -c \"SELECT ... FROM 'FILE.parquet' ...\"";

/// The error for a query that asks for something outside: what it asks for, in its own words.
pub(crate) fn outside(what: impl std::fmt::Display) -> Error {
    Error::new(format!("knee query does not know {what}")).hint(ELSEWHERE)
}

/// The error for a query that makes no sense here.
pub(crate) fn wrong(what: impl Into<String>) -> Error {
    Error::new(what)
}

/// A date that no answer can have.
pub(crate) fn date_beyond() -> Error {
    wrong("a date of the answer is beyond the years -9999 to 9999")
}

/// A number that no answer can have.
pub(crate) fn too_large() -> Error {
    wrong("a number of this query needs more than 128 bits")
        .hint("multiply fewer columns, or cast one to DOUBLE in the file")
}

/// A text for a terminal: control characters are written as escapes.
pub(crate) fn shown(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { letter.escape_default().to_string() } else { letter.into() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_too_large_has_something_to_try() {
        assert!(too_large().hinted().is_some_and(|hint| hint.contains("DOUBLE")));
    }
}
