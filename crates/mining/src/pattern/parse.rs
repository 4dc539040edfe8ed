//! Reading patterns.

use std::collections::BTreeMap;

use super::{MOST_VERTICES, Pattern, names};

/// Why a text is no pattern that can be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(pub(super) String);

/// A pattern whose labels are numbers of these words, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The pattern.
    pub pattern: Pattern,
    /// What the file of labels calls them.
    pub words: Vec<String>,
}

impl Labelled {
    /// A pattern as [`Pattern::parse`] reads it. Vertices of an edge list may have labels, such as `a:C-b:N,b-c`.
    ///
    /// # Errors
    /// As of [`Pattern::parse`]; two labels of one vertex.
    pub fn parse(text: &str) -> Result<Self, Unusable> {
        let text = text.trim();
        let alone = |pattern| Self { pattern, words: Vec::new() };
        match named(text) {
            Some(pattern) => pattern.map(alone),
            None => list(names::edges(&text.to_lowercase()).unwrap_or(text)),
        }
    }
}

/// The pattern of graph6 or of a name that is not one of a list of edges.
fn named(text: &str) -> Option<Result<Pattern, Unusable>> {
    if let Some(code) = text.strip_prefix("graph6:") {
        return Some(graph6(code));
    }
    let name = text.to_lowercase();
    let clique = name
        .strip_prefix('k')
        .filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()) && number.parse::<usize>().is_ok());
    let name = clique.map_or(name.clone(), |number| format!("{number}-clique"));
    match names::member(&name) {
        Some(Ok((vertices, edges))) => Some(Pattern::new(vertices, &edges, &[])),
        Some(Err(reason)) => Some(Err(Unusable(reason))),
        None => (name == "vertex").then(|| Pattern::new(1, &[], &[])),
    }
}

/// An edge list, such as `a-b, b:C-c, a!c`.
fn list(text: &str) -> Result<Labelled, Unusable> {
    let (mut known, mut labels) = (BTreeMap::new(), Labels::default());
    let (mut edges, mut apart) = (Vec::new(), Vec::new());
    for pair in text.split(|letter: char| letter == ',' || letter.is_whitespace()).filter(|pair| !pair.is_empty()) {
        let unknown = || Unusable(format!("'{pair}' is neither a pattern's name nor an edge such as a-b"));
        let (a, b) = pair.split_once(['-', '!']).ok_or_else(unknown)?;
        let mut vertex = |name: &str| {
            let (name, label) = name.split_once(':').map_or((name, None), |(name, label)| (name, Some(label)));
            if !is_label(name) || !label.is_none_or(is_label) {
                return Err(unknown());
            }
            let next = known.len();
            let vertex = *known.entry(name.to_owned()).or_insert(next);
            label.map_or(Ok(()), |label| labels.give(vertex, name, label))?;
            Ok(vertex)
        };
        let ends = (vertex(a)?, vertex(b)?);
        if ends.0 == ends.1 {
            return Err(Unusable(format!("'{pair}' joins a vertex to itself")));
        }
        if pair.contains('!') { apart.push(ends) } else { edges.push(ends) }
    }
    // One pair alone is rather a name that was mistyped, such as wheel-6, unless its ends are alike and short.
    let letters = known.keys().all(|name| name.len() == 1 && name.chars().all(char::is_alphabetic));
    let digits = known.keys().all(|name| name.chars().all(|letter| letter.is_ascii_digit()));
    if edges.len() + apart.len() == 1 && !letters && !digits && labels.words.is_empty() {
        return Err(Unusable(format!("'{text}' is neither a pattern's name nor edges such as a-b,b-c")));
    }
    let same = |a: (usize, usize), b: (usize, usize)| a == b || (a.1, a.0) == b;
    if let Some(&(a, b)) = edges.iter().find(|edge| apart.iter().any(|other| same(**edge, *other))) {
        let name = |vertex| known.iter().find(|(_, number)| **number == vertex).map_or("", |(name, _)| name.as_str());
        return Err(Unusable(format!("{} and {} are to be joined and apart", name(a), name(b))));
    }
    if known.is_empty() {
        return Err(Unusable("it has no edge".into()));
    }
    let pattern = Pattern::new(known.len(), &edges, &apart)?;
    let pattern = pattern.labelled(|vertex| labels.of.get(&vertex).copied().unwrap_or(0));
    Ok(Labelled { pattern, words: labels.words })
}

/// Whether a word may be a label, or the name of a vertex.
pub(crate) fn is_label(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|one| one.is_alphanumeric() || one == '_')
}

/// The labels of an edge list.
#[derive(Default)]
struct Labels {
    words: Vec<String>,
    /// The number of each vertex' label, from 1.
    of: BTreeMap<usize, u16>,
}

impl Labels {
    fn give(&mut self, vertex: usize, name: &str, word: &str) -> Result<(), Unusable> {
        let at = self.words.iter().position(|known| known == word).unwrap_or_else(|| {
            self.words.push(word.to_owned());
            self.words.len() - 1
        });
        let number = u16::try_from(at + 1).unwrap_or(u16::MAX);
        match self.of.insert(vertex, number) {
            Some(other) if other != number => {
                let other = &self.words[usize::from(other) - 1];
                Err(Unusable(format!("{name} has two labels, {other} and {word}")))
            }
            _ => Ok(()),
        }
    }
}

/// graph6, without its optional header: a byte for the number of vertices, and the upper triangle of the matrix column
/// by column, six bits a byte. As `nauty` writes it.
fn graph6(code: &str) -> Result<Pattern, Unusable> {
    let bad = |reason: &str| Unusable(format!("'{code}' is not graph6: {reason}"));
    let values: Option<Vec<u8>> = code.bytes().map(|byte| byte.checked_sub(63).filter(|value| *value < 64)).collect();
    let values = values.ok_or_else(|| bad("its bytes are from ? to ~"))?;
    let (count, rows) = values.split_first().ok_or_else(|| bad("it is empty"))?;
    let vertices = usize::from(*count);
    if vertices > MOST_VERTICES {
        return Err(Unusable(format!("{vertices} vertices or more; a pattern has 1 to {MOST_VERTICES}")));
    }
    let pairs: Vec<_> = (0..vertices).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    if rows.len() != pairs.len().div_ceil(6) {
        return Err(bad("it has not as many bytes as its number of vertices needs"));
    }
    let joined = |at: usize| rows[at / 6] >> (5 - at % 6) & 1 == 1;
    let edges: Vec<_> = pairs.iter().enumerate().filter(|(at, _)| joined(*at)).map(|(_, pair)| *pair).collect();
    Pattern::new(vertices, &edges, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said() {
        for (text, reason) in [
            ("triangel", "'triangel' is neither a pattern's name nor an edge such as a-b"),
            ("a-b-c", "'a-b-c' is neither a pattern's name nor an edge such as a-b"),
            ("wheel-6", "'wheel-6' is neither a pattern's name nor edges such as a-b,b-c"),
            ("star-three", "'star-three' is neither a pattern's name nor edges such as a-b,b-c"),
            ("k-4", "'k-4' is neither a pattern's name nor edges such as a-b,b-c"),
            ("a-a", "'a-a' joins a vertex to itself"),
            ("", "it has no edge"),
            ("9-clique", "clique of 9; its number is from 1 to 8"),
            ("K9", "clique of 9; its number is from 1 to 8"),
            ("a-b, c-d", "it has several pieces; count each by itself"),
            ("a-b, b!a", "a and b are to be joined and apart"),
            ("a:C-b,b-a:N", "a has two labels, C and N"),
            ("a:-b", "'a:-b' is neither a pattern's name nor an edge such as a-b"),
            ("graph6:C", "'C' is not graph6: it has not as many bytes as its number of vertices needs"),
            ("graph6:", "'' is not graph6: it is empty"),
            ("graph6:Z", "27 vertices or more; a pattern has 1 to 8"),
        ] {
            assert_eq!(Labelled::parse(text).unwrap_err().to_string(), reason, "{text}");
        }
    }

    #[test]
    fn labels_are_numbered_as_they_appear() {
        assert!(Labelled::parse("atom:C-b").is_ok(), "a label shows that it is no name");
        let Labelled { pattern, words } = Labelled::parse("a:C-b:N,b-c,c:C-d").unwrap();
        assert_eq!(words, ["C", "N"]);
        assert_eq!([0, 1, 2, 3].map(|at| pattern.label(at)), [1, 2, 1, 0]);
        assert_eq!(pattern.written(&words), "0:C-1:N,1-2:C,2-3");
        assert_eq!(Labelled::parse(&pattern.written(&words)).unwrap().pattern, pattern);
        assert_eq!(pattern.automorphisms().len(), 1);
        let turned = Labelled::parse("d-c:C,b:N-c,b-a:C").unwrap().pattern;
        assert_eq!(turned.labelled(|at| [0, 1, 2, 1][at]).canonical(), pattern.canonical());
        assert_ne!(turned.labelled(|_| 0).canonical(), pattern.canonical());
        assert_eq!(Pattern::parse("a:C-b,b-c").unwrap_err().to_string(), "it has labels, which have no meaning here");
    }
}
