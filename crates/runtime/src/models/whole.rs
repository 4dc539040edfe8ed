//! Loom models of a whole pool: work from outside, and shutdown.

use std::sync::Arc;

use super::{Checked, check};
use crate::Pool;

/// A pool that is built and dropped: `ending` against a worker that falls asleep.
#[test]
fn a_pool_ends() {
    check(3, || drop(Pool::builder().workers(1).build().unwrap()));
}

/// A job from outside: the inbox, the gate that counts and wakes, the result, and the end of the pool.
#[test]
fn a_job_from_outside() {
    check(2, || {
        let pool = Pool::builder().workers(1).build().unwrap();
        let written = Arc::new(Checked::new());
        let there = Arc::clone(&written);
        assert_eq!(pool.install(move || (there.set(1), 9).1), 9);
        assert_eq!(written.get(), 1);
    });
}

/// A job for the worker.
#[test]
fn a_broadcast() {
    check(2, || {
        let pool = Pool::builder().workers(1).build().unwrap();
        assert_eq!(pool.broadcast(|worker| worker + 5), [5]);
    });
}
