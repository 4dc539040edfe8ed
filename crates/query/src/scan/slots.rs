//! Arrays of lanes that a worker computes in.

use crate::lanes::{BLOCK, Lane};

/// Arrays of one block each.
#[derive(Debug, Default)]
pub(super) struct Slots<L>(Vec<Vec<L>>);

impl<L: Lane> Slots<L> {
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).map(|_| vec![L::low(0); BLOCK]).collect())
    }

    pub(super) fn get(&self, slot: usize) -> &[L] {
        &self.0[slot]
    }

    /// Writes a slot while others are read.
    pub(super) fn write(&mut self, slot: usize, write: impl FnOnce(&Self, &mut [L])) {
        let mut taken = std::mem::take(&mut self.0[slot]);
        write(self, &mut taken);
        self.0[slot] = taken;
    }
}
