//! The ladder on recorded machines: every "no" has its reason and a remedy.

mod recorded;

use std::collections::BTreeMap;

use knee_meter::perf::{NamedEvent, PlacementProbe, Raw, Rung, Standing, Surroundings, Work, check_placement, climb};
use recorded::{Machine, Recorded, all};

/// Work that returns its counts without doing it.
struct Told;

impl Work for Told {
    fn instructions(&mut self) -> Option<u64> {
        Some(100_000_000)
    }
    fn prepare_misses(&mut self) -> Result<(), String> {
        Ok(())
    }
    fn misses(&mut self) -> u64 {
        1_000_000
    }
}

fn climbed(machine: &Machine, mut kernel: Recorded) -> BTreeMap<&'static str, Rung> {
    let rungs = climb(&mut kernel, &Surroundings::under(machine.root()), &mut Told);
    assert!(rungs.iter().all(|rung| !rung.found.is_empty()), "{rungs:?}");
    rungs.into_iter().map(|rung| (rung.name, rung)).collect()
}

/// A kernel that counts the canary's work, except for the given instructions and misses.
fn counting(instructions: Raw, misses: Raw) -> Recorded {
    Recorded::new(
        |_, _| Ok(()),
        move |event| match event.config {
            1 => instructions,
            3 => misses,
            _ => all(1),
        },
    )
}

#[test]
fn without_a_pmu_it_is_said_once_and_nothing_else_is_tried() {
    let rungs = climbed(&Machine::bare(), Recorded::refusing(libc::ENOENT));
    assert_eq!(rungs["software events"].standing, Standing::Yes);
    let listed = &rungs["PMU of the cores"];
    assert_eq!(listed.standing, Standing::No);
    assert!(listed.found.contains("the hypervisor does not give this guest one"), "{listed:?}");
    assert!(listed.remedy.contains("bare metal"), "{listed:?}");
    assert_eq!(rungs["cycles event opens"].found, "it does not, as without a PMU");
    assert_eq!(rungs["instructions are right"].standing, Standing::Untried);
    assert_eq!(rungs["cache misses are right"].standing, Standing::Untried);
}

#[test]
fn a_pmu_that_counts_what_was_done_holds_every_rung_of_the_cores() {
    let rungs = climbed(&Machine::with_pmu(), counting(all(100_003_000), all(970_000)));
    for name in [
        "PMU of the cores",
        "cycles event opens",
        "instructions are right",
        "cache misses are right",
        "counted all the time",
    ] {
        assert_eq!(rungs[name].standing, Standing::Yes, "{:?}", rungs[name]);
    }
}

#[test]
fn a_pmu_that_counts_nonsense_is_not_believed() {
    let low = climbed(&Machine::with_pmu(), counting(all(2_600), all(970_000)));
    assert_eq!(low["instructions are right"].standing, Standing::No);
    assert!(low["instructions are right"].found.contains("too few"), "{low:?}");
    let zero = climbed(&Machine::with_pmu(), counting(all(0), all(0)));
    assert!(zero["instructions are right"].found.contains("counts nothing"), "{zero:?}");
    assert!(zero["cache misses are right"].found.contains("counts nothing"), "{zero:?}");
    assert!(zero["cache misses are right"].remedy.contains("do not trust"), "{zero:?}");
    let high = climbed(&Machine::with_pmu(), counting(all(900_000_000), all(970_000)));
    assert!(high["instructions are right"].found.contains("too many"), "{high:?}");
}

#[test]
fn counters_that_others_hold_are_noticed() {
    let half = Raw { count: 50_000_000, enabled_ns: 1000, running_ns: 500 };
    let rungs = climbed(&Machine::with_pmu(), counting(half, all(970_000)));
    assert_eq!(rungs["instructions are right"].standing, Standing::Yes, "scaled, it is right");
    assert!(rungs["counted all the time"].found.contains("50.0 %"), "{rungs:?}");
    assert!(rungs["counted all the time"].remedy.contains("nmi_watchdog=0"), "{rungs:?}");
    let never = Raw { count: 0, enabled_ns: 1000, running_ns: 0 };
    let rungs = climbed(&Machine::with_pmu(), counting(never, all(970_000)));
    assert!(rungs["instructions are right"].found.contains("never scheduled"), "{rungs:?}");
}

#[test]
fn each_error_number_has_its_own_words() {
    let said = |number| climbed(&Machine::with_pmu(), Recorded::refusing(number))["cycles event opens"].clone();
    for (number, words) in [
        (libc::ENOENT, "does not count this event"),
        (libc::EOPNOTSUPP, "EOPNOTSUPP"),
        (libc::EINVAL, "does not take this encoding"),
        (libc::EBUSY, "holds the PMU for itself"),
        (libc::ENOSPC, "all counters are taken"),
        (libc::EMFILE, "no more files"),
        (libc::ENODEV, "does not serve this cpu"),
        (libc::ENOSYS, "no perf events"),
        (libc::E2BIG, "the kernel refused it"),
    ] {
        let rung = said(number);
        assert_eq!(rung.standing, Standing::No);
        assert!(rung.found.contains(words), "{number}: {rung:?}");
    }
}

#[test]
fn a_paranoid_kernel_is_named_with_the_exact_remedy() {
    for paranoid in ["3", "4"] {
        let machine = Machine::with_pmu().put("proc/sys/kernel/perf_event_paranoid", paranoid);
        let rungs = climbed(&machine, Recorded::new(|_, _| Err(libc::EACCES), |_| all(1)));
        let rung = &rungs["cycles event opens"];
        assert!(rung.found.contains(&format!("perf_event_paranoid is {paranoid}")), "{rung:?}");
        assert!(rung.found.contains("no events at all"), "{rung:?}");
        assert!(rung.remedy.contains("sudo sysctl kernel.perf_event_paranoid=2"), "{rung:?}");
        assert_eq!(rungs["software events"].standing, Standing::No, "not even those");
    }
}

#[test]
fn at_paranoid_2_the_program_is_counted_and_the_kernel_is_not() {
    let kernel = Recorded::new(|_, how| if how.user_only { Ok(()) } else { Err(libc::EACCES) }, |_| all(1));
    let rung = &climbed(&Machine::with_pmu(), kernel)["cycles event opens"];
    assert_eq!(rung.standing, Standing::Yes);
    assert!(rung.found.contains("without the kernel's work"), "{rung:?}");
    assert!(rung.remedy.contains("perf_event_paranoid=1"), "{rung:?}");
}

#[test]
fn a_container_that_filters_the_call_is_told_from_a_paranoid_kernel() {
    let machine = Machine::with_pmu().put("proc/self/status", "CapEff:\t0000004000000000\nSeccomp:\t2");
    let rung = &climbed(&machine, Recorded::new(|_, _| Err(libc::EPERM), |_| all(1)))["cycles event opens"];
    assert!(rung.found.contains("seccomp"), "{rung:?}");
    assert!(rung.remedy.contains("--cap-add PERFMON"), "{rung:?}");
    let machine = Machine::with_pmu().put("proc/self/status", "CapEff:\t000001ffffffffff\nSeccomp:\t0");
    let rung = &climbed(&machine, Recorded::new(|_, _| Err(libc::EPERM), |_| all(1)))["cycles event opens"];
    assert!(rung.found.contains("not by kernel.perf_event_paranoid, which is 2"), "{rung:?}");
}

#[test]
fn what_is_beside_the_cores_is_looked_at_by_itself() {
    let imc = "sys/bus/event_source/devices/uncore_imc_0";
    let machine = Machine::with_pmu()
        .put(&format!("{imc}/type"), "14")
        .put(&format!("{imc}/cpumask"), "0,28")
        .put(&format!("{imc}/format/event"), "config:0-7")
        .put(&format!("{imc}/format/umask"), "config:8-15")
        .put(&format!("{imc}/events/cas_count_read"), "event=0x04,umask=0x03")
        .put("proc/filesystems", "nodev\tresctrl")
        .put("sys/class/powercap/intel-rapl:0/name", "package-0")
        .put("sys/class/powercap/intel-rapl:0/energy_uj", "17");
    let kernel = Recorded::new(|event, _| if event.kind == 14 { Err(libc::EACCES) } else { Ok(()) }, |_| all(1));
    let rungs = climbed(&machine, kernel);
    let memory = &rungs["memory controllers"];
    assert!(memory.found.contains("count the whole machine"), "{memory:?}");
    assert!(memory.remedy.contains("perf_event_paranoid=0"), "{memory:?}");
    assert!(rungs["links between sockets"].found.contains("lists no such PMU"), "{rungs:?}");
    assert_eq!(rungs["resctrl monitoring"].remedy, "mount -t resctrl resctrl /sys/fs/resctrl");
    assert_eq!(rungs["energy (RAPL)"].standing, Standing::Yes);
    assert_eq!(rungs["page traffic by node"].standing, Standing::No);
}

/// Loads lines from a home that it remembers.
struct Probe {
    home: std::rc::Rc<std::cell::Cell<u32>>,
}

impl PlacementProbe for Probe {
    fn prepare(&mut self, _reader: u32, home: u32) -> Result<(), String> {
        self.home.set(home);
        Ok(())
    }
    fn load(&mut self) -> u64 {
        1_000_000
    }
}

fn names(name: &str) -> Option<Result<Vec<NamedEvent>, String>> {
    let config = match name {
        "local_dram" => 0x1d3,
        "remote_dram" => 0x2d3,
        _ => return None,
    };
    let event = NamedEvent {
        pmu: "cpu".into(),
        config,
        config1: 0,
        config2: 0,
        scale: 1.0,
        unit: "loads".into(),
        caution: String::new(),
    };
    Some(Ok(vec![event]))
}

/// A machine of which the events see the home of loads as `sees` says.
fn checked(sees: fn(home: u32, remote_event: bool) -> u64) -> Rung {
    let machine = Machine::with_pmu();
    let home = std::rc::Rc::new(std::cell::Cell::new(0));
    let mut probe = Probe { home: home.clone() };
    let mut kernel = Recorded::new(|_, _| Ok(()), move |event| all(sees(home.get(), event.config == 0x2d3)));
    let around = Surroundings::under(machine.root());
    check_placement(&mut kernel, &around, &names, &[0, 1], Some(&mut probe))
}

#[test]
fn events_for_local_and_remote_memory_are_checked_with_loads_of_known_home() {
    let good = checked(|home, remote| if (home == 1) == remote { 900_000 } else { 4_000 });
    assert_eq!(good.standing, Standing::Yes, "{good:?}");
    let blind = checked(|_, remote| if remote { 0 } else { 900_000 });
    assert_eq!(blind.standing, Standing::No, "all of it seems local: {blind:?}");
    let swapped = checked(|home, remote| if (home == 1) == remote { 4_000 } else { 900_000 });
    assert_eq!(swapped.standing, Standing::No, "{swapped:?}");
    assert!(swapped.remedy.contains("page census"), "{swapped:?}");
}

#[test]
fn where_placement_cannot_be_checked_it_is_said_why() {
    let check = |machine: &Machine, nodes: &[u32]| {
        let around = Surroundings::under(machine.root());
        check_placement(&mut Recorded::refusing(libc::ENOENT), &around, &names, nodes, None)
    };
    assert!(check(&Machine::with_pmu(), &[0]).found.contains("one node"));
    assert!(check(&Machine::bare(), &[0, 1]).found.contains("no hardware PMU"));
    assert!(check(&Machine::with_pmu(), &[0, 1]).found.contains("no probe"));
}
