//! The set of sleeping workers, one bit each.

use crate::sync::{Alone, AtomicU64, Ordering};

pub(crate) struct Sleepers(Box<[Alone<AtomicU64>]>);

impl Sleepers {
    pub(crate) fn new(workers: usize) -> Self {
        Self((0..workers.div_ceil(64)).map(|_| Alone(AtomicU64::new(0))).collect())
    }

    /// The worker is about to sleep. It has to look for work once more before it does: every waker brings its work first
    /// and then changes this word, so either the waker sees the bit or this worker sees the work.
    pub(crate) fn enter(&self, index: usize) {
        // Acquire pairs with the Release in `claim`: sees the work of wakers that looked before. Wakers that look
        // afterwards see the bit.
        self.0[index / 64].fetch_or(1 << (index % 64), Ordering::Acquire);
    }

    /// The worker does not sleep; false when a waker has taken its bit.
    pub(crate) fn leave(&self, index: usize) -> bool {
        let bit = 1 << (index % 64);
        // Acquire as in `enter`: a worker whose bit was taken sees the work that it was woken for.
        self.0[index / 64].fetch_and(!bit, Ordering::Acquire) & bit != 0
    }

    /// Takes the bit of one worker among those that `suits` accepts, the next one after `from`.
    pub(crate) fn claim(&self, from: usize, suits: impl Fn(usize) -> bool) -> Option<usize> {
        let words = self.0.len();
        (0..=words).find_map(|step| {
            let word = (from / 64 + step) % words;
            // A write even where nothing changes: it orders this look with every `enter`.
            let bits = self.0[word].fetch_or(0, Ordering::Release);
            let after = if step == 0 { u64::MAX << (from % 64) } else { u64::MAX };
            ones(bits & after).map(|bit| word * 64 + bit).find(|&index| suits(index) && self.leave(index))
        })
    }

    /// Whether any worker sleeps. Relaxed: a hint.
    pub(crate) fn any(&self) -> bool {
        self.0.iter().any(|word| word.load(Ordering::Relaxed) != 0)
    }
}

fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}
