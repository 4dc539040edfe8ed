//! Which jobs of a deque are public. `tail`, `split` and an epoch share one word, and every change is a
//! compare-exchange (or is made while nothing is public, when only the owner may). So a thief that wins owns the job at
//! its tail, and reads the slot only then: the owner does not write that slot again before it has seen that the job is
//! done.
//!
//! The epoch counts the stolen jobs that the owner has ended; a thief that may only take descendants of a certain job
//! uses it to know that its victim has not gone on to another job. For the same reason the owner covers its own jobs
//! while it runs a stolen one. The README tells the whole protocol.

use crate::sync::{AtomicU64, Ordering};

const BITS: u32 = 16;
const MASK: u64 = (1 << BITS) - 1;
const EPOCH: u64 = 1 << (2 * BITS);

/// The shared word, unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    tail: u32,
    split: u32,
    epoch: u64,
}

impl Word {
    fn unpack(word: u64) -> Self {
        let field = |shift: u32| ((word >> shift) & MASK) as u32;
        Self { tail: field(0), split: field(BITS), epoch: word / EPOCH }
    }

    fn pack(self) -> u64 {
        u64::from(self.tail) | (u64::from(self.split) << BITS) | self.epoch.wrapping_mul(EPOCH)
    }
}

/// The own jobs that are covered while a stolen job runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Covered {
    tail: u32,
}

/// What a thief gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theft<T> {
    /// A job, and whether more are public.
    Job(T, bool),
    /// Nothing is public, or nothing that this thief may take.
    Nothing,
    /// Another thief or the owner was faster.
    Lost,
}

/// The word. Methods marked *owner* may be called by the deque's owner only; slots are meant by their numbers.
pub(crate) struct Split(AtomicU64);

impl Split {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    fn look(&self) -> Word {
        Word::unpack(self.0.load(Ordering::Relaxed))
    }

    fn replace(&self, from: Word, to: Word, success: Ordering) -> Result<(), Word> {
        let done = self.0.compare_exchange(from.pack(), to.pack(), success, Ordering::Relaxed);
        done.map(|_| ()).map_err(Word::unpack)
    }

    /// *Owner.* Makes what lies below `split` public.
    pub(crate) fn raise(&self, split: u32) {
        let mut word = self.look();
        // Release: a thief that reads this word with Acquire sees the slots and the jobs in them.
        while let Err(now) = self.replace(word, Word { split, ..word }, Ordering::Release) {
            word = now;
        }
    }

    /// *Owner.* Takes a public job back, and half of what else is public with it; returns the new split, or none where the
    /// job is stolen.
    #[cold]
    #[inline(never)]
    pub(crate) fn reclaim(&self, number: u32) -> Option<u32> {
        let mut word = self.look();
        loop {
            let Word { tail, epoch, .. } = word;
            if tail > number {
                return None;
            }
            let split = tail + (number - tail) / 2;
            // Relaxed: the owner reads only what it wrote itself, and no thread needs to see what it withdraws. That a
            // thief and the owner never both get a job rests on the single word alone.
            match self.replace(word, Word { tail, split, epoch }, Ordering::Relaxed) {
                Ok(()) => return Some(split),
                Err(now) => word = now,
            }
        }
    }

    /// *Owner.* Everything from here on is stolen and done, and nothing is public.
    pub(crate) fn reset(&self, number: u32) {
        let word = self.look();
        debug_assert!(word.tail == word.split, "a job of the deque is public and forgotten");
        // Relaxed: nothing is public, so no thief changes the word, and this value publishes nothing.
        self.0.store(Word { tail: number, split: number, ..word }.pack(), Ordering::Relaxed);
    }

    /// *Owner.* Hides the jobs below `head` while a stolen job runs, which does not descend from them. (There are such
    /// jobs where a scope or a gate waits above them; a worker that waits for a join has no job left that is not
    /// stolen.)
    pub(crate) fn cover(&self, head: u32) -> Covered {
        let mut word = self.look();
        loop {
            let Word { tail, epoch, .. } = word;
            if head == tail {
                return Covered { tail };
            }
            // Relaxed: withdraws, as in `reclaim`.
            match self.replace(word, Word { tail: head, split: head, epoch }, Ordering::Relaxed) {
                Ok(()) => return Covered { tail },
                Err(now) => word = now,
            }
        }
    }

    /// *Owner.* Publishes the covered jobs when the stolen job has ended; returns whether there are any. What is pushed
    /// from now on does not descend from the stolen job.
    pub(crate) fn uncover(&self, covered: Covered, head: u32) -> bool {
        let word = self.look();
        debug_assert!(word.tail == head && word.split == head, "the stolen job has left something");
        let epoch = word.epoch.wrapping_add(1);
        // A store will do: nothing is public, so no other thread changes the word. Release as in `raise`, for what was
        // covered; that the epoch changes is seen by every thief's compare-exchange in any case.
        self.0.store(Word { tail: covered.tail, split: head, epoch }.pack(), Ordering::Release);
        covered.tail < head
    }

    /// *Thief.* Takes the oldest public job if `may` agrees. `may` is called between reading the word and the attempt
    /// to change it, so that what it sees of the owner's current job holds for the job that is taken.
    pub(crate) fn steal(&self, may: impl FnOnce() -> bool) -> Theft<u32> {
        // Acquire pairs with the Release in `raise`: slot and job are seen as the owner wrote them.
        let word = Word::unpack(self.0.load(Ordering::Acquire));
        let Word { tail, split, epoch } = word;
        if tail >= split || !may() {
            return Theft::Nothing;
        }
        match self.replace(word, Word { tail: tail + 1, split, epoch }, Ordering::Acquire) {
            Ok(()) => Theft::Job(tail, tail + 1 < split),
            Err(_) => Theft::Lost,
        }
    }

    /// Whether something is public.
    pub(crate) fn has_public(&self) -> bool {
        // Relaxed: a thief that goes on to steal looks again, and one that is about to sleep has asked by an exchange
        // first.
        let Word { tail, split, .. } = self.look();
        tail < split
    }
}
