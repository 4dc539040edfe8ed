//! Places: the node or worker where a job should run.

use crate::homes;

/// Where a task should run. It is a wish, unless the pool is strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// Anywhere.
    #[default]
    Any,
    /// On a worker of the NUMA node with this number (the kernel's).
    Node(u32),
    /// On a worker of the node where the page at this address lies; see [`Place::near`]. The node is looked up only
    /// when a thief has the task.
    Near(usize),
}

impl Place {
    /// Near the first byte of `data`.
    pub fn near<T: ?Sized>(data: &T) -> Self {
        Self::Near(std::ptr::from_ref(data).cast::<u8>() as usize)
    }

    /// Near an address, for data that is borrowed elsewhere.
    pub fn near_address<T>(address: *const T) -> Self {
        Self::Near(address as usize)
    }
}

/// A place in one word: 0 is anywhere, up to [`NODES`] a node's number and one, and beyond it an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Spot(usize);

/// Numbers below the first page are no addresses.
const NODES: usize = 4095;

impl Spot {
    pub(crate) const ANY: Self = Self(0);

    #[inline]
    pub(crate) fn of(place: Place) -> Self {
        match place {
            Place::Node(node) if (node as usize) < NODES => Self(node as usize + 1),
            Place::Near(address) if address > NODES => Self(address),
            Place::Any | Place::Node(_) | Place::Near(_) => Self::ANY,
        }
    }

    pub(crate) fn is_any(self) -> bool {
        self.0 == 0
    }

    /// The node it means; none where it means any, or the page at its address was never touched. Without `ask`, memory
    /// that follows no rule has no node.
    pub(crate) fn node(self, ask: bool) -> Option<u32> {
        match self.0 {
            0 => None,
            node @ 1..=NODES => u32::try_from(node - 1).ok(),
            address if ask => homes::node_of(address),
            address => homes::piece_at(address, false).0,
        }
    }
}
