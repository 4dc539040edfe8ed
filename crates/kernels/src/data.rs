//! Arrays of kernels, placed on nodes by the argument `layout`, with any scheduler.

use std::mem::MaybeUninit;

use knee_machine::{room, sys};
use knee_runtime::{Arrangement, NumaVec};
use knee_workload::{Args, Error, Param, Team};

use crate::rehearse::Rehearsed;
use crate::scheduler::Fork;

/// Where the pages of a kernel's arrays lie. Kernels write their arrays, so none has several copies.
pub(crate) const LAYOUT: Param = knee_workload::Layout::param(&["contiguous", "interleaved", "blocked", "one-node"]);

/// Refuses what does not fit into memory.
pub(crate) fn fits(bytes: usize) -> Result<(), Error> {
    let Some(left) = room::too_little_for(bytes) else { return Ok(()) };
    let what = format!("cannot fill {} MiB of memory: {} MiB are left", bytes >> 20, left >> 20);
    Err(Error::new(what).hint("use less input, or a machine with more memory"))
}

/// A value of [`LAYOUT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Named(&'static str),
    /// On the nodes of a machine that is only described: so many of them, from 0.
    Pretended(knee_runtime::Layout, u32),
}

impl Layout {
    #[cfg(test)]
    pub(crate) const CONTIGUOUS: Self = Self::Named("contiguous");

    /// Reads the argument, and checks that pages can be placed so.
    pub(crate) fn of(args: &Args, team: &Team) -> Result<Self, Error> {
        let given = args.text(LAYOUT.name);
        if let Some(on) = Rehearsed::of(args)? {
            let (layout, nodes) = on.layout(given, team.threads())?;
            return Ok(Self::Pretended(layout, nodes));
        }
        let word = LAYOUT.values.iter().find(|word| **word == given).expect("values were checked");
        let layout = Self::Named(word);
        layout.arrangement().uninit::<u64>(1 << 16).map_err(|error| {
            let message = format!("cannot lay out arrays: {word}: {error}");
            Error::new(message).hint("--layout contiguous asks nothing of the kernel; containers often forbid mbind")
        })?;
        Ok(layout)
    }

    fn arrangement(self) -> Arrangement {
        match self {
            Self::Named(word) => Arrangement::named(word).expect("the runtime knows each of the words"),
            Self::Pretended(layout, nodes) => Arrangement::new(layout, &(0..nodes).collect::<Vec<_>>()).pretend(true),
        }
    }

    /// An array whose element `i` is `value(i)`, written by the scheduler. Without memory for it, the process ends with
    /// an error, as it does for any other memory.
    pub(crate) fn array<F: Fork, T: Copy + Send + Sync>(
        self,
        len: usize,
        value: impl Fn(usize) -> T + Sync,
    ) -> Data<T> {
        let bytes = len.saturating_mul(size_of::<T>());
        let mut data = self.room_for(len, bytes).unwrap_or_else(|| sys::out_of_memory(bytes));
        data.each_copy(|slots| fill::<F, T>(slots, 0, &value));
        // SAFETY: `fill` wrote every element.
        Data(unsafe { data.assume_init() })
    }

    /// An array without values. The layout was tried, so that an error is one of memory.
    fn room_for<T: Copy>(self, len: usize, bytes: usize) -> Option<NumaVec<MaybeUninit<T>>> {
        fits(bytes).ok()?;
        self.arrangement().uninit(len).ok()
    }
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
