//! Allocator: sums units of arithmetic, and allocates and frees blocks of 1.5 KiB with each of them.
//!
//! The dial is the share of the blocks that a thread leaves for the next thread, which frees them. They go back to the
//! arena that they came from, whose lock both threads then need. All other blocks are freed where they were allocated.
//! Blocks travel in batches by a swap of one pointer, so the program has no lock of its own.
mod work;

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::AcqRel};

const STEPS: usize = 300;
const BYTES: usize = 1500;
const BATCH: usize = 100;

type Batch = Vec<Box<[u8]>>;

#[repr(align(128))]
struct Slot(AtomicPtr<Batch>);

impl Slot {
    /// Put a batch, and take the one that was there.
    fn swap(&self, batch: Option<Batch>) -> Option<Batch> {
        let new = batch.map_or(ptr::null_mut(), |batch| Box::into_raw(Box::new(batch)));
        let old = self.0.swap(new, AcqRel);
        // SAFETY: the slot holds null or what into_raw returned, and the swap made it ours alone.
        (!old.is_null()).then(|| *unsafe { Box::from_raw(old) })
    }
}

fn main() {
    let asked = work::arguments();
    let slots: Vec<Slot> = (0..asked.threads).map(|_| Slot(AtomicPtr::new(ptr::null_mut()))).collect();
    let sum = asked.in_threads(|thread| {
        let (own, next) = (&slots[thread], &slots[(thread + 1) % asked.threads]);
        let (mut sum, mut given, mut kept) = (0u64, Batch::new(), Batch::new());
        for i in asked.first(thread)..asked.first(thread + 1) {
            let block = vec![i as u8; BYTES].into_boxed_slice();
            sum = sum.wrapping_add(work::unit(i, STEPS)).wrapping_add(block[i % BYTES].into());
            if asked.picks(i) { &mut given } else { &mut kept }.push(block);
            if given.len() == BATCH {
                drop(next.swap(Some(std::mem::take(&mut given))));
                drop(own.swap(None));
            }
            if kept.len() == BATCH {
                kept.clear();
            }
        }
        sum
    });
    for slot in &slots {
        slot.swap(None);
    }
    println!("{sum:016x}");
}
