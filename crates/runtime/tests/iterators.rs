//! rayon's chains on this crate's pools.
#![cfg(feature = "rayon")]

use std::collections::HashSet;
use std::sync::Mutex;

use knee_runtime::{OnKnee, Pool};
use rayon::prelude::*;

fn on<R: Send>(workers: usize, work: impl FnOnce() -> R + Send) -> R {
    Pool::builder().workers(workers).build().unwrap().install(work)
}

#[test]
fn chains_give_what_serial_ones_give() {
    let numbers: Vec<u64> = (0..10_000).map(|n| n * 7919 % 1009).collect();
    for workers in [1, 3] {
        let zipped: Vec<_> = on(workers, || {
            numbers.par_iter().zip(&numbers[1..]).enumerate().map(|(i, (a, b))| a * b + i as u64).on_knee().collect()
        });
        let serial: Vec<_> =
            numbers.iter().zip(&numbers[1..]).enumerate().map(|(i, (a, b))| a * b + i as u64).collect();
        assert_eq!(zipped, serial);
        let filtered: Vec<_> = on(workers, || numbers.par_iter().on_knee().filter(|n| **n % 3 == 0).collect());
        assert_eq!(filtered, numbers.iter().filter(|n| **n % 3 == 0).collect::<Vec<_>>());
        let sum =
            on(workers, || numbers.par_chunks(100).rev().map(|part| part.iter().sum::<u64>()).on_knee().sum::<u64>());
        assert_eq!(sum, numbers.iter().sum::<u64>());
        let found = on(workers, || numbers.par_iter().on_knee().find_any(|n| **n == 1008));
        assert_eq!(found, Some(&1008));
    }
}

#[test]
fn a_chain_runs_on_the_pool_it_is_in() {
    let names = Mutex::new(HashSet::new());
    on(2, || {
        (0..10_000_u32).into_par_iter().on_knee().for_each(|_| {
            let name = std::thread::current().name().unwrap().to_owned();
            names.lock().unwrap().insert(name);
        });
    });
    assert!(names.into_inner().unwrap().iter().all(|name| name == "worker 0" || name == "worker 1"));
    // rayon's own pool was not started.
    assert!(rayon::ThreadPoolBuilder::new().num_threads(1).build_global().is_ok());
}

#[test]
fn no_part_is_shorter_than_the_chain_allows() {
    for (len, least) in [(150, 100), (199, 100), (200, 100), (1000, 7), (1, 5)] {
        for workers in [1, 3] {
            let parts = (0..len).into_par_iter().with_min_len(least).on_knee().fold(|| 0, |length, _| length + 1);
            let lengths: Vec<usize> = on(workers, || parts.collect());
            assert_eq!(lengths.iter().sum::<usize>(), len);
            assert!(lengths.len() == 1 || lengths.iter().all(|length| *length >= least), "{len}: {lengths:?}");
        }
    }
}
