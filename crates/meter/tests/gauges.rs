//! Quantities that are read from files: resctrl, RAPL and page traffic on recorded machines.

mod recorded;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use knee_meter::perf::Counter;
use knee_meter::{Gauges, Sampler};
use recorded::Machine;

/// A machine with two L3 caches and monitoring.
fn monitored() -> Machine {
    let mut machine = Machine::bare()
        .put("sys/fs/resctrl/info/L3_MON/mon_features", "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes")
        .put("sys/fs/resctrl/tasks", "1");
    for cache in ["mon_L3_00", "mon_L3_01"] {
        machine = caches(machine, "sys/fs/resctrl/mon_data", cache, "1000");
    }
    machine
}

fn caches(machine: Machine, mon_data: &str, cache: &str, number: &str) -> Machine {
    ["mbm_total_bytes", "mbm_local_bytes", "llc_occupancy"]
        .iter()
        .fold(machine, |machine, name| machine.put(&format!("{mon_data}/{cache}/{name}"), number))
}

fn write(root: &Path, file: &str, text: &str) {
    std::fs::write(root.join(file), format!("{text}\n")).unwrap();
}

/// The value as it is written, and its scope.
fn value(found: &BTreeMap<String, Counter>, name: &str) -> (String, String) {
    match &found[name] {
        Counter::Qualified { value, scope, .. } => (value.to_string(), scope.clone()),
        counter => panic!("{name}: {counter:?}"),
    }
}

fn reason(found: &BTreeMap<String, Counter>, name: &str) -> String {
    match &found[name] {
        Counter::Unavailable { unavailable } => unavailable.clone(),
        counter => panic!("{name}: {counter:?}"),
    }
}

#[test]
fn traffic_is_the_growth_of_every_cache_and_their_sum() {
    let machine = monitored();
    let data = "sys/fs/resctrl/mon_data";
    let mut gauges = Gauges::open(machine.root(), &["mbm_total_bytes", "llc_occupancy"]);
    write(machine.root(), &format!("{data}/mon_L3_00/mbm_total_bytes"), "5000");
    write(machine.root(), &format!("{data}/mon_L3_01/mbm_total_bytes"), "1500");
    write(machine.root(), &format!("{data}/mon_L3_01/llc_occupancy"), "64");
    gauges.stop();
    let found = gauges.finish();
    // No group can be made in a plain folder without mon_groups, so it is the root group, and that is said.
    let (total, scope) = value(&found, "mbm_total_bytes");
    assert_eq!(total, "4500");
    assert!(scope.contains("everything in the root group"), "{scope}");
    assert_eq!(value(&found, "mbm_total_bytes@L3:0").0, "4000");
    assert_eq!(value(&found, "mbm_total_bytes@L3:1").0, "500");
    assert_eq!(value(&found, "llc_occupancy").0, "2000", "the highest level of each");
}

#[test]
fn a_group_of_the_runs_own_is_stepped_into_and_out_of() {
    let groups = "sys/fs/resctrl/mon_groups";
    let own = format!("{groups}/knee-77-{}", std::process::id());
    let [stale, others] = ["77", "78"].map(|namespace| format!("{groups}/knee-{namespace}-4000000"));
    let machine = caches(monitored(), &format!("{own}/mon_data"), "mon_L3_00", "70");
    // The files that the kernel would have made in this group.
    let machine = machine.put(&format!("{own}/tasks"), "").put("proc/self/cpu_resctrl_groups", "res:/\nmon:");
    let namespaces = machine.root().join("proc/self/ns");
    std::fs::create_dir_all(&namespaces).unwrap();
    std::os::unix::fs::symlink("pid:[77]", namespaces.join("pid")).unwrap();
    for group in [&stale, &others] {
        std::fs::create_dir_all(machine.root().join(group)).unwrap();
    }
    let mut gauges = Gauges::open(machine.root(), &["mbm_local_bytes"]);
    let tid = rustix::thread::gettid().as_raw_nonzero().to_string();
    let text = |file: &str| std::fs::read_to_string(machine.root().join(file)).unwrap();
    assert_eq!(text(&format!("{own}/tasks")), tid);
    assert_eq!(text("sys/fs/resctrl/tasks"), "1\n");
    gauges.step_out();
    assert_eq!(text("sys/fs/resctrl/tasks"), tid);
    assert!(!machine.root().join(stale).exists(), "a launcher that is gone leaves no group");
    assert!(machine.root().join(others).exists(), "one of another container may be there, though we do not see it");
    write(machine.root(), &format!("{own}/mon_data/mon_L3_00/mbm_local_bytes"), "90");
    gauges.stop();
    assert_eq!(value(&gauges.finish(), "mbm_local_bytes"), ("20".into(), String::new()));
}

#[test]
fn words_of_resctrl_are_reasons_and_a_part_is_not_the_whole() {
    let machine = monitored();
    let file = "sys/fs/resctrl/mon_data/mon_L3_01/mbm_total_bytes";
    write(machine.root(), file, "Unassigned");
    let mut gauges = Gauges::open(machine.root(), &["mbm_total_bytes"]);
    gauges.stop();
    let found = gauges.finish();
    assert_eq!(value(&found, "mbm_total_bytes@L3:0").0, "0");
    assert!(reason(&found, "mbm_total_bytes@L3:1").starts_with("Unassigned"));
    assert!(reason(&found, "mbm_total_bytes").starts_with("L3:1: Unassigned"));
}

#[test]
fn a_counter_that_was_set_back_is_a_lower_bound() {
    let machine = monitored();
    let mut gauges = Gauges::open(machine.root(), &["mbm_total_bytes"]);
    write(machine.root(), "sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes", "30");
    gauges.stop();
    let (total, scope) = value(&gauges.finish(), "mbm_total_bytes");
    assert_eq!(total, "30");
    assert!(scope.contains("at least: it was set back"), "{scope}");
}

#[test]
fn energy_goes_round_and_belongs_to_its_zone() {
    let rapl = "sys/class/powercap/intel-rapl";
    let mut machine = Machine::bare();
    for (zone, name) in [(":0", "package-0"), (":0:0", "dram"), (":1", "package-1"), (":1:0", "dram")] {
        machine = machine
            .put(&format!("{rapl}{zone}/name"), name)
            .put(&format!("{rapl}{zone}/energy_uj"), "900")
            .put(&format!("{rapl}{zone}/max_energy_range_uj"), "1000");
    }
    let mut gauges = Gauges::open(machine.root(), &["energy-package", "energy-dram", "energy-psys"]);
    write(machine.root(), &format!("{rapl}:1/energy_uj"), "50");
    write(machine.root(), &format!("{rapl}:0:0/energy_uj"), "907");
    gauges.stop();
    let found = gauges.finish();
    assert_eq!(value(&found, "energy-package").0, "150");
    assert_eq!(value(&found, "energy-package@package-1").0, "150");
    assert_eq!(value(&found, "energy-dram@dram:package-0").0, "7");
    assert!(reason(&found, "energy-psys").contains("has package-0 dram:package-0 package-1"), "{found:?}");
}

#[test]
fn what_is_missing_says_so() {
    let mut gauges =
        Gauges::open(Machine::bare().root(), &["mbm_total_bytes", "energy-package", "numa_hit", "numa_pages_migrated"]);
    gauges.stop();
    let found = gauges.finish();
    assert!(reason(&found, "mbm_total_bytes").contains("no resctrl"), "{found:?}");
    assert!(reason(&found, "energy-package").contains("no RAPL"), "{found:?}");
    assert!(reason(&found, "numa_hit").contains("no nodes"), "{found:?}");
    assert!(reason(&found, "numa_pages_migrated").contains("no automatic NUMA balancing"), "{found:?}");
}

#[test]
fn what_balancing_did_is_counted_while_it_is_on_and_has_no_parts() {
    let vmstat = |moved: u32| format!("numa_hit 5\nnuma_pages_migrated {moved}\nnuma_hint_faults 9");
    let machine = Machine::bare().put("proc/sys/kernel/numa_balancing", "1").put("proc/vmstat", &vmstat(100));
    let mut gauges = Gauges::open(machine.root(), &["numa_pages_migrated", "numa_pte_updates"]);
    write(machine.root(), "proc/vmstat", &vmstat(130));
    gauges.stop();
    let found = gauges.finish();
    assert_eq!(value(&found, "numa_pages_migrated").0, "30");
    assert!(reason(&found, "numa_pte_updates").contains("does not count numa_pte_updates"), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn pages_that_the_kernel_does_not_count_are_no_zero() {
    let machine = Machine::bare().put("sys/devices/system/node/node0/numastat", "numa_hit 10");
    let machine = machine.put("proc/sys/vm/numa_stat", "0\n");
    let mut gauges = Gauges::open(machine.root(), &["numa_hit"]);
    gauges.stop();
    assert!(reason(&gauges.finish(), "numa_hit").contains("vm.numa_stat = 0"));
}

#[test]
fn pages_are_counted_by_node_and_over_time() {
    let stat = |hit: u32, other: u32| format!("numa_hit {hit}\nnuma_miss 0\nother_node {other}");
    let node = |number: u32| format!("sys/devices/system/node/node{number}/numastat");
    let machine = Machine::bare().put(&node(0), &stat(10, 1)).put(&node(1), &stat(20, 2));
    let machine = machine.put("proc/sys/kernel/numa_balancing", "0");
    let begin = Instant::now();
    let mut gauges = Gauges::open(machine.root(), &["numa_hit", "other_node", "numa_hint_faults"]);
    let mut sampler = Sampler::new(i32::MAX, begin, 1, 0);
    sampler.tick(&mut gauges, &mut |note| note("matches", 5));
    write(machine.root(), &node(1), &stat(25, 3));
    std::thread::sleep(sampler.pause() + Duration::from_millis(1));
    sampler.tick(&mut gauges, &mut |note| note("matches", 5));
    let file = machine.root().join("samples.csv.gz");
    assert!(sampler.finish(Some(std::fs::File::create_new(&file).unwrap())).written.is_ok());
    gauges.stop();
    let found = gauges.finish();
    assert_eq!(value(&found, "numa_hit").0, "5");
    assert!(value(&found, "numa_hit").1.contains("not accesses"));
    assert_eq!(value(&found, "other_node@node1").0, "1");
    assert!(reason(&found, "numa_hint_faults").contains("balancing is off"), "{found:?}");
    let mut text = String::new();
    let mut unpacked = flate2::read::GzDecoder::new(std::fs::File::open(file).unwrap());
    std::io::Read::read_to_string(&mut unpacked, &mut text).unwrap();
    let grown: Vec<&str> = text.lines().filter(|line| line.contains("numastat:node1,numa_hit")).collect();
    assert_eq!(grown.len(), 2, "{text}");
    assert!(grown[0].ends_with(",0") && grown[1].ends_with(",5"), "{text}");
    assert_eq!(text.matches(",workload,matches,5\n").count(), 2, "{text}");
}
