//! The sampler's overhead budget: how long it waits after a tick to stay within it.

use std::time::Duration;

/// A tick may take this fraction of the time until the next one.
const SHARE: u32 = 100;
/// A tick has one part in so many of the running mean: the waiting for a costly tick is spread over several, so that it
/// leaves no long gap in the series. The mean adds up to the cost of all ticks, so in the long run the share holds.
const PAID_BACK_OVER: u32 = 4;

/// Keeps a sampler to 1 % of one cpu.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    /// Running mean of the CPU time of ticks.
    mean_cost: Duration,
}

impl Budget {
    /// Whether something of this cost fits the budget once in a period.
    #[must_use]
    pub(crate) fn allows(cost: Duration, period: Duration) -> bool {
        cost * SHARE <= period
    }

    /// Returns how long to wait at least before the next tick, after one with this CPU time.
    pub(crate) fn wait_after(&mut self, cost: Duration) -> Duration {
        self.mean_cost = (self.mean_cost * (PAID_BACK_OVER - 1) + cost) / PAID_BACK_OVER;
        self.mean_cost * SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Duration = Duration::from_micros(50);
    const COSTLY: Duration = Duration::from_millis(5);

    #[test]
    fn a_costly_tick_is_paid_back_over_several_and_in_full() {
        let mut budget = Budget::default();
        let waits: Vec<Duration> =
            (0..100).map(|tick| budget.wait_after(if tick == 0 { COSTLY } else { USUAL })).collect();
        let spent = COSTLY + 99 * USUAL;
        let waited: Duration = waits.iter().sum();
        let owed = spent * SHARE;
        assert!(waited > owed * 98 / 100 && waited <= owed, "{waited:?} of {owed:?}");
        assert!(waits.iter().all(|wait| *wait <= COSTLY * SHARE / 4), "{waits:?}");
    }

    #[test]
    fn costs_that_stay_high_slow_the_sampler_down_within_a_few_ticks() {
        let mut budget = Budget::default();
        let waits: Vec<Duration> = (0..12).map(|_| budget.wait_after(COSTLY)).collect();
        assert!(waits[11] > COSTLY * SHARE * 9 / 10, "{waits:?}");
    }
}
