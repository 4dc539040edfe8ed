//! Reference counts by trying every placement of a pattern's vertices, for tests.

use crate::pattern::{Induced, Pattern};

/// Counts copies of `pattern` in the graph on `vertices` vertices with these edges.
///
/// # Panics
/// When an edge names a vertex that does not exist.
#[must_use]
pub fn count(vertices: usize, edges: &[(u32, u32)], pattern: &Pattern, induced: Induced) -> u128 {
    let (graph, wanted) = (matrix(vertices, edges), wanted(pattern, induced));
    placements(&graph, &wanted, &mut Vec::new(), &|_| true) / symmetries(&wanted)
}

/// Counts copies of a pattern with labels, where each vertex of the graph has a label, or 0 for none.
///
/// # Panics
/// When an edge names a vertex that does not exist.
#[must_use]
pub fn labelled(labels: &[u16], edges: &[(u32, u32)], pattern: &Pattern, induced: Induced) -> u128 {
    let wanted = wanted(pattern, induced);
    let fits = |placed: &[usize], labels: &dyn Fn(usize) -> u16| {
        (0..).zip(placed).all(|(at, vertex)| [0, labels(*vertex)].contains(&pattern.label(at)))
    };
    let found =
        placements(&matrix(labels.len(), edges), &wanted, &mut Vec::new(), &|placed| fits(placed, &|at| labels[at]));
    // The ways to place it on itself, with everything as it is.
    let same = |placed: &[usize]| {
        let pairs = (0..wanted.len()).flat_map(|a| (0..wanted.len()).map(move |b| (a, b)));
        let alike = (0..).zip(placed).all(|(at, image)| pattern.label(at) == pattern.label(*image));
        alike && pairs.into_iter().all(|(a, b)| a == b || wanted[a][b] == wanted[placed[a]][placed[b]])
    };
    let any = vec![vec![None; wanted.len()]; wanted.len()];
    let itself = vec![vec![false; wanted.len()]; wanted.len()];
    found / placements(&itself, &any, &mut Vec::new(), &same)
}

/// Counts the copies in which some vertices, one or both ends of an edge, are those of an orbit: a pattern and as many of
/// its vertices.
///
/// # Panics
/// When an edge names a vertex that does not exist.
#[must_use]
pub fn in_orbit(
    vertices: usize,
    edges: &[(u32, u32)],
    (pattern, orbit): (&Pattern, &[usize]),
    who: &[u32],
    induced: Induced,
) -> u128 {
    let wanted = wanted(pattern, induced);
    let in_place = |placed: &[usize], who: &[usize]| {
        let mut takes: Vec<_> = orbit.iter().map(|vertex| placed[*vertex]).collect();
        let mut who = who.to_vec();
        takes.sort_unstable();
        who.sort_unstable();
        takes == who
    };
    let who: Vec<_> = who.iter().map(|vertex| *vertex as usize).collect();
    let own = matrix(pattern.vertices(), &pattern.edges().map(small).collect::<Vec<_>>());
    let stay = placements(&own, &wanted, &mut Vec::new(), &|placed| in_place(placed, orbit));
    placements(&matrix(vertices, edges), &wanted, &mut Vec::new(), &|placed| in_place(placed, &who)) / stay
}

fn small((a, b): (usize, usize)) -> (u32, u32) {
    let small = |vertex: usize| u32::try_from(vertex).expect("patterns are small");
    (small(a), small(b))
}

fn matrix(vertices: usize, edges: &[(u32, u32)]) -> Vec<Vec<bool>> {
    let mut graph = vec![vec![false; vertices]; vertices];
    for &(a, b) in edges {
        let differ = a != b;
        graph[a as usize][b as usize] = differ;
        graph[b as usize][a as usize] = differ;
    }
    graph
}

/// For each pair of a pattern's vertices whether it must be joined, must not be, or may be either.
fn wanted(pattern: &Pattern, induced: Induced) -> Vec<Vec<Option<bool>>> {
    let size = pattern.vertices();
    let rest = (induced == Induced::Vertex).then_some(false);
    let mut wanted = vec![vec![rest; size]; size];
    let joined = pattern.edges().map(|pair| (pair, true)).chain(pattern.apart().map(|pair| (pair, false)));
    for ((a, b), edge) in joined {
        wanted[a][b] = Some(edge);
        wanted[b][a] = Some(edge);
    }
    wanted
}

fn placements(
    graph: &[Vec<bool>],
    wanted: &[Vec<Option<bool>>],
    placed: &mut Vec<usize>,
    counts: &impl Fn(&[usize]) -> bool,
) -> u128 {
    let at = placed.len();
    if at == wanted.len() {
        return u128::from(counts(placed));
    }
    let mut found = 0;
    for vertex in 0..graph.len() {
        let fits = |(other, place): (usize, &usize)| {
            *place != vertex && wanted[at][other].is_none_or(|edge| graph[vertex][*place] == edge)
        };
        if placed.iter().enumerate().all(fits) {
            placed.push(vertex);
            found += placements(graph, wanted, placed, counts);
            placed.pop();
        }
    }
    found
}

/// How many renumberings of its vertices leave a pattern as it is.
fn symmetries(wanted: &[Vec<Option<bool>>]) -> u128 {
    fn extend(wanted: &[Vec<Option<bool>>], image: &mut Vec<usize>) -> u128 {
        let at = image.len();
        let free: Vec<_> = (0..wanted.len()).filter(|vertex| !image.contains(vertex)).collect();
        if free.is_empty() {
            return 1;
        }
        let mut found = 0;
        for vertex in free {
            if (0..at).all(|other| wanted[at][other] == wanted[vertex][image[other]]) {
                image.push(vertex);
                found += extend(wanted, image);
                image.pop();
            }
        }
        found
    }
    extend(wanted, &mut Vec::new())
}
