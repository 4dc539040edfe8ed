//! Places on a machine that has nodes: the kernel is asked where pages lie and where workers run. On a machine with one
//! node these tests are skipped; `ci/numa-vm.sh` runs them on emulated nodes.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use knee_machine::{Topology, sys};
use knee_runtime::{Arrangement, Layout, NumaVec, Place, Pool, Steal, Usage, join, join_at};

/// Elements of a chunk: four pages.
const CHUNK: usize = 2048;
const CHUNKS: usize = 512;

struct Machine {
    topology: Topology,
    cpus: Vec<u32>,
    /// Nodes with cpus.
    nodes: Vec<u32>,
}

/// The machine, if it has at least two nodes with cpus.
fn machine() -> Option<Machine> {
    let topology = Topology::this_machine().unwrap();
    let cpus: Vec<u32> = topology.allowed.cpus.iter().collect();
    let nodes: BTreeSet<u32> = cpus.iter().filter_map(|&cpu| topology.node_of(cpu)).collect();
    if nodes.len() < 2 {
        let note = "SKIPPED crates/runtime/tests/places.rs: one node: run ci/numa-vm.sh";
        eprintln!("{note}");
        if let Some(skips) = std::env::var_os("KNEE_SKIPS") {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(skips);
            // In one write: other tests write there as well.
            file.and_then(|mut file| file.write_all(format!("{note}\n").as_bytes())).unwrap();
        }
        return None;
    }
    Some(Machine { nodes: nodes.into_iter().collect(), topology, cpus })
}

impl Machine {
    fn pool(&self, steal: Steal, strict: bool) -> Pool {
        let builder = Pool::builder().machine(&self.topology).cpus(&self.cpus).steal(steal).strict(strict);
        builder.ignore_places(steal == Steal::Random).account(true).build().unwrap()
    }

    fn node_here(&self) -> u32 {
        self.topology.node_of(u32::try_from(rustix::thread::sched_getcpu()).unwrap()).unwrap()
    }

    /// The share of equal blocks that can be worked on at home while no worker idles: nodes with few workers lose work.
    fn fair_share(&self) -> f64 {
        let even = 1.0 / self.nodes.len() as f64;
        let workers = |node: u32| self.cpus.iter().filter(|&&cpu| self.topology.node_of(cpu) == Some(node)).count();
        self.nodes.iter().map(|&node| even.min(workers(node) as f64 / self.cpus.len() as f64)).sum()
    }

    fn array(&self, pool: &Pool, layout: Layout) -> NumaVec<u64> {
        pool.install(|| Arrangement::new(layout, &self.nodes).from_fn(CHUNK * CHUNKS, |index| index as u64)).unwrap()
    }
}

fn node_of_page<T>(data: &[T]) -> u32 {
    sys::nodes_of_pages(data.as_ptr() as usize, 1).unwrap()[0].expect("it was touched")
}

/// Works on chunks, each near its pages or without any hint, and counts the chunks that were worked on at home.
fn sweep(machine: &Machine, data: &mut [u64], hints: bool, at_home: &AtomicUsize) {
    if data.len() <= CHUNK {
        if node_of_page(data) == machine.node_here() {
            at_home.fetch_add(1, Ordering::Relaxed);
        }
        for _ in 0..20 {
            for value in &mut *data {
                *value = black_box(*value) + 1;
            }
        }
        return;
    }
    let (left, right) = data.split_at_mut(data.len() / 2);
    if hints {
        let near = (Place::near_address(left.as_ptr()), Place::near_address(right.as_ptr()));
        join_at(near.0, || sweep(machine, left, true, at_home), near.1, || sweep(machine, right, true, at_home));
    } else {
        join(|| sweep(machine, left, false, at_home), || sweep(machine, right, false, at_home));
    }
}

/// The share of chunks worked on at home in ten sweeps, and what the workers did.
fn share_at_home(machine: &Machine, steal: Steal, strict: bool) -> (f64, Usage) {
    let pool = machine.pool(steal, strict);
    let mut data = machine.array(&pool, Layout::Blocked);
    let (before, at_home) = (pool.usage(), AtomicUsize::new(0));
    let hints = steal == Steal::Near;
    pool.install(|| (0..10).for_each(|_| sweep(machine, data.get_mut().unwrap(), hints, &at_home)));
    assert!(data.iter().zip(0..).all(|(value, index)| *value == index + 200));
    (at_home.into_inner() as f64 / (10 * CHUNKS) as f64, pool.usage().since(&before))
}

#[test]
fn chunks_of_a_blocked_array_are_worked_on_at_home() {
    let Some(machine) = machine() else { return };
    let (strict, _) = share_at_home(&machine, Steal::Near, true);
    // The best of some attempts: a cpu that its host does not run for a while rightly loses jobs to other nodes.
    let attempts = (0..5).map(|_| share_at_home(&machine, Steal::Near, false));
    let mut attempts = attempts.inspect(|(near, usage)| println!("near {near:.4} {usage:?}"));
    let enough = 0.95 * machine.fair_share();
    let (near, usage) = attempts.find(|(near, _)| *near >= enough).expect("work stays at home");
    let (random, control) = share_at_home(&machine, Steal::Random, false);
    println!("at home: strict {strict:.4}, near {near:.4}, random {random:.4}; random {control:?}");
    assert!((strict - 1.0).abs() < f64::EPSILON, "{strict}");
    assert!(usage.pushes > 0, "{usage:?}");
    let even = 1.0 / machine.nodes.len() as f64;
    assert!((random - even).abs() < 0.5 * even + 0.1, "{random}");
    assert_eq!(control.pushes, 0);
}

#[test]
fn pages_are_where_the_layout_says() {
    let Some(machine) = machine() else { return };
    let pool = machine.pool(Steal::Near, false);
    let blocked = machine.array(&pool, Layout::Blocked);
    for (home, range) in blocked.blocks() {
        let nodes = range.step_by(512).map(|element| Some(node_of_page(&blocked[element..])));
        assert!(nodes.into_iter().all(|node| node == home), "{home:?}");
    }
    let interleaved = machine.array(&pool, Layout::Interleaved).census().unwrap();
    let (least, most) = (interleaved.values().min().unwrap(), interleaved.values().max().unwrap());
    // The kernel interleaves huge pages where it makes them.
    assert!(interleaved.len() == machine.nodes.len() && most - least <= 512, "{interleaved:?}");
    for node in machine.topology.nodes.iter().filter(|node| machine.topology.allowed.nodes.contains(node.id)) {
        // A node without cpus, too.
        let census = machine.array(&pool, Layout::Node(node.id)).census().unwrap();
        assert_eq!(census.keys().copied().collect::<Vec<_>>(), [Some(node.id)]);
    }
}

#[test]
fn a_replicated_array_is_read_from_the_own_node() {
    let Some(machine) = machine() else { return };
    let pool = machine.pool(Steal::Near, false);
    let data = machine.array(&pool, Layout::Replicated);
    let read = |node: Option<u32>| {
        assert_eq!(node, Some(machine.node_here()));
        (Some(node_of_page(&data)) == node, data.iter().sum::<u64>())
    };
    let len = (CHUNK * CHUNKS) as u64;
    assert!(pool.for_each_place(read).iter().all(|&found| found == (true, len * (len - 1) / 2)));
}

/// How many of 200 jobs that were spawned at a node ran there.
fn spawned_at_home(machine: &Machine, strict: bool) -> usize {
    let pool = machine.pool(Steal::Near, strict);
    let right = AtomicUsize::new(0);
    pool.install(|| {
        knee_runtime::scope(|s| {
            for round in 0..200 {
                let node = machine.nodes[round % machine.nodes.len()];
                let right = &right;
                s.spawn_at(Place::Node(node), move |_| {
                    (0..2000).for_each(|value| _ = black_box(value));
                    right.fetch_add(usize::from(machine.node_here() == node), Ordering::Relaxed);
                });
            }
        });
    });
    right.into_inner()
}

#[test]
fn what_is_spawned_at_a_node_runs_there() {
    let Some(machine) = machine() else { return };
    assert_eq!(spawned_at_home(&machine, true), 200);
    // The best of some attempts, as above.
    let mut attempts = (0..5).map(|_| spawned_at_home(&machine, false)).inspect(|right| println!("{right} of 200"));
    assert!(attempts.any(|right| right >= 190), "jobs run where they were spawned");
}

#[test]
fn memory_that_nobody_arranged_is_found_too() {
    let Some(machine) = machine() else { return };
    let pool = machine.pool(Steal::Near, true);
    // Touched first by a worker of each node in turn, on pages of its own.
    let made = pool.for_each_place(|node| (node, vec![1_u8; 8 << 20].into_boxed_slice()));
    for (node, data) in &made {
        let far = &data[4 << 20];
        let found = pool.install(|| join_at(Place::near(far), || machine.node_here(), Place::Any, || ()).0);
        assert_eq!(Some(found), *node);
    }
}
