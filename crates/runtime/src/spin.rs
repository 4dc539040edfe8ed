//! Spin time of an idle worker before it sleeps.

use std::time::{Duration, Instant};

use crate::sync::{MODEL, hint, thread};

/// Time to spin before sleeping. Waking a thread takes some ten microseconds; spinning a few times as long costs little
/// and often pays.
const PATIENCE: Duration = Duration::from_micros(50);
/// Rounds between looks at the clock.
const ROUNDS: u32 = 8;

pub(crate) struct Spin {
    rounds: u32,
    end: Option<Instant>,
}

impl Spin {
    pub(crate) fn new() -> Self {
        Self { rounds: 0, end: None }
    }

    /// Whether it has lasted about a microsecond at most.
    pub(crate) fn is_young(&self) -> bool {
        !MODEL && self.rounds < ROUNDS
    }

    /// Waits a moment; false when it is time to sleep. With more workers than cpus it yields the cpu.
    pub(crate) fn again(&mut self, crowded: bool) -> bool {
        self.rounds += 1;
        if MODEL {
            thread::yield_now();
            return self.rounds < 2;
        }
        if crowded {
            thread::yield_now();
        } else {
            (0..4).for_each(|_| hint::spin_loop());
        }
        if !crowded && !self.rounds.is_multiple_of(ROUNDS) {
            return true;
        }
        let now = Instant::now();
        now < *self.end.get_or_insert(now + PATIENCE)
    }
}
