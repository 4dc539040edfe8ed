//! The split deque: slots `[tail, split)` are public and taken by thieves from the tail, slots `[split, head)` are
//! private to the owner, who pushes and pops at the head without any atomic operation.
//!
//! ```text
//!   0 ......... tail ......... split ......... bare ......... head
//!     stolen           public        private         private
//!                                    complete        bare
//! ```
//!
//! The second half of a join is *bare* while only its owner sees it: only its code is written, and what thieves would
//! need is added when it becomes public, which hardly any job ever does. Bare jobs are the newest ones, and all have
//! the place that the worker has now. So a join compares one mark to know that its second half is still its own.

use std::cell::Cell;
use std::ptr::null_mut;

use crate::job::Header;
use crate::slots::{CAPACITY, Entry, Slot, Slots};
use crate::split::{Covered, Split, Theft};
use crate::sync::{Alone, AtomicPtr, Ordering};

/// What an owner gets when it wants its newest job back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is the owner's again.
    Back,
    /// A thief has it, and all older ones are stolen too.
    Stolen,
}

/// One worker's deque. Methods marked *owner* may be called by that worker's thread only. Where jobs become public,
/// `complete` is called for each bare one among them.
pub(crate) struct Deque {
    /// The owner's, as are the next two.
    head: Cell<Slot>,
    bare: Cell<Slot>,
    /// A copy of the split in `public`, which only the owner changes.
    split: Cell<Slot>,
    slots: Slots,
    shared: Alone<Shared>,
}

/// What others change.
struct Shared {
    /// Below this a push needs no other check: the end of the slots, or null when a thief found nothing public and asks
    /// for jobs.
    limit: AtomicPtr<Entry>,
    public: Split,
}

// SAFETY: `head`, `bare` and `split` are touched by the owner only. A slot is written by the owner while no thief may read
// it, and read by the one thief that won it.
unsafe impl Sync for Deque {}
// SAFETY: the jobs that the pointers lead to are `Sync` in what thieves touch; see `job`.
unsafe impl Send for Deque {}

impl Deque {
    pub(crate) fn new() -> Self {
        let slots = Slots::new();
        let (first, end) = (slots.at(0), slots.at(CAPACITY));
        Self {
            head: Cell::new(first),
            bare: Cell::new(first),
            split: Cell::new(first),
            slots,
            shared: Alone(Shared { limit: AtomicPtr::new(end.as_ptr()), public: Split::new() }),
        }
    }

    /// *Owner.* Where the next job goes, if there is room and no thief asks for jobs.
    #[inline]
    pub(crate) fn room(&self) -> Option<Slot> {
        let head = self.head.get();
        // Relaxed: a request that is seen late is answered at the next push.
        (head.as_ptr() < self.shared.limit.load(Ordering::Relaxed)).then_some(head)
    }

    /// *Owner.* The same, even if a thief asks.
    pub(crate) fn room_at_all(&self) -> Option<Slot> {
        let head = self.head.get();
        (head < self.slots.at(CAPACITY)).then_some(head)
    }

    /// *Owner.* The end of the jobs.
    #[inline]
    pub(crate) fn head(&self) -> Slot {
        self.head.get()
    }

    /// *Owner.* How many slots there are from `low` to the head.
    pub(crate) fn above(&self, low: Slot) -> u32 {
        self.slots.number(self.head.get()) - self.slots.number(low)
    }

    /// *Owner.* Puts a bare job at the head, which is `slot` and not the end.
    #[inline]
    pub(crate) fn push_bare(&self, slot: Slot, job: *const Header) {
        debug_assert!(slot == self.head.get() && slot < self.slots.at(CAPACITY));
        // SAFETY: there is room; no thief reads at or beyond the head, and the owner is here.
        unsafe { slot.write(job) };
        self.head.set(slot.next());
    }

    /// *Owner.* Puts a complete job there, where no job is bare.
    #[inline]
    pub(crate) fn push(&self, slot: Slot, job: *const Header) {
        debug_assert!(!self.has_bare());
        self.push_bare(slot, job);
        self.bare.set(slot.next());
    }

    /// *Owner.* Whether any job is bare.
    #[inline]
    pub(crate) fn has_bare(&self) -> bool {
        self.bare.get() < self.head.get()
    }

    /// *Owner.* Completes all jobs.
    pub(crate) fn settle(&self, complete: impl Fn(*const Header)) {
        self.settle_below(self.head.get(), complete);
    }

    fn settle_below(&self, end: Slot, complete: impl Fn(*const Header)) {
        while self.bare.get() < end {
            // SAFETY: it is below the head, so the owner wrote it, and thieves only read.
            complete(unsafe { self.bare.get().read() });
            self.bare.set(self.bare.get().next());
        }
    }

    /// *Owner.* Takes back the job at `slot` if it is bare, and so the newest one; returns whether it is.
    #[inline]
    pub(crate) fn take_bare(&self, slot: Slot) -> bool {
        let bare = slot >= self.bare.get();
        if bare {
            self.head.set(slot);
        }
        bare
    }

    /// *Owner.* Takes back the newest job, which exists and is complete; none if it was stolen.
    #[inline]
    pub(crate) fn pop(&self) -> Option<*const Header> {
        debug_assert!(!self.has_bare());
        let slot = self.head.get().previous();
        // SAFETY: as in `settle_below`.
        let job = unsafe { slot.read() };
        (self.take(slot) == Taken::Back).then_some(job)
    }

    /// *Owner.* Takes back the job at `slot`, which is the newest one and complete.
    #[inline]
    pub(crate) fn take(&self, slot: Slot) -> Taken {
        if slot < self.split.get() {
            let Some(split) = self.shared.public.reclaim(self.slots.number(slot)) else { return Taken::Stolen };
            self.split.set(self.slots.at(split));
        }
        self.lower(slot);
        Taken::Back
    }

    /// Forgets the slots from this one on. None of those below is bare, since this one was complete.
    #[inline]
    fn lower(&self, slot: Slot) {
        self.head.set(slot);
        self.bare.set(slot);
    }

    /// *Owner.* Makes the older half of the private jobs public; returns whether there was any.
    pub(crate) fn publish(&self, complete: impl Fn(*const Header)) -> bool {
        let (private, split) = (self.above(self.split.get()), self.slots.number(self.split.get()));
        if private > 0 {
            self.raise(self.slots.at(split + private.div_ceil(2)), complete);
        }
        private > 0
    }

    /// *Owner.* Makes all jobs public; returns whether any was private.
    pub(crate) fn publish_all(&self, complete: impl Fn(*const Header)) -> bool {
        let head = self.head.get();
        let any = head > self.split.get();
        if any {
            self.raise(head, complete);
        }
        any
    }

    fn raise(&self, split: Slot, complete: impl Fn(*const Header)) {
        self.settle_below(split, complete);
        self.shared.public.raise(self.slots.number(split));
        self.split.set(split);
    }

    /// *Owner.* All jobs from `slot` on are stolen and done; the slots are free again.
    pub(crate) fn reset(&self, slot: Slot) {
        self.lower(slot);
        if self.split.get() > slot {
            self.split.set(slot);
            self.shared.public.reset(self.slots.number(slot));
        }
    }

    /// *Owner.* See [`Split::cover`].
    pub(crate) fn cover(&self) -> Covered {
        debug_assert!(!self.has_bare(), "who runs a stolen job waits, and has offered what it had");
        self.split.set(self.head.get());
        self.shared.public.cover(self.slots.number(self.head.get()))
    }

    /// *Owner.* See [`Split::uncover`].
    pub(crate) fn uncover(&self, covered: Covered) -> bool {
        self.shared.public.uncover(covered, self.slots.number(self.head.get()))
    }

    /// *Thief.* Takes the oldest public job if `may` agrees; see [`Split::steal`].
    pub(crate) fn steal(&self, may: impl FnOnce() -> bool) -> Theft<*const Header> {
        match self.shared.public.steal(may) {
            // SAFETY: this thief owns the job now; the owner wrote the slot before it published it, and writes it again
            // only after the job is done.
            Theft::Job(number, more) => Theft::Job(unsafe { self.slots.at(number).read() }, more),
            Theft::Nothing => Theft::Nothing,
            Theft::Lost => Theft::Lost,
        }
    }

    /// Whether something is public.
    pub(crate) fn has_public(&self) -> bool {
        self.shared.public.has_public()
    }

    /// Asks the owner for jobs, since nothing is public here. Either this sees the owner's last publication, or the
    /// owner sees this.
    pub(crate) fn ask(&self) {
        self.shared.limit.swap(null_mut(), Ordering::AcqRel);
    }

    /// The same for a thief that does not sleep next: no write where another one has asked already.
    pub(crate) fn ask_lightly(&self) {
        if !self.is_asked() {
            self.ask();
        }
    }

    /// Whether a thief asks.
    #[inline]
    pub(crate) fn is_asked(&self) -> bool {
        // Relaxed: as in `room`.
        self.shared.limit.load(Ordering::Relaxed).is_null()
    }

    /// *Owner.* Answers the thieves that asked, after a publication; returns whether any had asked.
    pub(crate) fn answer(&self) -> bool {
        // Release: a thief that asks again after this sees what was published, and needs no wake. Acquire: a thief that
        // asked before this is seen among the sleepers.
        self.shared.limit.swap(self.slots.at(CAPACITY).as_ptr(), Ordering::AcqRel).is_null()
    }
}
