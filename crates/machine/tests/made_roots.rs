//! Files of `/sys` and `/proc` as kernels write them, for machines without a capture: control groups of both
//! generations, hybrid cores, memory that is not DRAM.

use std::path::Path;

use knee_machine::Topology;

/// Four cpus in one socket, and the files of a test.
fn made(files: &[(&str, &str)]) -> (tempfile::TempDir, Topology) {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "sys/devices/system/cpu/online", "0-3");
    for cpu in 0..4 {
        put(root.path(), &format!("sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"), "0");
    }
    put(root.path(), "sys/devices/system/node/node0/cpulist", "0-3");
    for (file, text) in files {
        put(root.path(), file, text);
    }
    let machine = Topology::from_sysfs(root.path()).unwrap();
    (root, machine)
}

fn put(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("{text}\n")).unwrap();
}

#[test]
fn a_cpuset_of_either_generation_narrows_what_is_allowed() {
    let first = [
        ("proc/self/cgroup", "4:cpuset:/job\n3:cpu,cpuacct:/job/step"),
        ("sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "1-2"),
        ("sys/fs/cgroup/cpuset/job/cpuset.cpus", "1-3"),
        ("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "150000"),
        ("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000"),
        ("sys/fs/cgroup/cpu/job/step/cpu.cfs_quota_us", "-1"),
        ("sys/fs/cgroup/cpu/job/step/cpu.cfs_period_us", "100000"),
    ];
    let second = [
        ("proc/self/cgroup", "0::/job/step"),
        ("sys/fs/cgroup/job/cpuset.cpus.effective", "1-2"),
        ("sys/fs/cgroup/job/cpu.max", "150000 100000"),
        ("sys/fs/cgroup/job/step/cpu.max", "max 100000"),
    ];
    for files in [&first[..], &second[..]] {
        let (_root, machine) = made(files);
        assert_eq!(machine.allowed.cpus.to_string(), "1-2");
        assert_eq!(machine.allowed.cpuset.unwrap().to_string(), "1-2");
        // The tightest limit from the group up to the root counts.
        assert_eq!(machine.allowed.quota_cpus, Some(1.5));
    }
}

#[test]
fn kills_for_lack_of_memory_are_counted_in_the_nearest_group_that_counts_them() {
    let first = ("proc/self/cgroup", "4:memory:/job/step");
    let second = ("proc/self/cgroup", "0::/job/step");
    let machine = ("proc/vmstat", "oom_kill_disable 0\noom_kill 9");
    let events = ("sys/fs/cgroup/job/step/memory.events", "max 7\noom 5\noom_kill 3\noom_group_kill 1");
    let control = ("sys/fs/cgroup/memory/job/step/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2");
    let parent = ("sys/fs/cgroup/job/memory.events", "oom_kill 4");
    for (files, expected) in [
        (&[second, machine, parent, events][..], Some(3)),
        (&[second, machine, parent], Some(4)),
        (&[first, machine, control, events], Some(2)),
        (&[second, machine], Some(9)),
        (&[second], None),
    ] {
        let (root, _machine) = made(files);
        assert_eq!(knee_machine::facts::memory_kills(root.path()), expected);
    }
}

#[test]
fn the_group_with_the_least_memory_counts_where_that_is_less_than_the_machines() {
    let second = ("proc/self/cgroup", "0::/job/step");
    let first = ("proc/self/cgroup", "4:memory:/job/step");
    let machine = ("proc/meminfo", "MemTotal:       16777216 kB\n");
    let half = ("sys/fs/cgroup/job/memory.max", "8589934592");
    let none = ("sys/fs/cgroup/job/step/memory.max", "max");
    let old = ("sys/fs/cgroup/memory/job/step/memory.limit_in_bytes", "1073741824");
    let unlimited = ("sys/fs/cgroup/memory/job/step/memory.limit_in_bytes", "9223372036854771712");
    for (files, expected) in [
        (&[second, machine, half, none][..], Some(8 << 30)),
        (&[second, machine, none], None),
        (&[first, machine, old], Some(1 << 30)),
        (&[first, machine, unlimited], None),
    ] {
        let (_root, machine) = made(files);
        assert_eq!(machine.allowed.memory_bytes, expected);
    }
}

#[test]
fn a_cpuset_as_wide_as_the_machine_is_none() {
    let (_root, machine) = made(&[("proc/self/cgroup", "0::/"), ("sys/fs/cgroup/cpuset.cpus.effective", "0-3")]);
    assert_eq!((machine.allowed.cpuset, machine.allowed.quota_cpus), (None, None));
}

#[test]
fn counters_of_cores_are_found_by_name_or_by_the_cpus_that_they_name() {
    let found = |pmus: &[&str]| {
        let devices = "sys/bus/event_source/devices";
        let files: Vec<String> = pmus.iter().map(|pmu| format!("{devices}/{pmu}")).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|file| (file.as_str(), "0")).collect();
        let (_root, machine) = made(&files);
        serde_json::to_value(&machine.facts["hardware_counters"]).unwrap()
    };
    for (pmus, expected) in [
        (&["cpu/type", "breakpoint/type"][..], "cpu"),
        (&["cpu_atom/cpus", "cpu_core/cpus", "uncore_imc_0/cpumask"], "cpu_core"),
        (&["armv8_cortex_a76/cpus", "armv8_cortex_a55/cpus", "software/type"], "armv8_cortex_a55"),
        (&["armv7_cortex_a15/cpus"], "armv7_cortex_a15"),
        (&["cpum_cf/type", "cpum_sf/type"], "cpum_cf"),
    ] {
        assert_eq!(found(pmus), expected, "{pmus:?}");
    }
    assert!(found(&["uncore_imc_0/cpumask", "software/type"])["unavailable"].is_string());
}

#[test]
fn hybrid_cores_are_told_apart_by_their_counters() {
    let (_root, machine) = made(&[("sys/devices/cpu_core/cpus", "0-1"), ("sys/devices/cpu_atom/cpus", "2-3")]);
    let kinds: Vec<_> = machine.cpu_kinds.iter().map(|kind| format!("{} {}", kind.name, kind.cpus)).collect();
    assert_eq!(kinds, ["efficiency 2-3", "performance 0-1"]);
}

#[test]
fn big_and_little_cores_are_told_apart_by_capacity() {
    let capacity = |cpu: u32| format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity");
    let files = [(capacity(0), "446"), (capacity(1), "446"), (capacity(2), "1024"), (capacity(3), "1024")];
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), *text)).collect();
    let (_root, machine) = made(&files);
    let kinds: Vec<_> = machine.cpu_kinds.iter().map(|kind| format!("{} {}", kind.name, kind.cpus)).collect();
    assert_eq!(kinds, ["efficiency 0-1", "performance 2-3"]);
}

#[test]
fn memory_without_cpus_says_what_it_is() {
    let node = "sys/devices/system/node/node1";
    let (root, _) = made(&[
        (&format!("{node}/cpulist"), ""),
        (&format!("{node}/meminfo"), "Node 1 MemTotal:       1048576 kB"),
        (&format!("{node}/access1/initiators/read_latency"), "250"),
        (&format!("{node}/access1/initiators/read_bandwidth"), "30000"),
        (&format!("{node}/access0/initiators/read_latency"), "300"),
        ("sys/devices/virtual/memory_tiering/memory_tier22/nodelist", "1"),
        ("sys/devices/platform/ACPI0017:00/root0/decoder0.0/region0/dax_region0/dax0.0/target_node", "1"),
    ]);
    let device = "sys/devices/platform/ACPI0017:00/root0/decoder0.0/region0/dax_region0/dax0.0";
    std::fs::create_dir_all(root.path().join("sys/bus/dax/devices")).unwrap();
    std::os::unix::fs::symlink(root.path().join(device), root.path().join("sys/bus/dax/devices/dax0.0")).unwrap();
    let machine = Topology::from_sysfs(root.path()).unwrap();
    let far = &machine.nodes[1];
    assert_eq!((far.kind.as_deref(), far.tier, far.memory_bytes), (Some("CXL"), Some(22), 1 << 30));
    let access = far.access.as_ref().unwrap();
    assert_eq!((access.read_latency_ns, access.read_bandwidth_mib_s), (Some(250), Some(30_000)), "the cpus' own way");
    assert!(far.cpus.is_empty() && machine.cores.iter().all(|core| core.node == 0));
}

#[test]
fn sockets_without_numbers_are_one_and_a_fact_says_so() {
    let (_root, machine) = made(&[("sys/devices/system/cpu/cpu2/topology/physical_package_id", "-1")]);
    assert_eq!(machine.sockets.len(), 1);
    assert!(serde_json::to_string(&machine.facts["socket_numbers"]).unwrap().contains("numbers no socket"));
}

#[test]
fn a_kernel_without_topology_folders_has_a_core_a_cpu() {
    let root = tempfile::tempdir().unwrap();
    for (cpu, online) in [(0, "1"), (1, "1"), (2, "0")] {
        put(root.path(), &format!("sys/devices/system/cpu/cpu{cpu}/online"), online);
    }
    let machine = Topology::from_sysfs(root.path()).unwrap();
    assert_eq!((machine.cores.len(), machine.offline.to_string()), (2, "2".into()));
}

#[test]
fn pages_of_a_region_are_found_where_they_were_touched() {
    let pages = 8;
    let page = 4096;
    let mut region = vec![0_u8; (pages + 1) * page];
    let start = region.as_ptr().align_offset(page);
    for at in 0..pages {
        region[start + at * page] = 1;
    }
    let nodes = knee_machine::sys::nodes_of_pages(region.as_ptr() as usize + start, pages * page).unwrap();
    assert_eq!(nodes.len(), pages);
    assert!(nodes.iter().all(Option::is_some), "{nodes:?}");
}
