//! When exactly one thread could run.

/// Spells that are kept.
const MOST_SPELLS: usize = 1 << 18;

/// The times in which exactly one thread of a tree was on a cpu or preempted, on the kernel's monotonic clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spells {
    /// Their begins and ends, in order of time.
    kept: Vec<(u64, u64)>,
    more: bool,
}

impl Spells {
    /// Adds one that is later than all others.
    pub(super) fn add(&mut self, (begin, end): (u64, u64)) {
        if self.kept.len() < MOST_SPELLS {
            self.kept.push((begin, end));
        } else {
            self.more = true;
        }
    }

    /// All of them; none where there were too many to keep.
    pub(super) fn whole(self) -> Option<Self> {
        (!self.more).then_some(self)
    }

    /// Whether a moment is in one of them.
    #[must_use]
    pub fn contain(&self, t_ns: u64) -> bool {
        let begun = self.kept.partition_point(|&(begin, _)| begin <= t_ns);
        self.kept[..begun].last().is_some_and(|&(_, end)| t_ns < end)
    }
}

#[cfg(test)]
impl Spells {
    /// Some of a test.
    pub(crate) fn of(kept: &[(u64, u64)]) -> Self {
        Self { kept: kept.to_vec(), more: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_in_a_spell_from_its_begin_until_before_its_end() {
        let spells = Spells::of(&[(10, 20), (30, 31)]);
        let inside: Vec<u64> = (0..40).filter(|&t_ns| spells.contain(t_ns)).collect();
        assert_eq!(inside, (10..20).chain([30]).collect::<Vec<_>>());
        assert!(!Spells::default().contain(0));
    }

    #[test]
    fn of_too_many_none_is_known() {
        let mut spells = Spells::default();
        for at in 0..MOST_SPELLS as u64 {
            spells.add((2 * at, 2 * at + 1));
        }
        assert!(spells.clone().whole().is_some());
        spells.add((u64::MAX - 1, u64::MAX));
        assert_eq!(spells.whole(), None);
    }
}
