//! Turns repeated readings into the change since the run began.

/// How a number behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It grows. A smaller value means that it was reset to 0.
    Grows,
    /// It grows up to this value and wraps around to 0.
    Wraps(u64),
    /// It is a level; the highest one counts.
    Level,
}

/// The result of the readings so far.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    pub(crate) kind: Kind,
    last: Option<u64>,
    total: Option<u64>,
    resets: u32,
    gaps: u32,
    reason: Option<String>,
}

impl Tally {
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, last: None, total: None, resets: 0, gaps: 0, reason: None }
    }

    /// Takes a reading, or the reason why there is none, and gives the value since the beginning (of a level: now).
    pub(crate) fn take(&mut self, reading: Result<u64, String>) -> Option<u64> {
        let now = match reading {
            Ok(now) => now,
            Err(reason) => {
                self.gaps += 1;
                self.reason = Some(reason);
                // Its growth in between is unknown, and so is whether it was reset.
                self.last = None;
                return None;
            }
        };
        if self.kind == Kind::Level {
            self.total = Some(self.total.map_or(now, |most| most.max(now)));
            return Some(now);
        }
        // The first reading, or the first after a gap, is the base for growth.
        let Some(last) = self.last.replace(now) else { return Some(self.total.unwrap_or(0)) };
        let grown = match self.kind {
            _ if now >= last => now - last,
            Kind::Wraps(range) if range >= last => range - last + now,
            _ => {
                self.resets += 1;
                now
            }
        };
        self.total = Some(self.total.unwrap_or(0).saturating_add(grown));
        self.total
    }

    /// The value and its caution, or why there is none.
    pub(crate) fn end(&self) -> Result<(u64, String), String> {
        let unread = || self.reason.clone().unwrap_or_else(|| "it was read only once".into());
        let total = self.total.ok_or_else(unread)?;
        let mut notes = Vec::new();
        if self.resets > 0 {
            notes.push(format!("at least: it was set back {} times meanwhile", self.resets));
        }
        if self.gaps > 0 {
            let reason = self.reason.as_deref().unwrap_or_default();
            notes.push(format!("at least: {} readings failed ({reason})", self.gaps));
        }
        Ok((total, notes.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn after(kind: Kind, readings: &[u64]) -> Tally {
        let mut tally = Tally::new(kind);
        for &reading in readings {
            tally.take(Ok(reading));
        }
        tally
    }

    #[test]
    fn growth_is_counted_from_the_first_reading_on() {
        assert_eq!(after(Kind::Grows, &[100, 130, 150]).end(), Ok((50, String::new())));
        assert_eq!(after(Kind::Grows, &[100, 100]).end(), Ok((0, String::new())), "a true zero");
    }

    #[test]
    fn one_reading_is_no_zero() {
        assert!(after(Kind::Grows, &[100]).end().unwrap_err().contains("only once"));
    }

    #[test]
    fn a_wrap_is_no_reset_and_a_reset_is_noticed() {
        assert_eq!(after(Kind::Wraps(1000), &[900, 50]).end(), Ok((150, String::new())));
        let (total, note) = after(Kind::Grows, &[900, 50, 60]).end().unwrap();
        assert_eq!(total, 60);
        assert!(note.contains("set back 1 times"), "{note}");
    }

    #[test]
    fn a_gap_is_said_and_nothing_is_made_up_for_it() {
        let mut tally = after(Kind::Grows, &[100, 110]);
        assert_eq!(tally.take(Err("Unassigned".into())), None);
        assert_eq!(tally.take(Ok(500)), Some(10), "what happened in the gap is not known");
        assert_eq!(tally.take(Ok(505)), Some(15));
        let (total, note) = tally.end().unwrap();
        assert_eq!(total, 15);
        assert!(note.contains("Unassigned"), "{note}");
        let mut never = Tally::new(Kind::Grows);
        never.take(Err("Unavailable".into()));
        assert_eq!(never.end(), Err("Unavailable".into()));
    }

    #[test]
    fn of_a_level_the_highest_counts() {
        assert_eq!(after(Kind::Level, &[5, 9, 2]).end(), Ok((9, String::new())));
    }

    proptest! {
        #[test]
        fn nothing_that_is_read_makes_it_panic_or_go_back(readings: Vec<Option<u64>>, range: u64) {
            for kind in [Kind::Grows, Kind::Wraps(range)] {
                let mut tally = Tally::new(kind);
                let mut before = 0;
                for reading in &readings {
                    if let Some(value) = tally.take(reading.ok_or_else(String::new)) {
                        prop_assert!(value >= before);
                        before = value;
                    }
                }
            }
        }
    }
}
