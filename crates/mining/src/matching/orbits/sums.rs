//! Edge-induced counts of all orbits, from degrees and the five numbers of each edge.
//!
//! With d a degree, t, s, k the triangles, squares and 4-cliques on an edge, T the triangles at a vertex, and D(v) the sum
//! of d - 1 over the neighbours of v:
//!
//! | orbit of vertex v | copies: sums over its neighbours u, with t, s, k of the edge between |
//! |---|---|
//! | wedge, end | D(v) |
//! | path-4, end | Σ (D(u) - d(v) + 1) - 2 T(v) |
//! | path-4, middle | (d(v) - 1) D(v) - 2 T(v) |
//! | paw, tail | Σ (T(u) - t) |
//! | paw, base | Σ t (d(u) - 2) |
//! | diamond, tip | over its triangles, Σ (t of the opposite edge - 1) |
//!
//! | orbit of edge {u, v} | copies |
//! |---|---|
//! | path-4, end | D(u) - d(v) + 1 - t, and the same from v |
//! | path-4, middle | (d(u) - 1) (d(v) - 1) - t |
//! | paw, tail | T(u) - t, and the same from v |
//! | paw, base | over its triangles, Σ (d - 2) of the third vertex |
//! | paw, side | t (d(u) + d(v) - 4) |
//! | diamond, side | over its triangles, Σ (t - 1) of both other edges |

use super::Table;
use super::table::{Edge, get};
use crate::matching::reads::View;
use crate::matching::{Readers, vertex as vertex_of};
use crate::{Graph, Scheduler};

/// What is known of a vertex.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// The sum of its neighbours' degrees less one.
    others: u128,
    triangles: u128,
}

/// Fewest vertices of a task.
const VERTICES_PER_TASK: usize = 16;
/// Most tasks.
const TASKS: usize = 4096;

/// The sums of all vertices.
pub(super) fn all(readers: &Readers<'_>, table: &Table, scheduler: &Scheduler) -> Vec<Sums> {
    let vertices = readers.graph().vertices;
    let per_task = VERTICES_PER_TASK.max(vertices / TASKS);
    let sums = |number: usize, worker: usize| {
        let (from, graph) = (number * per_task, readers.view(worker));
        let of = |at: usize| {
            let others = graph.neighbours(vertex_of(at)).iter().map(|other| graph.degree(*other) as u128 - 1);
            let triangles: u128 = around(graph, table, vertex_of(at)).map(|(_, edge)| big(&edge.triangles)).sum();
            Sums { others: others.sum(), triangles: triangles / 2 }
        };
        (from..vertices.min(from + per_task)).map(of).collect::<Vec<_>>()
    };
    scheduler.map(vertices.div_ceil(per_task), sums).concat()
}

/// The neighbours of a vertex, with the edges to them.
fn around<'a>(graph: View<'a>, table: &'a Table, vertex: u32) -> impl Iterator<Item = (u32, &'a Edge)> {
    let below = graph.downward(vertex).iter().map(move |&low| {
        let place = graph.upward(low).binary_search(&vertex).expect("each edge stands in both lists");
        (low, &table.upward(graph.graph(), low)[place])
    });
    below.chain(graph.upward(vertex).iter().copied().zip(table.upward(graph.graph(), vertex)))
}

/// The edge-induced counts of a vertex, in the order of its orbits.
pub(super) fn vertex(graph: View<'_>, table: &Table, sums: &[Sums], vertex: u32) -> Vec<u128> {
    let (degree, own) = (graph.degree(vertex) as u128, sums[vertex as usize]);
    let mut counts = vec![degree, own.others, choose(degree, 2), own.triangles];
    if table.size > 3 {
        counts.extend(vertex_in_four(graph, table, sums, vertex));
    }
    counts
}

fn vertex_in_four(graph: View<'_>, table: &Table, sums: &[Sums], vertex: u32) -> [u128; 11] {
    let (degree, own) = (graph.degree(vertex) as u128, sums[vertex as usize]);
    let [mut path_ends, mut claw_leaves, mut squares, mut tails, mut bases] = [0_u128; 5];
    let [mut beside, mut squared, mut chords, mut cliques] = [0_u128; 4];
    for (other, edge) in around(graph, table, vertex) {
        let (theirs, triangles) = (sums[other as usize], big(&edge.triangles));
        let others = graph.degree(other) as u128 - 1;
        path_ends += theirs.others + 1 - degree;
        claw_leaves += choose(others, 2);
        squares += big(&edge.squares);
        tails += theirs.triangles - triangles;
        // Where there is a triangle, the other vertex has two neighbours.
        bases += triangles * others.saturating_sub(1);
        beside += big(&edge.beside);
        squared += triangles * triangles;
        chords += choose(triangles, 2);
        cliques += big(&edge.cliques);
    }
    let triangles = own.triangles;
    // By way of each of two edges a triangle adds what is on its two others: that on the opposite edge twice.
    let opposite = (beside - squared) / 2;
    [
        path_ends - 2 * triangles,
        (degree - 1) * own.others - 2 * triangles,
        claw_leaves,
        choose(degree, 3),
        squares / 2,
        tails,
        bases,
        triangles * degree.saturating_sub(2),
        opposite - triangles,
        chords,
        cliques / 3,
    ]
}

/// The edge-induced counts of an edge, in the order of its orbits. It stands at a place among those to higher ranks of
/// its lower end.
pub(super) fn edge(graph: &Graph, table: &Table, sums: &[Sums], (low, high): (u32, u32), place: usize) -> Vec<u128> {
    let edge = &table.upward(graph, low)[place];
    let [a, b] = [low, high].map(|end| graph.degree(end) as u128 - 1);
    let [from_a, from_b] = [low, high].map(|end| sums[end as usize]);
    let triangles = big(&edge.triangles);
    let mut counts = vec![a + b, triangles];
    if table.size > 3 {
        counts.extend([
            from_a.others + from_b.others - a - b - 2 * triangles,
            a * b - triangles,
            choose(a, 2) + choose(b, 2),
            big(&edge.squares),
            from_a.triangles + from_b.triangles - 2 * triangles,
            big(&edge.degrees) - 2 * triangles,
            triangles * (a + b).saturating_sub(2),
            big(&edge.beside) - 2 * triangles,
            choose(triangles, 2),
            big(&edge.cliques),
        ]);
    }
    counts
}

fn big(number: &std::sync::atomic::AtomicU64) -> u128 {
    get(number).into()
}

/// The ways to choose so many of some.
fn choose(from: u128, count: u128) -> u128 {
    (0..count).fold(1, |ways, at| ways * from.saturating_sub(at) / (at + 1))
}
