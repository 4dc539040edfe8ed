//! Graphs: read, generated, and laid out for counting.

mod chung_lu;
mod drawn;
mod edges;
mod layout;
mod read;
mod rmat;

pub use chung_lu::ChungLu;
pub use edges::EdgeList;
pub use layout::{Ends, Graph, Unsorted};
pub use rmat::Rmat;

use knee_machine::room;
use knee_workload::Error;

/// Most bytes of memory that an edge needs at any time while a graph is read from a text and laid out.
const BYTES_READ: u64 = 48;
/// And while it is drawn and laid out.
const BYTES_DRAWN: u64 = 20;

/// Refuses a graph that does not fit into the available memory. `source` names it in the error.
fn check_room(source: &str, edges: u64, bytes_each: u64) -> Result<(), Error> {
    let (needed, left) = (edges.saturating_mul(bytes_each), room::memory().unwrap_or(u64::MAX));
    if needed <= left {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let reason =
        format!("its {edges} edges need about {} MiB of memory, but only {} MiB are left", mib(needed), mib(left));
    Err(Error::new(format!("cannot read graph: {source}: {reason}"))
        .hint("use a smaller graph, or a machine with more memory"))
}

/// Reads a graph from a file, or generates one when `source` is `rmat:SCALE[:EDGE_FACTOR[:SEED]]`,
/// `chung-lu:VERTICES:EDGES[:HIGHEST_DEGREE[:SEED]]` or `chung-lu:orkut[:DIVISOR]`.
///
/// # Errors
/// When the file cannot be read or holds no graph, or the description does not parse.
pub fn load(source: &str) -> Result<EdgeList, Error> {
    if let Some(description) = source.strip_prefix("rmat:") {
        let rmat = Rmat::parse(description)?;
        check_room(source, rmat.edge_factor << rmat.scale, BYTES_DRAWN)?;
        return Ok(rmat.generate());
    }
    if let Some(description) = source.strip_prefix("chung-lu:") {
        let graph = ChungLu::parse(description)?;
        check_room(source, graph.edges, BYTES_DRAWN)?;
        return Ok(graph.generate());
    }
    read::read(std::path::Path::new(source))
}
