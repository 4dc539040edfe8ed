//! Every probe on this machine's nodes: memory lies on the requested node, matrices have the right shape, pages move
//! only on request. On one node this is the negative control; `ci/numa-vm.sh` runs it on emulated machines with
//! several, some of them without cpus.

use std::collections::BTreeSet;

use knee_machine::{Fact, Topology};
use knee_probes::{Context, Figure, Given, PROBES, Probe, measure};

/// Small: an emulated cpu is slow, and its nodes have little memory.
const SIZE: &str = "4M";

fn probe(name: &str) -> &'static dyn Probe {
    *PROBES.iter().find(|probe| probe.name() == name).expect("it is in the list")
}

fn sweep(context: &Context<'_>, name: &str, told: &[(&str, &str)]) -> Vec<Figure> {
    let probe = probe(name);
    let mut given: Given = told.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    if probe.params().iter().any(|param| param.name == "size") {
        given.insert("size".into(), SIZE.into());
    }
    let steps = probe.plan(context, &given).unwrap();
    steps.iter().flat_map(|step| measure(probe, context, step).unwrap()).collect()
}

fn with_machine(test: impl FnOnce(&Context<'_>)) {
    let machine = Topology::this_machine().unwrap();
    test(&Context::quick(&machine));
}

/// The values of a condition in the figures.
fn values(figures: &[Figure], name: &str) -> BTreeSet<String> {
    figures.iter().filter_map(|figure| figure.at.get(name).cloned()).collect()
}

#[test]
fn memory_lies_where_it_should() {
    with_machine(|context| {
        for probe in PROBES.iter().filter(|probe| !["smt", "ownership"].contains(&probe.name())) {
            let figures = sweep(context, probe.name(), &[]);
            assert!(!figures.is_empty() || context.cpus().len() < 2, "{} finds something", probe.name());
            for figure in figures {
                let memory = figure.memory;
                // Freed memory belongs to the C library, and is not checked.
                if figure.at.get("way").is_some_and(|way| way == "freed") {
                    continue;
                }
                let share = memory.and_then(|memory| memory.on_node);
                assert!(share.is_some_and(|share| share >= 0.99), "{}: {share:?} of {:?}", probe.name(), figure.at);
                assert!(figure.value.is_finite() && figure.value >= 0.0);
            }
        }
    });
}

#[test]
fn matrices_have_a_row_for_each_reader_and_a_column_for_each_memory() {
    with_machine(|context| {
        let text = |nodes: Vec<u32>| nodes.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        let readers = text(context.readers().into_iter().map(|(node, _)| node).collect());
        let memories = text(context.memories());
        for name in ["latency", "bandwidth"] {
            let figures = sweep(context, name, &[("matrix", "yes")]);
            assert_eq!(figures.len(), readers.len() * memories.len(), "{name}");
            assert_eq!(values(&figures, "reader_node"), readers);
            assert_eq!(values(&figures, "memory_node"), memories);
            // A page that the kernel moves within its node just then is on none.
            let placed = |figure: &Figure| figure.memory.and_then(|memory| memory.on_node) >= Some(0.99);
            assert!(figures.iter().all(placed), "{name}");
        }
    });
}

#[test]
fn pages_move_when_they_are_told_to() {
    with_machine(|context| {
        let balancing = matches!(context.machine.facts.get("numa_balancing"), Some(Fact::Known(text)) if text != "0");
        let figures = sweep(context, "ownership", &[]);
        let shares: Vec<&Figure> = figures.iter().filter(|figure| figure.measure == "pages with the reader").collect();
        assert!(!shares.is_empty());
        for figure in shares {
            let at = |name: &str| figure.at[name].clone();
            let here = at("reader_node") == at("other_node");
            let own = at("step").ends_with('A');
            let expected = if here || own || at("pages") == "move" { 1.0 } else { 0.0 };
            // The kernel may move pages itself where balancing is on and not kept away.
            if !balancing || at("numa_balancing") == "kept away" {
                assert!((figure.value - expected).abs() < 1e-9, "{}: {:?}", figure.value, figure.at);
            }
        }
        let kinds = values(&figures, "pages");
        let nodes = context.readers().len();
        assert_eq!(kinds.len(), if nodes > 1 { 2 } else { 1 });
        let ways = values(&figures, "numa_balancing");
        assert_eq!(ways.contains("kept away"), balancing && nodes > 1, "{ways:?}");
    });
}

/// Every owner writes its array, and its pages stay there when others read it. New memory of either kind is the owner's, too.
#[test]
fn arrays_stay_with_their_owners() {
    with_machine(|context| {
        let balancing = matches!(context.machine.facts.get("numa_balancing"), Some(Fact::Known(text)) if text != "0");
        let told = [("owners", "all"), ("readers", "quarters"), ("stride", "16")];
        let mut figures = sweep(context, "sequential", &told);
        figures.extend(sweep(context, "random", &told[..2]));
        figures.extend(sweep(context, "lockstep", &[("shift", "all")]));
        let of = |measure: &str| figures.iter().filter(|figure| figure.measure == measure).collect::<Vec<_>>();
        assert_eq!(of("pages with the owner").len(), 5);
        let far = of("far pages with the reader");
        assert_eq!(far.is_empty(), context.readers().len() < 2);
        for figure in figures.iter().filter(|figure| figure.unit == "share" && !balancing) {
            // What the C library keeps of freed memory goes to the next thread that asks.
            if figure.at["allocation"] != "freed" {
                let expected = if figure.measure == "pages with the owner" { 1.0 } else { 0.0 };
                assert!((figure.value - expected).abs() < 1e-9, "{}: {:?}", figure.value, figure.at);
            }
        }
    });
}
