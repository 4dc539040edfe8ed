//! Both plans against every subset of vertices, on random graphs of all densities.

use knee_mining::graph::EdgeList;
use knee_mining::{Graph, Pattern, Plan, count, oracle};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn both_plans_equal_brute_force(
        vertices in 2u32..24,
        density in 0.05f64..1.0,
        draws in prop::collection::vec(0.0f64..1.0, 24 * 23 / 2),
    ) {
        let pairs = (0..vertices).flat_map(|a| (a + 1..vertices).map(move |b| (a, b)));
        let edges: Vec<(u32, u32)> = pairs.zip(draws).filter(|(_, draw)| *draw < density).map(|(pair, _)| pair).collect();
        prop_assume!(!edges.is_empty());
        let wide = edges.iter().map(|&(a, b)| (u64::from(b) * 7, u64::from(a) * 7)).collect();
        let graph = Graph::from_edges(&EdgeList::from_pairs(wide));
        for name in Pattern::NAMES {
            let pattern = Pattern::named(name).unwrap();
            let expected = oracle::count(vertices as usize, &edges, pattern);
            for plan in [Plan::Explore, Plan::Formula] {
                prop_assert_eq!(count(&graph, pattern, plan), expected, "{} {:?}", name, plan);
            }
        }
    }
}

#[test]
fn a_complete_graph_has_the_counts_of_the_textbook() {
    // 300 vertices, so that bitmaps have more than one word and tasks more than one range.
    let n = 300_u64;
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    let graph = Graph::from_edges(&EdgeList::from_pairs(pairs));
    let choose = |k: u64| (0..k).fold(1_u128, |product, i| product * u128::from(n - i) / u128::from(i + 1));
    for plan in [Plan::Explore, Plan::Formula] {
        assert_eq!(count(&graph, Pattern::Triangle, plan), choose(3));
        assert_eq!(count(&graph, Pattern::Clique4, plan), choose(4));
        assert_eq!(count(&graph, Pattern::Diamond, plan), 6 * choose(4));
    }
}
