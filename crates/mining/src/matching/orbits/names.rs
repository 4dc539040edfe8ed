//! The orbits, in the order of the literature, where they are numbered.

use crate::Pattern;

/// What takes a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// Vertices, in the order of Pržulj's orbits 0 to 14.
    Vertices,
    /// Edges, in the order of Orca's edge orbits 0 to 11.
    Edges,
}

/// A part in a pattern.
#[derive(Debug, Clone)]
pub(crate) struct Orbit {
    pub name: &'static str,
    pub pattern: Pattern,
    /// The vertex that takes the part, or both ends of the edge.
    pub who: Vec<usize>,
}

const EDGE: &str = "0-1";
const WEDGE: &str = "0-1,1-2";
const TRIANGLE: &str = "0-1,1-2,2-0";
const PATH: &str = "0-1,1-2,2-3";
const CLAW: &str = "0-1,0-2,0-3";
const SQUARE: &str = "0-1,1-2,2-3,3-0";
const PAW: &str = "0-1,1-2,2-0,2-3";
const DIAMOND: &str = "0-1,0-2,0-3,1-2,1-3";
const CLIQUE: &str = "0-1,0-2,0-3,1-2,1-3,2-3";

const OF_VERTICES: &[(&str, &str, &[usize])] = &[
    ("edge", EDGE, &[0]),
    ("wedge-end", WEDGE, &[0]),
    ("wedge-middle", WEDGE, &[1]),
    ("triangle", TRIANGLE, &[0]),
    ("path-4-end", PATH, &[0]),
    ("path-4-middle", PATH, &[1]),
    ("claw-leaf", CLAW, &[1]),
    ("claw-centre", CLAW, &[0]),
    ("square", SQUARE, &[0]),
    ("paw-tail", PAW, &[3]),
    ("paw-base", PAW, &[0]),
    ("paw-centre", PAW, &[2]),
    ("diamond-tip", DIAMOND, &[2]),
    ("diamond-middle", DIAMOND, &[0]),
    ("4-clique", CLIQUE, &[0]),
];

const OF_EDGES: &[(&str, &str, &[usize])] = &[
    ("wedge", WEDGE, &[0, 1]),
    ("triangle", TRIANGLE, &[0, 1]),
    ("path-4-end", PATH, &[0, 1]),
    ("path-4-middle", PATH, &[1, 2]),
    ("claw", CLAW, &[0, 1]),
    ("square", SQUARE, &[0, 1]),
    ("paw-tail", PAW, &[2, 3]),
    ("paw-base", PAW, &[0, 1]),
    ("paw-side", PAW, &[0, 2]),
    ("diamond-side", DIAMOND, &[0, 2]),
    ("diamond-chord", DIAMOND, &[0, 1]),
    ("4-clique", CLIQUE, &[0, 1]),
];

/// All orbits in patterns of up to so many vertices.
pub(crate) fn orbits(of: Of, size: usize) -> Vec<Orbit> {
    let all = if of == Of::Vertices { OF_VERTICES } else { OF_EDGES };
    let orbit = |&(name, edges, who): &(&'static str, &str, &[usize])| {
        let pattern = Pattern::parse(edges).expect("it is written here");
        Orbit { name, pattern, who: who.to_vec() }
    };
    all.iter().map(orbit).filter(|orbit| orbit.pattern.vertices() <= size).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::pattern::motifs;

    #[test]
    fn each_vertex_and_edge_of_each_pattern_has_one_orbit() {
        for of in [Of::Vertices, Of::Edges] {
            let orbits = orbits(of, 4);
            let sizes = if of == Of::Vertices { 2..=4 } else { 3..=4 };
            let patterns: BTreeSet<_> = sizes.flat_map(motifs).map(|(_, pattern)| pattern).collect();
            let with_orbits: BTreeSet<_> = orbits.iter().map(|orbit| orbit.pattern.canonical()).collect();
            assert_eq!(patterns, with_orbits);
            for pattern in patterns {
                let members = orbits.iter().filter(|orbit| orbit.pattern.canonical() == pattern);
                let all: usize = members.map(exchanged).sum();
                let expected = if of == Of::Vertices { pattern.vertices() } else { pattern.edges().count() };
                assert_eq!(all, expected, "{pattern}");
            }
        }
    }

    /// How many vertices or edges symmetries exchange with that of an orbit.
    fn exchanged(orbit: &Orbit) -> usize {
        let image =
            |to: &crate::pattern::Relabelling| orbit.who.iter().map(|vertex| to[*vertex]).collect::<BTreeSet<_>>();
        orbit.pattern.automorphisms().iter().map(image).collect::<BTreeSet<_>>().len()
    }
}
