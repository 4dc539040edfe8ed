//! Arrays of kernels, placed on nodes by the argument `layout`, with any scheduler.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use knee_machine::Topology;
use knee_runtime::{Arrangement, NumaVec};
use knee_workload::{Args, Error, Param};

use crate::scheduler::Fork;

/// Where the pages of a kernel's arrays lie. Kernels write their arrays, so none has several copies.
pub(crate) const LAYOUT: Param = knee_workload::Layout::param(&["contiguous", "interleaved", "blocked", "one-node"]);

/// The values of [`LAYOUT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Contiguous,
    Interleaved,
    Blocked,
    OneNode,
    /// On four simulated nodes.
    #[cfg(test)]
    Pretended(knee_runtime::Layout),
}

impl Layout {
    /// Reads the argument, and checks that pages can be placed so.
    pub(crate) fn of(args: &Args) -> Result<Self, Error> {
        let layout = match args.text(LAYOUT.name) {
            "interleaved" => Self::Interleaved,
            "blocked" => Self::Blocked,
            "one-node" => Self::OneNode,
            _ => Self::Contiguous,
        };
        layout.arrangement().uninit::<u64>(1 << 16).map_err(|error| {
            let message = format!("cannot lay out arrays: {}: {error}", args.text(LAYOUT.name));
            Error::new(message).hint("--layout contiguous asks nothing of the kernel; containers often forbid mbind")
        })?;
        Ok(layout)
    }

    fn arrangement(self) -> Arrangement {
        match self {
            Self::Contiguous => Arrangement::new(knee_runtime::Layout::Local, &[]),
            Self::Interleaved => Arrangement::new(knee_runtime::Layout::Interleaved, nodes()),
            Self::Blocked => Arrangement::new(knee_runtime::Layout::Blocked, nodes()),
            Self::OneNode => {
                let first = nodes().first().copied();
                Arrangement::new(first.map_or(knee_runtime::Layout::Local, knee_runtime::Layout::Node), nodes())
            }
            #[cfg(test)]
            Self::Pretended(layout) => Arrangement::new(layout, &[0, 1, 2, 3]).pretend(true),
        }
    }

    /// An array whose element `i` is `value(i)`, written by the scheduler.
    pub(crate) fn array<F: Fork, T: Copy + Send + Sync>(
        self,
        len: usize,
        value: impl Fn(usize) -> T + Sync,
    ) -> Data<T> {
        let mut data = self.arrangement().uninit(len).expect("there is memory, and the layout was tried");
        data.each_copy(|slots| fill::<F, T>(slots, 0, &value));
        // SAFETY: `fill` wrote every element.
        Data(unsafe { data.assume_init() })
    }
}

/// The nodes of this process's cpus; empty if there is only one, so that no policy is set.
fn nodes() -> &'static [u32] {
    static NODES: OnceLock<Vec<u32>> = OnceLock::new();
    NODES.get_or_init(|| {
        let Ok(machine) = Topology::this_machine() else { return Vec::new() };
        let allowed = &machine.allowed;
        let used = machine.nodes.iter().filter(|node| !node.cpus.intersection(&allowed.cpus).is_empty());
        let nodes: Vec<_> = used.map(|node| node.id).filter(|&node| allowed.nodes.contains(node)).collect();
        if nodes.len() > 1 { nodes } else { Vec::new() }
    })
}

fn fill<F: Fork, T: Send>(part: &mut [MaybeUninit<T>], from: usize, value: &(impl Fn(usize) -> T + Sync)) {
    if part.len() <= 4096 {
        return part.iter_mut().zip(from..).for_each(|(slot, index)| _ = slot.write(value(index)));
    }
    let middle = part.len() / 2;
    let (left, right) = part.split_at_mut(middle);
    let near = (left.as_ptr(), right.as_ptr());
    F::join_near(near.0, || fill::<F, T>(left, from, value), near.1, || fill::<F, T>(right, from + middle, value));
}

/// An array whose pages follow a layout.
pub(crate) struct Data<T>(NumaVec<T>);

impl<T> std::ops::Deref for Data<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Data<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.0.get_mut().expect("no layout of kernels has several copies")
    }
}
