//! Names that this process has used: a hash table that only grows, without a lock, so that a fork in the middle of an
//! insertion leaves nothing locked in the child.

use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// Different names a process can use.
const MOST: usize = 1024;

/// A name that lives as long as the process.
#[derive(Debug)]
pub(crate) struct Name {
    /// Counted from 0 in the order of first use; none for [`LOST`].
    pub(crate) number: Option<u32>,
    pub(crate) text: &'static [u8],
}

/// A name in the program's text, which is looked up at its first use with a listener.
#[derive(Debug)]
pub(crate) struct KnownName {
    text: &'static str,
    /// Two threads may both fill it, with the same pointer: a lock could stay held in the child of a fork.
    place: AtomicPtr<Name>,
}

impl KnownName {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, place: AtomicPtr::new(std::ptr::null_mut()) }
    }

    pub(crate) fn get(&self) -> &'static Name {
        // Acquire: pairs with the Release below, so the name is whole.
        crate::sys::name_at(self.place.load(Ordering::Acquire)).unwrap_or_else(|| {
            let name = intern(self.text.as_bytes());
            self.place.store(std::ptr::from_ref(name).cast_mut(), Ordering::Release);
            name
        })
    }
}

/// Stands for every name beyond [`MOST`].
static LOST: Name = Name { number: None, text: &[] };
static TABLE: [AtomicPtr<Name>; MOST] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST];
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The one place of this name.
#[inline(never)]
pub(crate) fn intern(text: &[u8]) -> &'static Name {
    let start = fnv1a(text);
    let mut fresh = None;
    for step in 0..MOST {
        let entry = &TABLE[start.wrapping_add(step) % MOST];
        // Acquire: pairs with the exchange below, so the name behind the pointer is whole.
        let mut found = crate::sys::name_at(entry.load(Ordering::Acquire));
        if found.is_none() {
            let made = *fresh.get_or_insert_with(|| make(text));
            // Release publishes the name; Acquire sees the one of the thread that was faster.
            let set = entry.compare_exchange(
                std::ptr::null_mut(),
                std::ptr::from_ref(made).cast_mut(),
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            found = match set {
                Ok(_) => Some(made),
                Err(theirs) => crate::sys::name_at(theirs),
            };
        }
        if let Some(name) = found.filter(|name| name.text == text) {
            return name;
        }
    }
    &LOST
}

/// Two threads that use a new name at once may both allocate it; the unused one leaks, a few bytes each time.
fn make(text: &[u8]) -> &'static Name {
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    Box::leak(Box::new(Name { number: Some(number), text: Box::leak(text.into()) }))
}

fn fnv1a(text: &[u8]) -> usize {
    let hash = text
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    // The low bits of a product do not depend on the high ones.
    usize::try_from((hash ^ (hash >> 32)) & 0xffff).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_is_the_same_name_for_all_threads_and_the_table_ends() {
        let texts: Vec<String> = (0..200).map(|number| format!("name {number}")).collect();
        let intern_all = || texts.iter().map(|text| std::ptr::from_ref(intern(text.as_bytes())) as usize);
        let found: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| intern_all().collect())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
        let different: std::collections::BTreeSet<_> = found[0].iter().collect();
        assert_eq!(different.len(), texts.len());
        let beyond = (0..2 * MOST).filter(|number| intern(format!("more {number}").as_bytes()).number.is_none());
        assert!(beyond.count() > MOST - 210, "the table holds {MOST}");
        assert!(std::ptr::eq(intern(texts[7].as_bytes()), found[0][7] as *const Name), "what was there stays");
    }
}
