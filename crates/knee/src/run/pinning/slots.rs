//! The cpus to pin threads to, and how many threads each has.

/// One cpu, and the threads that are pinned to it.
struct PinSlot {
    cpu: u32,
    threads: usize,
    /// Those among them that want a cpu.
    busy: usize,
}

/// All places, in the order of the placement.
pub(super) struct PinSlots {
    slots: Vec<PinSlot>,
    most: usize,
}

impl PinSlots {
    pub(super) fn new(cpus: &[u32]) -> Self {
        Self { slots: cpus.iter().map(|&cpu| PinSlot { cpu, threads: 0, busy: 0 }).collect(), most: 0 }
    }

    pub(super) fn cpu(&self, at: usize) -> u32 {
        self.slots[at].cpu
    }

    /// The place that is this cpu.
    pub(super) fn of(&self, cpu: u32) -> Option<usize> {
        self.slots.iter().position(|place| place.cpu == cpu)
    }

    pub(super) fn is_empty(&self, at: usize) -> bool {
        self.slots[at].threads == 0
    }

    pub(super) fn all(&self) -> Vec<u32> {
        self.slots.iter().map(|place| place.cpu).collect()
    }

    /// The place for one more thread: the one with fewest busy threads, then fewest threads, then the first.
    pub(super) fn best(&self) -> usize {
        let crowd = |at: &usize| (self.slots[*at].busy, self.slots[*at].threads);
        (0..self.slots.len()).min_by_key(crowd).expect("threads are pinned where there are cpus")
    }

    pub(super) fn enter(&mut self, at: usize, busy: bool) {
        let place = &mut self.slots[at];
        place.threads += 1;
        place.busy += usize::from(busy);
        self.most = self.most.max(place.threads);
    }

    pub(super) fn leave(&mut self, at: usize, busy: bool) {
        self.slots[at].threads -= 1;
        self.slots[at].busy -= usize::from(busy);
    }

    /// Most threads that shared a place at one time.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Whether any two threads share a place.
    pub(super) fn shared(&self) -> bool {
        self.slots.iter().any(|place| place.threads > 1)
    }

    /// A place with at least two busy threads, and one without.
    pub(super) fn uneven(&self) -> Option<(usize, usize)> {
        let crowded = self.slots.iter().position(|place| place.busy > 1)?;
        let idle = self.slots.iter().position(|place| place.busy == 0)?;
        Some((crowded, idle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_crowded_place_comes_first() {
        let mut slots = PinSlots::new(&[4, 5, 6]);
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(slots.cpu(slots.best()));
            slots.enter(slots.best(), true);
        }
        assert_eq!(taken, [4, 5, 6, 4]);
        slots.leave(1, true);
        assert_eq!((slots.best(), slots.most()), (1, 2));
    }

    #[test]
    fn threads_that_want_no_cpu_crowd_nobody() {
        let mut slots = PinSlots::new(&[0, 1]);
        slots.enter(0, true);
        slots.enter(1, false);
        slots.enter(1, false);
        assert_eq!((slots.best(), slots.uneven()), (1, None));
        slots.enter(0, true);
        assert_eq!((slots.shared(), slots.uneven()), (true, Some((0, 1))));
    }
}
