//! Captured machines: what is read from their `/sys`, and where placements put threads on them.

mod shared;

use std::path::{Path, PathBuf};
use std::process::Command;

use knee_machine::placement::Order;
use knee_machine::{Placement, Topology};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

/// Plain machines that this reader is meant to be right on.
const PLAIN: [&str; 5] =
    ["xeon4108-2p-16c-smt2", "laptop-4c-smt2", "xeon-4p-72c-smt2", "westmere-ex-4p-40c", "epyc7451-2p-48c-smt2-8n"];

/// Unpacks a capture and reads it; the folder goes away with the first part.
fn captured(topologies: &Path, name: &str) -> (TempDir, Topology) {
    let unpacked = tempfile::tempdir().unwrap();
    let archive = topologies.join("captures").join(format!("{name}.tar.bz2"));
    let done = Command::new("tar").arg("-xjf").arg(archive).arg("-C").arg(unpacked.path()).status().unwrap();
    assert!(done.success(), "tar unpacks {name}");
    let topology = Topology::from_sysfs(&unpacked.path().join(name)).unwrap();
    (unpacked, topology)
}

fn expected(topologies: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(topologies.join("expected.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[name]["sysfs"].clone()
}

fn topologies(test: &str) -> Option<PathBuf> {
    shared::folder(test, "topologies")
}

#[test]
fn plain_machines_are_read_as_they_are() {
    let Some(folder) = topologies("plain_machines_are_read_as_they_are") else { return };
    for name in PLAIN {
        let (_unpacked, machine) = captured(&folder, name);
        let expected = expected(&folder, name);
        let count = |key: &str| usize::try_from(expected[key].as_u64().unwrap()).unwrap();
        assert_eq!(machine.hardware_threads.len(), count("online_pus"), "{name}");
        assert_eq!(machine.sockets.len(), count("packages"), "{name}");
        assert_eq!(machine.cores.len(), count("cores_by_thread_siblings"), "{name}");
        let (with_cpus, _): (Vec<_>, Vec<_>) = machine.nodes.iter().partition(|node| !node.cpus.is_empty());
        for node in &with_cpus {
            let cpus: Vec<u64> = node.cpus.iter().map(u64::from).collect();
            assert_eq!(serde_json::json!(cpus), expected["node_cpus"][node.id.to_string()], "{name} node {}", node.id);
        }
        if expected["slit_rows_by_node_id"].is_array() {
            let rows: Vec<_> = machine.nodes.iter().map(|node| node.distances.clone()).collect();
            assert_eq!(serde_json::json!(rows), expected["slit_rows_by_node_id"], "{name}");
        }
    }
}

fn order(machine: &Topology, placement: &str) -> Vec<u32> {
    match placement.parse::<Placement>().unwrap().order(machine).unwrap() {
        Order::Cpus(cpus) => cpus,
        Order::Kernel => panic!("{placement} leaves it to the kernel"),
    }
}

/// By hand: 2 sockets of 8 cores; cpu n and n + 16 are siblings; socket 0 holds cpus 0-7.
#[test]
fn the_textbook_machine_is_filled_as_by_hand() {
    let Some(folder) = topologies("the_textbook_machine_is_filled_as_by_hand") else { return };
    let (_unpacked, machine) = captured(&folder, "xeon4108-2p-16c-smt2");
    assert_eq!(order(&machine, "cores-close"), (0..32).collect::<Vec<_>>());
    let spread: Vec<u32> =
        (0..2).flat_map(|rank| (0..8).flat_map(move |i| [i + 16 * rank, 8 + i + 16 * rank])).collect();
    assert_eq!(order(&machine, "cores-spread"), spread);
    assert_eq!(order(&machine, "threads-close"), (0..16).flat_map(|core| [core, core + 16]).collect::<Vec<_>>());
    assert_eq!(order(&machine, "31,4,0-1"), [31, 4, 0, 1]);
}

/// By hand: cpu numbers go round the four sockets (cpu n is in socket n mod 4), no siblings.
#[test]
fn numbers_that_go_round_the_sockets_do_not_deceive() {
    let Some(folder) = topologies("numbers_that_go_round_the_sockets_do_not_deceive") else { return };
    let (_unpacked, machine) = captured(&folder, "westmere-ex-4p-40c");
    let socket = |cpu: u32| machine.hardware_threads.iter().find(|thread| thread.id == cpu).unwrap().socket;
    let close = order(&machine, "cores-close");
    let first_ten: std::collections::BTreeSet<_> = close[..10].iter().map(|&cpu| socket(cpu)).collect();
    assert_eq!(first_ten.len(), 1, "ten cores of one socket come first: {close:?}");
    let spread = order(&machine, "cores-spread");
    let first_four: std::collections::BTreeSet<_> = spread[..4].iter().map(|&cpu| socket(cpu)).collect();
    assert_eq!(first_four.len(), 4, "one core of each socket comes first: {spread:?}");
}

/// A made machine: sockets × cores × threads, siblings next to each other or half the machine apart, one node a socket.
fn made(sockets: u32, cores: u32, threads: u32, split: bool) -> (TempDir, Topology) {
    let root = tempfile::tempdir().unwrap();
    let total = sockets * cores * threads;
    let put = |path: String, text: String| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("sys/devices/system/cpu/online".into(), format!("0-{}\n", total - 1));
    let number = |core: u32, rank: u32| if split { core + rank * sockets * cores } else { core * threads + rank };
    let list = |cpus: Vec<u32>| cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    for core in 0..sockets * cores {
        let siblings = list((0..threads).map(|rank| number(core, rank)).collect());
        for rank in 0..threads {
            let base = format!("sys/devices/system/cpu/cpu{}/topology", number(core, rank));
            put(format!("{base}/physical_package_id"), (core / cores).to_string());
            put(format!("{base}/thread_siblings_list"), siblings.clone());
        }
    }
    for socket in 0..sockets {
        let members = (0..cores).flat_map(|core| (0..threads).map(move |rank| number(socket * cores + core, rank)));
        put(format!("sys/devices/system/node/node{socket}/cpulist"), list(members.collect()));
    }
    let machine = Topology::from_sysfs(root.path()).unwrap();
    (root, machine)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn an_order_uses_every_cpu_once_and_no_core_twice_too_early(
        sockets in 1u32..5, cores in 1u32..9, threads in 1u32..5, split: bool,
    ) {
        let (_root, machine) = made(sockets, cores, threads, split);
        let all = machine.online();
        for (name, _) in Placement::NAMED.iter().filter(|(name, _)| *name != "none") {
            let order = order(&machine, name);
            prop_assert_eq!(order.iter().copied().collect::<knee_machine::CpuSet>(), all.clone());
            prop_assert_eq!(order.len(), all.len());
            let placement: Placement = name.parse().unwrap();
            for n in 1..=order.len() {
                prop_assert_eq!(&placement.cpus(&machine, n).unwrap()[..], &order[..n]);
            }
            let core = |cpu: &u32| machine.hardware_threads.iter().find(|thread| thread.id == *cpu).unwrap().core;
            let first: std::collections::BTreeSet<_> = order[..machine.cores.len()].iter().map(core).collect();
            if name.starts_with("cores-") {
                prop_assert_eq!(first.len(), machine.cores.len());
            } else {
                prop_assert_eq!(first.len(), machine.cores.len().div_ceil(threads as usize));
            }
        }
    }
}
