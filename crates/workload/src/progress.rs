//! How far a run is, for people who wait for it at a terminal.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Passes over tasks, of which one is under way.
#[derive(Debug, Default)]
pub struct Passes {
    pass: AtomicUsize,
    tasks: AtomicUsize,
    done: AtomicUsize,
}

impl Passes {
    /// No pass yet.
    #[must_use]
    pub const fn none() -> Self {
        Self { pass: AtomicUsize::new(0), tasks: AtomicUsize::new(0), done: AtomicUsize::new(0) }
    }

    /// The number of the pass, from 1, and how much of it is done, 0 to 1; none before the first.
    #[must_use]
    pub fn now(&self) -> Option<(usize, f64)> {
        // Relaxed: what is shown may be a moment old.
        let (pass, tasks, done) = (self.pass.load(Relaxed), self.tasks.load(Relaxed), self.done.load(Relaxed));
        (pass > 0 && tasks > 0).then(|| (pass, (done as f64 / tasks as f64).min(1.0)))
    }

    /// Forgets them: what begins next may have no passes, and those that it has are counted from 1.
    pub fn forget(&self) {
        self.tasks.store(0, Relaxed);
        self.pass.store(0, Relaxed);
    }
}

/// What a workload tells of its passes. If nobody listens, telling is one branch.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress(Option<&'static Passes>);

impl Progress {
    /// Told to these passes.
    #[must_use]
    pub fn to(passes: &'static Passes) -> Self {
        Self(Some(passes))
    }

    /// A pass over so many tasks begins.
    pub fn begin(self, tasks: usize) {
        if let Some(passes) = self.0 {
            passes.done.store(0, Relaxed);
            passes.tasks.store(tasks, Relaxed);
            passes.pass.fetch_add(1, Relaxed);
        }
    }

    /// One of its tasks is done. Tell it once for each task, never for each item.
    #[inline]
    pub fn one_done(self) {
        if let Some(passes) = self.0 {
            passes.done.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pass_begins_with_nothing_done() {
        static PASSES: Passes = Passes::none();
        let progress = Progress::to(&PASSES);
        assert_eq!(PASSES.now(), None);
        progress.begin(4);
        progress.one_done();
        assert_eq!(PASSES.now(), Some((1, 0.25)));
        progress.begin(2);
        assert_eq!(PASSES.now(), Some((2, 0.0)));
        progress.one_done();
        progress.one_done();
        assert_eq!(PASSES.now(), Some((2, 1.0)));
        Progress::default().begin(7);
        assert_eq!(PASSES.now(), Some((2, 1.0)), "nobody listens to that one");
        PASSES.forget();
        assert_eq!(PASSES.now(), None);
        progress.begin(3);
        assert_eq!(PASSES.now(), Some((1, 0.0)));
    }
}
