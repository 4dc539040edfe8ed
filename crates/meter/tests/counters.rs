//! Counters on recorded machines: encodings, groups, scaling, and reasons.

mod recorded;

use std::collections::BTreeMap;

use knee_meter::perf::{Counter, Counters, Encoding, NamedEvent, Opening, Pmus, Raw, Request, Target};
use recorded::{Machine, Recorded, all};

fn asked(names: &[&str]) -> Vec<(String, Request)> {
    names.iter().map(|name| ((*name).to_owned(), Request::parse(name).unwrap())).collect()
}

fn counted(machine: &Machine, kernel: &mut Recorded, names: &[&str]) -> BTreeMap<String, Counter> {
    Counters::open(kernel, machine.root(), &asked(names), &|_| None).finish()
}

fn reason(counter: &Counter) -> &str {
    match counter {
        Counter::Unavailable { unavailable } => unavailable,
        counter => panic!("there is a value: {counter:?}"),
    }
}

#[test]
fn software_events_are_counted_where_hardware_has_none() {
    let mut kernel = Recorded::refusing(libc::ENOENT);
    let found = counted(&Machine::bare(), &mut kernel, &["page-faults", "instructions", "task-clock"]);
    assert_eq!(found["page-faults"], Counter::Known(1));
    assert!(matches!(&found["task-clock"], Counter::Qualified { unit, .. } if unit == "ns"), "{found:?}");
    assert!(reason(&found["instructions"]).starts_with("no hardware PMU"), "{found:?}");
}

#[test]
fn events_of_the_hardware_share_small_groups_with_instructions_and_cycles_first() {
    let mut kernel = Recorded::new(|_, _| Ok(()), |_| all(5));
    let names = ["branches", "cache-misses", "cycles", "branch-misses", "instructions", "page-faults"];
    counted(&Machine::with_pmu(), &mut kernel, &names);
    let leaders: Vec<(u64, Option<usize>)> =
        kernel.opened.iter().map(|(event, how)| (event.config, how.leader.map(|leader| leader.0))).collect();
    // cycles leads with instructions and branches; cache misses lead with branch misses; page faults are alone.
    assert_eq!(leaders, [(0, None), (1, Some(0)), (4, Some(0)), (3, None), (5, Some(3)), (2, None)]);
    assert!(kernel.opened.iter().all(|(_, how)| how.target == Target::Descendants));
}

#[test]
fn an_event_that_does_not_fit_into_the_group_leads_one_of_its_own() {
    let narrow = |_: &Encoding, how: Opening| if how.leader.is_some() { Err(libc::EINVAL) } else { Ok(()) };
    let mut kernel = Recorded::new(narrow, |_| all(5));
    let found = counted(&Machine::with_pmu(), &mut kernel, &["cycles", "instructions"]);
    assert_eq!(found["instructions"], Counter::Known(5));
    assert_eq!(found["cycles"], Counter::Known(5));
}

#[test]
fn a_multiplexed_group_is_scaled_and_says_so_and_one_without_a_turn_is_not_counted() {
    let read = |event: &Encoding| match event.config {
        1 => Raw { count: 100, enabled_ns: 1000, running_ns: 250 },
        3 => Raw { count: 0, enabled_ns: 1000, running_ns: 0 },
        _ => all(7),
    };
    let mut kernel = Recorded::new(|_, _| Ok(()), read);
    let found = counted(&Machine::with_pmu(), &mut kernel, &["instructions", "cache-misses", "cycles"]);
    let Counter::Qualified { value, counted_share, .. } = &found["instructions"] else { panic!("{found:?}") };
    assert_eq!((*value, *counted_share), (400.0, Some(0.25)));
    assert!(reason(&found["cache-misses"]).contains("never had its turn"), "{found:?}");
    assert_eq!(found["cycles"], Counter::Known(7));
}

#[test]
fn a_user_who_may_not_count_the_kernel_gets_the_rest_and_never_a_made_up_zero() {
    let kernel = |_: &Encoding, how: Opening| if how.user_only { Ok(()) } else { Err(libc::EACCES) };
    let found =
        counted(&Machine::with_pmu(), &mut Recorded::new(kernel, |_| all(7)), &["instructions", "context-switches"]);
    let Counter::Qualified { value, scope, .. } = &found["instructions"] else { panic!("{found:?}") };
    assert_eq!(value.to_string(), "7");
    assert!(scope.contains("without the kernel's work"), "{found:?}");
    // Switches happen in the kernel: without it they would all read 0.
    assert!(reason(&found["context-switches"]).contains("perf_event_paranoid is 2"), "{found:?}");
}

#[test]
fn a_pmu_that_cannot_leave_the_kernel_out_is_refused_for_what_was_wrong_first() {
    let kernel = |_: &Encoding, how: Opening| Err(if how.user_only { libc::EINVAL } else { libc::EACCES });
    let found = counted(&Machine::with_pmu(), &mut Recorded::new(kernel, |_| all(7)), &["cpu/event=1/"]);
    assert!(reason(&found["cpu/event=1/"]).contains("perf_event_paranoid is 2"), "{found:?}");
}

#[test]
fn a_missing_pmu_is_the_reason_also_for_who_may_count_nothing() {
    let machine = Machine::bare().put("proc/sys/kernel/perf_event_paranoid", "3");
    let mut kernel = Recorded::new(|_, _| Err(libc::EACCES), |_| all(1));
    let found = counted(&machine, &mut kernel, &["instructions", "page-faults"]);
    assert!(reason(&found["instructions"]).starts_with("no hardware PMU"), "{found:?}");
    assert!(reason(&found["page-faults"]).contains("perf_event_paranoid is 3"), "{found:?}");
}

#[test]
fn raw_events_and_fields_of_pmus_are_encoded_as_sysfs_lays_them_out() {
    let mut kernel = Recorded::new(|_, _| Ok(()), |_| all(7));
    let names =
        ["r01d3", "cpu/event=0xd3,umask=0x2,edge/", "cpu/event=0xb7,umask=1,offcore_rsp=0x3fc/", "cpu/topdown-slots/"];
    let machine = Machine::with_pmu();
    counted(&machine, &mut kernel, &names);
    let words: Vec<_> = kernel.opened.iter().map(|(event, _)| (event.kind, event.config, event.config1)).collect();
    assert_eq!(words, [(4, 0x1d3, 0), (4, 0x402d3, 0), (4, 0x1b7, 0x3fc), (4, 0x400, 0)]);
    let found =
        counted(&machine, &mut kernel, &["cpu/nosuch=1/", "gpu/event=1/", "cpu/umask=0x100/", "cpu/mem-loads/"]);
    assert!(reason(&found["cpu/nosuch=1/"]).contains("its fields are edge event"), "{found:?}");
    assert!(reason(&found["gpu/event=1/"]).contains("the kernel lists cpu software"), "{found:?}");
    assert!(reason(&found["cpu/umask=0x100/"]).contains("does not fit"), "{found:?}");
    assert!(reason(&found["cpu/mem-loads/"]).contains("ldlat"), "{found:?}");
}

#[test]
fn a_machine_with_two_kinds_of_cores_is_counted_on_both() {
    let devices = "sys/bus/event_source/devices";
    let machine = Machine::bare()
        .put(&format!("{devices}/cpu_core/type"), "4")
        .put(&format!("{devices}/cpu_core/cpus"), "0-3")
        .put(&format!("{devices}/cpu_atom/type"), "8")
        .put(&format!("{devices}/cpu_atom/cpus"), "4-7");
    let read = |event: &Encoding| match event.config >> 32 {
        8 => Raw { count: 10, enabled_ns: 1000, running_ns: 100 },
        _ => Raw { count: 90, enabled_ns: 1000, running_ns: 900 },
    };
    let mut kernel = Recorded::new(|_, _| Ok(()), read);
    let found = counted(&machine, &mut kernel, &["instructions", "r01d3"]);
    assert_eq!(found["instructions"], Counter::Known(100), "a part of the time on each kind is no multiplexing");
    let configs: Vec<u64> = kernel.opened.iter().map(|(event, _)| event.config).collect();
    assert_eq!(configs, [8 << 32 | 1, 4 << 32 | 1]);
    assert!(reason(&found["r01d3"]).contains("write cpu_atom/config=0x1d3/"), "{found:?}");
}

#[test]
fn a_measure_of_two_events_that_take_turns_is_scaled_for_each() {
    let event = |config| NamedEvent {
        pmu: "cpu".into(),
        config,
        config1: 0,
        config2: 0,
        scale: 1.0,
        unit: String::new(),
        caution: "counts twice under SMT".into(),
    };
    let names = |_: &str| Some(Ok(vec![event(0x04d3), event(0x10d3)]));
    let quarter = |_: &Encoding| Raw { count: 100, enabled_ns: 1000, running_ns: 250 };
    let mut kernel = Recorded::new(|_, _| Ok(()), quarter);
    let machine = Machine::with_pmu();
    let found = Counters::open(&mut kernel, machine.root(), &asked(&["remote_cache"]), &names).finish();
    let Counter::Qualified { value, counted_share, caution, .. } = &found["remote_cache"] else { panic!("{found:?}") };
    assert_eq!(caution, "counts twice under SMT");
    assert_eq!((*value, *counted_share), (800.0, Some(0.25)), "four turns that add up to the whole time are no whole");
}

#[test]
fn a_pmu_of_the_machine_is_counted_on_each_cpu_that_answers_and_is_scaled_by_its_unit() {
    let devices = "sys/bus/event_source/devices";
    let mut machine = Machine::with_pmu();
    for (number, kind) in [(0, "14"), (1, "15")] {
        let imc = format!("{devices}/uncore_imc_{number}");
        machine = machine
            .put(&format!("{imc}/type"), kind)
            .put(&format!("{imc}/cpumask"), "0,28")
            .put(&format!("{imc}/format/event"), "config:0-7")
            .put(&format!("{imc}/events/cas_count_read"), "event=0x04")
            .put(&format!("{imc}/events/cas_count_read.scale"), "6.103515625e-5")
            .put(&format!("{imc}/events/cas_count_read.unit"), "MiB");
    }
    let mut kernel = Recorded::new(|_, _| Ok(()), |_| all(1 << 14));
    let found = counted(&machine, &mut kernel, &["uncore_imc/cas_count_read/"]);
    let Counter::Qualified { value, unit, scope, .. } = &found["uncore_imc/cas_count_read/"] else {
        panic!("{found:?}")
    };
    assert_eq!((*value, unit.as_str()), (4.0, "MiB"), "two controllers on two sockets");
    assert!(scope.contains("the whole machine"), "{scope}");
    let targets: Vec<Target> = kernel.opened.iter().map(|(_, how)| how.target).collect();
    assert_eq!(targets, [Target::Cpu(0), Target::Cpu(28), Target::Cpu(0), Target::Cpu(28)]);
}

#[test]
fn an_unknown_name_is_a_reason() {
    let found = counted(&Machine::with_pmu(), &mut Recorded::new(|_, _| Ok(()), |_| all(1)), &["remote_drum"]);
    assert!(reason(&found["remote_drum"]).contains("no event or measure 'remote_drum'"), "{found:?}");
    assert_eq!(Pmus::under(Machine::with_pmu().root()).of_cores(), ["cpu"]);
}
