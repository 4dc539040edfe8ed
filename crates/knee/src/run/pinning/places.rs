//! The places threads are tied to, and how crowded each one is.

/// One cpu, and the threads that are tied to it.
struct Place {
    cpu: u32,
    threads: usize,
    /// Those among them that want a cpu.
    busy: usize,
}

/// All places, in the order of the placement.
pub(super) struct Places {
    places: Vec<Place>,
    most: usize,
}

impl Places {
    pub(super) fn new(cpus: &[u32]) -> Self {
        Self { places: cpus.iter().map(|&cpu| Place { cpu, threads: 0, busy: 0 }).collect(), most: 0 }
    }

    pub(super) fn cpu(&self, at: usize) -> u32 {
        self.places[at].cpu
    }

    /// The place that is this cpu.
    pub(super) fn of(&self, cpu: u32) -> Option<usize> {
        self.places.iter().position(|place| place.cpu == cpu)
    }

    pub(super) fn is_empty(&self, at: usize) -> bool {
        self.places[at].threads == 0
    }

    pub(super) fn all(&self) -> Vec<u32> {
        self.places.iter().map(|place| place.cpu).collect()
    }

    /// The place for one more thread: where the fewest want a cpu, then where the fewest are, then the first one.
    pub(super) fn best(&self) -> usize {
        let crowd = |at: &usize| (self.places[*at].busy, self.places[*at].threads);
        (0..self.places.len()).min_by_key(crowd).expect("threads are tied where there are cpus")
    }

    pub(super) fn enter(&mut self, at: usize, busy: bool) {
        let place = &mut self.places[at];
        place.threads += 1;
        place.busy += usize::from(busy);
        self.most = self.most.max(place.threads);
    }

    pub(super) fn leave(&mut self, at: usize, busy: bool) {
        self.places[at].threads -= 1;
        self.places[at].busy -= usize::from(busy);
    }

    /// Most threads there were at one place.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Whether any two threads share a place.
    pub(super) fn shared(&self) -> bool {
        self.places.iter().any(|place| place.threads > 1)
    }

    /// A place where at least two threads want a cpu, and one where none does.
    pub(super) fn uneven(&self) -> Option<(usize, usize)> {
        let crowded = self.places.iter().position(|place| place.busy > 1)?;
        let idle = self.places.iter().position(|place| place.busy == 0)?;
        Some((crowded, idle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_crowded_place_comes_first() {
        let mut places = Places::new(&[4, 5, 6]);
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(places.cpu(places.best()));
            places.enter(places.best(), true);
        }
        assert_eq!(taken, [4, 5, 6, 4]);
        places.leave(1, true);
        assert_eq!((places.best(), places.most()), (1, 2));
    }

    #[test]
    fn threads_that_want_no_cpu_crowd_nobody() {
        let mut places = Places::new(&[0, 1]);
        places.enter(0, true);
        places.enter(1, false);
        places.enter(1, false);
        assert_eq!((places.best(), places.uneven()), (1, None));
        places.enter(0, true);
        assert_eq!((places.shared(), places.uneven()), (true, Some((0, 1))));
    }
}
