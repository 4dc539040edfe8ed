//! Graphs: read, generated, and laid out for counting.

mod chung_lu;
mod drawn;
mod dump;
mod edges;
mod header;
mod labels;
mod layout;
mod planted;
mod read;
mod rmat;
mod room;

pub use chung_lu::ChungLu;
pub(crate) use dump::{Dump, Origin, input, write};
pub use edges::EdgeList;
pub(crate) use labels::{Labels, LabelsFile};
pub use layout::{Ends, Graph, Unsorted};
pub use planted::Planted;
pub use rmat::Rmat;

use knee_workload::Error;

use room::check_drawn;
pub(crate) use room::{check_copies, check_orbits, check_workers, unplaced};

/// Whether a source describes a graph that is generated, and is no path.
pub(crate) fn is_generated(source: &str) -> bool {
    ["rmat:", "chung-lu:", "planted:"].iter().any(|kind| source.starts_with(kind))
}

/// Reads a graph from a file, or generates one when `source` is `rmat:SCALE[:EDGE_FACTOR[:SEED]]`,
/// `chung-lu:VERTICES:EDGES[:HIGHEST_DEGREE[:SEED]]`, `chung-lu:orkut[:DIVISOR]` or
/// `planted:VERTICES:EDGES:COPIES:PATTERN[:SEED]`.
///
/// # Errors
/// When the file cannot be read or holds no graph, or the description does not parse.
pub fn load(source: &str) -> Result<EdgeList, Error> {
    if let Some(description) = source.strip_prefix("rmat:") {
        let rmat = Rmat::parse(description)?;
        check_drawn(source, 1 << rmat.scale, rmat.edge_factor << rmat.scale)?;
        return Ok(rmat.generate());
    }
    if let Some(description) = source.strip_prefix("chung-lu:") {
        let graph = ChungLu::parse(description)?;
        check_drawn(source, graph.vertices.into(), graph.edges)?;
        return Ok(graph.generate());
    }
    if let Some(description) = source.strip_prefix("planted:") {
        let graph = Planted::parse(description)?;
        check_drawn(source, graph.vertices.into(), graph.all_edges())?;
        return Ok(graph.generate());
    }
    let path = std::path::Path::new(source);
    if Dump::is_one(path) {
        let own = |error: Error| match error.hinted() {
            Some(_) => error,
            None => error.hint("give the graph's own file"),
        };
        return Dump::open(path).and_then(|dump| dump.list()).map_err(own);
    }
    EdgeList::read(path)
}
