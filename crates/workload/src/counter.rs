//! Running counters: numbers that workers publish while they work, so that they can be drawn over time.

/// Receives what workers add, from many threads at once and at almost no cost to them.
pub trait Publish: Sync {
    /// Adds to the number of the calling thread.
    fn add(&self, more: u64);
}

/// Finds the counter to publish under this name; none if nothing samples.
pub type Publisher = fn(&'static str) -> Option<&'static dyn Publish>;

/// A running counter, which every worker copies. If nothing samples, adding is one branch.
///
/// Add once for each task or chunk, never for each item.
#[derive(Clone, Copy, Default)]
pub struct Counter(Option<&'static dyn Publish>);

impl Counter {
    pub(crate) fn new(to: Option<&'static dyn Publish>) -> Self {
        Self(to)
    }

    /// Adds to the calling thread's count.
    #[inline]
    pub fn add(self, more: u64) {
        if let Some(to) = self.0 {
            to.add(more);
        }
    }
}

impl std::fmt::Debug for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counter").field("heard", &self.0.is_some()).finish()
    }
}
