//! The slots of a deque. Next to each is memory for a spawned job, so that a spawn allocates nothing and a thief finds
//! slot and job in one place.
//!
//! A slot is its address, not its number: that saves a fork the load of the array's address.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null};

use crate::job::Header;
use crate::sync::{MODEL, UnsafeCell};

/// How many jobs a deque holds. A join that finds it full runs its second half itself; a scope keeps the job.
pub(crate) const CAPACITY: u32 = if MODEL || cfg!(miri) { 8 } else { 1 << 14 };

/// A slot, and what a spawned job may take. Larger ones take memory of their own.
#[repr(C, align(128))]
pub(crate) struct Entry {
    job: UnsafeCell<*const Header>,
    beside: Beside,
}

#[repr(C, align(16))]
struct Beside(MaybeUninit<[u8; 112]>);

const ENTRIES: Layout = Layout::new::<[Entry; CAPACITY as usize]>();

/// A slot, or the end of all slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot(NonNull<Entry>);

impl Slot {
    /// The one above. This one is not the end.
    #[inline]
    pub(crate) fn next(self) -> Self {
        // SAFETY: the end is one beyond the last slot, and this is at most the last one.
        Self(unsafe { self.0.add(1) })
    }

    /// The one below. This one is not the first.
    #[inline]
    pub(crate) fn previous(self) -> Self {
        // SAFETY: there is one.
        Self(unsafe { self.0.sub(1) })
    }

    #[inline]
    pub(crate) fn as_ptr(self) -> *mut Entry {
        self.0.as_ptr()
    }

    /// Whether a `T` may lie beside a slot.
    pub(crate) const fn fits<T>() -> bool {
        size_of::<T>() <= size_of::<Beside>() && align_of::<T>() <= align_of::<Beside>()
    }

    /// Where a `T` that fits lies beside this slot, which is not the end. It is free as long as the slot is.
    #[inline]
    pub(crate) fn beside<T>(self) -> *mut T {
        debug_assert!(Self::fits::<T>());
        // SAFETY: there is an entry.
        unsafe { (&raw mut (*self.as_ptr()).beside).cast() }
    }

    /// Writes the slot.
    ///
    /// # Safety
    /// It is not the end, and no other thread reads or writes it now.
    #[inline]
    pub(crate) unsafe fn write(self, job: *const Header) {
        // SAFETY: the caller's.
        unsafe { (*self.as_ptr()).job.with_mut(|slot| *slot = job) };
    }

    /// Reads the slot.
    ///
    /// # Safety
    /// It is not the end, and no thread writes it now.
    #[inline]
    pub(crate) unsafe fn read(self) -> *const Header {
        // SAFETY: the caller's.
        unsafe { (*self.as_ptr()).job.with(|slot| *slot) }
    }
}

/// All slots of one deque.
pub(crate) struct Slots(NonNull<Entry>);

impl Slots {
    pub(crate) fn new() -> Self {
        // Zeroed, so that no page is touched before a slot is used. SAFETY: the size is not zero.
        let first = NonNull::new(unsafe { alloc_zeroed(ENTRIES) });
        let first: NonNull<Entry> = first.unwrap_or_else(|| handle_alloc_error(ENTRIES)).cast();
        if MODEL {
            // The cell of a model checker is more than a null pointer. SAFETY: there are so many, and the memory is
            // ours.
            (0..CAPACITY as usize).for_each(|number| unsafe {
                (&raw mut (*first.as_ptr().add(number)).job).write(UnsafeCell::new(null()));
            });
        }
        Self(first)
    }

    /// The slot with this number, up to [`CAPACITY`], which is the end.
    #[inline]
    pub(crate) fn at(&self, number: u32) -> Slot {
        debug_assert!(number <= CAPACITY);
        // SAFETY: there are so many.
        Slot(unsafe { self.0.add(number as usize) })
    }

    /// The number of a slot.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most the capacity")]
    pub(crate) fn number(&self, slot: Slot) -> u32 {
        ((slot.0.addr().get() - self.0.addr().get()) / size_of::<Entry>()) as u32
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        if MODEL {
            // SAFETY: written in `new`, and not used again.
            (0..CAPACITY as usize).for_each(|number| unsafe {
                (&raw mut (*self.0.as_ptr().add(number)).job).drop_in_place();
            });
        }
        // SAFETY: made in `new` by this layout. No job is left: its scope has waited for it.
        unsafe { dealloc(self.0.as_ptr().cast(), ENTRIES) };
    }
}
