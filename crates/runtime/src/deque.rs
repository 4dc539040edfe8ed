//! The split deque: slots `[tail, split)` are public and taken by thieves from the tail, slots `[split, head)` are
//! private to the owner, who pushes and pops at the head without any atomic operation.
//!
//! ```text
//!   0 ......... tail ......... split ......... head
//!     stolen           public         private
//! ```
//!
//! `tail`, `split` and an epoch share one word, and whoever changes it does so by compare-exchange (or while the public
//! part is empty, when nobody else may). So a thief that wins owns the job at its tail, and reads the slot only then: the
//! owner does not write that slot again before it has seen that the job is done. The epoch counts the stolen jobs that
//! the owner has ended; a thief that may only take what descends from a certain job uses it to know that its victim did
//! not go on to another one meanwhile. For the same reason the owner covers what it has while it runs a stolen job.
//! The README tells the whole protocol.

use std::cell::Cell;
use std::ptr::null;

use crate::job::Header;
use crate::sync::{Alone, AtomicU64, MODEL, Ordering, UnsafeCell};

/// How many jobs a deque holds. A join that finds it full runs its second half itself; a scope keeps the job.
pub(crate) const CAPACITY: u32 = if MODEL || cfg!(miri) { 8 } else { 1 << 14 };

const BITS: u32 = 16;
const MASK: u64 = (1 << BITS) - 1;
const EPOCH: u64 = 1 << (2 * BITS);

/// The shared word, taken apart.
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

/// What lies below a stolen job that runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Covered {
    tail: u32,
}

/// What an owner gets when it wants its newest job back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is the owner's again.
    Back,
    /// A thief has it, and all older ones are stolen too.
    Stolen,
}

/// What a thief gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theft {
    /// A job, and whether more are public.
    Job(*const Header, bool),
    /// Nothing is public, or nothing that this thief may take.
    Nothing,
    /// Somebody else was faster.
    Lost,
}

/// One worker's deque. Methods marked *owner* may be called by that worker's thread only.
pub(crate) struct Deque {
    head: Cell<u32>,
    /// The owner's copy of `split`, which nobody else changes.
    split: Cell<u32>,
    slots: Box<[UnsafeCell<*const Header>; CAPACITY as usize]>,
    word: Alone<AtomicU64>,
}

// SAFETY: `head` and `split` are touched by the owner only. A slot is written by the owner while no thief may read it,
// and read by the one thief that won it, as the head of this file says.
unsafe impl Sync for Deque {}
// SAFETY: the jobs that the pointers lead to are `Sync` in what thieves touch; see `job`.
unsafe impl Send for Deque {}

impl Deque {
    pub(crate) fn new() -> Self {
        let slots: Vec<_> = (0..CAPACITY).map(|_| UnsafeCell::new(null())).collect();
        let Ok(slots) = slots.try_into() else { unreachable!("there are as many") };
        Self { head: Cell::new(0), split: Cell::new(0), slots, word: Alone(AtomicU64::new(0)) }
    }

    /// *Owner.* Puts a job at the head and returns its place; none when the deque is full.
    #[inline]
    pub(crate) fn push(&self, job: *const Header) -> Option<u32> {
        let head = self.head.get();
        let slot = self.slots.get(head as usize)?;
        // SAFETY: no thief reads at or beyond `head`, and the owner is here.
        slot.with_mut(|slot| unsafe { *slot = job });
        self.head.set(head + 1);
        Some(head)
    }

    /// *Owner.* Where the next job would go.
    pub(crate) fn head(&self) -> u32 {
        self.head.get()
    }

    /// *Owner.* The newest job.
    pub(crate) fn newest(&self) -> *const Header {
        // SAFETY: the owner wrote this slot, and thieves only read it.
        self.slots[self.head.get() as usize - 1].with(|slot| unsafe { *slot })
    }

    /// *Owner.* Takes back the job at `place`, which is the newest one.
    #[inline]
    pub(crate) fn take(&self, place: u32) -> Taken {
        if place >= self.split.get() {
            self.head.set(place);
            return Taken::Back;
        }
        self.reclaim(place)
    }

    /// Takes it back from the public part, and half of what else is public with it.
    #[cold]
    #[inline(never)]
    fn reclaim(&self, place: u32) -> Taken {
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let Word { tail, epoch, .. } = Word::unpack(word);
            if tail > place {
                return Taken::Stolen;
            }
            let split = tail + (place - tail) / 2;
            // Relaxed: the owner reads only what it wrote itself, and what it withdraws nobody needs to see. That a thief
            // and the owner never both get a job rests on the single word alone.
            match self.replace(word, Word { tail, split, epoch }, Ordering::Relaxed) {
                Ok(()) => {
                    self.split.set(split);
                    self.head.set(place);
                    return Taken::Back;
                }
                Err(now) => word = now,
            }
        }
    }

    /// *Owner.* Makes the older half of the private jobs public; returns whether there was any.
    pub(crate) fn publish(&self) -> bool {
        let private = self.head.get() - self.split.get();
        if private == 0 {
            return false;
        }
        self.move_split(self.split.get() + private.div_ceil(2));
        true
    }

    /// *Owner.* Makes all jobs public; returns whether any was private.
    pub(crate) fn publish_all(&self) -> bool {
        let head = self.head.get();
        let any = head > self.split.get();
        if any {
            self.move_split(head);
        }
        any
    }

    fn move_split(&self, split: u32) {
        let mut word = self.word.load(Ordering::Relaxed);
        // Release: a thief that reads this word with Acquire sees the slots and the jobs in them.
        while let Err(now) = self.replace(word, Word { split, ..Word::unpack(word) }, Ordering::Release) {
            word = now;
        }
        self.split.set(split);
    }

    /// *Owner.* All jobs from `place` on are stolen and done; the slots are free again.
    pub(crate) fn reset(&self, place: u32) {
        self.head.set(place);
        if self.split.get() > place {
            let word = Word::unpack(self.word.load(Ordering::Relaxed));
            debug_assert!(word.tail == word.split, "a job of the deque is public and forgotten");
            self.split.set(place);
            // Relaxed: nothing is public, so no thief changes the word, and nobody learns anything from this value.
            self.word.store(Word { tail: place, split: place, ..word }.pack(), Ordering::Relaxed);
        }
    }

    /// *Owner.* A stolen job begins, which is no descendant of the jobs in here: nobody finds them until it ends. (There
    /// are such jobs where a scope or a gate waits above them; who waits for a join has nothing left that is not stolen.)
    pub(crate) fn cover(&self) -> Covered {
        let head = self.head.get();
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let Word { tail, epoch, .. } = Word::unpack(word);
            if head == tail {
                return Covered { tail };
            }
            // Relaxed: withdraws, as in `reclaim`.
            match self.replace(word, Word { tail: head, split: head, epoch }, Ordering::Relaxed) {
                Ok(()) => {
                    self.split.set(head);
                    return Covered { tail };
                }
                Err(now) => word = now,
            }
        }
    }

    /// *Owner.* The stolen job has come to its end: what is pushed from now on does not descend from it. What was covered
    /// is public now; returns whether there is any.
    pub(crate) fn uncover(&self, covered: Covered) -> bool {
        let (word, head) = (Word::unpack(self.word.load(Ordering::Relaxed)), self.head.get());
        debug_assert!(word.tail == head && word.split == head, "the stolen job has left something");
        let epoch = word.epoch.wrapping_add(1);
        // A store will do: nothing is public, so nobody else changes the word. Release as in `publish`, for what was
        // covered; that the epoch changes is seen by every thief's compare-exchange in any case.
        self.word.store(Word { tail: covered.tail, split: head, epoch }.pack(), Ordering::Release);
        covered.tail < head
    }

    /// *Thief.* Takes the oldest public job if `may` agrees. `may` is asked between the look at the word and the attempt
    /// to change it, so that what it sees of the owner's current job holds for the job that is taken.
    pub(crate) fn steal(&self, may: impl FnOnce() -> bool) -> Theft {
        // Acquire pairs with the Release in `publish`: slot and job are seen as the owner wrote them.
        let word = self.word.load(Ordering::Acquire);
        let Word { tail, split, epoch } = Word::unpack(word);
        if tail >= split || !may() {
            return Theft::Nothing;
        }
        if self.replace(word, Word { tail: tail + 1, split, epoch }, Ordering::Acquire).is_err() {
            return Theft::Lost;
        }
        // SAFETY: this thief owns the job at `tail` now; the owner wrote the slot before it published it, and writes it
        // again only after the job is done.
        let job = self.slots[tail as usize].with(|slot| unsafe { *slot });
        Theft::Job(job, tail + 1 < split)
    }

    /// Whether something is public.
    pub(crate) fn has_public(&self) -> bool {
        // Relaxed: who goes on to steal looks again, and who asks before it sleeps has swapped `hungry` first.
        let Word { tail, split, .. } = Word::unpack(self.word.load(Ordering::Relaxed));
        tail < split
    }

    fn replace(&self, from: u64, to: Word, success: Ordering) -> Result<(), u64> {
        let done = self.word.compare_exchange(from, to.pack(), success, Ordering::Relaxed);
        done.map(|_| ())
    }
}
