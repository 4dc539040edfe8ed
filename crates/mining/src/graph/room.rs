//! Whether a graph fits into memory.

use knee_machine::room;
use knee_workload::Error;

/// Most bytes of memory that an edge needs at any time while a graph is read from a text and laid out.
pub(super) const BYTES_READ: u64 = 48;
/// And while it is drawn and laid out.
pub(super) const BYTES_DRAWN: u64 = 20;

/// Refuses a graph that does not fit into the available memory. `source` names it in the error.
pub(super) fn check_room(source: &str, edges: u64, bytes_each: u64) -> Result<(), Error> {
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
