//! Labels of vertices, from a file beside the graph: two words a line, a vertex and its label.

use std::collections::BTreeMap;
use std::path::Path;

use knee_workload::Error;

use super::Graph;
use super::read::{lines, shown, text};
use crate::pattern::is_label;

/// What is expected.
const FORM: &str =
    "a file of labels has two words a line, a vertex number of the graph and its label, of letters, digits and _";
/// Most different labels.
const MOST: usize = u16::MAX as usize - 1;

/// Labels, by the rank of their vertex; all vertices are without one by default.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    /// Numbers of words, from 1; 0 where there is none. Empty where no vertex has one.
    of: Vec<u16>,
    words: Vec<String>,
    /// Lines of vertices that are not in the graph.
    others: usize,
}

/// The content of a file of labels.
pub(crate) struct LabelsFile {
    path: String,
    text: Vec<u8>,
}

impl LabelsFile {
    /// Reads a file, plain, `.gz` or `.zst`.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn read(path: &str) -> Result<Self, Error> {
        let cannot = |error: std::io::Error| {
            Error::new(format!("cannot read labels: {path}: {error}")).hint("give --labels the path of a file")
        };
        Ok(Self { path: path.to_owned(), text: text(Path::new(path)).map_err(cannot)? })
    }
}

impl Labels {
    #[cfg(test)]
    pub(crate) fn by_rank(of: Vec<u16>, words: Vec<String>) -> Self {
        Self { of, words, others: 0 }
    }

    /// The labels of a graph whose vertices have these names in its source, in ascending order.
    ///
    /// # Errors
    /// A line that is none, a vertex with two labels, too many of them.
    pub(crate) fn of_file(file: &LabelsFile, graph: &Graph, names: &[u64]) -> Result<Self, Error> {
        Self::parse(&file.text, graph, names)
            .map_err(|reason| Error::new(format!("cannot read labels: {}: {reason}", file.path)).hint(FORM))
    }

    /// The same for the text of a file.
    pub(crate) fn parse(text: &[u8], graph: &Graph, names: &[u64]) -> Result<Self, String> {
        let mut labels = Self { of: vec![0; graph.vertices], words: Vec::new(), others: 0 };
        let mut known = BTreeMap::new();
        for (number, line) in lines::lines(text) {
            let wrong = |what: String| format!("line {number}: {what}");
            let (name, word) = pair(line).map_err(wrong)?;
            // A vertex without edges is not in the graph.
            let Ok(source) = names.binary_search(&name) else {
                labels.others += 1;
                continue;
            };
            let label = *known.entry(word).or_insert_with(|| {
                labels.words.push(word.to_owned());
                labels.words.len()
            });
            if label > MOST {
                return Err(format!("it has more than {MOST} different labels"));
            }
            let label = u16::try_from(label).expect("there are not too many");
            let slot = &mut labels.of[graph.ranks()[source] as usize];
            if *slot != 0 && *slot != label {
                let other = &labels.words[usize::from(*slot) - 1];
                return Err(wrong(format!("vertex {name} has two labels, {other} and {word}")));
            }
            *slot = label;
        }
        if labels.words.is_empty() { Err("it has no vertex of the graph".into()) } else { Ok(labels.sorted()) }
    }

    /// The same with words in ascending order, whatever the order of lines.
    fn sorted(self) -> Self {
        let Self { of, words, others } = self;
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|word| &words[*word]);
        let mut number = vec![0; words.len() + 1];
        (1..).zip(&order).for_each(|(place, word)| number[word + 1] = place);
        let of = of.into_iter().map(|label| number[usize::from(label)]).collect();
        Self { of, words: order.into_iter().map(|word| words[word].clone()).collect(), others }
    }

    /// The number of a vertex' label, by its rank; 0 for none.
    #[inline]
    pub(crate) fn of(&self, rank: u32) -> u16 {
        self.of.get(rank as usize).copied().unwrap_or(0)
    }

    /// Whether no vertex has a label.
    pub(crate) fn is_none(&self) -> bool {
        self.of.is_empty()
    }

    /// How many vertices have one.
    pub(crate) fn count(&self) -> usize {
        self.of.iter().filter(|label| **label != 0).count()
    }

    /// How many lines name a vertex that is not in the graph: one without edges, or none at all.
    pub(crate) fn others(&self) -> usize {
        self.others
    }

    /// The words, in the order of their numbers from 1.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// The number of a word; of one that no vertex has, a number that none has.
    pub(crate) fn number(&self, word: &str) -> u16 {
        let at = self.words.iter().position(|known| known == word);
        at.and_then(|at| u16::try_from(at + 1).ok()).unwrap_or(u16::MAX)
    }
}

/// A vertex and its label.
fn pair(line: &[u8]) -> Result<(u64, &str), String> {
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t' | b',')).filter(|word| !word.is_empty());
    let (Some(name), Some(label), None) = (words.next(), words.next(), words.next()) else {
        return Err(format!("{:?} is not a vertex and a label", shown(line)));
    };
    let word = std::str::from_utf8(label).ok().filter(|word| is_label(word));
    let word = word.ok_or_else(|| format!("the label {:?} is not of letters, digits and _", shown(label)))?;
    Ok((lines::number(name)?, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeList;

    fn parsed(text: &str) -> Result<Labels, String> {
        let list = EdgeList::from_pairs(vec![(10, 20), (20, 30), (20, 40)]);
        Labels::parse(text.as_bytes(), &Graph::from_edges(&list), &list.names)
    }

    #[test]
    fn labels_belong_to_the_vertices_of_the_graph() {
        let labels = parsed("# a comment\n20 hub\n10\tleaf\n40,leaf\n99 other\n").unwrap();
        // The vertex of highest degree has the highest rank.
        assert_eq!([0, 1, 2, 3].map(|rank| labels.of(rank)), [2, 0, 2, 1]);
        let alike = parsed("40 leaf\n10 leaf\n20 hub\n").unwrap();
        assert_eq!((labels.of.clone(), labels.words.clone()), (alike.of, alike.words));
        assert_eq!((labels.others, alike.others), (1, 0));
        assert_eq!((labels.number("hub"), labels.number("nothing"), labels.count()), (1, u16::MAX, 3));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, reason) in [
            ("10\n", "line 1: \"10\" is not a vertex and a label"),
            ("10 a b\n", "line 1: \"10 a b\" is not a vertex and a label"),
            ("\nx a\n", "line 2: \"x\" is not a vertex number"),
            ("+10 a\n", "line 1: \"+10\" is not a vertex number"),
            ("10 sp3-C\n", "line 1: the label \"sp3-C\" is not of letters, digits and _"),
            ("10 a\n10 b\n", "line 2: vertex 10 has two labels, a and b"),
            ("", "it has no vertex of the graph"),
            ("99 a\n", "it has no vertex of the graph"),
        ] {
            assert_eq!(parsed(text).unwrap_err(), reason);
        }
    }
}
