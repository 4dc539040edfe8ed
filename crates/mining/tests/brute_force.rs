//! All methods against every placement of a pattern's vertices, on random graphs of all densities.

use std::ops::Range;
use std::sync::OnceLock;

use knee_mining::graph::EdgeList;
use knee_mining::pattern::motifs;
use knee_mining::{Graph, Induced, Method, Pattern, Question, Scheduler, oracle};
use proptest::prelude::*;

/// The number of vertices and the edges of a graph of any density, of which there is at least one.
fn graphs(vertices: Range<u32>) -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
    let pairs = |count: u32| (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)));
    let drawn = move |(count, density)| {
        let all: Vec<_> = pairs(count).collect();
        let draws = prop::collection::vec(0.0f64..1.0, all.len());
        let some = move |draws: Vec<f64>| {
            let edges = all.iter().zip(draws).filter(|(_, draw)| *draw < density);
            (count, edges.map(|(pair, _)| *pair).collect::<Vec<_>>())
        };
        draws.prop_map(some)
    };
    let graphs = (vertices, 0.05f64..1.0).prop_flat_map(drawn);
    graphs.prop_filter("a graph has an edge", |(_, edges)| !edges.is_empty())
}

/// With numbers that are neither dense nor in the order of the vertices.
fn graph(edges: &[(u32, u32)]) -> Graph {
    let wide = edges.iter().map(|&(a, b)| (u64::from(b) * 7, u64::from(a) * 7)).collect();
    Graph::from_edges(&EdgeList::from_pairs(wide))
}

/// Workers for all tests.
fn scheduler() -> &'static Scheduler {
    static SCHEDULER: OnceLock<Scheduler> = OnceLock::new();
    SCHEDULER.get_or_init(|| Scheduler::unpinned(2).unwrap())
}

fn count(graph: &Graph, pattern: &Pattern, induced: Induced, method: Method) -> u128 {
    Question::new(pattern, induced, method).unwrap().count(graph, scheduler())[0]
}

/// So many random cases; a hundred times as many among the slow proofs.
fn cases(count: u32) -> ProptestConfig {
    ProptestConfig::with_cases(if std::env::var_os("KNEE_PROOFS").is_some() { 100 * count } else { count })
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn every_method_equals_brute_force(
        (vertices, edges) in graphs(2..24),
    ) {
        let graph = graph(&edges);
        for name in ["triangle", "path-4", "paw", "diamond", "square", "pentagon", "claw", "star-5"] {
            let pattern = Pattern::parse(name).unwrap();
            let expected = oracle::count(vertices as usize, &edges, &pattern, Induced::Edge);
            for method in [Method::Auto, Method::Explore, Method::Formula] {
                prop_assert_eq!(count(&graph, &pattern, Induced::Edge, method), expected, "{} {:?}", name, method);
            }
        }
    }

}

proptest! {
    #![proptest_config(cases(15))]

    #[test]
    fn every_connected_pattern_of_up_to_five_vertices_equals_brute_force(
        (vertices, edges) in graphs(2..10),
    ) {
        let graph = graph(&edges);
        for (_, pattern) in (2..=5).flat_map(motifs) {
            for induced in [Induced::Edge, Induced::Vertex] {
                let expected = oracle::count(vertices as usize, &edges, &pattern, induced);
                for method in [Method::Auto, Method::Explore] {
                    let found = count(&graph, &pattern, induced, method);
                    prop_assert_eq!(found, expected, "{} {:?} {:?}", pattern, induced, method);
                }
            }
        }
    }

    #[test]
    fn patterns_with_pairs_apart_and_large_ones_equal_brute_force(
        (vertices, edges) in graphs(9..10),
        size in 2usize..8,
        kinds in prop::collection::vec(0u8..8, 21),
    ) {
        let pairs = || (0..size).flat_map(|a| (a + 1..size).map(move |b| (a, b))).zip(&kinds);
        let of = |wanted: &[u8]| -> Vec<_> {
            pairs().filter(|(_, kind)| wanted.contains(kind)).map(|(pair, _)| pair).collect()
        };
        // A path makes it connected.
        let joined: Vec<_> = of(&[0, 1, 2]).into_iter().chain((1..size).map(|at| (at - 1, at))).collect();
        let apart: Vec<_> = of(&[3]).into_iter().filter(|(a, b)| a + 1 != *b).collect();
        let pattern = Pattern::new(size, &joined, &apart).unwrap();
        let expected = oracle::count(vertices as usize, &edges, &pattern, Induced::Edge);
        prop_assert_eq!(count(&graph(&edges), &pattern, Induced::Edge, Method::Explore), expected, "{}", pattern);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn other_numbers_of_vertices_change_no_count(
        (_, edges) in graphs(6..20),
        to in Just((0..20).collect::<Vec<u32>>()).prop_shuffle(),
        order in Just((0..5).collect::<Vec<usize>>()).prop_shuffle(),
        kinds in prop::collection::vec(0u8..4, 10),
    ) {
        let renumbered: Vec<_> = edges.iter().map(|&(a, b)| (to[a as usize], to[b as usize])).collect();
        let graphs = [graph(&edges), graph(&renumbered)];
        let pairs = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).zip(kinds);
        let (joined, free): (Vec<_>, Vec<_>) = pairs.partition(|((a, b), kind)| a + 1 == *b || *kind == 0);
        let joined: Vec<(usize, usize)> = joined.into_iter().map(|(pair, _)| pair).collect();
        let apart: Vec<_> = free.into_iter().filter(|(_, kind)| *kind == 1).map(|(pair, _)| pair).collect();
        let moved = |pairs: &[(usize, usize)]| -> Vec<_> { pairs.iter().map(|&(a, b)| (order[a], order[b])).collect() };
        for apart in [&apart[..], &[]] {
            let patterns = [(joined.clone(), apart.to_vec()), (moved(&joined), moved(apart))];
            let patterns = patterns.map(|(joined, apart)| Pattern::new(5, &joined, &apart).unwrap());
            for method in [Method::Auto, Method::Explore] {
                let first = count(&graphs[0], &patterns[0], Induced::Edge, method);
                for (graph, pattern) in graphs.iter().flat_map(|graph| patterns.iter().map(move |one| (graph, one))) {
                    prop_assert_eq!(count(graph, pattern, Induced::Edge, method), first, "{} {:?}", pattern, method);
                }
            }
        }
    }
}

#[test]
fn a_path_of_seven_vertices_may_have_nearly_all_other_pairs_apart() {
    let pairs = |size: u32| (0..size).flat_map(move |a| (a + 1..size).map(move |b| (a, b)));
    let edges: Vec<(u32, u32)> = pairs(9).filter(|(a, b)| (7 * a + 3 * b + a * b) % 5 < 3).collect();
    let joined: Vec<_> = (1..7).map(|at| (at - 1, at)).collect();
    let free: Vec<_> = pairs(7).map(|(a, b)| (a as usize, b as usize)).filter(|(a, b)| a + 1 != *b).collect();
    for apart in [12, 15] {
        let pattern = Pattern::new(7, &joined, &free[..apart]).unwrap();
        let expected = oracle::count(9, &edges, &pattern, Induced::Edge);
        let found = count(&graph(&edges), &pattern, Induced::Edge, Method::Explore);
        assert_eq!(found, expected, "{apart} pairs apart");
    }
}

#[test]
fn a_complete_graph_has_the_counts_of_the_textbook() {
    // 300 vertices, so that bitmaps have more than one word and tasks more than one range.
    let n = 300_u64;
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    let graph = Graph::from_edges(&EdgeList::from_pairs(pairs));
    let choose = |k: u64| (0..k).fold(1_u128, |product, i| product * u128::from(n - i) / u128::from(i + 1));
    for method in [Method::Auto, Method::Explore] {
        let counted = |name: &str| count(&graph, &Pattern::parse(name).unwrap(), Induced::Edge, method);
        assert_eq!(counted("triangle"), choose(3));
        assert_eq!(counted("4-clique"), choose(4));
        assert_eq!(counted("diamond"), 6 * choose(4));
    }
    // Each of eight vertices may be the centre.
    let star = count(&graph, &Pattern::parse("star-7").unwrap(), Induced::Edge, Method::Explore);
    assert_eq!(star, 8 * choose(8));
}
