//! The event tables: which one a part gets, what they contain, and what the reader says about bad files.

mod shared;

use std::collections::BTreeSet;
use std::process::Command;

use knee_meter::events::{Action, Cpu, Cpus, Erratum, Table, Trust, choose, choose_own, tables};
use proptest::prelude::*;

fn x86(vendor: &str, family: u32, model: u32, stepping: u32, flags: &str) -> Cpu {
    Cpu::from_cpuinfo(&format!(
        "vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nstepping\t: {stepping}\nflags\t\t: fpu {flags}\n"
    ))
}

fn intel(model: u32, stepping: u32) -> Cpu {
    x86("GenuineIntel", 6, model, stepping, "sse2")
}

fn amd(family: u32, model: u32) -> Cpu {
    x86("AuthenticAMD", family, model, 1, "sse2")
}

fn arm(part: u32) -> Cpu {
    Cpu::from_cpuinfo(&format!("CPU implementer\t: 0x41\nCPU part\t: {part:#x}\n"))
}

fn named(cpu: &Cpu) -> &'static str {
    choose(cpu).table.map_or("none", |table| &table.name)
}

#[test]
fn parts_get_the_table_of_their_microarchitecture() {
    for (model, stepping, name) in [
        (45, 7, "sandy-bridge-ep"),
        (62, 4, "ivy-bridge-ep"),
        (63, 2, "haswell-ep"),
        (79, 1, "broadwell-ep"),
        (85, 4, "skylake-x"),
        (85, 7, "cascade-lake-x"),
        (85, 11, "cascade-lake-x"),
        (106, 6, "ice-lake-x"),
        (143, 8, "sapphire-rapids"),
        (207, 2, "sapphire-rapids"),
        (173, 1, "granite-rapids"),
        (175, 3, "sierra-forest"),
        // Client parts have other events, and no second socket.
        (42, 7, "none"),
        (167, 1, "none"),
    ] {
        assert_eq!(named(&intel(model, stepping)), name, "model {model} stepping {stepping}");
    }
    for (family, model, name) in [
        (23, 1, "none"),
        (23, 49, "zen2"),
        (25, 1, "zen3"),
        (25, 33, "zen3"),
        (25, 17, "zen4"),
        (25, 160, "zen4"),
        (26, 2, "zen5"),
        (26, 80, "none"),
    ] {
        assert_eq!(named(&amd(family, model)), name, "family {family} model {model}");
    }
    for (part, name) in [
        (0xd0c, "neoverse-n1"),
        (0xd49, "neoverse-n2"),
        (0xd8e, "neoverse-n3"),
        (0xd40, "neoverse-v1"),
        (0xd4f, "neoverse-v2"),
        (0xd84, "neoverse-v3"),
        (0xd08, "none"),
    ] {
        assert_eq!(named(&arm(part)), name, "part {part:#x}");
    }
}

#[test]
fn no_part_is_in_two_tables() {
    let all: Vec<(&str, &Table, &Cpus)> =
        tables().flat_map(|table| table.cpus.iter().map(move |cpus| (table.name.as_str(), table, cpus))).collect();
    for (index, (name, table, one)) in all.iter().enumerate() {
        for (other_name, other_table, other) in &all[..index] {
            let meet = table.vendor == other_table.vendor && meet(one, other);
            assert!(!meet, "{name} and {other_name} share a part");
        }
    }
}

fn meet(one: &Cpus, other: &Cpus) -> bool {
    match (one, other) {
        (
            Cpus::X86 { family, models, steppings },
            Cpus::X86 { family: other_family, models: other_models, steppings: other_steppings },
        ) => {
            let apart = steppings.as_ref().zip(other_steppings.as_ref()).is_some_and(|(a, b)| !a.overlaps(b));
            family == other_family && models.overlaps(other_models) && !apart
        }
        (Cpus::Arm { implementer, parts }, Cpus::Arm { implementer: other, parts: other_parts }) => {
            implementer == other && parts.overlaps(other_parts)
        }
        _ => false,
    }
}

#[test]
fn a_part_without_doubts_is_trusted() {
    let choice = choose(&intel(143, 8));
    assert_eq!(choice.trust, Trust::Trusted);
    assert!(choice.refused.is_empty());
}

#[test]
fn under_a_hypervisor_no_table_is_trusted() {
    let choice = choose(&x86("AuthenticAMD", 25, 1, 1, "hypervisor"));
    assert_eq!(choice.table.map(|table| table.name.as_str()), Some("zen3"));
    assert_eq!(choice.trust, Trust::Claimed("a hypervisor may show the name of any part".into()));
}

/// As seen: Rocket Lake by name, with the matrix unit and the half precision of Sapphire Rapids.
#[test]
fn a_part_that_contradicts_itself_is_not_trusted_and_the_reason_is_said() {
    let choice = choose(&x86("GenuineIntel", 6, 167, 1, "avx512f amx_tile avx512_fp16"));
    assert!(choice.table.is_none());
    let Trust::Claimed(reason) = choice.trust else { panic!("it is trusted") };
    assert!(
        reason.contains("model 167 has no amx_tile") && reason.contains("no event table for Intel family 6"),
        "{reason}"
    );
    let choice = choose(&x86("GenuineIntel", 6, 85, 4, "avx512f amx_tile"));
    assert!(choice.table.is_some());
    assert!(matches!(choice.trust, Trust::Claimed(reason) if reason.starts_with("CPUID contradicts itself")));
}

#[test]
fn an_unknown_part_is_not_refused() {
    for cpu in [intel(250, 0), amd(99, 1), Cpu::from_cpuinfo(""), arm(0xfff)] {
        let choice = choose(&cpu);
        assert!(choice.table.is_none() && choice.refused.is_empty());
        assert!(matches!(choice.trust, Trust::Claimed(reason) if reason.contains("only the kernel")));
    }
}

#[test]
fn sandy_bridge_refuses_the_sources_of_loads_and_nothing_else() {
    let refused = choose(&intel(45, 7)).refused;
    let measures: Vec<&str> = refused.iter().map(|refusal| refusal.measure).collect();
    assert_eq!(measures, ["local_dram", "remote_dram"]);
    assert!(refused[0].erratum.summary().contains("bypass of the L3"), "{}", refused[0].erratum.summary());
}

#[test]
fn errata_are_found_by_measure_and_say_what_is_hearsay() {
    let cpu = intel(63, 2);
    let table = choose(&cpu).table.expect("Haswell has a table");
    let numbers: BTreeSet<&str> =
        table.errata_for("local_dram", &cpu).flat_map(|erratum| &erratum.numbers).map(String::as_str).collect();
    assert_eq!(numbers, BTreeSet::from(["HSD25", "HSD29", "HSD74", "HSM30"]));
    let hearsay: Vec<String> =
        table.errata_for("remote_dram", &cpu).filter(|erratum| !erratum.verified).map(Erratum::summary).collect();
    assert!(matches!(hearsay.as_slice(), [one] if one.contains("40 %") && one.contains("not verified")), "{hearsay:?}");
    assert_eq!(table.errata_for("memory_read", &cpu).count(), 0);
}

#[test]
fn steppings_choose_among_errata_and_a_foreign_part_gets_all() {
    let text = table_text(
        "[[erratum]]\nmeasures = [\"loads\"]\nmodels = \"85\"\nsteppings = \"0-4\"\neffect = \"e\"\n\
                           source = \"s\"\naction = \"refuse\"\nverified = true\n",
    );
    let table = Table::parse(&text, "own.toml").unwrap();
    let refused = |cpu: &Cpu| choose_own(&table, cpu).refused.len();
    assert_eq!((refused(&intel(85, 4)), refused(&intel(85, 7)), refused(&intel(143, 8))), (1, 0, 1));
}

#[test]
fn a_table_of_ones_own_is_used_on_any_part_and_says_so() {
    let table = Table::parse(&table_text(""), "own.toml").unwrap();
    assert_eq!(choose_own(&table, &intel(85, 1)).trust, Trust::Trusted);
    let foreign = choose_own(&table, &amd(25, 1));
    assert_eq!(foreign.table.map(|table| table.name.as_str()), Some("own"));
    assert!(matches!(foreign.trust, Trust::Claimed(reason) if reason.contains("the table own does not list it")));
}

/// Units that figures know. A new unit needs support there.
const UNITS: [&str; 10] =
    ["instructions", "cycles", "requests", "loads", "lines", "bytes", "reads", "accesses", "beats", "slots"];

#[test]
fn every_table_counts_instructions_and_cycles_in_known_units() {
    for table in tables() {
        for measure in ["instructions", "cycles"] {
            assert!(table.event(measure).is_some(), "{} lacks {measure}", table.name);
        }
        for event in table.events() {
            assert!(UNITS.contains(&event.unit.as_str()), "{}: {} in {}", table.name, event.measure, event.unit);
            let bytes = event.measure.ends_with("_traffic") || event.measure.starts_with("memory_read");
            assert_eq!(bytes || event.measure == "memory_write", event.unit == "bytes", "{}", event.measure);
            assert!(event.meaning.ends_with('.') && event.not_counted.ends_with('.'), "{}", event.measure);
        }
        assert!(table.derived().iter().any(|derived| derived.name == "instructions_per_cycle"));
    }
}

#[test]
fn the_share_of_remote_loads_can_be_computed_wherever_both_are_counted() {
    for table in tables().filter(|table| table.event("remote_dram").is_some()) {
        let share = table.derived().iter().find(|derived| derived.name == "remote_share").expect("it is general");
        let count = |measure: &str| Some(if measure == "remote_dram" { 10.0 } else { 30.0 });
        assert_eq!(share.formula.evaluate(count), Ok(0.25), "{}", table.name);
    }
}

#[test]
fn a_table_of_its_own_replaces_a_general_formula() {
    let table = tables().find(|table| table.name == "ice-lake-x").unwrap();
    let shares: Vec<String> = table
        .derived()
        .iter()
        .filter(|derived| derived.name == "reads_remote_share")
        .map(|derived| derived.formula.to_string())
        .collect();
    assert!(matches!(shares.as_slice(), [one] if one.contains("reads_snc_dram")), "{shares:?}");
}

#[test]
fn what_counts_for_the_socket_says_so() {
    let table = tables().find(|table| table.name == "zen4").unwrap();
    let socket: Vec<&str> =
        table.events().iter().filter(|event| event.is_of_the_socket()).map(|event| event.measure.as_str()).collect();
    assert_eq!(socket, ["memory_read", "memory_write", "link_traffic"]);
}

#[test]
fn captured_machines_get_their_tables() {
    let test = "captured_machines_get_their_tables";
    let Some(folder) = shared::captures(test) else { return };
    for (capture, name) in [
        ("xeon4108-2p-16c-smt2", "skylake-x"),
        ("cascadelake-2p-40c-smt2-snc2-pmemcache", "cascade-lake-x"),
        ("epyc7451-2p-48c-smt2-8n", "none"),
    ] {
        let root = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("captures");
        std::fs::create_dir_all(&root).expect("the temporary folder is ours");
        let archive = folder.join(format!("{capture}.tar.bz2"));
        let unpacked = Command::new("tar").arg("-xjf").arg(&archive).arg("-C").arg(&root).status();
        if !unpacked.is_ok_and(|status| status.success()) {
            return shared::skipped(test, &format!("cannot unpack {}", archive.display()));
        }
        let cpu = Cpu::read(&root.join(capture));
        assert_eq!((named(&cpu), cpu.contradiction.as_deref()), (name, None), "{cpu:?}");
    }
}

/// A small table that is right, with more at its end.
fn table_text(more: &str) -> String {
    format!(
        "name = \"own\"\ntitle = \"Own\"\nvendor = \"intel\"\ncpus = [{{ family = 6, models = \"85\" }}]\n\n\
         [[event]]\nmeasure = \"loads\"\npmu = \"cpu\"\nunit = \"loads\"\nmeaning = \"Loads.\"\nnot_counted = \"Stores.\"\n\
         encodings = [{{ name = \"L\", code = 0xd0, umask = 0x81, checked = \"not checked: an example\" }}]\n\n{more}"
    )
}

#[test]
fn errors_name_file_line_field_and_what_to_try() {
    let right = table_text("");
    assert!(Table::parse(&right, "own.toml").is_ok());
    for (from, to, said) in [
        ("umask = 0x81", "umsk = 0x81", "line 12, field `umsk`: unknown field `umsk`"),
        ("umask = 0x81", "umask = \"x\"", "line 12, field `umask`: invalid type"),
        ("umask = 0x81", "umask = 0x181", "line 6, field `umask`: 0x181 is more than 0xff"),
        ("code = 0xd0", "code = -1", "line 12, field `code`: invalid value"),
        ("not checked: an example", "sure", "line 12, field `checked`: \"sure\" is not `libpfm4"),
        ("unit = \"loads\"\n", "", "line 6, field `unit`: missing field"),
        ("unit = \"loads\"", "unit = \" \"", "line 6, field `unit`: says nothing"),
        ("measure = \"loads\"", "measure = \"Loads\"", "line 6, field `measure`: \"Loads\" is not a valid name"),
        ("models = \"85\"", "models = \"x\"", "line 4, field `models`: \"x\" is not a list of numbers"),
        ("models = \"85\"", "parts = \"85\"", "line 4, field `cpus`: an x86 part has a family and models"),
        ("vendor = \"intel\"", "vendor = \"inteI\"", "line 3, field `vendor`: unknown variant"),
        ("pmu = \"cpu\"", "pmu = \"../cpu\"", "line 6, field `pmu`: \"../cpu\" is not a PMU"),
        ("title = \"Own\"", "title = Own", "line 2"),
    ] {
        assert!(right.contains(from), "{from}");
        let error = Table::parse(&right.replace(from, to), "own.toml").unwrap_err();
        assert!(error.to_string().starts_with("bad event table: own.toml, "), "{error}");
        assert!(error.to_string().contains(said), "{error}\nwanted: {said}");
        assert!(error.hint.len() > 10, "{error:?}");
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    for (more, said) in [
        (
            "[[derived]]\nname = \"share\"\nformula = \"loads / stores\"\nmeaning = \"x\"\n",
            "no event counts \"stores\"",
        ),
        ("[[derived]]\nname = \"loads\"\nformula = \"loads / 2\"\nmeaning = \"x\"\n", "\"loads\" is there twice"),
        ("[[derived]]\nname = \"share\"\nformula = \"loads / (\"\nmeaning = \"x\"\n", "field `formula`"),
        (
            "[[erratum]]\nmeasures = [\"stores\"]\neffect = \"e\"\nsource = \"s\"\naction = \"warn\"\nverified = true\n",
            "no event counts \"stores\"",
        ),
    ] {
        let error = Table::parse(&table_text(more), "own.toml").unwrap_err();
        assert!(error.to_string().contains(said) && error.line.is_some_and(|line| line >= 14), "{error}");
    }
    let twice = table_text("") + table_text("").split_once("[[event]]").map(|(_, event)| event).unwrap();
    assert!(Table::parse(&twice, "own.toml").is_err());
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Table::read("/nonexistent/own.toml".as_ref()).unwrap_err();
    assert!(error.to_string().starts_with("bad event table: /nonexistent/own.toml: No such file"), "{error}");
}

#[test]
fn what_is_refused_is_a_refusal_somewhere() {
    let refusing = tables().flat_map(Table::errata).filter(|erratum| erratum.action == Action::Refuse);
    assert_eq!(refusing.count(), 1);
}

/// Texts that are almost a table: pieces of one, shuffled.
fn near_tables() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~\n]{0,40}",
        Just("[[event]]\n".to_owned()),
        Just("[[erratum]]\n".to_owned()),
        Just("[[derived]]\nformula = \"((((a/b\"\n".to_owned()),
        Just("encodings = [{ name = \"L\", code = 99999999999999999999 }]\n".to_owned()),
        Just("cpus = [{ family = 6, models = \"9-1\" }]\n".to_owned()),
        Just(table_text("")),
        (0_usize..300).prop_map(|cut| table_text("").chars().skip(cut).collect()),
        "\\PC{0,20}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in near_tables()) {
        if let Err(error) = Table::parse(&text, "own.toml") {
            prop_assert!(error.line.is_none_or(|line| line >= 1 && line <= text.lines().count() + 1));
            prop_assert!(!error.problem.is_empty() && !error.hint.is_empty());
        }
    }

    #[test]
    fn no_text_makes_identification_panic(text in "(vendor_id|model|flags|CPU part|[a-z: \t0-9\n]){0,60}") {
        let cpu = Cpu::from_cpuinfo(&text);
        let _ = choose(&cpu);
    }
}
