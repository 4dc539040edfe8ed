//! METIS' adjacency form: the numbers of vertices and edges on the first line, then a line for each vertex with its
//! neighbours, which count from 1. A third number of the first line says which weights the lines have as well. Two numbers
//! of such a line would make an edge, so that another graph would be counted. It is recognised to be refused.
//!
//! Karypis, Kumar, *METIS: A software package for partitioning unstructured graphs*, 1998.

use super::lines::{fields, newlines, number};
use crate::graph::header::header;

const ADJACENCY: &str = "this is METIS' adjacency form: each line has the neighbours of a vertex";
const AMBIGUOUS: &str = "each line is an edge, or has the neighbours of a vertex (METIS' adjacency form): both fit, and \
                         make different graphs";

/// What to do about a refusal; none for any other reason.
pub(super) fn hint(reason: &str) -> Option<&'static str> {
    match reason {
        ADJACENCY => Some("write one edge a line"),
        AMBIGUOUS => Some("leave out the first line if the others are edges; else write one edge a line"),
        _ => None,
    }
}

/// Why a text is not read as edges; none where it is no such form. `pairs` are what its lines begin with, where each
/// that is not empty begins with a pair.
pub(super) fn refusal(text: &[u8], pairs: Option<&[(u64, u64)]>) -> Option<&'static str> {
    let edges = edges(text, pairs.map_or(0, <[_]>::len))?;
    // Without a header its first line would be an edge.
    let Some(pairs) = pairs.filter(|pairs| header(pairs).is_some()) else { return Some(ADJACENCY) };
    let mut listed: Vec<_> = pairs[1..].iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    listed.sort_unstable();
    (listed != edges).then_some(AMBIGUOUS)
}

/// The edges of a text in this form, in ascending order; none for any other text. `filled` of its lines are not empty.
fn edges(text: &[u8], filled: usize) -> Option<Vec<(u64, u64)>> {
    let mut rows = rows(text);
    let mut first = fields(rows.find(|row| !row.is_empty())?);
    let mut next = || number(first.next()?).ok();
    let (vertices, count, weights) = (next()?, next()?, Weights::parse(first)?);
    let lines = usize::try_from(vertices).ok()?;
    // In nearly all edge lists the lines are far more or far fewer than the first number says.
    let fitting = count > 0 && filled <= lines.saturating_add(1) && lines <= newlines(text) + 1;
    if !fitting || rows.clone().take(lines).count() < lines || rows.clone().skip(lines).any(|row| !row.is_empty()) {
        return None;
    }
    let (mut to_higher, mut to_lower) = (Vec::new(), Vec::new());
    for (vertex, row) in (1..=vertices).zip(rows) {
        for word in weights.neighbours(row) {
            let other = number(word).ok().filter(|other| (1..=vertices).contains(other) && *other != vertex)?;
            if other > vertex { to_higher.push((vertex, other)) } else { to_lower.push((other, vertex)) }
        }
    }
    to_lower.sort_unstable();
    to_higher.sort_unstable();
    (to_higher.len() as u64 == count && to_higher == to_lower).then_some(to_higher)
}

/// What lines have beside neighbours.
struct Weights {
    /// Numbers of the vertex itself, before its neighbours.
    own: usize,
    /// Numbers for each neighbour: its own, and maybe the weight of the edge.
    each: usize,
}

impl Weights {
    /// Reads what follows the first two numbers: nothing, or up to three digits, which say if there are sizes of vertices,
    /// weights of vertices and weights of edges; and how many weights each vertex has.
    fn parse<'a>(mut rest: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        let which = rest.next().unwrap_or(b"0");
        let has = |place: usize| which.iter().rev().nth(place) == Some(&b'1');
        let many = rest.next().map_or(Some(1), |word| number(word).ok())?;
        if which.len() > 3 || which.iter().any(|digit| !matches!(digit, b'0' | b'1')) || rest.next().is_some() {
            return None;
        }
        let weights = if has(1) { usize::try_from(many).ok()? } else { 0 };
        Some(Self { own: weights.checked_add(usize::from(has(2)))?, each: 1 + usize::from(has(0)) })
    }

    fn neighbours<'a>(&self, row: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        fields(row).skip(self.own).step_by(self.each)
    }
}

/// The lines that are no comments, also the empty ones.
fn rows(text: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let rows = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    rows.filter(|row| !matches!(row.first(), Some(b'#' | b'%')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::EdgeList;

    fn refused(text: &str) -> Option<String> {
        EdgeList::parse(text.as_bytes()).err()
    }

    #[test]
    fn lists_of_neighbours_are_refused() {
        for text in [
            "4 6\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n",
            "% a path\n3 2\n2\n1 3\n% its end\n2\n\n",
            "3 1\n3\n\n1",
            "5 4\n2 3 4 5\n1\n1\n1\n1\n",
            // With weights: of edges, of vertices, two of each vertex, and with sizes.
            "3 2 1\n2 7\n1 7 3 9\n2 9\n",
            "3 2 010\n8 2\n8 1 3\n8 2\n",
            "3 2 011 2\n8 8 2 7\n8 8 1 7 3 9\n8 8 2 9\n",
            "3 2 100\n8 2\n8 1 3\n8 2\n",
            "3 2 0\n2\n1 3\n2\n",
        ] {
            assert_eq!(refused(text).as_deref(), Some(ADJACENCY), "{text:?}");
        }
        assert_eq!(hint(ADJACENCY), Some("write one edge a line"));
    }

    #[test]
    fn where_lines_can_be_edges_too_the_text_is_refused_unless_the_graph_is_the_same() {
        for text in ["4 4\n2 4\n1 3\n2 4\n1 3\n", "5 5\n2 5\n1 3\n2 4\n3 5\n1 4\n"] {
            assert_eq!(refused(text).as_deref(), Some(AMBIGUOUS), "{text:?}");
            let (_, edges) = text.split_once('\n').unwrap();
            assert_eq!(refused(edges), None);
        }
        assert!(hint(AMBIGUOUS).is_some() && hint("it holds no edge").is_none());
        let triangle = EdgeList::parse(b"3 3\n2 3\n1 3\n1 2\n").unwrap();
        assert_eq!((triangle.header, triangle.edges.len()), (Some((3, 3)), 3));
    }

    #[test]
    fn edge_lists_are_not_taken_for_lists_of_neighbours() {
        for text in [
            "4 4\n1 2\n2 3\n3 4\n4 1\n",
            "3 3\n1 2\n1 3\n2 3\n",
            "1 0\n",
            "1 0\n\n\n",
            "2 1\n2 1\n1 2\n",
            "4 6\n1 2\n1 3\n1 4\n2 3\n2 4\n3 4\n",
            "3 2 \n0 1\n1 2\n",
            // The third number of each is a weight.
            "1 2 1\n2 3 1\n3 1 1\n",
            "2 1 7\n1 3 9\n3 2 4\n",
        ] {
            assert_eq!(refused(text), None, "{text:?}");
        }
        // Not symmetric, or without all edges.
        assert_eq!(refused("4 6\n2 3 4\n1 3 4\n1 2 4\n2 2 3\n"), None);
        assert_eq!(refused("4 5\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n"), None);
    }

    proptest! {
        /// Any graph in this form is refused, or is read as the graph that it is.
        #[test]
        fn no_list_of_neighbours_becomes_another_graph(
            pairs in prop::collection::vec((0_u64..9, 0_u64..9), 1..30),
        ) {
            let list = EdgeList::from_pairs(pairs);
            prop_assume!(!list.edges.is_empty());
            let near = |vertex: u32| {
                let ends = list.edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
                let others = ends.filter(move |(from, _)| *from == vertex).map(|(_, to)| (to + 1).to_string());
                others.collect::<Vec<_>>().join(" ")
            };
            let vertices = u32::try_from(list.vertices).unwrap();
            let lines: Vec<String> = (0..vertices).map(near).collect();
            let text = format!("{vertices} {}\n{}\n", list.edges.len(), lines.join("\n"));
            if let Ok(read) = EdgeList::parse(text.as_bytes()) {
                prop_assert_eq!(read.edges, list.edges, "{}", text);
            }
        }
    }
}
