//! Anonymous mappings, so that no page is touched before its first intended write.

use std::io;
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null_mut};

use knee_machine::{MemoryPolicy, Policy, room, sys};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::homes::{self, Homes};

/// Huge pages of most machines. Where they are larger, blocks end inside one, and the census tells.
const HUGE: usize = 2 << 20;

/// A private mapping that holds `len` values.
#[derive(Debug)]
pub(super) struct Mapping<T> {
    /// Dangling where no memory is needed.
    start: NonNull<T>,
    len: usize,
    page: usize,
    /// The whole mapping, of which the values are a part if it had to be aligned.
    whole: (usize, usize),
    homes: Homes,
}

// SAFETY: it owns its values, like a box.
unsafe impl<T: Send> Send for Mapping<T> {}
// SAFETY: shared, it gives out shared slices only.
unsafe impl<T: Sync> Sync for Mapping<T> {}

impl<T> Mapping<MaybeUninit<T>> {
    /// Turns a mapping whose values were all written into one of those values.
    pub(super) fn cast(self) -> Mapping<T> {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `homes` is read once, and the original is not dropped.
        let homes = unsafe { std::ptr::read(&raw const this.homes) };
        Mapping { start: this.start.cast(), len: this.len, page: this.page, whole: this.whole, homes }
    }
}

impl<T> Mapping<T> {
    /// Maps memory for `len` values that may have any bytes: the caller asks for [`MaybeUninit`].
    pub(super) fn new(len: usize, huge: bool) -> io::Result<Self> {
        let page = if huge { HUGE } else { rustix::param::page_size() };
        let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| *bytes < isize::MAX as usize / 2);
        let bytes = bytes.ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?.next_multiple_of(page);
        if bytes == 0 {
            return Ok(Self { start: NonNull::dangling(), len, page, whole: (0, 0), homes: Homes::Asked });
        }
        // The kernel aligns to small pages alone.
        let aligned = page.max(align_of::<T>());
        let spare = aligned - rustix::param::page_size();
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::NORESERVE);
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing that exists.
        let whole = unsafe { mmap_anonymous(null_mut(), bytes + spare, protection, flags)? };
        let offset = whole.align_offset(aligned);
        // SAFETY: the mapping has room for the bytes behind the offset, which is a whole number of small
        // pages and at most the spare part.
        let start = unsafe { whole.byte_add(offset) };
        let place = NonNull::new(start.cast::<T>()).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let mapping = Self { start: place, len, page, whole: (whole as usize, bytes + spare), homes: Homes::Asked };
        if huge {
            // SAFETY: the range is inside the mapping, and the advice changes no contents. A kernel without huge pages
            // refuses it, and has small ones.
            let _ = unsafe { madvise(start, bytes, Advice::LinuxHugepage) };
        }
        Ok(mapping)
    }

    /// Where its values begin.
    pub(super) fn begin(&self) -> usize {
        self.start.as_ptr() as usize
    }

    pub(super) fn page(&self) -> usize {
        self.page
    }

    /// Size of the values in whole pages.
    pub(super) fn bytes(&self) -> usize {
        (self.len * size_of::<T>()).next_multiple_of(self.page)
    }

    /// Asks the kernel to put pages on their homes when they are touched.
    pub(super) fn bind(&self, homes: &Homes) -> io::Result<()> {
        let start = self.start.as_ptr() as usize;
        homes.policies(self.bytes()).iter().try_for_each(|(range, policy)| {
            fits(range.len(), policy)?;
            sys::bind_region(start + range.start, range.len(), policy)
        })
    }

    /// Registers its homes, so that tasks can find the node of an address.
    pub(super) fn register(mut self, homes: Homes) -> Self {
        if self.whole.1 > 0 {
            homes::register(self.start.as_ptr() as usize, self.bytes(), &homes);
        }
        self.homes = homes;
        self
    }

    pub(super) fn homes(&self) -> &Homes {
        &self.homes
    }

    pub(super) fn slice(&self) -> &[T] {
        // SAFETY: the mapping holds `len` values, written or such that need not be, and lives as long as the borrow.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    pub(super) fn slice_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and there is no other borrow.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// The node of each page.
    pub(super) fn pages(&self) -> io::Result<Vec<Option<u32>>> {
        if self.whole.1 == 0 {
            return Ok(Vec::new());
        }
        sys::nodes_of_pages(self.start.as_ptr() as usize, self.len * size_of::<T>())
    }
}

/// Refuses pages that are bound to a node which has no room for them: the kernel would kill for them.
fn fits(bytes: usize, policy: &MemoryPolicy) -> io::Result<()> {
    let node = policy.nodes.first().filter(|_| policy.policy == Policy::Bind && policy.nodes.len() == 1);
    let Some((node, left)) = node.and_then(|node| Some((node, room::too_little_on(node, bytes)?))) else {
        return Ok(());
    };
    let what = format!("{} MiB are to lie on node {node}, which has {} MiB left", bytes >> 20, left >> 20);
    Err(io::Error::new(io::ErrorKind::OutOfMemory, what))
}

impl<T> Drop for Mapping<T> {
    fn drop(&mut self) {
        let (start, bytes) = self.whole;
        if bytes > 0 {
            homes::forget(self.start.as_ptr() as usize);
            // SAFETY: this mapping was made in `new`, and nothing borrows from it any more. The values need no drop:
            // they are `Copy`. An error leaves it mapped.
            let _ = unsafe { munmap(start as *mut _, bytes) };
        }
    }
}
