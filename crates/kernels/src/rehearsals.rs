//! Kernels on four simulated sockets: where places and near thieves gain, make no difference, or lose.

use knee_machine::Topology;
use knee_runtime::{Costs, Layout as Homes, Neighbours, Pool, Rehearsal, Steal};
use knee_workload::{Args, Bind, Check, Phase, Phases, Team, Workload};

use crate::cg;
use crate::data::Layout;
use crate::fft::Fft;
use crate::fib::fib;
use crate::heat::{Heat, Plate};
use crate::matmul_z::MatmulZ;
use crate::scheduler::Ours;

const SOCKETS: &str = "pack:4 [numa] l3:1 core:4 pu:1";
const ONE_NODE: &str = "[numa] pack:4 l3:1 core:4 pu:1";

fn pool(machine: &str, steal: Steal, strict: bool) -> Pool {
    let machine = Topology::from_synthetic(machine).unwrap();
    let cpus: Vec<u32> = (0..16).collect();
    let builder = Pool::builder().workers(16).neighbours(Neighbours::on(&machine, &cpus)).steal(steal).strict(strict);
    builder.ignore_places(steal == Steal::Random).seed(7).rehearse(Costs::default()).build().unwrap()
}

fn heat(machine: &str, steal: Steal, homes: Homes, strict: bool) -> Rehearsal {
    let plate = Plate::new(512, 512, 4);
    let layout = Layout::Pretended(homes, 4);
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
    let layout = Layout::Pretended(homes, 4);
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

#[test]
fn by_arguments_a_kernel_is_rehearsed_with_its_counts_in_virtual_time() {
    let found = |runtime: &str, layout: &str| {
        let words =
            format!("--rows 256 --columns 256 --leaf 4 --steps 3 --runtime {runtime} --layout {layout} --rehearse");
        let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        words.push(SOCKETS.to_owned());
        let named = Args::named(Heat.params(), &words).unwrap();
        let args = Args::complete(Heat.params(), &named).unwrap();
        let mut phases = Phases::default();
        let mut run = Heat.prepare(&args, &Team::new(16, &[], Bind::Set), &mut phases).unwrap();
        let answer = run.run(&mut phases);
        assert_eq!(run.check(&answer), Check::Right);
        phases.done().into_iter().find(|phase| phase.name == "steps").unwrap()
    };
    let (within, random) = (found("within-socket", "blocked"), found("random", "one-node"));
    let away = |phase: &Phase| phase.counters["away-bytes"];
    assert_eq!((away(&within), within.counters["steals-far"]), (0, 0));
    assert_eq!(within.counters["home-bytes"], 3 * 256 * 256 * 8);
    assert!(away(&random) > 2 * 256 * 256 * 8, "three quarters of three steps are away: {}", away(&random));
    assert!(within.wall_ns < random.wall_ns && !within.counters.contains_key("busy-ns"));
    assert_eq!(found("within-socket", "blocked").wall_ns, within.wall_ns, "the same seed, the same run");
}

/// Bytes at home and away of the phase that is the work itself, on four sockets.
fn bytes_in_blocks(workload: &dyn Workload, words: &str) -> [u64; 2] {
    let words = format!("{words} --layout blocked");
    let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    words.extend(["--rehearse".to_owned(), SOCKETS.to_owned()]);
    let named = Args::named(workload.params(), &words).unwrap();
    let args = Args::complete(workload.params(), &named).unwrap();
    let mut phases = Phases::default();
    let mut run = workload.prepare(&args, &Team::new(16, &[], Bind::Set), &mut phases).unwrap();
    let answer = run.run(&mut phases);
    assert_eq!(run.check(&answer), Check::Right);
    let phase = phases.done().into_iter().find(|phase| phase.name == workload.phase()).unwrap();
    ["home-bytes", "away-bytes"].map(|name| phase.counters[name])
}

#[test]
fn a_leaf_of_a_product_touches_its_three_tiles() {
    let [home, away] = bytes_in_blocks(&MatmulZ, "--n 256 --tile 32");
    assert_eq!(home + away, 8 * 8 * 8 * 3 * 32 * 32 * 8);
    // Where a quadrant of the product is at home, half of its factors are not.
    assert!(away > home / 4, "{home} {away}");
}

#[test]
fn each_pass_of_a_transform_touches_both_arrays_and_its_roots() {
    let number = 2 * 8;
    for (n, levels) in [(1 << 12, 0), (1 << 14, 1), (1 << 16, 2)] {
        let both = 2 * number * n;
        let roots = 3 * number * n / 4;
        // A level that does not fit into a cache has two passes; the parts that do are one.
        let [home, away] = bytes_in_blocks(&Fft, &format!("--n {n}"));
        assert_eq!(home + away, levels * (2 * both + roots) + both, "{n}");
    }
}

#[test]
fn what_cannot_be_rehearsed_is_refused() {
    let refused = |words: &str, machine: &str| {
        let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        words.extend(["--rehearse".to_owned(), machine.to_owned()]);
        let named = Args::named(Heat.params(), &words).unwrap();
        let args = Args::complete(Heat.params(), &named).unwrap();
        let error = Heat.prepare(&args, &Team::new(3, &[], Bind::Set), &mut Phases::default()).err().unwrap();
        (error.to_string(), error.hinted().is_some())
    };
    let says = |start: &str, found: (String, bool)| assert!(found.0.starts_with(start) && found.1, "{found:?}");
    says("bad argument: rehearse 'pack:x':", refused("", "pack:x"));
    says("runtime 'rayon' cannot be rehearsed", refused("--runtime rayon --layout blocked", SOCKETS));
    says("layout contiguous cannot be rehearsed", refused("", SOCKETS));
    says("cannot rehearse: ", refused("--layout blocked", "pack:1 core:2 pu:1"));
}
