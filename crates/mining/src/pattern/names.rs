//! Patterns by the names that the literature gives them, mostly those of graphclasses.org.

use std::ops::RangeInclusive;

use super::{Pattern, pairs};

/// A name, and its edges.
type Named = (&'static str, &'static str);

/// Names with their edges; several may name the same pattern.
pub const NAMES: &[Named] = &[
    ("vertex", ""),
    ("edge", "0-1"),
    ("wedge", "0-1,0-2"),
    ("triangle", "0-1,0-2,1-2"),
    ("claw", "0-1,0-2,0-3"),
    ("square", "0-1,1-2,2-3,3-0"),
    ("paw", "0-1,0-2,1-2,2-3"),
    ("tailed-triangle", "0-1,0-2,1-2,2-3"),
    ("diamond", "0-1,0-2,0-3,1-2,1-3"),
    ("chordal-4-cycle", "0-1,0-2,0-3,1-2,1-3"),
    ("fork", "0-1,0-2,0-3,3-4"),
    ("chair", "0-1,0-2,0-3,3-4"),
    ("bull", "0-1,1-2,0-2,0-3,1-4"),
    ("cricket", "0-1,0-2,1-2,0-3,0-4"),
    ("lollipop", "0-1,0-2,1-2,2-3,3-4"),
    ("pentagon", "0-1,1-2,2-3,3-4,4-0"),
    ("banner", "0-1,1-2,2-3,3-0,0-4"),
    ("dart", "0-1,0-2,0-3,1-2,1-3,0-4"),
    ("kite", "0-1,0-2,0-3,1-2,1-3,2-4"),
    ("butterfly", "0-1,0-2,1-2,0-3,0-4,3-4"),
    ("house", "0-1,1-2,2-3,3-0,0-4,1-4"),
    ("k2,3", "0-2,0-3,0-4,1-2,1-3,1-4"),
    ("tailed-4-clique", "0-1,0-2,0-3,1-2,1-3,2-3,3-4"),
    ("book", "0-1,0-2,0-3,0-4,1-2,1-3,1-4"),
    ("gem", "0-1,0-2,0-3,0-4,1-2,2-3,3-4"),
    ("wheel-4-less-a-spoke", "0-1,1-2,2-3,3-0,0-4,1-4,2-4"),
    ("wheel-4", "0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1"),
    ("w4", "0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1"),
    ("5-clique-less-a-wedge", "0-1,0-2,0-3,1-2,1-3,2-3,0-4,1-4"),
    ("5-clique-less-an-edge", "0-1,0-2,0-3,1-2,1-3,2-3,0-4,1-4,2-4"),
    ("hexagon", "0-1,1-2,2-3,3-4,4-5,5-0"),
    ("prism", "0-1,1-2,2-0,3-4,4-5,5-3,0-3,1-4,2-5"),
    ("octahedron", "0-1,0-2,0-3,0-4,5-1,5-2,5-3,5-4,1-2,2-3,3-4,4-1"),
    ("domino", "0-1,1-2,2-3,3-4,4-5,5-0,0-3"),
    ("net", "0-1,1-2,2-0,0-3,1-4,2-5"),
    ("sun", "0-1,1-2,2-0,0-3,1-3,1-4,2-4,2-5,0-5"),
];

type Edges = Vec<(usize, usize)>;

/// Families: a word before or behind the number of vertices, how many vertices one may ask for, and the edges.
type Family = (&'static str, RangeInclusive<usize>, fn(usize) -> Edges);

const FAMILIES: &[Family] = &[
    ("path", 1..=8, |count| (1..count).map(|at| (at - 1, at)).collect()),
    ("cycle", 3..=8, |count| (0..count).map(|at| (at, (at + 1) % count)).collect()),
    ("clique", 1..=8, |count| (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect()),
    // Its number is that of the leaves, as in the literature of motifs.
    ("star", 1..=7, |leaves| (1..=leaves).map(|leaf| (0, leaf)).collect()),
];

/// The edges of a name.
pub(super) fn edges(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, edges)| *edges)
}

/// The number of vertices and the edges of a member of a family, such as `4-clique` or `clique-4`; what is wrong where
/// only its number is.
pub(super) fn member(name: &str) -> Option<Result<(usize, Edges), String>> {
    for (family, sizes, edges) in FAMILIES {
        let before = name.strip_prefix(family).and_then(|rest| rest.strip_prefix('-'));
        let number = before.or_else(|| name.strip_suffix(family).and_then(|rest| rest.strip_suffix('-')));
        let Some(number) = number.and_then(|number| number.parse().ok()) else { continue };
        if !sizes.contains(&number) {
            return Some(Err(format!("{family} of {number}; its number is from {} to {}", sizes.start(), sizes.end())));
        }
        let vertices = number + usize::from(*family == "star");
        return Some(Ok((vertices, edges(number))));
    }
    None
}

/// All connected patterns of so many vertices, one of each kind, with their names where they have one; few edges first.
#[must_use]
pub fn motifs(vertices: usize) -> Vec<(String, Pattern)> {
    let pairs: Vec<_> = pairs(vertices).collect();
    let some = |bits: u32| -> Edges {
        pairs.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, pair)| *pair).collect()
    };
    let all = (0..1 << pairs.len()).filter_map(|bits| Pattern::new(vertices, &some(bits), &[]).ok());
    let mut forms: Vec<_> = all.map(|pattern| pattern.canonical()).collect();
    forms.sort_unstable();
    forms.dedup();
    forms.sort_by_key(|pattern| pattern.edges().count());
    let name = |family: &str, size: usize| {
        if family == "clique" { format!("{size}-clique") } else { format!("{family}-{size}") }
    };
    let families = FAMILIES.iter().flat_map(|(family, sizes, _)| sizes.clone().map(move |size| name(family, size)));
    let names: Vec<String> = NAMES.iter().map(|(name, _)| (*name).to_owned()).chain(families).collect();
    let named: Vec<_> =
        names.into_iter().filter_map(|name| Some((Pattern::parse(&name).ok()?.canonical(), name))).collect();
    let name = |pattern: &Pattern| named.iter().find(|(form, _)| form == pattern).map(|(_, name)| name.clone());
    forms.into_iter().map(|form| (name(&form).unwrap_or_else(|| form.to_string()), form)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_patterns_and_the_same_ones_by_any_name() {
        for (name, _) in NAMES {
            Pattern::parse(name).unwrap();
        }
        for same in [
            &["triangle", "3-clique", "cycle-3", "graph6:Bw"][..],
            &["wedge", "3-path", "2-star", "a-b,b-c"],
            &["square", "4-cycle", "cycle-4"],
            &["claw", "3-star", "star-3"],
            &["diamond", "chordal-4-cycle", "0-1,1-2,2-3,3-0,0-2"],
            &["edge", "2-clique", "path-2", "star-1"],
            &["book", "0-1,0-2,0-3,0-4,2-1,3-1,4-1"],
            &["4-clique", "K4", "graph6:C~"],
        ] {
            let forms: Vec<_> = same.iter().map(|text| Pattern::parse(text).unwrap().canonical()).collect();
            assert!(forms.windows(2).all(|pair| pair[0] == pair[1]), "{same:?}");
        }
    }

    #[test]
    fn the_connected_patterns_of_up_to_five_vertices_all_have_a_name() {
        for (vertices, count) in [(3, 2), (4, 6), (5, 21)] {
            let motifs = motifs(vertices);
            assert_eq!(motifs.len(), count);
            for (name, pattern) in motifs {
                assert_ne!(name, pattern.to_string());
                assert_eq!(Pattern::parse(&name).unwrap().canonical(), pattern);
            }
        }
    }
}
