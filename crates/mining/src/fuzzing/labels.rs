//! The reader of labels.

use super::WORKER;
use crate::graph::{EdgeList, Labels};
use crate::matching::{Told, count};
use crate::pattern::Labelled;
use crate::{Graph, Induced};

/// Reads labels of a small graph, and counts the edges at each of them in two ways.
pub fn labels(text: &[u8]) {
    let list = EdgeList::from_pairs(vec![(1, 2), (2, 3), (2, 40), (3, 40)]);
    let graph = Graph::from_edges(&list);
    let Ok(labels) = Labels::parse(text, &graph, &list.names) else { return };
    assert!(labels.words().is_sorted());
    for (number, word) in (1..).zip(labels.words()) {
        let Labelled { pattern, words } = Labelled::parse(&format!("a:{word}-b")).expect("a label can be asked for");
        assert_eq!(words, std::slice::from_ref(word));
        let asked = pattern.labelled(|vertex| if pattern.label(vertex) == 0 { 0 } else { labels.number(word) });
        let found = count(&graph, &labels, &WORKER, &asked, Induced::Edge, Told::default());
        let own = (0..).take(graph.vertices).filter(|rank| labels.of(*rank) == number);
        assert_eq!(found, own.map(|rank| graph.degree(rank) as u128).sum(), "{word}");
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn labels_of_any_kind_are_counted() {
        for text in ["1 a\n2 b\n3 a\n", "2 \u{df}\n40\t\u{df}\n", "40,_1\n", "1 a\n1 b", "7 x", "1 a b", "\u{feff}1 a"]
        {
            super::labels(text.as_bytes());
        }
    }
}
