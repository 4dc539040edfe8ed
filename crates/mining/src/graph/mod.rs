//! Graphs: read, generated, and laid out for counting.

mod edges;
mod layout;
mod rmat;

pub use edges::EdgeList;
pub use layout::{Adjacency, Graph};
pub use rmat::Rmat;

use knee_machine::room;
use knee_workload::Error;

/// Most bytes of memory that an edge needs at any time while a graph is read, sorted and laid out.
const BYTES_PER_EDGE: u64 = 64;

/// Refuses a graph that does not fit into the available memory. `source` names it in the error.
fn check_room(source: &str, edges: u64) -> Result<(), Error> {
    let (needed, left) = (edges.saturating_mul(BYTES_PER_EDGE), room::memory().unwrap_or(u64::MAX));
    if needed <= left {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let reason =
        format!("its {edges} edges need about {} MiB of memory, but only {} MiB are left", mib(needed), mib(left));
    Err(Error::new(format!("cannot read graph: {source}: {reason}"))
        .hint("use a smaller graph, or a machine with more memory"))
}

/// Reads a graph from a file, or generates one when `source` is `rmat:SCALE[:EDGE_FACTOR[:SEED]]`.
///
/// # Errors
/// When the file cannot be read or is no edge list, or the description does not parse.
pub fn load(source: &str) -> Result<EdgeList, Error> {
    match source.strip_prefix("rmat:") {
        Some(description) => {
            let rmat = Rmat::parse(description)?;
            check_room(source, rmat.edge_factor << rmat.scale)?;
            Ok(rmat.generate())
        }
        None => EdgeList::read(std::path::Path::new(source)),
    }
}
