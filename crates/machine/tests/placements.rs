//! Where threads go: the lists of `placements.txt`, derived by hand, and the rules that hold on every machine.

mod captured;
mod made;
mod notation;
mod shared;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use knee_machine::placement::{Named, PLACE_KINDS, Spacing, Within};
use knee_machine::{CpuSet, Order, Placement, Topology};
use made::{Asked, counts, holder, in_rounds, names, nearest_first, one_after_the_other};
use notation::{Case, Section};
use proptest::prelude::*;
use serde_json::Value;

fn by_hand() -> Vec<Section> {
    notation::sections(include_str!("placements.txt"))
}

#[test]
fn the_notation_means_what_its_head_says() {
    let list = |text| notation::list(text, &[("a".to_owned(), vec![5, 3])].into());
    assert_eq!(list("3  0-2  0-8:4"), [3, 0, 1, 2, 0, 4, 8]);
    assert_eq!(list("0-1*(0 32)"), [0, 32, 1, 33]);
    assert_eq!(list("(0 32)*0-1 a"), [0, 1, 32, 33, 5, 3]);
    assert_eq!(list("zip(0-2, 8)"), [0, 8, 1, 2]);
    assert_eq!(list("times(4, 0-2)*(0 1)"), [0, 1, 4, 5, 8, 9]);
    assert_eq!(list("zip((0 16)*0-1, 4)"), [0, 4, 1, 16, 17]);
}

/// OpenMP's kinds of places, which every machine has lists for.
const OPENMP: [&str; 5] = ["threads", "cores", "ll_caches", "numa_domains", "sockets"];

#[test]
fn every_machine_has_a_list_for_every_name_of_openmp() {
    for section in by_hand().iter().filter(|section| section.source != "text") {
        let found = whole_orders(section);
        let names = OPENMP.iter().flat_map(|kind| [format!("{kind}-close"), format!("{kind}-spread")]);
        let missing: Vec<_> = names.filter(|name| !found.contains(name.as_str())).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", section.name);
        assert!(section.cases.len() >= 12, "{}: two lists with qualifiers", section.name);
    }
}

#[test]
fn every_name_has_lists_for_three_machines() {
    let sections = by_hand();
    for kind in PLACE_KINDS {
        for (name, _) in [kind.close, kind.spread] {
            let machines = sections.iter().filter(|section| whole_orders(section).contains(name)).count();
            assert!(machines >= 3, "{name}: {machines} machines have a list for it");
        }
    }
}

fn whole_orders(section: &Section) -> BTreeSet<&str> {
    section.cases.iter().filter(|case| case.threads.is_none()).map(|case| case.placement.as_str()).collect()
}

#[test]
fn placements_are_as_by_hand() {
    let Some(folder) = shared::folder("placements_are_as_by_hand", "topologies") else { return };
    let expected = captured::expected(&folder);
    let mut differences = Vec::new();
    for section in by_hand() {
        let machine = read(&folder, &expected, &section);
        for case in section.cases.iter().filter(|case| names().any(|name| name == case.placement)) {
            let mut cpus = case.cpus.clone().expect("no plain name is refused");
            cpus.sort_unstable();
            let allowed: Vec<_> = machine.allowed.cpus.iter().collect();
            assert_eq!(cpus, allowed, "{} {}: by hand every cpu comes once", section.name, case.placement);
        }
        let of_machine = section.cases.iter().filter_map(|case| difference(&machine, case));
        differences.extend(of_machine.map(|text| format!("{} {}: {text}", section.name, section.source)));
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

fn read(folder: &Path, expected: &BTreeMap<String, Value>, section: &Section) -> Topology {
    let mut machine = match section.source.as_str() {
        "files" => captured::from_files(folder, &section.name).1,
        "xml" => captured::from_xml(folder, &expected[&section.name]),
        "text" => Topology::from_synthetic(&section.name).unwrap(),
        other => panic!("{}: {other:?} is none of files, xml, text", section.name),
    };
    if let Some(allowed) = &section.allowed {
        machine.allowed.cpus = allowed.iter().copied().collect();
    }
    machine
}

fn difference(machine: &Topology, case: &Case) -> Option<String> {
    let placement: Placement = case.placement.parse().unwrap();
    let found = match case.threads {
        Some(threads) => placement.cpus(machine, threads),
        None => placement.order(machine).map(|order| match order {
            Order::Cpus(cpus) => cpus,
            Order::Kernel => vec![],
        }),
    };
    let what = case.threads.map_or(case.placement.clone(), |threads| format!("{} @ {threads}", case.placement));
    match (&case.cpus, found) {
        (Err(words), Err(error)) if error.to_string().contains(words) => None,
        (_, Err(error)) => Some(format!("{what} is refused: {error}")),
        (Err(words), Ok(found)) => Some(format!("{what} is not refused ({words}), it gives {}", from(&found, 0))),
        (Ok(by_hand), Ok(found)) if *by_hand == found => None,
        (Ok(by_hand), Ok(found)) => {
            let same = by_hand.iter().zip(&found).take_while(|(ours, theirs)| ours == theirs).count();
            Some(format!(
                "{what} differs from thread {same} on\n    by hand {}\n    found   {}",
                from(by_hand, same),
                from(&found, same)
            ))
        }
    }
}

/// A list from a position on, and how many cpus there are.
fn from(cpus: &[u32], at: usize) -> String {
    let next: Vec<_> = cpus[at..].iter().take(24).map(ToString::to_string).collect();
    let more = if cpus.len() > at + 24 { " ..." } else { "" };
    format!("{}{more}  ({} in all)", next.join(" "), cpus.len())
}

#[test]
fn lists_and_none_are_taken_as_they_are() {
    let machine = Topology::from_synthetic("pack:2 core:8 pu:2").unwrap();
    let placement = |text: &str| text.parse::<Placement>().unwrap();
    assert_eq!(placement("31,4,0-1").cpus(&machine, 3).unwrap(), [31, 4, 0]);
    assert_eq!(placement("31,4,0-1").order(&machine).unwrap(), Order::Cpus(vec![31, 4, 0, 1]));
    assert_eq!(placement("none").order(&machine).unwrap(), Order::Kernel);
    assert!(placement("none").cpus(&machine, 40).unwrap().is_empty());
    for (text, threads, words) in [
        ("0,32", 1, "cpus 32 are not allowed"),
        ("0-3", 5, "5 threads requested, 4 in 0,1,2,3"),
        ("cores-close", 33, "33 threads requested, 32 in cores-close"),
        ("none", 0, "0 threads requested"),
    ] {
        let error = placement(text).cpus(&machine, threads).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}

/// A machine with a core for each cpu, from hwloc's XML.
fn of_cores(cpus: u32, nodes: &str, kinds: &str) -> Topology {
    let core = |cpu: u32| {
        let set = 1 << cpu;
        format!(
            r#"<object type="Core" os_index="{cpu}" cpuset="0x{set:x}"><object type="PU" os_index="{cpu}" cpuset="0x{set:x}"/></object>"#
        )
    };
    let cores: String = (0..cpus).map(core).collect();
    let all = (1 << cpus) - 1;
    let text = format!(
        r#"<topology version="2.0"><object type="Machine" cpuset="0x{all:x}">{nodes}{cores}</object>{kinds}</topology>"#
    );
    Topology::from_hwloc_xml(&text, "made").unwrap()
}

#[test]
fn all_kinds_of_one_name_are_meant() {
    let kind = |cpus: &str, name: &str, mhz: u32| {
        format!(
            r#"<cpukind cpuset="{cpus}"><info name="CoreType" value="{name}"/><info name="FrequencyMaxMHz" value="{mhz}"/></cpukind>"#
        )
    };
    let kinds = [kind("0x1", "IntelAtom", 2500), kind("0x2", "IntelAtom", 3800), kind("0x4", "IntelCore", 5000)];
    let machine = of_cores(3, "", &kinds.concat());
    let order = |text: &str| text.parse::<Placement>().unwrap().order(&machine);
    assert_eq!(order("cores-close+within:kind:efficiency").unwrap(), Order::Cpus(vec![0, 1]));
    let unknown = order("cores-close+within:kind:slow").unwrap_err().to_string();
    assert!(unknown.ends_with("efficiency, performance"), "{unknown}");
}

#[test]
fn where_nodes_stand_for_sockets_no_cpu_is_lost() {
    let node = r#"<object type="NUMANode" os_index="0" cpuset="0x3" local_memory="1"/>"#;
    let node = format!(r#"<object type="Group" cpuset="0x3">{node}</object>"#);
    let machine = of_cores(4, &node, "");
    for places in ["sockets-close", "sockets-spread", "numa_domains-close"] {
        assert_eq!(places.parse::<Placement>().unwrap().cpus(&machine, 4).unwrap().len(), 4, "{places}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_cpu_comes_once_is_usable_and_keeps_its_rank(
        (made, within) in made::machine_and_parts(), per_core in prop::option::of(1..5_usize), leave_one: bool,
        at in any::<prop::sample::Index>(),
    ) {
        for asked in Asked::all(&made.machine, &within, per_core, leave_one) {
            let Some(order) = asked.order()? else { continue };
            let used: CpuSet = order.iter().copied().collect();
            prop_assert_eq!(used.len(), order.len(), "{} repeats a cpu", asked.placement());
            prop_assert!(used.is_subset(&asked.usable), "{} keeps to what it may use", asked.placement());
            if per_core.is_none() && !leave_one {
                prop_assert_eq!(&used, &asked.usable, "{} uses all", asked.placement());
            }
            for threads in [1, at.index(order.len()) + 1, order.len()] {
                let cpus = asked.placement().cpus(asked.machine, threads).unwrap();
                prop_assert_eq!(&cpus[..], &order[..threads], "{} for {}", asked.placement(), threads);
            }
            prop_assert!(asked.placement().cpus(asked.machine, order.len() + 1).is_err());
        }
    }

    #[test]
    fn places_are_filled_in_rounds_and_cores_before_siblings(
        (made, within) in made::machine_and_parts(), per_core in prop::option::of(1..5_usize), leave_one: bool,
    ) {
        for asked in Asked::all(&made.machine, &within, per_core, leave_one) {
            let Some(order) = asked.order()? else { continue };
            let places = made::places(asked.machine, asked.named.places);
            if asked.named.places.name() == "threads" {
                continue;
            }
            prop_assert!(in_rounds(&order, &places, asked.unit()), "{} places: {order:?}", asked.placement());
            for place in &places {
                let inside: Vec<u32> = order.iter().copied().filter(|&cpu| place.contains(cpu)).collect();
                let cores = in_rounds(&inside, &asked.cores, asked.unit());
                prop_assert!(cores, "{} cores of {place}: {inside:?}", asked.placement());
            }
        }
    }

    #[test]
    fn per_core_uses_exactly_so_many_siblings(
        (made, within) in made::machine_and_parts(), siblings in 1..5_usize, leave_one: bool,
    ) {
        for asked in Asked::all(&made.machine, &within, Some(siblings), leave_one) {
            let Some(order) = asked.order()? else { continue };
            let cores: Vec<_> = order.chunks(siblings).map(|chunk| {
                let cores: BTreeSet<_> = chunk.iter().map(|&cpu| holder(&asked.cores, cpu)).collect();
                (chunk.len(), cores)
            }).collect();
            let whole = cores.iter().all(|(threads, cores)| *threads == siblings && cores.len() == 1);
            prop_assert!(whole, "{}: {order:?}", asked.placement());
            let distinct: BTreeSet<_> = cores.iter().flat_map(|(_, cores)| cores).collect();
            prop_assert_eq!(distinct.len(), cores.len(), "{}: no core twice", asked.placement());
            let enough = asked.cores.iter().filter(|core| core.len() >= siblings).count();
            prop_assert!(cores.len() + usize::from(leave_one) >= enough, "{}: all cores", asked.placement());
        }
    }

    #[test]
    fn leave_one_leaves_the_same_core_under_every_name((made, within) in made::machine_and_parts()) {
        let mut left = BTreeSet::new();
        for asked in Asked::all(&made.machine, &within, None, true) {
            let Some(order) = asked.order()? else { continue };
            let free = asked.usable.difference(&order.iter().copied().collect());
            prop_assert!(asked.cores.contains(&free), "{} leaves {free} free", asked.placement());
            left.insert(free.to_string());
        }
        prop_assert!(left.len() <= 1, "{left:?}");
    }

    #[test]
    fn close_walks_depth_first_and_spread_deals_out((made, within) in made::machine_and_parts()) {
        for asked in Asked::all(&made.machine, &within, None, false) {
            let Some(order) = asked.order()? else { continue };
            let firsts = asked.first_of_places(&order);
            let (sockets, nodes, dies) = (asked.sockets(), asked.nodes(), asked.dies());
            if asked.named.spacing == Spacing::Close {
                for sets in [&sockets, &nodes, &dies, &asked.cores] {
                    prop_assert!(one_after_the_other(&firsts, sets), "{}: {firsts:?}", asked.placement());
                }
                nearest_first(&asked, &firsts)?;
                continue;
            }
            let whole = std::slice::from_ref(&asked.usable);
            for (outer, inner) in [(whole, &sockets), (&sockets, &nodes), (&nodes, &dies), (&dies, &asked.cores)] {
                for set in outer {
                    let inside: Vec<u32> = firsts.iter().copied().filter(|&cpu| set.contains(cpu)).collect();
                    prop_assert!(in_rounds(&inside, inner, 1), "{} in {set}: {inside:?}", asked.placement());
                }
            }
        }
    }

    #[test]
    fn compact_uses_as_few_sockets_as_hold_the_threads(
        (made, within) in made::machine_and_parts(), per_core in prop::option::of(1..5_usize),
        at in any::<prop::sample::Index>(),
    ) {
        for mut asked in Asked::all(&made.machine, &within, per_core, false) {
            let Some(order) = asked.order()? else { continue };
            let threads = at.index(order.len()) + 1;
            asked.named.compact = true;
            let cpus = asked.placement().cpus(asked.machine, threads).unwrap();
            let sockets = asked.sockets();
            let mut sizes = counts(&order, &sockets);
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let fewest = (1..=sizes.len()).find(|&count| sizes[..count].iter().sum::<usize>() >= threads).unwrap();
            let used: BTreeSet<_> = cpus.iter().map(|&cpu| holder(&sockets, cpu)).collect();
            prop_assert_eq!(used.len(), fewest, "{} for {}: {:?}", asked.placement(), threads, cpus);
            let ids = asked.machine.sockets.iter().filter(|socket| cpus.iter().any(|&cpu| socket.cpus.contains(cpu)));
            let mut inside = Named { compact: false, ..asked.named.clone() };
            inside.within.push(Within::Sockets(ids.map(|socket| socket.id).collect()));
            let alone = Placement::Named(inside).cpus(asked.machine, threads).unwrap();
            prop_assert_eq!(cpus, alone, "{} for {}", asked.placement(), threads);
        }
    }
}
