//! What was given on the command line of `knee query`: words that mean nothing together are refused, not ignored.

use std::collections::BTreeMap;
use std::path::Path;

use knee_query::sql::named;

use crate::error::Failure;

/// The query's own text needs no name: `knee query --sql TEXT FILE`.
pub(super) fn complete(given: &mut BTreeMap<String, String>) -> Result<(), Failure> {
    if !given.contains_key("sql") {
        return Ok(());
    }
    let Some(first) = given.get("query") else {
        given.insert("query".into(), "sql".into());
        return Ok(());
    };
    match (is_query(first), given.get("data")) {
        (true, None) if Path::new(first).exists() => {
            Err(Failure::new(format!("{first} is the name of a query and of a file"))
                .hint(format!("to read the file, write ./{first}")))
        }
        (true, _) => Ok(()),
        (false, None) => {
            let data = first.clone();
            given.extend([("data".into(), data), ("query".into(), "sql".into())]);
            Ok(())
        }
        (false, Some(second)) => {
            Err(Failure::new(format!("there are two files, {first} and {second}; knee query reads one table"))
                .hint("give one file, or the directory of a table's files"))
        }
    }
}

/// Refuses what would have no effect.
pub(super) fn check(given: &BTreeMap<String, String>) -> Result<(), Failure> {
    let query = given.get("query").map_or("q6", String::as_str);
    if !is_query(query) {
        // The workload says so.
        return Ok(());
    }
    let own: Vec<_> = named(query).map_or(&[][..], |query| query.parameters()).iter().map(|own| own.name).collect();
    for other in ["q1", "q6"].into_iter().filter_map(named) {
        let idle = |parameter: &&str| given.contains_key(*parameter) && !own.contains(parameter);
        if let Some(parameter) = other.parameters().iter().map(|one| one.name).find(idle) {
            let name = other.name;
            return Err(Failure::new(format!("--{parameter} with {query}: it is a parameter of {name}"))
                .hint(format!("leave it out, or ask knee query {name} --{parameter} ...")));
        }
    }
    let alone = given.get("runtime").is_some_and(|runtime| runtime == "loop");
    if alone && given.get("isa").is_some_and(|isa| isa != "auto") {
        return Err(Failure::new("--isa with --runtime loop: the plain loop uses no vector instructions")
            .hint("leave out one of them"));
    }
    match given.get("data").filter(|data| !data.is_empty() && given.contains_key("scale")) {
        Some(data) => Err(Failure::new(format!("--scale with {data}: a scale is of the table that is generated"))
            .hint("leave out one of them")),
        None => Ok(()),
    }
}

fn is_query(name: &str) -> bool {
    name == "sql" || named(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(words: &[(&str, &str)]) -> BTreeMap<String, String> {
        words.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn completed(words: &[(&str, &str)]) -> Result<BTreeMap<String, String>, String> {
        let mut given = given(words);
        complete(&mut given).map(|()| given).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_text_needs_no_name() {
        let (text, named) = (("sql", "select 1"), ("query", "sql"));
        assert_eq!(completed(&[text]), Ok(given(&[text, named])));
        assert_eq!(completed(&[text, ("query", "a.parquet")]), Ok(given(&[text, named, ("data", "a.parquet")])));
        assert_eq!(completed(&[text, named]), Ok(given(&[text, named])));
        assert_eq!(completed(&[text, ("query", "q1")]), Ok(given(&[text, ("query", "q1")])));
        assert_eq!(completed(&[("query", "a.parquet")]), Ok(given(&[("query", "a.parquet")])));
        assert_eq!(completed(&[]), Ok(given(&[])));
        let two = completed(&[text, ("query", "a.parquet"), ("data", "b.parquet")]).unwrap_err();
        assert!(two.contains("two files, a.parquet and b.parquet"), "{two}");
    }

    #[test]
    fn what_has_no_effect_is_refused() {
        let said = |words: &[(&str, &str)]| check(&given(words)).err().map(|failure| failure.to_string());
        assert_eq!(said(&[("delta", "60"), ("query", "q1")]), None);
        assert_eq!(said(&[("quantity", "25")]), None);
        assert_eq!(said(&[("scale", "1")]), None);
        assert_eq!(said(&[("delta", "60"), ("query", "q7")]), None);
        assert!(said(&[("delta", "60")]).unwrap().contains("--delta with q6: it is a parameter of q1"));
        assert!(said(&[("date", "1995-01-01"), ("query", "sql")]).unwrap().contains("it is a parameter of q6"));
        assert!(said(&[("runtime", "loop"), ("isa", "avx2")]).unwrap().contains("--isa with --runtime loop"));
        assert!(said(&[("scale", "1"), ("data", "a.parquet")]).unwrap().contains("--scale with a.parquet"));
    }
}
