//! Arguments of workloads: declared once, read from a command line, a run spec, or factors of a study.

use std::collections::BTreeMap;

use crate::Error;

/// One argument of a workload.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name: `--name VALUE` on the command line, and the factor's name in a study.
    pub name: &'static str,
    /// One line for help.
    pub summary: &'static str,
    /// Default value; none for a required parameter.
    pub default: Option<&'static str>,
    /// The allowed values; empty if any is.
    pub values: &'static [&'static str],
    /// Whether it may be given without its name; such parameters take words in their declared order.
    pub positional: bool,
}

impl Param {
    /// A parameter with any value.
    #[must_use]
    pub const fn new(name: &'static str, summary: &'static str, default: &'static str) -> Self {
        Self { name, summary, default: Some(default), values: &[], positional: false }
    }

    /// A parameter with these values.
    #[must_use]
    pub const fn choice(
        name: &'static str,
        summary: &'static str,
        default: &'static str,
        values: &'static [&'static str],
    ) -> Self {
        Self { values, ..Self::new(name, summary, default) }
    }

    /// A required parameter.
    #[must_use]
    pub const fn required(name: &'static str, summary: &'static str) -> Self {
        Self { default: None, ..Self::new(name, summary, "") }
    }

    /// The same, and it may be given without its name.
    #[must_use]
    pub const fn positional(self) -> Self {
        Self { positional: true, ..self }
    }
}

/// Words in an error: `a, b or c`.
#[must_use]
pub fn one_of<W: AsRef<str>>(words: &[W]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [] => "none".into(),
        [word] => (*word).into(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Arguments of one run: every declared parameter has a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Args(BTreeMap<String, String>);

impl Args {
    /// Completes and checks named values.
    ///
    /// # Errors
    /// An unknown name, a value that is not among the declared ones, or a value that is missing.
    pub fn complete(params: &[Param], given: &BTreeMap<String, String>) -> Result<Self, Error> {
        if let Some(unknown) = given.keys().find(|name| params.iter().all(|param| param.name != name.as_str())) {
            let names: Vec<_> = params.iter().map(|param| param.name).collect();
            return Err(Error::new(format!("unknown argument '{unknown}'; expected {}", one_of(&names))));
        }
        let value = |param: &Param| {
            let value = given.get(param.name).map(String::as_str).or(param.default);
            let value =
                value.ok_or_else(|| Error::new(format!("missing argument: {}: {}", param.name, param.summary)))?;
            if !param.values.is_empty() && !param.values.contains(&value) {
                let message = format!("bad argument: {} '{value}'; expected {}", param.name, one_of(param.values));
                return Err(Error::new(message));
            }
            Ok((param.name.to_owned(), value.to_owned()))
        };
        params.iter().map(value).collect::<Result<_, _>>().map(Self)
    }

    /// Reads words of a command line: `--name VALUE`, `--name=VALUE`, or a bare positional value.
    ///
    /// # Errors
    /// A name without a value, a name given twice, or an unexpected word.
    pub fn named(params: &[Param], words: &[String]) -> Result<BTreeMap<String, String>, Error> {
        let mut given = BTreeMap::new();
        let mut open = params.iter().filter(|param| param.positional);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, value) = if let Some(flag) = word.strip_prefix("--") {
                let missing = || Error::new(format!("{word} needs a value"));
                match flag.split_once('=') {
                    Some((name, value)) => (name, value),
                    None => (flag, words.next().ok_or_else(missing)?.as_str()),
                }
            } else {
                let param = open.find(|param| !given.contains_key(param.name));
                (param.ok_or_else(|| Error::new(format!("unexpected argument '{word}'")))?.name, word.as_str())
            };
            if given.insert(name.to_owned(), value.to_owned()).is_some() {
                return Err(Error::new(format!("--{name} is given twice")));
            }
        }
        Ok(given)
    }

    /// The value of a declared parameter.
    ///
    /// # Panics
    /// If `name` was not declared: a mistake in the workload itself.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).unwrap_or_else(|| panic!("parameter {name} is not declared"))
    }

    /// The value as a whole number.
    ///
    /// # Errors
    /// When it is not a whole number inside `range`.
    pub fn number(&self, name: &str, range: std::ops::RangeInclusive<u64>) -> Result<u64, Error> {
        let text = self.text(name);
        let number = text.parse::<u64>().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (low, high) = (range.start(), range.end());
            Error::new(format!("bad argument: {name} '{text}'; expected a whole number from {low} to {high}"))
        })
    }

    /// Names and values.
    #[must_use]
    pub fn all(&self) -> &BTreeMap<String, String> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] =
        &[Param::required("graph", "g").positional(), Param::choice("plan", "p", "explore", &["explore", "formula"])];

    fn read(words: &[&str]) -> Result<Args, String> {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let named = Args::named(PARAMS, &words).and_then(|given| Args::complete(PARAMS, &given));
        named.map_err(|error| error.to_string())
    }

    #[test]
    fn a_list_has_commas_and_one_or() {
        let lists = [&["a"][..], &["a", "b"], &["a", "b", "c"], &[]].map(one_of);
        assert_eq!(lists, ["a", "a or b", "a, b or c", "none"]);
    }

    #[test]
    fn words_in_any_order_mean_the_same() {
        let expected = read(&["g.el", "--plan", "formula"]).unwrap();
        assert_eq!(read(&["--plan=formula", "--graph", "g.el"]).unwrap(), expected);
        assert_eq!(expected.text("plan"), "formula");
    }

    #[test]
    fn each_mistake_has_its_own_words() {
        let says = |words: &[&str]| read(words).unwrap_err();
        assert_eq!(says(&["a", "b"]), "unexpected argument 'b'");
        assert_eq!(says(&["a", "--plan"]), "--plan needs a value");
        assert_eq!(says(&["a", "--graph", "b"]), "--graph is given twice");
        assert_eq!(says(&[]), "missing argument: graph: g");
        assert_eq!(says(&["a", "--x", "1"]), "unknown argument 'x'; expected graph or plan");
        assert_eq!(says(&["a", "--plan", "x"]), "bad argument: plan 'x'; expected explore or formula");
    }
}
