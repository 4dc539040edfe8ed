//! Lists of neighbours: a vertex and those that it is joined to in each line, as `networkx.write_adjlist` writes them. The
//! first two numbers of each line would make an edge and the others be taken for attributes, so that fewer edges would be
//! counted. They are recognised to be refused.

use std::collections::HashSet;

use super::lines::{fields, lines, number};

const LISTS: &str = "each line has a vertex and its neighbours";
/// Lines that are looked at before all are: in nearly all edge lists two of them begin with the same vertex, or all have
/// as many fields.
const FIRST: usize = 1000;

/// What to do about a refusal; none for any other reason.
pub(super) fn hint(reason: &str) -> Option<&'static str> {
    (reason == LISTS).then_some("write one edge a line, as networkx.write_edgelist does")
}

/// Why a text is not read as edges; none where it is no such form.
pub(super) fn refusal(text: &[u8]) -> Option<&'static str> {
    let of = |most| beginnings(lines(text).take(most).map(|(_, line)| line));
    of(FIRST)?;
    let vertices = of(usize::MAX)?;
    let known = |(_, line)| fields(line).all(|word| number(word).is_ok_and(|number| vertices.contains(&number)));
    lines(text).all(known).then_some(LISTS)
}

/// The vertices that lines begin with. None where two of them begin with the same, where something is no number, and where
/// all have as many numbers or none has more than an edge: these may be attributes.
fn beginnings<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<HashSet<u64>> {
    let (mut all, mut fewest, mut most) = (HashSet::new(), usize::MAX, 0);
    for line in lines {
        let mut numbers = fields(line).map(|word| number(word).ok());
        if !all.insert(numbers.next()??) {
            return None;
        }
        let count = numbers.try_fold(1, |count, number| number.map(|_| count + 1))?;
        (fewest, most) = (fewest.min(count), most.max(count));
    }
    (most > 2 && fewest < most).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeList;

    #[test]
    fn lists_of_neighbours_are_refused() {
        for text in [
            // A directed graph, each edge in both lists.
            "# a comment\n0 1 2 3\n1 0 2\n2 0 1\n3 0\n",
            // An undirected one, each edge in one list.
            "0 1 2\n1 2\n2\n",
            "5\t7\t9\r\n7\t9\r\n9\r\n",
            "4\n5 6 7\n6\n7\n",
        ] {
            assert_eq!(EdgeList::parse(text.as_bytes()).unwrap_err(), LISTS, "{text:?}");
        }
        assert!(hint(LISTS).is_some());
    }

    #[test]
    fn edge_lists_are_not_taken_for_lists_of_neighbours() {
        for text in [
            "0 1\n1 2\n2 0\n",
            // Weights, and attributes of some edges.
            "0 1 2\n1 2 0\n2 0 1\n",
            "0 1 7\n1 2\n2 0\n",
            "0 1 0.5\n1 2\n2 0\n",
            "0 1 2\n0 2\n1 2\n",
        ] {
            assert_eq!(EdgeList::parse(text.as_bytes()).unwrap().edges, [(0, 1), (0, 2), (1, 2)], "{text:?}");
        }
        let many: Vec<String> = (0..FIRST).map(|at| format!("{at} {}", at + 1)).collect();
        assert_eq!(refusal(format!("{}\n{FIRST} 1 2\n", many.join("\n")).as_bytes()), None);
    }
}
