//! Graphs: read, generated, and laid out for counting.

mod edges;
mod layout;
mod rmat;

pub use edges::EdgeList;
pub use layout::{Adjacency, Graph};
pub use rmat::Rmat;

use knee_workload::Error;

/// Reads a graph from a file, or generates one when `source` is `rmat:SCALE[:EDGE_FACTOR[:SEED]]`.
///
/// # Errors
/// When the file cannot be read or is no edge list, or the description does not parse.
pub fn load(source: &str) -> Result<EdgeList, Error> {
    match source.strip_prefix("rmat:") {
        Some(description) => Ok(Rmat::parse(description)?.generate()),
        None => EdgeList::read(std::path::Path::new(source)),
    }
}
