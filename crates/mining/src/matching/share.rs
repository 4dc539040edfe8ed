//! The tasks of one of several parts that a count is divided into.

/// Every so many-th task. As tasks follow each other by degree, all shares cost about as much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    pub part: usize,
    pub parts: usize,
}

impl Default for Share {
    /// All of them.
    fn default() -> Self {
        Self { part: 0, parts: 1 }
    }
}

impl Share {
    /// How many of so many tasks.
    pub(super) fn of(self, tasks: usize) -> usize {
        tasks.saturating_sub(self.part).div_ceil(self.parts)
    }

    /// The number of one of its own tasks among all.
    pub(super) fn number(self, own: usize) -> usize {
        own * self.parts + self.part
    }

    /// A count that is found at once: it is the first part's.
    pub(super) fn once(self, count: u128) -> i128 {
        if self.part == 0 { super::small(i128::try_from(count).ok()) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_is_in_one_share() {
        for (tasks, parts) in [(0, 3), (1, 3), (7, 3), (12, 4), (3, 8)] {
            let share = |part| Share { part, parts };
            let numbers = |part| (0..share(part).of(tasks)).map(move |own| share(part).number(own));
            let mut all: Vec<_> = (0..parts).flat_map(numbers).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..tasks), "{tasks} {parts}");
        }
    }
}
