//! Reference counts by brute force over every subset of vertices, for tests.

use crate::Pattern;

/// Counts edge-induced copies of `pattern` in the graph on `vertices` vertices with these edges.
///
/// # Panics
/// When an edge names a vertex that does not exist.
#[must_use]
pub fn count(vertices: usize, edges: &[(u32, u32)], pattern: Pattern) -> u128 {
    let mut adjacent = vec![vec![false; vertices]; vertices];
    for &(a, b) in edges {
        let differ = a != b;
        adjacent[a as usize][b as usize] = differ;
        adjacent[b as usize][a as usize] = differ;
    }
    let edge = |a: usize, b: usize| usize::from(adjacent[a][b]);
    let mut found = 0;
    for a in 0..vertices {
        for b in a + 1..vertices {
            for c in b + 1..vertices {
                let triangle = edge(a, b) + edge(a, c) + edge(b, c) == 3;
                if pattern == Pattern::Triangle {
                    found += u128::from(triangle);
                    continue;
                }
                for d in c + 1..vertices {
                    let inside = edge(a, b) + edge(a, c) + edge(b, c) + edge(a, d) + edge(b, d) + edge(c, d);
                    // A diamond is four vertices less one edge: K4 holds six of them, five edges exactly one.
                    found += match (pattern, inside) {
                        (Pattern::Diamond, 6) => 6,
                        (Pattern::Diamond, 5) | (Pattern::Clique4, 6) => 1,
                        _ => 0,
                    };
                }
            }
        }
    }
    found
}
