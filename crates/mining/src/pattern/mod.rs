//! What is counted: a small connected graph, in which pairs may be forbidden to be joined.

mod names;
mod parse;
mod symmetry;

use std::fmt;

pub use names::{NAMES, motifs};
pub(crate) use parse::is_label;
pub use parse::{Labelled, Unusable};
pub(crate) use symmetry::Relabelling;

/// Most vertices of a pattern.
pub const MOST_VERTICES: usize = 8;

/// A connected pattern of 1 to [`MOST_VERTICES`] vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    vertices: usize,
    /// For each vertex, a bit for each neighbour.
    joined: [u8; MOST_VERTICES],
    /// For each vertex, a bit for each other one that must not be its neighbour.
    apart: [u8; MOST_VERTICES],
    /// For each vertex the number of the label that it must have; 0 where it may have any or none.
    labels: [u16; MOST_VERTICES],
}

/// Which sub-graphs are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Induced {
    /// Those that have the pattern's edges, whatever others join the same vertices.
    Edge,
    /// Those whose vertices are joined exactly as in the pattern.
    Vertex,
}

impl Induced {
    /// Names, in the order of the variants.
    pub const NAMES: &'static [&'static str] = &["edge", "vertex"];

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(|at| [Self::Edge, Self::Vertex][at])
    }
}

/// All pairs of so many vertices.
fn pairs(vertices: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..vertices).flat_map(move |a| (a + 1..vertices).map(move |b| (a, b)))
}

/// The vertices of a set, in ascending order.
pub(crate) fn members(set: u8) -> impl Iterator<Item = usize> {
    let without_least = |set: &u8| Some(set & set.wrapping_sub(1));
    std::iter::successors(Some(set), without_least).take_while(|set| *set != 0).map(|set| set.trailing_zeros() as usize)
}

impl Pattern {
    /// The pattern of a name ([`NAMES`], `path-K`, `star-K`, `cycle-K`, `K-clique`), of an edge list such as
    /// `a-b, b-c, a!c`, where `!` forbids an edge, or of graph6 such as `graph6:C~`.
    ///
    /// # Errors
    /// Why it is none of them, or no pattern that can be counted; that it has labels.
    pub fn parse(text: &str) -> Result<Self, Unusable> {
        match Labelled::parse(text)? {
            Labelled { pattern, words } if words.is_empty() => Ok(pattern),
            _ => Err(Unusable("it has labels, which have no meaning here".into())),
        }
    }

    /// A pattern with these edges, and pairs that must not be joined.
    ///
    /// # Errors
    /// Why it cannot be counted: too many vertices, in more than one piece, or a pair that is both joined and apart.
    pub fn new(vertices: usize, edges: &[(usize, usize)], apart: &[(usize, usize)]) -> Result<Self, Unusable> {
        if vertices == 0 || vertices > MOST_VERTICES {
            return Err(Unusable(format!("{vertices} vertices; a pattern has 1 to {MOST_VERTICES}")));
        }
        let none = [0; MOST_VERTICES];
        let mut pattern = Self { vertices, joined: none, apart: none, labels: [0; MOST_VERTICES] };
        for (pairs, rows) in [(edges, &mut pattern.joined), (apart, &mut pattern.apart)] {
            for &(a, b) in pairs {
                if a == b || a.max(b) >= vertices {
                    return Err(Unusable(format!("a pair of vertex {a} and vertex {b}, of {vertices} vertices")));
                }
                rows[a] |= 1 << b;
                rows[b] |= 1 << a;
            }
        }
        if let Some(a) = (0..vertices).find(|a| pattern.joined[*a] & pattern.apart[*a] != 0) {
            let b = (pattern.joined[a] & pattern.apart[a]).trailing_zeros();
            return Err(Unusable(format!("vertices {a} and {b} are to be joined and apart")));
        }
        if !pattern.is_connected() {
            return Err(Unusable("it has several pieces; count each by itself".into()));
        }
        Ok(pattern)
    }

    /// How many vertices it has.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The neighbours of a vertex, a bit for each.
    #[must_use]
    pub fn neighbours(&self, vertex: usize) -> u8 {
        self.joined[vertex]
    }

    /// Vertices that must not be its neighbours, a bit for each.
    pub(crate) fn apart_from(&self, vertex: usize) -> u8 {
        self.apart[vertex]
    }

    /// The number of the label that a vertex must have; 0 where it may have any or none.
    #[must_use]
    pub fn label(&self, vertex: usize) -> u16 {
        self.labels[vertex]
    }

    /// Whether a vertex must have a label.
    #[must_use]
    pub fn has_labels(&self) -> bool {
        self.labels != [0; MOST_VERTICES]
    }

    /// The same with other labels, of which `label` gives one for each vertex.
    #[must_use]
    pub fn labelled(self, label: impl Fn(usize) -> u16) -> Self {
        Self { labels: std::array::from_fn(|at| if at < self.vertices { label(at) } else { 0 }), ..self }
    }

    /// All its vertices.
    pub(crate) fn all(&self) -> u8 {
        u8::MAX >> (MOST_VERTICES - self.vertices)
    }

    /// Its edges.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        pairs(self.vertices).filter(|(a, b)| self.joined[*a] >> b & 1 == 1)
    }

    /// Pairs that must not be joined.
    pub fn apart(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        pairs(self.vertices).filter(|(a, b)| self.apart[*a] >> b & 1 == 1)
    }

    /// Pairs that may be joined or not.
    pub(crate) fn free(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        pairs(self.vertices).filter(|(a, b)| (self.joined[*a] | self.apart[*a]) >> b & 1 == 0)
    }

    /// The same with one edge more, between two vertices that may have been meant to be apart.
    pub(crate) fn with(mut self, (a, b): (usize, usize)) -> Self {
        for (a, b) in [(a, b), (b, a)] {
            self.joined[a] |= 1 << b;
            self.apart[a] &= !(1 << b);
        }
        self
    }

    /// The same without pairs that must not be joined.
    pub(crate) fn without_apart(self) -> Self {
        Self { apart: [0; MOST_VERTICES], ..self }
    }

    /// The same, where every pair that is not joined must not be.
    #[must_use]
    pub fn exactly(self) -> Self {
        let mut exactly = self;
        for (a, b) in self.free() {
            exactly.apart[a] |= 1 << b;
            exactly.apart[b] |= 1 << a;
        }
        exactly
    }

    fn is_connected(&self) -> bool {
        let (mut seen, mut grown) = (0, 1_u8);
        while grown != seen {
            seen = grown;
            grown = members(seen).fold(seen, |all, a| all | self.joined[a]);
        }
        seen.count_ones() as usize == self.vertices
    }
}

/// As an edge list that [`Pattern::parse`] reads, without labels.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(&[]))
    }
}

impl Pattern {
    /// As an edge list, with these words for its labels, which count from 1; each stands where its vertex comes first.
    #[must_use]
    pub fn written(&self, words: &[String]) -> String {
        let mut named = 0_u8;
        let mut name = |vertex: usize| {
            let first = named >> vertex & 1 == 0;
            named |= 1 << vertex;
            let word = usize::from(self.labels[vertex]).checked_sub(1).and_then(|label| words.get(label));
            word.filter(|_| first).map_or(vertex.to_string(), |word| format!("{vertex}:{word}"))
        };
        if self.vertices == 1 {
            return "vertex".to_owned();
        }
        let all = self.edges().map(|pair| (pair, '-')).chain(self.apart().map(|pair| (pair, '!')));
        all.map(|((a, b), sign)| format!("{}{sign}{}", name(a), name(b))).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let said = |vertices, edges: &[_], apart: &[_]| Pattern::new(vertices, edges, apart).unwrap_err().to_string();
        assert_eq!(said(4, &[(0, 1), (2, 3)], &[]), "it has several pieces; count each by itself");
        assert_eq!(said(9, &[], &[]), "9 vertices; a pattern has 1 to 8");
        assert_eq!(said(2, &[(0, 1)], &[(1, 0)]), "vertices 0 and 1 are to be joined and apart");
        assert_eq!(said(2, &[(0, 0)], &[]), "a pair of vertex 0 and vertex 0, of 2 vertices");
    }

    #[test]
    fn what_is_shown_is_read_again() {
        for text in ["vertex", "0-1", "0-1,1-2,0!2", "0-1,0-2,0-3,1-2"] {
            assert_eq!(Pattern::parse(text).unwrap().to_string(), text);
        }
    }
}
