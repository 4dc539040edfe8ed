//! Reads `placements.txt`; its head describes the notation.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

/// The lists of one machine.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) name: String,
    /// `files`, `xml` or `text`.
    pub(crate) source: String,
    /// The cpus that may be used, where that is part of the question.
    pub(crate) allowed: Option<Vec<u32>>,
    pub(crate) cases: Vec<Case>,
}

/// What one placement gives.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) placement: String,
    /// For so many threads; none for the whole order.
    pub(crate) threads: Option<usize>,
    /// Or words of the error.
    pub(crate) cpus: Result<Vec<u32>, String>,
}

/// All sections.
///
/// # Panics
/// With the line that is not in the notation.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut names = BTreeMap::new();
    for line in logical_lines(text) {
        if let Some(head) = line.strip_prefix('[') {
            let (name, source) = head.trim_end_matches(']').rsplit_once(' ').expect("a section says its source");
            sections.push(Section { name: name.into(), source: source.into(), allowed: None, cases: vec![] });
            names.clear();
            continue;
        }
        let (left, right) = line.split_once('=').unwrap_or_else(|| panic!("no list in {line:?}"));
        let cpus = match right.trim().strip_prefix("refused:") {
            Some(words) => Err(words.trim().to_owned()),
            None => Ok(list(right, &names)),
        };
        let (left, threads) = match left.split_once('@') {
            Some((left, count)) => (left, Some(count.trim().parse().expect("@ takes a number of threads"))),
            None => (left, None),
        };
        let section = sections.last_mut().expect("a section comes first");
        if !left.contains('-') {
            let cpus = cpus.expect("a shorthand stands for a list");
            if left.trim() == "allowed" {
                section.allowed = Some(cpus.clone());
            }
            names.insert(left.trim().to_owned(), cpus);
            continue;
        }
        // Qualifiers may hold commas of their own; between placements a space follows.
        let cases =
            left.split(", ").map(|placement| Case { placement: placement.trim().into(), threads, cpus: cpus.clone() });
        section.cases.extend(cases);
    }
    sections
}

/// Lines without comments, continuations joined.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        match lines.last_mut() {
            Some(last) if line.starts_with(' ') => last.push_str(line),
            _ => lines.push(line.into()),
        }
    }
    lines
}

/// The cpus that a list stands for.
pub(crate) fn list(text: &str, names: &BTreeMap<String, Vec<u32>>) -> Vec<u32> {
    let spaced =
        ["(", ")", ",", "*"].iter().fold(text.to_owned(), |text, mark| text.replace(mark, &format!(" {mark} ")));
    let words: Vec<String> = spaced.split_whitespace().map(ToOwned::to_owned).collect();
    let mut reader = Reader { words: words.into_iter().peekable(), names };
    let cpus = reader.list();
    assert_eq!(reader.words.next(), None, "the end of {text:?}");
    cpus
}

struct Reader<'a> {
    words: Peekable<IntoIter<String>>,
    names: &'a BTreeMap<String, Vec<u32>>,
}

impl Reader<'_> {
    fn list(&mut self) -> Vec<u32> {
        let mut cpus = Vec::new();
        while self.words.peek().is_some_and(|word| word != ")" && word != ",") {
            cpus.extend(self.product());
        }
        cpus
    }

    fn product(&mut self) -> Vec<u32> {
        let mut cpus = self.factor();
        while self.words.next_if_eq("*").is_some() {
            let inner = self.factor();
            cpus = cpus.iter().flat_map(|outer| inner.iter().map(move |cpu| outer + cpu)).collect();
        }
        cpus
    }

    fn factor(&mut self) -> Vec<u32> {
        let word = self.words.next().expect("a list goes on after `*` and `(`");
        match word.as_str() {
            "(" => {
                let cpus = self.list();
                assert_eq!(self.words.next().as_deref(), Some(")"));
                cpus
            }
            "zip" => zip(&self.arguments()),
            "times" => {
                let [factor, cpus] = &self.arguments()[..] else { panic!("times takes a number and a list") };
                cpus.iter().map(|cpu| cpu * factor[0]).collect()
            }
            _ if word.starts_with(|first: char| first.is_ascii_digit()) => range(&word),
            _ => self.names.get(&word).unwrap_or_else(|| panic!("{word:?} stands for nothing")).clone(),
        }
    }

    fn arguments(&mut self) -> Vec<Vec<u32>> {
        let mut lists = Vec::new();
        let mut mark = self.words.next();
        while matches!(mark.as_deref(), Some("(" | ",")) {
            lists.push(self.list());
            mark = self.words.next();
        }
        assert_eq!(mark.as_deref(), Some(")"));
        lists
    }
}

fn range(word: &str) -> Vec<u32> {
    let number = |text: &str| text.parse::<u32>().unwrap_or_else(|_| panic!("{text:?} in {word:?} is no number"));
    let (range, step) = word.split_once(':').map_or((word, 1), |(range, step)| (range, number(step)));
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    (number(first)..=number(last)).step_by(usize::try_from(step).unwrap()).collect()
}

fn zip(lists: &[Vec<u32>]) -> Vec<u32> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|turn| lists.iter().filter_map(move |list| list.get(turn).copied())).collect()
}
