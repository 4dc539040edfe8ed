//! Where threads go: the lists of `placements.txt`, derived by hand.

mod captured;
mod notation;
mod shared;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use knee_machine::{Order, Placement, Topology};
use notation::{Case, Section};
use serde_json::Value;

/// The names that stand for a list of cpus.
fn names() -> impl Iterator<Item = &'static str> {
    Placement::NAMED.into_iter().map(|(name, _)| name).filter(|name| *name != "none")
}

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

#[test]
fn every_machine_has_a_list_for_every_name() {
    for section in by_hand().iter().filter(|section| section.source != "text") {
        let whole = section.cases.iter().filter(|case| case.threads.is_none());
        let found: BTreeSet<_> = whole.map(|case| case.placement.as_str()).collect();
        let missing: Vec<_> = names().filter(|name| !found.contains(name)).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", section.name);
        assert!(section.cases.len() >= 12, "{}: two lists with qualifiers", section.name);
    }
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
        ("0,32", 1, "not allowed: 32"),
        ("0-3", 5, "5 threads asked, 4 in 0,1,2,3"),
        ("cores-close", 33, "33 threads asked, 32 in cores-close"),
        ("none", 0, "0 threads asked"),
    ] {
        let error = placement(text).cpus(&machine, threads).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}
