//! Both methods against every placement of a pattern's vertices, on random graphs of all densities.

use knee_mining::graph::EdgeList;
use knee_mining::{Graph, Induced, Method, Pattern, Question, oracle};
use proptest::prelude::*;

/// The edges of a graph on so many vertices: each pair whose draw is below the density.
fn drawn(vertices: u32, density: f64, draws: &[f64]) -> Vec<(u32, u32)> {
    let pairs = (0..vertices).flat_map(|a| (a + 1..vertices).map(move |b| (a, b)));
    pairs.zip(draws).filter(|(_, draw)| **draw < density).map(|(pair, _)| pair).collect()
}

/// With numbers that are neither dense nor in the order of the vertices.
fn graph(edges: &[(u32, u32)]) -> Graph {
    let wide = edges.iter().map(|&(a, b)| (u64::from(b) * 7, u64::from(a) * 7)).collect();
    Graph::from_edges(&EdgeList::from_pairs(wide))
}

fn count(graph: &Graph, pattern: &Pattern, induced: Induced, method: Method) -> u128 {
    Question::new(pattern, induced, method).unwrap().count(graph)[0]
}

/// Connected patterns of so many vertices, one of each kind.
fn connected(vertices: usize) -> Vec<Pattern> {
    let pairs: Vec<_> = (0..vertices).flat_map(|a| (a + 1..vertices).map(move |b| (a, b))).collect();
    let some = |bits: u32| -> Vec<_> {
        pairs.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, pair)| *pair).collect()
    };
    let mut all: Vec<_> =
        (0..1 << pairs.len()).filter_map(|bits| Pattern::new(vertices, &some(bits), &[]).ok()).collect();
    all = all.iter().map(Pattern::canonical).collect();
    all.sort();
    all.dedup();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn both_methods_equal_brute_force(
        vertices in 2u32..24,
        density in 0.05f64..1.0,
        draws in prop::collection::vec(0.0f64..1.0, 24 * 23 / 2),
    ) {
        let edges = drawn(vertices, density, &draws);
        prop_assume!(!edges.is_empty());
        let graph = graph(&edges);
        for name in ["triangle", "diamond", "4-clique"] {
            let pattern = Pattern::parse(name).unwrap();
            let expected = oracle::count(vertices as usize, &edges, &pattern, Induced::Edge);
            for method in [Method::Explore, Method::Formula] {
                prop_assert_eq!(count(&graph, &pattern, Induced::Edge, method), expected, "{} {:?}", name, method);
            }
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_connected_pattern_of_up_to_five_vertices_equals_brute_force(
        vertices in 2u32..10,
        density in 0.1f64..1.0,
        draws in prop::collection::vec(0.0f64..1.0, 9 * 8 / 2),
    ) {
        let edges = drawn(vertices, density, &draws);
        prop_assume!(!edges.is_empty());
        let graph = graph(&edges);
        for pattern in (2..=5).flat_map(connected) {
            for induced in [Induced::Edge, Induced::Vertex] {
                let expected = oracle::count(vertices as usize, &edges, &pattern, induced);
                let found = count(&graph, &pattern, induced, Method::Explore);
                prop_assert_eq!(found, expected, "{} {:?}", pattern, induced);
            }
        }
    }

    #[test]
    fn patterns_with_pairs_apart_and_large_ones_equal_brute_force(
        density in 0.2f64..1.0,
        draws in prop::collection::vec(0.0f64..1.0, 9 * 8 / 2),
        size in 2usize..8,
        kinds in prop::collection::vec(0u8..8, 21),
    ) {
        let edges = drawn(9, density, &draws);
        prop_assume!(!edges.is_empty());
        let pairs = || (0..size).flat_map(|a| (a + 1..size).map(move |b| (a, b))).zip(&kinds);
        let of = |wanted: &[u8]| -> Vec<_> {
            pairs().filter(|(_, kind)| wanted.contains(kind)).map(|(pair, _)| pair).collect()
        };
        // A path makes it connected.
        let joined: Vec<_> = of(&[0, 1, 2]).into_iter().chain((1..size).map(|at| (at - 1, at))).collect();
        let apart: Vec<_> = of(&[3]).into_iter().filter(|(a, b)| a + 1 != *b).collect();
        let pattern = Pattern::new(size, &joined, &apart).unwrap();
        let expected = oracle::count(9, &edges, &pattern, Induced::Edge);
        prop_assert_eq!(count(&graph(&edges), &pattern, Induced::Edge, Method::Explore), expected, "{}", pattern);
    }
}

#[test]
fn a_complete_graph_has_the_counts_of_the_textbook() {
    // 300 vertices, so that bitmaps have more than one word and tasks more than one range.
    let n = 300_u64;
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    let graph = Graph::from_edges(&EdgeList::from_pairs(pairs));
    let choose = |k: u64| (0..k).fold(1_u128, |product, i| product * u128::from(n - i) / u128::from(i + 1));
    for method in [Method::Explore, Method::Formula] {
        let counted = |name: &str| count(&graph, &Pattern::parse(name).unwrap(), Induced::Edge, method);
        assert_eq!(counted("triangle"), choose(3));
        assert_eq!(counted("4-clique"), choose(4));
        assert_eq!(counted("diamond"), 6 * choose(4));
    }
    let star = count(&graph, &Pattern::parse("star-7").unwrap(), Induced::Edge, Method::Explore);
    assert_eq!(star, 300 * choose(8) * 8 / 300);
}
