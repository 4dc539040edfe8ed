//! Kernels on four simulated sockets: where places and near thieves gain, make no difference, or lose.

use knee_machine::Topology;
use knee_runtime::{Costs, Layout as Homes, Neighbours, Pool, Rehearsal, Steal};

use crate::cg;
use crate::data::Layout;
use crate::fib::fib;
use crate::heat::Plate;
use crate::scheduler::Ours;

const SOCKETS: &str = "pack:4 [numa] l3:1 core:4 pu:1";
const ONE_NODE: &str = "[numa] pack:4 l3:1 core:4 pu:1";

fn pool(machine: &str, steal: Steal, strict: bool) -> Pool {
    let machine = Topology::from_synthetic(machine).unwrap();
    let cpus: Vec<u32> = (0..16).collect();
    let builder = Pool::builder().workers(16).neighbours(Neighbours::on(&machine, &cpus)).steal(steal).strict(strict);
    builder.heedless(steal == Steal::Random).seed(7).rehearse(Costs::default()).build().unwrap()
}

fn heat(machine: &str, steal: Steal, homes: Homes, strict: bool) -> Rehearsal {
    let plate = Plate::new(512, 512, 4);
    let layout = Layout::Pretended(homes);
    let pool = pool(machine, steal, strict);
    let work = || {
        let mut now = layout.array::<Ours, _>(512 * 512, |_| 0.0);
        let mut next = layout.array::<Ours, _>(512 * 512, |_| 0.0);
        for step in 1..=6 {
            plate.step::<Ours>(&now, &mut next, 0, step);
            std::mem::swap(&mut now, &mut next);
        }
    };
    pool.rehearse(work).1
}

fn conjugate_gradients(steal: Steal, homes: Homes) -> Rehearsal {
    let layout = Layout::Pretended(homes);
    pool(SOCKETS, steal, false).rehearse(|| cg::solve_small::<Ours>(layout)).1
}

fn remote(found: &Rehearsal) -> f64 {
    found.remote_bytes as f64 / (found.remote_bytes + found.local_bytes) as f64
}

#[test]
fn heat_in_blocks_stays_at_home() {
    let of = |steal| heat(SOCKETS, steal, Homes::Blocked, false);
    let (near, random) = (of(Steal::Near), of(Steal::Random));
    println!(
        "heat, blocked: remote near {:.3} random {:.3}, {} and {} ns",
        remote(&near),
        remote(&random),
        near.span_ns,
        random.span_ns
    );
    assert!(remote(&near) < 0.5 * remote(&random));
    assert!(near.span_ns < random.span_ns);
}

#[test]
fn conjugate_gradients_in_blocks_stay_at_home() {
    let of = |steal| conjugate_gradients(steal, Homes::Blocked);
    let (near, random) = (of(Steal::Near), of(Steal::Random));
    println!(
        "cg, blocked: remote near {:.3} random {:.3}, {} and {} ns",
        remote(&near),
        remote(&random),
        near.span_ns,
        random.span_ns
    );
    assert!(remote(&near) < 0.7 * remote(&random));
}

#[test]
fn interleaved_pages_leave_nothing_to_gain() {
    let shares = [Steal::Near, Steal::Random].map(|steal| remote(&heat(SOCKETS, steal, Homes::Interleaved, false)));
    println!("heat, interleaved: remote near {:.3} random {:.3}", shares[0], shares[1]);
    assert!(shares.iter().all(|share| (share - 0.75).abs() < 0.03), "{shares:?}");
}

#[test]
fn one_node_leaves_nothing_to_gain() {
    let spans = [Steal::Near, Steal::Random].map(|steal| {
        let found = heat(ONE_NODE, steal, Homes::Node(0), false);
        assert_eq!(found.remote_bytes, 0);
        found.span_ns as f64
    });
    println!("heat, one node: near over random {:.3}", spans[0] / spans[1]);
    assert!((spans[0] / spans[1] - 1.0).abs() < 0.1, "{spans:?}");
}

#[test]
fn fib_has_no_memory_to_be_near() {
    let spans = [Steal::Near, Steal::Random].map(|steal| {
        let (answer, found) = pool(SOCKETS, steal, false).rehearse(|| fib::<Ours>(18));
        assert_eq!((answer, found.remote_bytes), (2584, 0));
        found.span_ns as f64
    });
    println!("fib: near over random {:.3}", spans[0] / spans[1]);
    assert!((spans[0] / spans[1] - 1.0).abs() < 0.25, "{spans:?}");
}

#[test]
fn strict_places_lose_where_all_data_is_on_one_node() {
    let span = |strict| heat(SOCKETS, Steal::Near, Homes::Node(2), strict).span_ns as f64;
    let (free, strict) = (span(false), span(true));
    println!("heat, all on one node: strict over free {:.3}", strict / free);
    assert!(strict > 1.3 * free);
}
