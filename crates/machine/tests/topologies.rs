//! Every captured machine: hwloc's XML gives what hwloc counted, `/sys` what the kernel says, and exported XML reads
//! back the same, here and in `lstopo`.

mod captured;
mod shared;

use std::collections::BTreeMap;
use std::process::Command;

use knee_machine::{CpuSet, Placement, Topology};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The top-level fields of `expected.json` as far as they describe a machine, out of a topology.
fn counted(machine: &Topology) -> Value {
    let caches = |level| machine.caches.iter().filter(|c| c.level == level && c.kind != "instruction").count();
    let mut threads_per_core: BTreeMap<String, usize> = BTreeMap::new();
    for core in &machine.cores {
        *threads_per_core.entry(core.cpus.len().to_string()).or_default() += 1;
    }
    let node = |n: &knee_machine::topology::Node| {
        (n.id.to_string(), json!({ "pus": n.cpus.len(), "memory_bytes": n.memory_bytes }))
    };
    json!({
        "packages": machine.sockets.len(), "dies": machine.dies.len(), "groups": machine.groups.len(),
        "cores": machine.cores.len(), "pus": machine.hardware_threads.len(),
        "allowed_pus": machine.allowed.cpus.len(), "numa_nodes": machine.nodes.len(),
        "numa_os_ids": machine.nodes.iter().map(|node| node.id).collect::<Vec<_>>(),
        "threads_per_core": threads_per_core, "l3": caches(3), "l2": caches(2), "cpukinds": machine.cpu_kinds.len(),
        "nodes": machine.nodes.iter().map(node).collect::<serde_json::Map<_, _>>(),
        "slit": slit(machine),
    })
}

/// Distances by pair of nodes, so that the order of rows does not matter.
fn slit(machine: &Topology) -> Value {
    let pair = |from: &knee_machine::topology::Node, at: usize| format!("{} {}", from.id, machine.nodes[at].id);
    let row = |node: &knee_machine::topology::Node| {
        node.distances.iter().enumerate().map(|(at, d)| (pair(node, at), json!(d))).collect::<Vec<_>>()
    };
    let map: serde_json::Map<_, _> = machine.nodes.iter().flat_map(row).collect();
    if map.is_empty() { Value::Null } else { map.into() }
}

fn expected_slit(slit: &Value) -> Value {
    let Some(order) = slit["os_index_order"].as_array() else { return Value::Null };
    let pairs = order.iter().enumerate().flat_map(|(row, from)| {
        let cell = move |(column, to): (usize, &Value)| (format!("{from} {to}"), slit["rows"][row][column].clone());
        order.iter().enumerate().map(cell)
    });
    Value::Object(pairs.collect())
}

#[test]
fn xml_of_every_machine_gives_what_hwloc_counted() {
    let Some(folder) = shared::folder("xml_of_every_machine_gives_what_hwloc_counted", "topologies") else { return };
    let all = captured::expected(&folder);
    assert!(all.len() > 20, "the expectations are there");
    for (name, expected) in &all {
        let machine = captured::from_xml(&folder, expected);
        let found = counted(&machine);
        for (field, value) in found.as_object().unwrap() {
            let expected = if field == "slit" { &expected_slit(&expected["slit"]) } else { &expected[field] };
            assert_eq!(value, expected, "{name}: {field}");
        }
    }
}

#[test]
fn files_of_every_capture_give_what_the_kernel_says() {
    let Some(folder) = shared::folder("files_of_every_capture_give_what_the_kernel_says", "topologies") else { return };
    for (name, expected) in captured::expected(&folder) {
        if expected["sysfs"].is_null() {
            continue;
        }
        let (_unpacked, machine) = captured::from_files(&folder, &name);
        let (found, expected) = (counted(&machine), &expected["sysfs"]);
        let same = [
            ("pus", "online_pus"),
            ("packages", "packages"),
            ("cores", "cores_by_thread_siblings"),
            ("threads_per_core", "threads_per_core"),
            ("numa_os_ids", "numa_node_ids"),
        ];
        for (ours, theirs) in same {
            assert_eq!(found[ours], expected[theirs], "{name}: {theirs}");
        }
        assert_eq!(json!(machine.offline), expected["offline_pus"], "{name}");
        let rows: Vec<_> = machine.nodes.iter().map(|node| node.distances.clone()).collect();
        assert_eq!(
            expected["slit_rows_by_node_id"],
            if rows[0].is_empty() { Value::Null } else { json!(rows) },
            "{name}"
        );
        let without: Vec<_> = machine.nodes.iter().filter(|node| node.cpus.is_empty()).map(|node| node.id).collect();
        assert_eq!(json!(without), expected["cpuless_nodes"], "{name}");
        let online = machine.online();
        for node in machine.nodes.iter().filter(|node| !node.cpus.is_empty()) {
            let named: CpuSet = serde_json::from_value(expected["node_cpus"][node.id.to_string()].clone()).unwrap();
            assert_eq!(node.cpus, named.intersection(&online), "{name} node {}", node.id);
        }
    }
}

/// What each odd machine is there for.
#[test]
fn odd_machines_show_what_is_odd_about_them() {
    let Some(folder) = shared::folder("odd_machines_show_what_is_odd_about_them", "topologies") else { return };
    let files = |name: &str| captured::from_files(&folder, name);
    let (_a, cpuset) = files("opteron865-8p-16c-cpuset10of16");
    assert_eq!(cpuset.allowed.cpus.to_string(), "0-3,5-6,12-15");
    assert_eq!(cpuset.allowed.nodes.to_string(), "1-4");
    let (_b, hybrid) = files("raptorlake-hybrid-6p-8e");
    let kinds: Vec<_> = hybrid.cpu_kinds.iter().map(|kind| (kind.name.as_str(), kind.cpus.to_string())).collect();
    assert_eq!(kinds, [("efficiency", "12-19".into()), ("performance", "0-11".into())]);
    let (_c, clusters) = files("kunpeng920-2p-128c-4n-clusters");
    assert_eq!(clusters.groups.iter().filter(|group| group.kind == "cluster" && group.cpus.len() == 4).count(), 32);
    let (_d, cached) = files("cascadelake-2p-40c-smt2-snc2-pmemcache");
    assert!(cached.nodes.iter().all(|node| node.side_cache_bytes > 0), "memory behind a cache");
    assert!(cached.nodes.iter().all(|node| node.access.is_none()), "a claim of 0 ns is no claim");
    let (_e, unnumbered) = files("power7-64c-smt4-8n");
    assert_eq!(unnumbered.socket_like().len(), 8, "nodes stand for sockets that have no number");
    let expected = captured::expected(&folder);
    let flat = captured::from_xml(&folder, &expected["knl-like-snc4-flat-v3"]);
    let fast = flat.nodes.iter().filter(|node| node.kind.as_deref() == Some("HBM"));
    let claims: Vec<_> = fast.filter_map(|node| node.access.as_ref()?.read_bandwidth_mib_s).collect();
    assert_eq!(claims, [90_000; 4]);
}

#[test]
fn what_is_written_as_xml_is_read_back_alike() {
    let Some(folder) = shared::folder("what_is_written_as_xml_is_read_back_alike", "topologies") else { return };
    let lstopo = Command::new("lstopo-no-graphics").arg("--version").output().is_ok();
    if !lstopo {
        shared::skipped("what_is_written_as_xml_is_read_back_alike", "lstopo-no-graphics is not installed");
    }
    for (name, expected) in captured::expected(&folder) {
        let mut machine = captured::from_xml(&folder, &expected);
        // A socket without visible cpus cannot be found by its cpus.
        machine.sockets.retain(|socket| !socket.cpus.is_empty());
        let text = machine.to_hwloc_xml();
        let again = Topology::from_hwloc_xml(&text, "ours").unwrap();
        assert_eq!(counted(&machine), counted(&again), "{name}");
        let spread = |machine: &Topology| "cores-spread".parse::<Placement>().unwrap().order(machine).unwrap();
        assert_eq!(spread(&machine), spread(&again), "{name}");
        if lstopo {
            let file = tempfile::Builder::new().suffix(".xml").tempfile().unwrap();
            std::fs::write(file.path(), text).unwrap();
            let mut command = Command::new("lstopo-no-graphics");
            let shown = command.arg("-i").arg(file.path()).args(["--disallowed", "--of", "xml"]).output().unwrap();
            let theirs = Topology::from_hwloc_xml(&String::from_utf8(shown.stdout).unwrap(), "lstopo").unwrap();
            let (mut ours, mut theirs) = (counted(&machine), counted(&theirs));
            for side in [&mut ours, &mut theirs] {
                // hwloc has no empty set of near cpus: a node without cpus is near to all.
                side["nodes"].as_object_mut().unwrap().retain(|_, node| node["pus"] != 0);
                side["groups"] = Value::Null;
            }
            if name != "opteron865-8p-16c-cpuset10of16" {
                assert_eq!(ours, theirs, "{name}");
            }
        }
    }
}

#[test]
fn synthetic_text_gives_what_hwloc_made_of_it() {
    let Some(folder) = shared::folder("synthetic_text_gives_what_hwloc_made_of_it", "topologies") else { return };
    for (name, expected) in captured::expected(&folder) {
        let Some(text) = expected["hwloc_synthetic"].as_str().filter(|text| !text.contains("...")) else { continue };
        let (made, read) = (Topology::from_synthetic(text).unwrap(), captured::from_xml(&folder, &expected));
        assert_eq!(counted(&made), counted(&read), "{name}");
        let cores = |machine: &Topology| machine.cores.iter().map(|core| core.cpus.clone()).collect::<Vec<_>>();
        assert_eq!(cores(&made), cores(&read), "{name}");
    }
}

/// By hand, from hwloc's manual: the three ways to number a level say the same.
#[test]
fn indexes_of_synthetic_text_may_be_written_in_three_ways() {
    let cores = |text: &str| {
        let machine = Topology::from_synthetic(text).unwrap();
        machine.cores.iter().map(|core| core.cpus.to_string()).collect::<Vec<_>>()
    };
    let by_hand = ["0,4", "1,5", "2,6", "3,7"];
    assert_eq!(cores("pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)"), by_hand);
    assert_eq!(cores("pack:2 core:2 pu:2(indexes=2*4:1*2)"), by_hand);
    assert_eq!(cores("pack:2 core:2 pu:2(indexes=core:pu)"), by_hand);
    // Sockets alternate first: cpu n is in socket n mod 2.
    assert_eq!(cores("pack:2 core:2 pu:2(indexes=pack:core:pu)"), ["0,4", "1,5", "2,6", "3,7"]);
    let machine = Topology::from_synthetic("pack:2 core:2 pu:2(indexes=pack:core:pu)").unwrap();
    assert_eq!(machine.sockets[0].cpus.to_string(), "0,2,4,6");
    assert_eq!(Topology::from_synthetic("2 3 4").unwrap().sockets.len(), 2);
}

/// As hwloc places them: fast and slow memory of one socket are nodes with the same cpus.
#[test]
fn several_nodes_beside_one_object_have_all_its_cpus() {
    for (text, cpus) in [
        ("pack:1 [numa:3] core:2", &["0-1"; 3][..]),
        ("pack:1 [numa:3] core:4", &["0-3"; 3]),
        ("pack:2 [numa:2] core:2 pu:2", &["0-3", "0-3", "4-7", "4-7"]),
        ("[numa:5] core:3", &["0-2"; 5]),
    ] {
        let nodes = Topology::from_synthetic(text).unwrap().nodes;
        assert_eq!(nodes.iter().map(|node| node.cpus.to_string()).collect::<Vec<_>>(), cpus, "{text}");
    }
}

#[test]
fn what_is_no_machine_is_refused_with_its_reason() {
    for (text, reason) in [
        ("", "it names no level"),
        ("pack:2 core:x", "'core:x' is not a level; write TYPE:NUMBER"),
        ("wheel:2", "'wheel' is not an object type"),
        ("pack:2 (core:2", "a bracket has no partner"),
        ("pu:4(indexes=0,1,2)", "does not number 4 objects"),
        ("pack:600 core:600", "more than 8192 objects"),
        ("numa:2000 pu:1", "more than 1024 nodes"),
        ("l0:2 pu:1", "'l0' is not an object type"),
    ] {
        let error = Topology::from_input(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    for (text, reason) in [
        ("<topology/>", "is not hwloc's XML in format 2 or 3"),
        ("<topology version=\"2.0\"/>", "is not a machine with at least one hardware thread"),
        ("nothing", "is not XML"),
        ("<topology version=\"2.0\"><object type=\"PU\" cpuset=\"0xf...f\"/></topology>", "a set in hwloc's notation"),
    ] {
        let error = Topology::from_hwloc_xml(text, "file.xml").unwrap_err().to_string();
        assert!(error.starts_with("cannot read the machine: file.xml") && error.contains(reason), "{text}: {error}");
    }
    let pu = r#"<object type="PU" os_index="0" cpuset="0x1"/>"#;
    let file = |object: &str, after: &str| {
        format!(
            r#"<topology version="2.0"><object type="Machine" cpuset="0x1">{object}{pu}</object>{after}</topology>"#
        )
    };
    let matrix = |indexes: &str, values: &str| {
        format!(
            r#"<distances2 name="NUMALatency" indexing="os"><indexes>{indexes}</indexes><u64values>{values}</u64values></distances2>"#
        )
    };
    let node = r#"<object type="NUMANode" os_index="0" cpuset="0x1" gp_index="7" local_memory="1"/>"#;
    for (text, reason) in [
        (file(r#"<object type="Core" os_index="-1" cpuset="0x1"/>"#, ""), "os_index=-1"),
        (file(r#"<object type="NUMANode" os_index="0" local_memory="1e9" cpuset="0x1"/>"#, ""), "local_memory=1e9"),
        (file(r#"<object type="L2Cache" cache_size="99999999999999999999" depth="2"/>"#, ""), "cache_size=9999"),
        (file(r#"<object type="L2Cache" cache_size="1" depth="4294967296"/>"#, ""), "depth=4294967296"),
        (file(r#"<object type="MemCache" cache_size="big">"#, ""), "is not XML"),
        (file(&format!(r#"<object type="MemCache" cache_size="big">{node}</object>"#), ""), "cache_size=big"),
        (file(node, &matrix("0", "ten")), "distance=ten"),
        (file(node, &matrix("zero", "10")), "index=zero"),
        (file(node, &matrix("0", "10 20")), "\"2 distances for 1 nodes\" is not a square matrix"),
        (
            file(node, r#"<memattr name="Latency"><memattr_value target_obj_gp_index="7" value="?"/></memattr>"#),
            "value=?",
        ),
        (
            file("", r#"<cpukind cpuset="0x1"><info name="FrequencyMaxMHz" value="3.5 GHz"/></cpukind>"#),
            "FrequencyMaxMHz=3.5 GHz",
        ),
        (file("", r#"<cpukind cpuset="all"/>"#), "a set in hwloc's notation"),
    ] {
        let error = Topology::from_hwloc_xml(&text, "file.xml").map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with("cannot read the machine: file.xml") && error.contains(reason), "{text}: {error}");
    }
    assert!(Topology::from_input("no/such/file.xml").unwrap_err().to_string().contains("No such file"));
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in "[a-z0-9:*=,()\\[\\] <>\"/]{0,60}") {
        let _ = Topology::from_synthetic(&text);
        let _ = Topology::from_hwloc_xml(&text, "fuzzed");
        let inside = format!("<topology version=\"2.0\"><object type=\"Machine\" {text}</object></topology>");
        let _ = Topology::from_hwloc_xml(&inside, "fuzzed");
    }

    #[test]
    fn nodes_beside_an_object_have_its_cpus(packs in 1usize..4, nodes in 1usize..6, cores in 1usize..6) {
        let machine = Topology::from_synthetic(&format!("pack:{packs} [numa:{nodes}] core:{cores}")).unwrap();
        let sockets = machine.sockets.iter().flat_map(|socket| std::iter::repeat_n(&socket.cpus, nodes));
        prop_assert!(machine.nodes.iter().map(|node| &node.cpus).eq(sockets));
    }

    #[test]
    fn a_made_machine_survives_xml(packs in 1usize..4, nodes in 1usize..3, cores in 1usize..5, threads in 1usize..4) {
        let text = format!("pack:{packs} group:{nodes} [numa(memory=1GB)] l3:1 core:{cores} pu:{threads}");
        let made = Topology::from_synthetic(&text).unwrap();
        let again = Topology::from_hwloc_xml(&made.to_hwloc_xml(), "ours").unwrap();
        prop_assert_eq!(counted(&made), counted(&again));
        prop_assert_eq!(made.cores, again.cores);
    }
}
