//! Pools whose thieves stay within their sockets, on this machine's threads and a machine that is made up.

mod fib;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use fib::fib;
use knee_machine::{Placement, Topology};
use knee_runtime::{Distance, Neighbours, Policy, Pool, Steal, WithinDomain, current_worker, join_over_sockets};

fn neighbours(machine: &str, workers: u32) -> Neighbours {
    let machine = Topology::from_synthetic(machine).unwrap();
    let cpus: Vec<u32> = (0..workers).collect();
    Neighbours::on(&machine, &cpus)
}

fn pool(machine: &str, workers: u32) -> Pool {
    Pool::builder()
        .workers(workers as usize)
        .neighbours(neighbours(machine, workers))
        .steal(Steal::Within)
        .build()
        .unwrap()
}

/// The sockets of four that ran leaves of a tree of joins over them.
fn leaves(depth: usize, seen: &Mutex<Vec<(usize, usize)>>, path: usize) {
    if depth == 0 {
        std::thread::sleep(Duration::from_micros(200));
        let worker = current_worker().unwrap().index;
        return seen.lock().unwrap().push((path, worker));
    }
    join_over_sockets(|| leaves(depth - 1, seen, 2 * path), || leaves(depth - 1, seen, 2 * path + 1));
}

#[test]
fn each_quarter_of_the_work_stays_on_its_socket() {
    let pool = pool("pack:4 [numa] core:2 pu:1", 8);
    for _ in 0..20 {
        let seen = Mutex::new(Vec::new());
        pool.install(|| leaves(6, &seen, 0));
        let seen = seen.into_inner().unwrap();
        assert_eq!(seen.len(), 64);
        assert!(seen.iter().all(|(path, worker)| path / 16 == worker / 2), "{seen:?}");
    }
    assert_eq!(pool.usage().steals[Distance::Far as usize], 0);
}

/// Close cores of a ring of sockets come in another order than blocks of arrays, which follow the numbers of nodes.
#[test]
fn on_a_ring_each_quarter_of_the_work_is_on_the_node_of_its_block() {
    let mut machine = Topology::from_synthetic("pack:4 [numa] core:2 pu:1").unwrap();
    for (node, distances) in
        machine.nodes.iter_mut().zip([[10, 21, 31, 21], [21, 10, 21, 31], [31, 21, 10, 21], [21, 31, 21, 10]])
    {
        node.distances = distances.to_vec();
    }
    let cpus = "cores-close".parse::<Placement>().unwrap().cpus(&machine, 8).unwrap();
    assert_eq!(cpus, [0, 1, 2, 3, 6, 7, 4, 5]);
    let pool = Pool::builder().workers(8).neighbours(Neighbours::on(&machine, &cpus)).steal(Steal::Within);
    let pool = pool.build().unwrap();
    let seen = Mutex::new(Vec::new());
    pool.install(|| leaves(6, &seen, 0));
    let seen = seen.into_inner().unwrap();
    assert!(seen.iter().all(|(path, worker)| *path / 16 == cpus[*worker] as usize / 2), "{seen:?}");
}

#[test]
fn more_sockets_than_halves_divide_evenly_are_all_used() {
    let pool = pool("pack:3 [numa] core:1 pu:1", 3);
    let seen = Mutex::new(Vec::new());
    pool.install(|| leaves(4, &seen, 0));
    let workers: BTreeSet<_> = seen.into_inner().unwrap().into_iter().map(|(_, worker)| worker).collect();
    assert_eq!(workers.len(), 3);
}

#[test]
fn a_panic_on_another_socket_goes_on_and_the_pool_with_it() {
    let pool = pool("pack:2 [numa] core:1 pu:1", 2);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        pool.install(|| join_over_sockets(|| 1, || -> i32 { panic!("over there") }));
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"over there"));
    assert_eq!(pool.install(|| join_over_sockets(|| 1, || 2)), (1, 2));
    let seen = Mutex::new(Vec::new());
    pool.install(|| leaves(3, &seen, 0));
    assert!(seen.into_inner().unwrap().iter().all(|(path, worker)| path / 4 == *worker));
}

#[test]
fn in_other_pools_and_outside_it_is_a_join() {
    let random = Pool::builder().workers(2).steal(Steal::Random).build().unwrap();
    assert_eq!(random.install(|| join_over_sockets(|| 1, || 2)), (1, 2));
    assert_eq!(join_over_sockets(|| 1, || 2), (1, 2));
}

#[test]
fn sleepers_on_other_sockets_lose_no_wake_that_is_meant_for_this_one() {
    let pool = pool("pack:2 [numa] core:2 pu:1", 4);
    for _ in 0..200 {
        std::thread::sleep(Duration::from_micros(300));
        assert_eq!(pool.install(|| join_over_sockets(|| fib(14), || fib(15))), (377, 610));
    }
}

#[test]
fn victims_are_mates_and_who_is_alone_has_none() {
    let policy = WithinDomain::new(&neighbours("pack:2 [numa] core:2 pu:1", 3));
    let victims = |thief| (0..64).map(|at| policy.victim(thief, at << 58)).collect::<BTreeSet<_>>();
    assert_eq!(victims(0), BTreeSet::from([Some(1)]));
    assert_eq!(victims(2), BTreeSet::from([None]));
    // A socket of two nodes is one domain; a node of two sockets as well.
    let socket = WithinDomain::new(&neighbours("pack:1 numa:2 core:1 pu:1", 2));
    let node = WithinDomain::new(&neighbours("[numa] pack:2 core:1 pu:1", 2));
    assert_eq!([socket.victim(0, 0), node.victim(0, 0)], [Some(1), Some(1)]);
}
