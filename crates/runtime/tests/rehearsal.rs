//! What thieves do on synthetic machines.

mod fib;

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use fib::fib;
use knee_machine::Topology;
use knee_runtime::{
    Arrangement, Costs, Distance, Layout, Neighbours, NumaVec, Place, Pool, Rehearsal, Steal, join_at,
    join_over_sockets, parallel_for, touch, touch_rows,
};

const SOCKETS: &str = "pack:4 [numa] l3:1 core:4 pu:1";

fn pool(steal: Steal, seed: u64, strict: bool) -> Pool {
    let machine = Topology::from_synthetic(SOCKETS).unwrap();
    let cpus: Vec<u32> = (0..16).collect();
    let builder = Pool::builder().workers(16).neighbours(Neighbours::on(&machine, &cpus)).steal(steal);
    builder.ignore_places(steal == Steal::Random).strict(strict).seed(seed).rehearse(Costs::default()).build().unwrap()
}

fn array(layout: Layout, len: usize) -> NumaVec<u64> {
    let arrangement = Arrangement::new(layout, &[0, 1, 2, 3]).pretend(true);
    let mut array = arrangement.uninit(len).unwrap();
    array.each_copy(|slots| slots.iter_mut().for_each(|slot| _ = slot.write(0)));
    // SAFETY: every slot was written.
    unsafe { array.assume_init() }
}

/// Sweeps over an array as heat does: halves, each near its data, down to leaves of two pages.
fn sweep(data: &mut [u64]) {
    if data.len() <= 1024 {
        touch(data);
        return data.iter_mut().for_each(|value| *value += 1);
    }
    let (left, right) = data.split_at_mut(data.len() / 2);
    let near = (Place::near_address(left.as_ptr()), Place::near_address(right.as_ptr()));
    join_at(near.0, || sweep(left), near.1, || sweep(right));
}

fn sweeps(pool: &Pool, layout: Layout) -> Rehearsal {
    let mut data = array(layout, 1 << 20);
    let found = pool.rehearse(|| (0..4).for_each(|_| sweep(data.get_mut().unwrap()))).1;
    assert!(data.iter().all(|value| *value == 4));
    assert_eq!(found.local_bytes + found.remote_bytes, 4 << 23);
    found
}

fn remote_share(found: &Rehearsal) -> f64 {
    found.remote_bytes as f64 / (found.remote_bytes + found.local_bytes) as f64
}

#[test]
fn the_same_seed_gives_the_same_steals() {
    let run = |seed| pool(Steal::Near, seed, false).rehearse(|| fib(16)).1;
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).steals, run(2).steals);
    assert_ne!(run(0).steals, run(1).steals);
    let again = pool(Steal::Near, 1, false);
    assert_eq!(again.rehearse(|| fib(16)), again.rehearse(|| fib(16)));
}

#[test]
fn places_and_near_victims_keep_blocks_at_home() {
    let (near, random) = (
        sweeps(&pool(Steal::Near, 1, false), Layout::Blocked),
        sweeps(&pool(Steal::Random, 1, false), Layout::Blocked),
    );
    eprintln!("near {:?} {} random {:?} {}", remote_share(&near), near.span_ns, remote_share(&random), random.span_ns);
    assert!(remote_share(&random) > 0.5, "without a hint three quarters are far: {random:?}");
    assert!(remote_share(&near) < 0.1, "{}", remote_share(&near));
    let strict = sweeps(&pool(Steal::Near, 1, true), Layout::Blocked);
    assert_eq!(strict.remote_bytes, 0);
}

#[test]
fn nothing_is_gained_where_no_page_has_a_better_place() {
    let share = |steal| remote_share(&sweeps(&pool(steal, 1, false), Layout::Interleaved));
    let (near, random) = (share(Steal::Near), share(Steal::Random));
    eprintln!("interleaved: near {near} random {random}");
    assert!((near - 0.75).abs() < 0.03 && (random - 0.75).abs() < 0.03, "{near} {random}");
}

#[test]
fn near_thieves_steal_nearby() {
    let far = |steal| {
        let found = pool(steal, 3, false).rehearse(|| fib(18)).1;
        let far = found.steals.iter().filter(|moved| moved.distance == Distance::Far).count();
        far as f64 / found.steals.len() as f64
    };
    let (near, random) = (far(Steal::Near), far(Steal::Random));
    eprintln!("fib: far steals near {near} random {random}");
    // 12 of 15 others are far.
    assert!((0.7..0.9).contains(&random), "{random}");
    assert!(near < 0.5, "{near}");
}

#[test]
fn strict_places_lose_where_the_work_is_on_one_node() {
    let span = |strict| {
        let mut data = array(Layout::Node(2), 1 << 20);
        pool(Steal::Near, 1, strict).rehearse(|| sweep(data.get_mut().unwrap())).1.span_ns
    };
    let (free, strict) = (span(false), span(true));
    eprintln!("imbalanced: {free} strict {strict}");
    assert!(strict > free * 3 / 2, "{strict} {free}");
}

/// The same over sockets: the halves of the data come to the halves of the sockets.
fn sweep_over_sockets(data: &mut [u64]) {
    if data.len() <= 1024 {
        touch(data);
        return data.iter_mut().for_each(|value| *value += 1);
    }
    let (left, right) = data.split_at_mut(data.len() / 2);
    join_over_sockets(|| sweep_over_sockets(left), || sweep_over_sockets(right));
}

#[test]
fn thieves_that_stay_within_their_sockets_have_a_root_each_and_read_at_home() {
    let pool = pool(Steal::Within, 5, false);
    let mut data = array(Layout::Blocked, 1 << 20);
    let found = pool.rehearse(|| (0..4).for_each(|_| sweep_over_sockets(data.get_mut().unwrap()))).1;
    assert!(data.iter().all(|value| *value == 4));
    assert!(!found.steals.is_empty());
    assert!(found.steals.iter().all(|steal| steal.distance < Distance::Far), "{:?}", found.steals);
    assert_eq!((found.local_bytes, found.remote_bytes), (4 << 23, 0));
    let alone = f64::from(4 << 23) * Costs::default().byte_ns;
    assert!((found.span_ns as f64) < alone / 12.0, "sixteen workers share it: {} of {alone}", found.span_ns);
    let usage = pool.usage();
    assert_eq!((usage.home_bytes, usage.away_bytes), (4 << 23, 0));
}

#[test]
fn without_a_root_for_each_socket_all_others_starve() {
    let steals = pool(Steal::Within, 5, false).rehearse(|| fib(16)).1.steals;
    let sockets: BTreeSet<_> = steals.iter().map(|steal| steal.thief / 4).collect();
    assert_eq!(sockets.len(), 1, "{sockets:?}");
}

#[test]
fn rows_of_a_matrix_are_counted_where_each_begins() {
    let pool = pool(Steal::Within, 5, false);
    let data = array(Layout::Blocked, 4 * 8 * 512);
    // 32 rows of 512 numbers in four blocks, of which a leaf works on columns 100 to 300.
    let found = pool.rehearse(|| touch_rows(&raw const data[100], 200, 512, 32)).1;
    assert_eq!((found.local_bytes, found.remote_bytes), (8 * 1600, 24 * 1600));
    assert_eq!(pool.usage().away_bytes, 24 * 1600);
}

#[test]
fn orders_from_outside_are_rehearsals_of_their_own() {
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        let pool = pool(Steal::Near, 1, false);
        pool.rehearse(|| fib(4));
        done.send((pool.broadcast(|worker| worker), pool.for_each_place(|node| node)))
    });
    let (workers, nodes) = ended.recv_timeout(Duration::from_mins(1)).expect("all look for orders");
    assert_eq!(workers, (0..16).collect::<Vec<_>>());
    assert_eq!(nodes, [0, 1, 2, 3].map(Some));
}

#[test]
fn memory_of_this_machine_has_no_node() {
    // It was touched, so the kernel knows where it lies.
    let mut data = vec![1_u64; 1 << 20];
    let pool = pool(Steal::Near, 1, false);
    assert!(!pool.rehearse(|| sweep(&mut data)).1.steals.is_empty());
    assert_eq!((pool.usage().pushes, pool.usage().run_away_from_home), (0, 0));
}

#[test]
fn pages_are_interleaved_from_the_begin_of_each_array() {
    let pool = pool(Steal::Near, 1, false);
    // Five pages each, so that the next one begins elsewhere in the round of four nodes.
    let arrays: Vec<_> = (0..4).map(|_| array(Layout::Interleaved, 5 * 512)).collect();
    for data in &arrays {
        assert_eq!(pool.rehearse(|| touch(&data[..512])).1.local_bytes, 4096);
    }
}

#[test]
fn a_loop_is_split_the_same_way_however_long_it_takes() {
    let run = |pause| pool(Steal::Near, 1, false).rehearse(|| parallel_for(0..2048, |_| thread::sleep(pause))).1;
    assert_eq!(run(Duration::ZERO), run(Duration::from_micros(20)));
}
