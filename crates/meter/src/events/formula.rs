//! Derived measures: sums, differences, products and ratios of what was counted.

use std::fmt;

use serde::Deserialize;

/// Longest formula and deepest nesting that are accepted, so that no file can exhaust the stack while a formula is read
/// or evaluated.
const LONGEST: usize = 400;
const DEEPEST: usize = 16;

/// A measure that is computed from others.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derived {
    /// Its name, as a measure's.
    pub name: String,
    /// How it is computed.
    pub formula: Formula,
    /// What it means.
    pub meaning: String,
}

/// An expression over measures: numbers, names, `+ - * /` and parentheses.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Formula {
    text: String,
    root: Node,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Number(f64),
    Measure(String),
    Pair(Sign, Box<Node>, Box<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Sign {
    Plus,
    Minus,
    Times,
    Over,
}

/// Why a formula has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undefined {
    /// One of its measures was not counted.
    #[error("{0} was not counted")]
    NotCounted(String),
    /// A division by 0.
    #[error("divided by 0: nothing was counted there")]
    DividedByZero,
}

impl Formula {
    /// The measures it needs, each once, in the order they are named.
    #[must_use]
    pub fn measures(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.root.collect(&mut found);
        found
    }

    /// Its value, given the counts in the units of their measures.
    ///
    /// # Errors
    /// When a measure was not counted, or when it divides by 0.
    pub fn evaluate(&self, count: impl Fn(&str) -> Option<f64>) -> Result<f64, Undefined> {
        self.root.evaluate(&count)
    }
}

impl Node {
    fn collect<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::Number(_) => {}
            Self::Measure(name) if found.contains(&name.as_str()) => {}
            Self::Measure(name) => found.push(name),
            Self::Pair(_, left, right) => {
                left.collect(found);
                right.collect(found);
            }
        }
    }

    fn evaluate(&self, count: &impl Fn(&str) -> Option<f64>) -> Result<f64, Undefined> {
        let (sign, left, right) = match self {
            Self::Number(number) => return Ok(*number),
            Self::Measure(name) => return count(name).ok_or_else(|| Undefined::NotCounted(name.clone())),
            Self::Pair(sign, left, right) => (sign, left.evaluate(count)?, right.evaluate(count)?),
        };
        match sign {
            Sign::Plus => Ok(left + right),
            Sign::Minus => Ok(left - right),
            Sign::Times => Ok(left * right),
            Sign::Over if right == 0.0 => Err(Undefined::DividedByZero),
            Sign::Over => Ok(left / right),
        }
    }
}

impl TryFrom<String> for Formula {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("a formula has at most {LONGEST} characters"));
        }
        let mut rest = Rest { text: &text, depth: 0 };
        let root = rest.sum().map_err(|reason| format!("{text:?} is not a formula: {reason}"))?;
        match rest.next() {
            None => Ok(Self { text, root }),
            Some(letter) => Err(format!("{text:?} is not a formula: {letter:?} is one too many")),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What is left to read.
struct Rest<'a> {
    text: &'a str,
    depth: usize,
}

impl Rest<'_> {
    fn next(&mut self) -> Option<char> {
        self.text = self.text.trim_start();
        self.text.chars().next()
    }

    /// Takes `sign` when it comes next.
    fn took(&mut self, sign: char) -> bool {
        let there = self.next() == Some(sign);
        if there {
            self.text = &self.text[sign.len_utf8()..];
        }
        there
    }

    fn sum(&mut self) -> Result<Node, String> {
        let mut left = self.product()?;
        loop {
            let sign = match () {
                () if self.took('+') => Sign::Plus,
                () if self.took('-') => Sign::Minus,
                () => return Ok(left),
            };
            left = Node::Pair(sign, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut left = self.factor()?;
        loop {
            let sign = match () {
                () if self.took('*') => Sign::Times,
                () if self.took('/') => Sign::Over,
                () => return Ok(left),
            };
            left = Node::Pair(sign, Box::new(left), Box::new(self.factor()?));
        }
    }

    fn factor(&mut self) -> Result<Node, String> {
        if self.took('(') {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(format!("more than {DEEPEST} parentheses in one another"));
            }
            let inner = self.sum()?;
            self.depth -= 1;
            return if self.took(')') { Ok(inner) } else { Err("a parenthesis is not closed".into()) };
        }
        match self.next() {
            Some('0'..='9') => {
                let digits = self.word(|letter| letter.is_ascii_digit() || letter == '.');
                digits.parse().map(Node::Number).map_err(|_| format!("{digits:?} is not a number"))
            }
            Some('a'..='z') => Ok(Node::Measure(self.word(is_of_a_name).to_owned())),
            Some(letter) => Err(format!("{letter:?} where a measure or a number should be")),
            None => Err("it ends where a measure or a number should be".into()),
        }
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &str {
        let end = self.text.find(|letter| !belongs(letter)).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        word
    }
}

/// Whether a letter may be in the name of a measure.
pub(super) fn is_of_a_name(letter: char) -> bool {
    matches!(letter, 'a'..='z' | '0'..='9' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, Undefined> {
        let formula = Formula::try_from(text.to_owned()).unwrap();
        formula.evaluate(|name| match name {
            "near" => Some(30.0),
            "far" => Some(10.0),
            "none" => Some(0.0),
            _ => None,
        })
    }

    #[test]
    fn products_bind_before_sums_and_both_from_the_left() {
        assert_eq!(value("far / (near + far)"), Ok(0.25));
        assert_eq!(value("near - far - 5"), Ok(15.0));
        assert_eq!(value("near / far / 2 * 4"), Ok(6.0));
        assert_eq!(value("2 + 3 * near"), Ok(92.0));
        assert_eq!(value("0.5*(near+far)"), Ok(20.0));
    }

    #[test]
    fn what_was_not_counted_is_not_0() {
        assert_eq!(value("far / (near + other)"), Err(Undefined::NotCounted("other".into())));
        assert_eq!(value("far / none"), Err(Undefined::DividedByZero));
    }

    #[test]
    fn measures_are_named_once_and_in_order() {
        let formula = Formula::try_from("far / (near + far) * 2".to_owned()).unwrap();
        assert_eq!(formula.measures(), ["far", "near"]);
    }

    #[test]
    fn what_is_no_formula_is_refused_with_the_reason() {
        for (text, reason) in [
            ("", "ends where"),
            ("near +", "ends where"),
            ("near far", "one too many"),
            ("(near", "not closed"),
            ("near + * far", "'*' where"),
            ("1.2.3", "not a number"),
            (&"(".repeat(40), "in one another"),
            (&"1+".repeat(400), "at most"),
        ] {
            let error = Formula::try_from(text.to_owned()).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
