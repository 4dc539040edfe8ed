//! Where chunks keep their values until a table is written: one behind the other in large blocks of huge pages. Small
//! buffers would cost a page fault for each 4 KiB, and the allocator would keep most of their memory until the last one
//! is free. A block is unmapped when all rows in it are written, so that the table's next pages can take its place.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Mutex;

use bytemuck::Pod;
use bytes::{Bytes, BytesMut};
use knee_machine::room;

/// Bytes of a block. The allocator maps one of this size by itself, and gives it back to the kernel at once.
const BLOCK: usize = 32 << 20;

/// Lists begin at multiples of this.
const ALIGNED: usize = 16;

/// Blocks of memory; the last one has room for more lists.
#[derive(Debug, Default)]
pub(crate) struct Blocks(Mutex<BytesMut>);

impl Blocks {
    /// Room for so many bytes, all of it in one block.
    fn room(&self, bytes: usize) -> BytesMut {
        let needed = bytes.next_multiple_of(ALIGNED);
        let mut block = self.0.lock().expect("no holder panics");
        // An empty list needs a block, too: elsewhere its address would not be aligned.
        if block.capacity() < needed.max(1) {
            *block = BytesMut::with_capacity(needed.max(BLOCK));
            room::huge_pages(block.spare_capacity_mut());
        }
        let rest = block.split_off(needed);
        std::mem::replace(&mut block, rest)
    }
}

/// A list that does not change, by itself or in a block.
pub(crate) struct Kept<T>(Bytes, PhantomData<T>);

impl<T: Pod + Send> Kept<T> {
    /// The same list, in a block.
    pub(crate) fn within(&self, blocks: &Blocks) -> Self {
        // Outside of the lock: this is what touches the memory.
        let mut room = blocks.room(self.0.len());
        room.extend_from_slice(&self.0);
        Self(room.freeze(), PhantomData)
    }
}

impl<T: Pod + Send> From<Vec<T>> for Kept<T> {
    fn from(list: Vec<T>) -> Self {
        Self(Bytes::from_owner(Own(list)), PhantomData)
    }
}

impl<T: Pod> Deref for Kept<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({} bytes)", self.0.len())
    }
}

/// A list as bytes.
struct Own<T>(Vec<T>);

impl<T: Pod> AsRef<[u8]> for Own<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_blocks_are_what_they_were() {
        let blocks = Blocks::default();
        let bytes: Kept<u8> = vec![1, 2, 3].into();
        let words: Kept<u64> = (0..BLOCK as u64 / 16).collect::<Vec<_>>().into();
        let long: Kept<u64> = (0..BLOCK as u64 / 4).collect::<Vec<_>>().into();
        let empty: Kept<u64> = Vec::new().into();
        // The third list of words does not fit into the first block, and the long one into none.
        let kept = [words.within(&blocks), words.within(&blocks), words.within(&blocks)];
        assert_eq!(*bytes.within(&blocks), [1, 2, 3]);
        assert!(kept.iter().all(|list| **list == *words));
        assert_eq!(*long.within(&blocks), *long);
        assert!(empty.within(&blocks).is_empty());
        assert_eq!(*words.within(&blocks), *words);
    }

    #[test]
    fn lists_that_follow_one_another_share_a_block() {
        let blocks = Blocks::default();
        let empty: Kept<u64> = Vec::new().into();
        assert!(empty.within(&blocks).is_empty());
        let byte: Kept<u8> = vec![7].into();
        let [first, second] = [(); 2].map(|()| byte.within(&blocks));
        assert_eq!(second.as_ptr() as usize - first.as_ptr() as usize, ALIGNED);
    }
}
