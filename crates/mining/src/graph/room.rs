//! Whether a graph fits into memory.

use std::io;

use knee_machine::room;
use knee_runtime::Arrangement;
use knee_workload::Error;

use super::Graph;

/// About how many bytes of memory an edge needs while a graph is read from a text and laid out, with its vertices.
const BYTES_READ: u64 = 64;
/// And while it is drawn and laid out.
const BYTES_DRAWN: u64 = 20;
/// And where its lists are read.
const BYTES_LAID_OUT: u64 = 12;
/// What is counted for the orbits of an edge.
const BYTES_OF_ORBITS: u64 = 56;
/// A line of orbits, while the text of all is put together.
const BYTES_OF_A_LINE: u64 = 250;
/// The same for a vertex.
const BYTES_OF_A_VERTEX: u64 = 40;
/// What each worker notes down of a vertex: a number, and where there is one.
const BYTES_OF_A_WORKERS_VERTEX: u64 = 8;
/// And a vertex in a copy of the lists.
const BYTES_OF_A_COPYS_VERTEX: u64 = 16;

/// Refuses a graph that is to be drawn and does not fit into the available memory. `source` names it in the error.
pub(super) fn check_drawn(source: &str, vertices: u64, edges: u64) -> Result<(), Error> {
    let needed = edges.saturating_mul(BYTES_DRAWN).saturating_add(vertices.saturating_mul(BYTES_OF_A_VERTEX));
    check(&read(source), &format!("{vertices} vertices and {edges} edges"), needed)
}

/// The same for a text of so many edges.
pub(super) fn check_read(source: &str, edges: u64) -> Result<(), Error> {
    check(&read(source), &format!("{edges} edges"), edges.saturating_mul(BYTES_READ))
}

/// The same for lists that are laid out already.
pub(super) fn check_laid_out(source: &str, vertices: u64, edges: u64) -> Result<(), Error> {
    let needed = edges.saturating_mul(BYTES_LAID_OUT).saturating_add(vertices.saturating_mul(BYTES_OF_A_VERTEX));
    check(&read(source), &format!("{vertices} vertices and {edges} edges"), needed)
}

/// The same for the copies of a graph, where each node gets one. Of one copy, the others say it.
pub(crate) fn check_copies(source: &str, vertices: u64, edges: u64, arrangement: &Arrangement) -> Result<(), Error> {
    let copies = arrangement.uninit::<u64>(1).map_err(|error| unplaced(&error))?.copies();
    if copies == 1 {
        return Ok(());
    }
    let one = edges.saturating_mul(BYTES_LAID_OUT).saturating_add(vertices.saturating_mul(BYTES_OF_A_COPYS_VERTEX));
    let of = format!("{vertices} vertices and {edges} edges, once for each of {copies} nodes,");
    check(&format!("copy graph: {source}"), &of, one.saturating_mul(copies as u64))
}

/// The error where the kernel does not place memory.
pub(crate) fn unplaced(error: &io::Error) -> Error {
    Error::new(format!("cannot place the graph: {error}")).hint("use --layout contiguous, which asks for no placement")
}

fn read(source: &str) -> String {
    format!("read graph: {source}")
}

/// Refuses to count orbits where what is counted, and the text of it, do not fit. What is counted again is compared.
pub(crate) fn check_orbits(source: &str, graph: &Graph, of_edges: bool, again: bool) -> Result<(), Error> {
    let (vertices, edges) = (graph.vertices as u64, graph.edges() as u64);
    let lines = if of_edges { edges } else { vertices };
    let counted = edges * BYTES_OF_ORBITS * if again { 2 } else { 1 } + vertices * BYTES_OF_A_VERTEX;
    check(
        &format!("count orbits: {source}"),
        &format!("{vertices} vertices, {edges} edges and {lines} lines of orbits"),
        counted + lines * BYTES_OF_A_LINE,
    )
}

/// Refuses to count where what workers note down of vertices does not fit.
pub(crate) fn check_workers(source: &str, graph: &Graph, workers: usize) -> Result<(), Error> {
    let (vertices, workers) = (graph.vertices as u64, workers as u64);
    let needed = vertices.saturating_mul(BYTES_OF_A_WORKERS_VERTEX).saturating_mul(workers);
    let of = format!("{vertices} vertices, once for each of {workers} workers,");
    enough(&format!("count in graph: {source}"), &of, needed, "use fewer threads, or a machine with more memory")
}

fn check(what: &str, of: &str, needed: u64) -> Result<(), Error> {
    enough(what, of, needed, "use a smaller graph, or a machine with more memory")
}

fn enough(what: &str, of: &str, needed: u64, hint: &str) -> Result<(), Error> {
    let left = room::memory().unwrap_or(u64::MAX);
    if needed <= left {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let reason = format!("its {of} need about {} MiB of memory, but only {} MiB are left", mib(needed), mib(left));
    Err(Error::new(format!("cannot {what}: {reason}")).hint(hint))
}
