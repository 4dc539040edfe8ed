//! Counting by formulas, from degrees, the triangles on each edge, and the paths of two edges between two vertices:
//! all patterns of up to four vertices, stars, and the pentagon. Cliques of any size are counted here as well: not by a
//! formula, but without a plan, in bitmaps ([`cliques`]).
//!
//! With d(v) the degree of a vertex and t(e) the triangles on an edge, sums over vertices or over edges e = {u, v}:
//!
//! | pattern | copies |
//! |---|---|
//! | star of k leaves | Σ C(d(v), k) |
//! | triangle | T = Σ t(e) / 3 |
//! | path of 4 vertices | Σ (d(u) - 1) (d(v) - 1) - 3 T |
//! | paw | Σ t(e) (d(u) + d(v) - 4) / 2 |
//! | diamond | Σ C(t(e), 2) |
//!
//! Squares and pentagons are in [`wedges`]. Nothing is shared while it is counted: each edge's triangles are counted by
//! the task that has its lower end.
//!
//! Pinar, Seshadhri, Vishal, *ESCAPE: efficiently counting all 5-vertex subgraphs*, WWW 2017; Chiba, Nishizeki,
//! *Arboricity and subgraph listing algorithms*, 1985.

mod cliques;
mod edges;
mod wedges;

use std::fmt;

use crate::pattern::Pattern;
use crate::{Graph, Scheduler};

use super::{Readers, small, vertex};
use edges::Edges;

/// What there is a formula for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Star(usize),
    Triangle,
    Path,
    Paw,
    Diamond,
    Square,
    Pentagon,
    Clique(usize),
}

impl Known {
    /// Whether it counts in every graph; of the others [`fit`] looks whether a vertex has too many neighbours.
    pub(super) fn fits_every_graph(self) -> bool {
        !matches!(self, Self::Pentagon | Self::Clique(_))
    }
}

/// The formula for a pattern.
pub(super) fn known(pattern: &Pattern) -> Option<Known> {
    let vertices = pattern.vertices();
    let mut degrees: Vec<_> = (0..vertices).map(|at| pattern.neighbours(at).count_ones()).collect();
    degrees.sort_unstable();
    // These sequences belong to one connected graph each.
    match degrees[..] {
        [2, 2, 2] => Some(Known::Triangle),
        [1, 1, 2, 2] => Some(Known::Path),
        [1, 2, 2, 3] => Some(Known::Paw),
        [2, 2, 3, 3] => Some(Known::Diamond),
        [2, 2, 2, 2] => Some(Known::Square),
        [2, 2, 2, 2, 2] => Some(Known::Pentagon),
        [1, 1] => Some(Known::Star(1)),
        [least, ..] if vertices > 3 && least as usize == vertices - 1 => Some(Known::Clique(vertices)),
        [.., most] if vertices > 2 && degrees[..vertices - 1].iter().all(|degree| *degree == 1) => {
            Some(Known::Star(usize::try_from(most).expect("it is small")))
        }
        _ => None,
    }
}

impl Known {
    /// By what the sum that the formula finds is divided.
    pub(super) fn divisor(self) -> u128 {
        if matches!(self, Self::Paw | Self::Pentagon) { 2 } else { 1 }
    }
}

/// Whether a formula counts in this graph.
pub(super) fn fit(graph: &Graph, known: Known) -> bool {
    match known {
        Known::Clique(_) => cliques::fit(graph),
        Known::Pentagon => wedges::fit(graph),
        _ => true,
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Star(1) => f.write_str("the number of edges"),
            Self::Star(leaves) => write!(f, "for each vertex, the ways to choose {leaves} neighbours"),
            Self::Triangle => f.write_str("for each edge, the common neighbours of its ends"),
            Self::Path => f.write_str("for each edge, the ways to go on at both ends, less 3 for each triangle"),
            Self::Paw => f.write_str("for each edge, its triangles times the other neighbours of its ends, / 2"),
            Self::Diamond => f.write_str("for each edge, the ways to choose 2 of its triangles"),
            Self::Square => f.write_str("for each pair of vertices, the ways to choose 2 paths of two edges"),
            Self::Clique(_) => f.write_str("for each vertex, cliques in bitmaps of its higher neighbours"),
            Self::Pentagon => {
                f.write_str("for each edge and vertex, paths of two edges to both ends, less those that meet")
            }
        }
    }
}

/// What formulas have counted in a graph.
pub(super) struct Formulas<'a> {
    readers: &'a Readers<'a>,
    scheduler: &'a Scheduler,
    edges: Option<Edges>,
    triangles: Option<u128>,
}

impl<'a> Formulas<'a> {
    pub(super) fn new(readers: &'a Readers<'a>, scheduler: &'a Scheduler) -> Self {
        Self { readers, scheduler, edges: None, triangles: None }
    }

    /// What all shares of a pattern's copies, times its divisor, add up to.
    pub(super) fn raw(&mut self, known: Known) -> i128 {
        let (graph, readers, share) = (self.readers.graph(), self.readers, self.readers.share());
        let whole = |count: u128| small(i128::try_from(count).ok());
        match known {
            Known::Star(1) => share.once(graph.edges() as u128),
            Known::Star(leaves) => share.once(stars(graph, leaves)),
            Known::Triangle => whole(self.triangles()),
            Known::Path => whole(edges::ends(readers, self.scheduler)) - 3 * whole(self.triangles()),
            Known::Paw => whole(self.edges().paws_twice),
            Known::Diamond => whole(self.edges().diamonds),
            Known::Square => whole(wedges::squares(readers, self.scheduler)),
            Known::Clique(vertices) => whole(cliques::cliques(readers, self.scheduler, vertices)),
            Known::Pentagon => {
                let ways = small(whole(wedges::ways(readers, self.scheduler)).checked_mul(2));
                ways - whole(self.edges().met_twice)
            }
        }
    }

    fn edges(&mut self) -> Edges {
        *self.edges.get_or_insert_with(|| edges::edges(self.readers, self.scheduler))
    }

    fn triangles(&mut self) -> u128 {
        *self.triangles.get_or_insert_with(|| edges::triangles(self.readers, self.scheduler))
    }
}

/// Stars of two or more leaves.
fn stars(graph: &Graph, leaves: usize) -> u128 {
    let choose = |degree: usize| -> u128 {
        if degree < leaves {
            return 0;
        }
        // C(d, k + 1) = C(d, k) (d - k) / (k + 1), the part that k + 1 divides and the rest by themselves: no product is
        // larger than it must be.
        let next = |all: u128, at: usize| {
            let (left, by) = ((degree - at) as u128, at as u128 + 1);
            small((all / by).checked_mul(left).and_then(|whole| whole.checked_add(all % by * left / by)))
        };
        (0..leaves).fold(1, next)
    };
    let of = |at: usize| choose(graph.degree(vertex(at)));
    (0..graph.vertices).map(of).fold(0, |sum, stars| small(sum.checked_add(stars)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeList;
    use crate::matching::Lies;
    use crate::pattern::motifs;
    use crate::{Induced, Method, Question};

    #[test]
    fn no_other_pattern_is_taken_for_one_with_a_formula() {
        let names = [
            ("edge", Known::Star(1)),
            ("wedge", Known::Star(2)),
            ("triangle", Known::Triangle),
            ("claw", Known::Star(3)),
            ("path-4", Known::Path),
            ("paw", Known::Paw),
            ("diamond", Known::Diamond),
            ("square", Known::Square),
            ("star-4", Known::Star(4)),
            ("pentagon", Known::Pentagon),
            ("4-clique", Known::Clique(4)),
            ("5-clique", Known::Clique(5)),
        ];
        let expected = names.map(|(name, known)| (Pattern::parse(name).unwrap().canonical(), known));
        for (_, pattern) in (1..=5).flat_map(motifs) {
            let own = expected.iter().find(|(form, _)| *form == pattern).map(|(_, known)| *known);
            assert_eq!(known(&pattern), own, "{pattern}");
        }
        assert_eq!(known(&Pattern::parse("star-7").unwrap()), Some(Known::Star(7)));
        assert_eq!(known(&Pattern::parse("hexagon").unwrap()), None);
    }

    #[test]
    fn a_count_may_be_nearly_as_large_as_its_type() {
        let leaves = 300_000;
        let graph = Graph::from_edges(&EdgeList::from_pairs((1..=leaves).map(|leaf| (0, leaf)).collect()));
        let star = Pattern::parse("star-7").unwrap();
        let counted = Question::new(&star, Induced::Edge, Method::Auto).unwrap();
        let counted = counted.count(&graph, &Scheduler::unpinned(1).unwrap());
        let expected = (0..7).fold(1_u128, |all, at| all * u128::from(leaves - at) / u128::from(at + 1));
        assert_eq!(counted, [expected]);
    }

    #[test]
    fn the_path_reads_the_lists_of_triangles_and_those_upward() {
        // A triangle: lists upward of 2, 1 and 0 neighbours.
        let graph = Graph::from_edges(&EdgeList::from_pairs(vec![(0, 1), (0, 2), (1, 2)]));
        let scheduler = Scheduler::unpinned(2).unwrap();
        let readers = Readers::new(&graph, &scheduler, Lies::AtHome);
        assert_eq!(Formulas::new(&readers, &scheduler).raw(Known::Path), 0);
        assert_eq!(readers.take_bytes(), (4 * ((2 + 1) + 1 + (2 + 1)), 0));
    }
}
