//! Translates names of measures (`local_dram`) into events of this microarchitecture.

use knee_meter::GAUGES;
use knee_meter::events::{Choice, Cpu, Error, Table, Trust, choose, choose_own, tables};
use knee_meter::perf::{NamedEvent, Request};

use crate::error::Failure;
use crate::nearest::nearest;

/// The events of a measure from the user's own table or the one for this part, or why this machine has none; none for a
/// name that no table has.
pub(crate) fn named(name: &str, own: Option<&Result<Table, Error>>) -> Option<Result<Vec<NamedEvent>, String>> {
    let cpu = Cpu::this_machine();
    let choice = match own {
        Some(Err(error)) => return Some(Err(error.to_string())),
        Some(Ok(table)) => choose_own(table, &cpu),
        None => choose(&cpu),
    };
    let here = choice.table.is_some_and(|table| table.event(name).is_some());
    // A table of the user's own may count what others compute.
    if let Some(parts) = computed_from(name).filter(|_| !here) {
        return Some(Err(format!("computed from {parts}; ask for those instead")));
    }
    (here || tables().any(|table| table.event(name).is_some())).then(|| events(&choice, &cpu, name))
}

/// Refuses the name of a counter that no machine has, and suggests the one most like it.
///
/// # Errors
/// When neither the kernel nor any table of events knows the name.
pub(crate) fn recognize(name: &str) -> Result<(), Failure> {
    match Request::parse(name) {
        Ok(Request::Named(measure)) if named(&measure, None).is_none() => {
            let events = tables().flat_map(|table| table.events().iter().map(|event| event.measure.as_str()));
            let known = Request::names().chain(GAUGES.iter().copied()).chain(events);
            let listed = || "`knee run --help` lists the counters".to_owned();
            let hint = nearest(&measure, known).map_or_else(listed, |one| format!("did you mean {one}?"));
            Err(Failure::new(format!("unknown counter '{name}'")).hint(hint))
        }
        _ => Ok(()),
    }
}

/// The measures from which a derived one is computed; none for any other name.
fn computed_from(name: &str) -> Option<String> {
    let derived = tables().flat_map(Table::derived).find(|derived| derived.name == name)?;
    let counted = tables().any(|table| table.event(name).is_some());
    (!counted).then(|| derived.formula.measures().join(" and "))
}

fn events(choice: &Choice<'_>, cpu: &Cpu, name: &str) -> Result<Vec<NamedEvent>, String> {
    let Some(table) = choice.table else {
        return Err(match &choice.trust {
            Trust::Claimed(reason) => reason.clone(),
            Trust::Trusted => "no event table for this cpu model".into(),
        });
    };
    if let Some(refusal) = choice.refused.iter().find(|refusal| refusal.measure == name) {
        return Err(format!("not counted: {}", refusal.erratum.summary()));
    }
    let event = table.event(name).ok_or_else(|| format!("{} has no event for this measure", table.title))?;
    let caution = choice.caution(name, cpu);
    let named = event.encodings().map(|encoded| NamedEvent {
        pmu: encoded.pmu.into(),
        config: encoded.config,
        config1: encoded.config1,
        config2: encoded.config2,
        scale: event.scale,
        unit: event.unit.clone(),
        caution: caution.clone(),
    });
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part of which only family, model and stepping are known.
    fn cpu(vendor: &str, family: u32, model: u32, stepping: u32) -> Cpu {
        let text = format!(
            "vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nstepping\t: {stepping}\nflags\t\t: fpu\n"
        );
        Cpu::from_cpuinfo(&text)
    }

    #[test]
    fn a_measure_becomes_the_events_of_the_part() {
        let skylake = cpu("GenuineIntel", 6, 85, 4);
        let remote = events(&choose(&skylake), &skylake, "remote_cache").unwrap();
        let codes: Vec<_> = remote.iter().map(|event| (event.pmu.as_str(), event.config)).collect();
        assert_eq!(codes, [("cpu", 0x04d3), ("cpu", 0x08d3)]);
        let traffic = events(&choose(&skylake), &skylake, "memory_read").unwrap();
        assert!(traffic.iter().all(|event| event.scale.to_bits() == 64.0_f64.to_bits() && event.unit == "bytes"));
    }

    #[test]
    fn what_is_only_doubtful_is_counted_with_a_caution() {
        let broadwell = cpu("GenuineIntel", 6, 79, 1);
        let cautions = |name: &str| -> Vec<String> {
            events(&choose(&broadwell), &broadwell, name).unwrap().into_iter().map(|event| event.caution).collect()
        };
        assert!(
            cautions("local_dram").iter().all(|caution| caution.contains("perfmon")),
            "{:?}",
            cautions("local_dram")
        );
        assert_eq!(cautions("cycles"), [String::new()]);
        let text = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\nflags\t\t: hypervisor\n";
        let guest = Cpu::from_cpuinfo(text);
        let claimed = events(&choose(&guest), &guest, "local_dram").unwrap();
        assert!(claimed[0].caution.contains("a hypervisor may show"), "{claimed:?}");
    }

    #[test]
    fn a_counter_that_no_machine_has_is_refused_with_a_suggestion() {
        let refused = |name: &str| recognize(name).unwrap_err().json();
        assert!(refused("cylces").contains("did you mean cycles?"), "{}", refused("cylces"));
        assert!(refused("colour").contains("`knee run --help` lists"), "{}", refused("colour"));
        for known in ["instructions", "remote_dram", "mbm_total_bytes", "r01d3", "cpu/event=1/", "LLC-load-misses"] {
            assert!(recognize(known).is_ok(), "{known}");
        }
    }

    #[test]
    fn what_is_known_to_be_wrong_has_its_reason() {
        let sandy_bridge = cpu("GenuineIntel", 6, 45, 7);
        let refused = events(&choose(&sandy_bridge), &sandy_bridge, "remote_dram").unwrap_err();
        assert!(refused.starts_with("not counted: "), "{refused}");
        let unheard_of = cpu("GenuineIntel", 6, 250, 0);
        let unknown = events(&choose(&unheard_of), &unheard_of, "local_dram").unwrap_err();
        assert!(unknown.contains("no event table"), "{unknown}");
        assert!(named("nothing of the kind", None).is_none());
    }
}
