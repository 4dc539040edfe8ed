//! Whether CPUID can be believed: a hypervisor may show the name of one microarchitecture and the abilities of another.
//! An event table chosen by such a name would be the wrong one.

use std::collections::BTreeSet;

/// An ability, the vendor and family it is judged in, and the models of that family that have it.
type Rule = (&'static str, &'static str, u32, &'static [u32]);

/// Models from Intel's and AMD's manuals as the kernel names them (`arch/x86/include/asm/intel-family.h`). A model that
/// is not known here at all is not judged, so that a new part is never called a liar.
const RULES: [Rule; 5] = [
    ("amx_tile", "GenuineIntel", 6, &[143, 173, 174, 207]),
    ("avx512_fp16", "GenuineIntel", 6, &[143, 173, 174, 207]),
    ("avx512f", "GenuineIntel", 6, &[85, 87, 102, 106, 108, 125, 126, 133, 138, 140, 141, 143, 167, 173, 174, 207]),
    ("avx512f", "AuthenticAMD", 23, &[]),
    ("vaes", "AuthenticAMD", 23, &[]),
];

/// Intel's family 6 models that the rules were made from.
const KNOWN_INTEL: [u32; 40] = [
    26, 30, 37, 42, 44, 45, 46, 47, 58, 60, 61, 62, 63, 69, 70, 71, 78, 79, 85, 86, 87, 94, 102, 106, 108, 125, 126,
    133, 138, 140, 141, 142, 143, 158, 165, 166, 167, 173, 174, 207,
];

/// `consistent`, `claimed, not trusted` under a hypervisor, or what contradicts what; none without flags to judge.
pub(super) fn judged(cpuinfo: &str) -> Option<String> {
    let flags: BTreeSet<String> = super::field(cpuinfo, "flags")?.split(' ').map(str::to_owned).collect();
    let contradictions: Vec<String> = abilities(cpuinfo, &flags).into_iter().chain(counts(cpuinfo)).collect();
    let guest = flags.contains("hypervisor");
    Some(match (contradictions.is_empty(), guest) {
        (false, _) => format!("contradicts itself: {}", contradictions.join("; ")),
        (true, true) => "claimed, not trusted: a hypervisor may show what it likes".into(),
        (true, false) => "consistent".into(),
    })
}

fn abilities(cpuinfo: &str, flags: &BTreeSet<String>) -> Vec<String> {
    let number = |name: &str| super::field(cpuinfo, name)?.parse::<u32>().ok();
    let (Some(vendor), Some(family), Some(model)) =
        (super::field(cpuinfo, "vendor_id"), number("cpu family"), number("model"))
    else {
        return Vec::new();
    };
    let known = vendor != "GenuineIntel" || KNOWN_INTEL.contains(&model);
    let broken = RULES.iter().filter(|(ability, maker, of_family, models)| {
        known && vendor == *maker && family == *of_family && flags.contains(*ability) && !models.contains(&model)
    });
    broken
        .map(|(ability, ..)| format!("family {family} model {model} has no {ability}, and the flags list it"))
        .collect()
}

/// More cores than hardware threads in a socket, or a socket with more cpus than it says.
fn counts(cpuinfo: &str) -> Option<String> {
    let number = |name: &str| super::field(cpuinfo, name)?.parse::<usize>().ok();
    let (siblings, cores) = (number("siblings")?, number("cpu cores")?);
    if cores > siblings {
        return Some(format!("{cores} cores have {siblings} hardware threads"));
    }
    let first = super::field(cpuinfo, "physical id")?;
    let line = |line: &&str| line.split_once(':').is_some_and(|(k, v)| k.trim() == "physical id" && v.trim() == first);
    let seen = cpuinfo.lines().filter(line).count();
    (seen > siblings).then(|| format!("a socket of {siblings} hardware threads has {seen}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpuinfo(vendor: &str, family: u32, model: u32, flags: &str) -> String {
        format!("vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nflags\t\t: fpu {flags}\n")
    }

    /// As seen: a guest that is named Rocket Lake and has the matrix unit of Sapphire Rapids.
    #[test]
    fn a_name_with_another_parts_abilities_is_a_contradiction() {
        let found = judged(&cpuinfo("GenuineIntel", 6, 167, "hypervisor amx_tile avx512f")).unwrap();
        assert_eq!(found, "contradicts itself: family 6 model 167 has no amx_tile, and the flags list it");
    }

    #[test]
    fn honest_parts_new_parts_and_guests_are_told_apart() {
        assert_eq!(judged(&cpuinfo("GenuineIntel", 6, 143, "amx_tile avx512f")).unwrap(), "consistent");
        assert_eq!(judged(&cpuinfo("GenuineIntel", 6, 250, "amx_tile avx512f")).unwrap(), "consistent");
        assert!(
            judged(&cpuinfo("AuthenticAMD", 25, 1, "hypervisor vaes")).unwrap().starts_with("claimed, not trusted")
        );
        assert!(judged("processor : 0\n").is_none());
    }

    #[test]
    fn a_socket_with_more_cores_than_threads_is_a_contradiction() {
        let text = cpuinfo("AuthenticAMD", 25, 1, "sse") + "siblings : 2\ncpu cores : 4\n";
        assert_eq!(judged(&text).unwrap(), "contradicts itself: 4 cores have 2 hardware threads");
    }
}
