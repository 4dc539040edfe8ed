//! Whether CPUID can be trusted: a hypervisor may show the name of one microarchitecture and the features or caches of
//! another. An event table chosen by such a name would be wrong.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use super::field;
use crate::kernel_files::text;

/// How far CPUID can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing contradicts it, and there is no hypervisor.
    Consistent,
    /// Nothing contradicts it, but a hypervisor may show anything.
    Claimed,
    /// The contradictions.
    Contradictory(Vec<String>),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Consistent => f.write_str("consistent"),
            Self::Claimed => f.write_str("claimed, not trusted: a hypervisor may report any cpu"),
            Self::Contradictory(what) => write!(f, "contradicts itself: {}", what.join("; ")),
        }
    }
}

/// Sizes of the first cpu's private L2 and of its L3, in KiB; none where they are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caches {
    /// The L2 of one core (or of a small cluster).
    pub l2_kib: Option<u64>,
    /// The L3 that the core shares.
    pub l3_kib: Option<u64>,
}

impl Caches {
    /// What `/sys` under `root` lists for the first cpu. It comes from CPUID, so a hypervisor may invent it, too.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let folder = root.join("sys/devices/system/cpu/cpu0/cache");
        let of_level = |level: &str| {
            (0..8).map(|index| folder.join(format!("index{index}"))).find_map(|cache| {
                let kind = text(&cache.join("type"))?;
                let found = text(&cache.join("level"))? == level && kind != "Instruction";
                found.then(|| text(&cache.join("size"))?.strip_suffix('K')?.parse().ok()).flatten()
            })
        };
        Self { l2_kib: of_level("2"), l3_kib: of_level("3") }
    }
}

/// A feature, the vendor and family in which it is checked, and the models of that family that have it.
type Rule = (&'static str, &'static str, u32, &'static [u32]);

/// Models from Intel's and AMD's manuals as the kernel names them (`arch/x86/include/asm/intel-family.h`). Unknown
/// models are not checked, so that a new part is never reported as contradictory.
const RULES: [Rule; 5] = [
    ("amx_tile", "GenuineIntel", 6, &[143, 173, 174, 207]),
    ("avx512_fp16", "GenuineIntel", 6, &[143, 173, 174, 207]),
    ("avx512f", "GenuineIntel", 6, &[85, 87, 102, 106, 108, 125, 126, 133, 138, 140, 141, 143, 167, 173, 174, 207]),
    ("avx512f", "AuthenticAMD", 23, &[]),
    ("vaes", "AuthenticAMD", 23, &[]),
];

/// Intel's family 6 models that the rules cover.
const KNOWN_INTEL: [u32; 40] = [
    26, 30, 37, 42, 44, 45, 46, 47, 58, 60, 61, 62, 63, 69, 70, 71, 78, 79, 85, 86, 87, 94, 102, 106, 108, 125, 126,
    133, 138, 140, 141, 142, 143, 158, 165, 166, 167, 173, 174, 207,
];

/// Vendor, family and models; the L2 that all of them have, and the largest L3 that any of them was sold with (KiB).
type Sizes = (&'static str, u32, &'static [u32], u64, u64);

/// From the vendors' product pages. Only the largest L3 is checked: smaller parts of a line have some of it disabled.
const SIZES: [Sizes; 12] = [
    ("GenuineIntel", 6, &[45], 256, 20 << 10),
    ("GenuineIntel", 6, &[62], 256, 75 << 9),
    ("GenuineIntel", 6, &[63], 256, 45 << 10),
    ("GenuineIntel", 6, &[79], 256, 60 << 10),
    ("GenuineIntel", 6, &[85], 1024, 77 << 9),
    ("GenuineIntel", 6, &[106], 1280, 60 << 10),
    ("GenuineIntel", 6, &[143], 2048, 225 << 9),
    ("GenuineIntel", 6, &[207], 2048, 320 << 10),
    ("GenuineIntel", 6, &[167], 512, 16 << 10),
    ("AuthenticAMD", 23, &[1, 8, 17, 24, 49, 96, 113], 512, 16 << 10),
    ("AuthenticAMD", 25, &[1, 33], 512, 96 << 10),
    ("AuthenticAMD", 25, &[17, 97], 1024, 96 << 10),
];

/// Checks `/proc/cpuinfo` against itself and the caches; none without flags, as on Arm.
#[must_use]
pub fn judge(cpuinfo: &str, caches: Caches) -> Option<Verdict> {
    let flags: BTreeSet<String> = field(cpuinfo, "flags")?.split(' ').map(str::to_owned).collect();
    let mut contradictions = Vec::new();
    if let Some(part) = part(cpuinfo) {
        contradictions.extend(abilities(&part, &flags));
        contradictions.extend(sizes(&part, caches));
    }
    contradictions.extend(counts(cpuinfo));
    Some(match (contradictions.is_empty(), flags.contains("hypervisor")) {
        (false, _) => Verdict::Contradictory(contradictions),
        (true, true) => Verdict::Claimed,
        (true, false) => Verdict::Consistent,
    })
}

/// Vendor, family and model.
type Part = (String, u32, u32);

fn part(cpuinfo: &str) -> Option<Part> {
    let number = |name: &str| field(cpuinfo, name)?.parse::<u32>().ok();
    Some((field(cpuinfo, "vendor_id")?, number("cpu family")?, number("model")?))
}

fn abilities((vendor, family, model): &Part, flags: &BTreeSet<String>) -> Vec<String> {
    let known = vendor != "GenuineIntel" || KNOWN_INTEL.contains(model);
    let broken = RULES.iter().filter(|(ability, maker, of_family, models)| {
        known && vendor == maker && family == of_family && flags.contains(*ability) && !models.contains(model)
    });
    broken
        .map(|(ability, ..)| format!("family {family} model {model} has no {ability}, and the flags list it"))
        .collect()
}

fn sizes((vendor, family, model): &Part, caches: Caches) -> Vec<String> {
    let known = SIZES.iter().find(|(maker, of, models, ..)| vendor == maker && family == of && models.contains(model));
    let Some((.., l2_kib, most_l3_kib)) = known else { return Vec::new() };
    let l2 = caches.l2_kib.filter(|found| found != l2_kib);
    let l3 = caches.l3_kib.filter(|found| found > most_l3_kib);
    let l2 = l2.map(|found| format!("family {family} model {model} has an L2 of {l2_kib} KiB, and {found} are listed"));
    let l3 = l3.map(|found| {
        format!("family {family} model {model} has an L3 of {most_l3_kib} KiB at most, and {found} are listed")
    });
    l2.into_iter().chain(l3).collect()
}

/// More cores than hardware threads in a socket, or a socket with more cpus than it says.
fn counts(cpuinfo: &str) -> Option<String> {
    let number = |name: &str| field(cpuinfo, name)?.parse::<usize>().ok();
    let (siblings, cores) = (number("siblings")?, number("cpu cores")?);
    if cores > siblings {
        return Some(format!("{cores} cores have {siblings} hardware threads"));
    }
    let first = field(cpuinfo, "physical id")?;
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

    fn judged(cpuinfo: &str) -> String {
        judge(cpuinfo, Caches::default()).expect("there are flags").to_string()
    }

    /// As seen: a guest that is named Rocket Lake and has the matrix unit of Sapphire Rapids.
    #[test]
    fn a_name_with_another_parts_abilities_is_a_contradiction() {
        let found = judged(&cpuinfo("GenuineIntel", 6, 167, "hypervisor amx_tile avx512f"));
        assert_eq!(found, "contradicts itself: family 6 model 167 has no amx_tile, and the flags list it");
    }

    /// The same guest showed the caches of Sapphire Rapids as well.
    #[test]
    fn a_name_with_another_parts_caches_is_a_contradiction() {
        let rocket_lake = cpuinfo("GenuineIntel", 6, 167, "avx512f");
        let seen = Caches { l2_kib: Some(2048), l3_kib: Some(105 << 10) };
        let found = judge(&rocket_lake, seen).unwrap().to_string();
        assert!(found.contains("L2 of 512 KiB, and 2048 are listed"), "{found}");
        assert!(found.contains("L3 of 16384 KiB at most, and 107520 are listed"), "{found}");
        let honest = Caches { l2_kib: Some(512), l3_kib: Some(12 << 10) };
        assert_eq!(judge(&rocket_lake, honest), Some(Verdict::Consistent));
    }

    #[test]
    fn honest_parts_new_parts_and_guests_are_told_apart() {
        assert_eq!(judged(&cpuinfo("GenuineIntel", 6, 143, "amx_tile avx512f")), "consistent");
        assert_eq!(judged(&cpuinfo("GenuineIntel", 6, 250, "amx_tile avx512f")), "consistent");
        assert!(judged(&cpuinfo("AuthenticAMD", 25, 1, "hypervisor vaes")).starts_with("claimed, not trusted"));
        assert_eq!(judge("processor : 0\n", Caches::default()), None);
    }

    #[test]
    fn a_socket_with_more_cores_than_threads_is_a_contradiction() {
        let text = cpuinfo("AuthenticAMD", 25, 1, "sse") + "siblings : 2\ncpu cores : 4\n";
        assert_eq!(judged(&text), "contradicts itself: 4 cores have 2 hardware threads");
    }
}
