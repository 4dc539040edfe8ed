//! What was given on the command line of `knee query`: words that mean nothing together are refused, not ignored.

use std::collections::BTreeMap;

use knee_query::sql::named;

use crate::error::Failure;

/// The query's own text needs no name: `knee query --sql TEXT FILE`.
pub(super) fn complete(given: &mut BTreeMap<String, String>) {
    if !given.contains_key("sql") || given.contains_key("data") {
        return;
    }
    match given.remove("query") {
        Some(name) if name == "sql" || named(&name).is_some() => drop(given.insert("query".into(), name)),
        data => {
            given.extend(data.map(|data| ("data".into(), data)));
            given.insert("query".into(), "sql".into());
        }
    }
}

/// Refuses what would have no effect.
pub(super) fn check(given: &BTreeMap<String, String>) -> Result<(), Failure> {
    let query = given.get("query").map_or("q6", String::as_str);
    let own: Vec<_> = named(query).map_or(&[][..], |query| query.parameters()).iter().map(|own| own.name).collect();
    let parameters = ["q1", "q6"].into_iter().filter_map(|name| Some((name, named(name)?)));
    for (name, query_of_it) in parameters {
        let idle = |parameter: &&str| given.contains_key(*parameter) && !own.contains(parameter);
        if let Some(parameter) = query_of_it.parameters().iter().map(|one| one.name).find(|one| idle(&one)) {
            return Err(Failure::new(format!("--{parameter} with {query}: it is a parameter of {name}"))
                .hint(format!("leave it out, or ask knee query {name} --{parameter} ...")));
        }
    }
    if given.contains_key("scale")
        && let Some(data) = given.get("data").filter(|data| !data.is_empty())
    {
        return Err(Failure::new(format!("--scale with {data}: a scale is of the table that is generated"))
            .hint("leave out one of them"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(words: &[(&str, &str)]) -> BTreeMap<String, String> {
        words.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_text_needs_no_name() {
        let completed = |words: &[(&str, &str)]| {
            let mut given = given(words);
            complete(&mut given);
            given
        };
        let (text, named) = (("sql", "select 1"), ("query", "sql"));
        assert_eq!(completed(&[text]), given(&[text, named]));
        assert_eq!(completed(&[text, ("query", "a.parquet")]), given(&[text, named, ("data", "a.parquet")]));
        assert_eq!(completed(&[text, named]), given(&[text, named]));
        assert_eq!(completed(&[text, ("query", "q1")]), given(&[text, ("query", "q1")]));
        assert_eq!(completed(&[("query", "a.parquet")]), given(&[("query", "a.parquet")]));
    }

    #[test]
    fn what_has_no_effect_is_refused() {
        let said = |words: &[(&str, &str)]| check(&given(words)).err().map(|failure| failure.to_string());
        assert_eq!(said(&[("delta", "60"), ("query", "q1")]), None);
        assert_eq!(said(&[("quantity", "25")]), None);
        assert_eq!(said(&[("scale", "1")]), None);
        assert!(said(&[("delta", "60")]).unwrap().contains("--delta with q6: it is a parameter of q1"));
        assert!(said(&[("date", "1995-01-01"), ("query", "sql")]).unwrap().contains("it is a parameter of q6"));
        assert!(said(&[("scale", "1"), ("data", "a.parquet")]).unwrap().contains("--scale with a.parquet"));
    }
}
