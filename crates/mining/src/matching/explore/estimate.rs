//! What a plan does on a graph, as far as a part of its roots tells.

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::Matcher;
use super::lists::Lists;
use super::roots::Roots;
use super::sets::common_count;
use crate::Graph;
use crate::graph::Ends;
use crate::matching::reads::View;
use crate::matching::work::Work;
use crate::matching::{Order, vertex};
use crate::plan::{Plan, Shape};

/// The golden section in parts of 2^64; the parts behind the point of its multiples lie apart.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Edges whose common neighbours are counted for a graph's shape.
const EDGES: usize = 256;

/// Estimates what matching takes from `few` roots, by following one candidate of each set for all of them (Knuth,
/// *Estimating the efficiency of backtrack programs*, 1975).
pub(in crate::matching) fn estimated(graph: &Graph, plan: &Plan, few: usize) -> Work {
    let roots = Roots::new(graph, plan, Order::HubsLast);
    let view = View::unwatched(graph);
    let mut matcher = Matcher::new(view, plan, Lists::new(view, plan, true));
    matcher.chance = Some(SmallRng::seed_from_u64(1));
    let (all, few) = (roots.count(), few.min(roots.count()));
    for number in 0..few {
        // Any first few of them are spread evenly.
        let root = (u128::from((number as u64).wrapping_mul(GOLDEN)) * all as u128) >> 64;
        let root = usize::try_from(root).expect("it is below the number of roots");
        roots.each(root..root + 1, |first, neighbours| matcher.around(first, neighbours));
    }
    matcher.work.times(all as f64 / few.max(1) as f64)
}

/// A graph in a few numbers.
pub(in crate::matching) fn shape(graph: &Graph) -> Shape {
    let (vertices, edges) = (graph.vertices as f64, graph.edges() as f64);
    let ends = (0..graph.vertices).map(|at| (graph.neighbours(vertex(at)).len() as f64).powi(2)).sum::<f64>();
    let (step, all) = ((graph.edges() / EDGES).max(1), graph.edges());
    let edge = |number: usize| {
        let source = graph.source(Ends::Lower, number);
        (source, graph.upward(source)[number - graph.range(Ends::Lower, source).start])
    };
    let some: Vec<_> = (0..all).step_by(step).map(edge).collect();
    let common = |&(a, b): &(u32, u32)| common_count(graph.neighbours(a), graph.neighbours(b)) as f64;
    let common = some.iter().map(common).sum::<f64>() / some.len().max(1) as f64;
    Shape { vertices, edges, degree: ends / (2.0 * edges).max(1.0), common }
}
