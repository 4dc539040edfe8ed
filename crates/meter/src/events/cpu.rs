//! Identifies the cpu model: from CPUID on x86, from `/proc/cpuinfo` elsewhere, or from a recorded text.

use std::fmt;
use std::path::Path;

use knee_machine::facts::cpuid::{self, Caches, Verdict};
use knee_machine::files;

use super::numbers::number;
use super::table::Vendor;

/// A cpu model, and how far its name can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpu {
    /// Which part.
    pub kind: Kind,
    /// What it calls itself.
    pub name: Option<String>,
    /// Whether a hypervisor runs the machine. On Arm no flag shows one; a guest there sees its host's part number
    /// unless the hypervisor changes it.
    pub hypervisor: bool,
    /// A contradiction between sources, if there is one.
    pub contradiction: Option<String>,
}

/// A part as it identifies itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// By CPUID.
    X86 {
        /// Intel or AMD.
        vendor: Vendor,
        /// Family, with the extended one added.
        family: u32,
        /// Model, with the extended one added.
        model: u32,
        /// Stepping.
        stepping: u32,
    },
    /// By the main id register.
    Arm {
        /// Implementer, 0x41 for Arm.
        implementer: u32,
        /// Part number.
        part: u32,
    },
    /// Another vendor's, or unknown.
    Other(String),
}

impl Cpu {
    /// The machine at hand.
    #[must_use]
    pub fn this_machine() -> Self {
        let told = Self::read(Path::new("/"));
        match of_cpuid() {
            Some((kind, hypervisor)) => told.beside(kind, hypervisor),
            None => told,
        }
    }

    /// From `/proc/cpuinfo` and the caches in `/sys` under `root`, as of a captured machine.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let cpuinfo = files::text(&root.join("proc/cpuinfo")).unwrap_or_default();
        Self::told(&cpuinfo, Caches::read(root))
    }

    /// From the text of a `/proc/cpuinfo`.
    #[must_use]
    pub fn from_cpuinfo(cpuinfo: &str) -> Self {
        Self::told(cpuinfo, Caches::default())
    }

    fn told(cpuinfo: &str, caches: Caches) -> Self {
        let verdict = cpuid::judge(cpuinfo, caches);
        let flags = field(cpuinfo, "flags").unwrap_or_default();
        let contradiction = match verdict {
            Some(Verdict::Contradictory(what)) => Some(what.join("; ")),
            _ => several_parts(cpuinfo),
        };
        Self {
            kind: kind(cpuinfo),
            name: field(cpuinfo, "model name").map(str::to_owned),
            hypervisor: flags.split(' ').any(|flag| flag == "hypervisor"),
            contradiction,
        }
    }

    /// CPUID takes precedence; a `/proc/cpuinfo` that differs comes from a container's runtime or a sandbox.
    fn beside(self, kind: Kind, hypervisor: bool) -> Self {
        let differs = !matches!(self.kind, Kind::Other(_)) && self.kind != kind;
        let found = differs.then(|| format!("CPUID says {kind}, and /proc/cpuinfo {}", self.kind));
        let contradiction = self.contradiction.or(found);
        Self { kind, hypervisor: self.hypervisor || hypervisor, contradiction, ..self }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X86 { vendor, family, model, stepping } => {
                write!(f, "{vendor} family {family} model {model} stepping {stepping}")
            }
            Self::Arm { implementer, part } => write!(f, "Arm implementer {implementer:#x} part {part:#x}"),
            Self::Other(what) => f.write_str(what),
        }
    }
}

fn kind(cpuinfo: &str) -> Kind {
    let value = |name: &str| field(cpuinfo, name).and_then(number);
    if let (Some(implementer), Some(part)) = (value("CPU implementer"), value("CPU part")) {
        return Kind::Arm { implementer, part };
    }
    let (Some(vendor), Some(family), Some(model)) = (field(cpuinfo, "vendor_id"), value("cpu family"), value("model"))
    else {
        return Kind::Other("a part that does not identify itself".into());
    };
    x86(vendor, family, model, value("stepping").unwrap_or(0))
}

fn x86(vendor: &str, family: u32, model: u32, stepping: u32) -> Kind {
    let vendor = match vendor {
        "GenuineIntel" => Vendor::Intel,
        "AuthenticAMD" => Vendor::Amd,
        other => return Kind::Other(format!("{other} family {family} model {model} stepping {stepping}")),
    };
    Kind::X86 { vendor, family, model, stepping }
}

/// Why one table is not right for all cores: they are of several kinds.
fn several_parts(cpuinfo: &str) -> Option<String> {
    let mut parts: Vec<&str> = fields(cpuinfo, "CPU part").collect();
    parts.sort_unstable();
    parts.dedup();
    (parts.len() > 1).then(|| format!("cores of several kinds: parts {}", parts.join(", ")))
}

fn field<'a>(cpuinfo: &'a str, name: &'a str) -> Option<&'a str> {
    fields(cpuinfo, name).next()
}

fn fields<'a>(cpuinfo: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    lines.filter(move |(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn of_cpuid() -> Option<(Kind, bool)> {
    let cpuid = raw_cpuid::CpuId::new();
    let (vendor, part) = (cpuid.get_vendor_info()?, cpuid.get_feature_info()?);
    let (family, model) = (u32::from(part.family_id()), u32::from(part.model_id()));
    Some((x86(vendor.as_str(), family, model, u32::from(part.stepping_id())), part.has_hypervisor()))
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn of_cpuid() -> Option<(Kind, bool)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPYC: Kind = Kind::X86 { vendor: Vendor::Amd, family: 25, model: 1, stepping: 1 };

    fn epyc(flags: &str) -> Cpu {
        Cpu::from_cpuinfo(&format!(
            "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763\n\
             stepping\t: 1\nflags\t\t: fpu sse2 {flags}\n"
        ))
    }

    #[test]
    fn x86_is_read_from_cpuinfo() {
        let cpu = epyc("vaes");
        assert_eq!((cpu.kind, cpu.name.as_deref()), (EPYC, Some("AMD EPYC 7763")));
        assert_eq!((cpu.hypervisor, cpu.contradiction), (false, None));
        assert!(epyc("hypervisor").hypervisor);
    }

    #[test]
    fn arm_is_read_from_cpuinfo_and_mixed_cores_are_told() {
        let core = |part: &str| format!("processor : 0\nCPU implementer : 0x41\nCPU part\t: {part}\n\n");
        let cpu = Cpu::from_cpuinfo(&core("0xd40").repeat(2));
        assert_eq!((cpu.kind, cpu.contradiction), (Kind::Arm { implementer: 0x41, part: 0xd40 }, None));
        let mixed = Cpu::from_cpuinfo(&(core("0xd05") + &core("0xd0a")));
        assert_eq!(mixed.contradiction.as_deref(), Some("cores of several kinds: parts 0xd05, 0xd0a"));
    }

    #[test]
    fn who_does_not_identify_himself_is_somebody_else() {
        assert!(matches!(Cpu::from_cpuinfo("").kind, Kind::Other(_)));
        let hygon = Cpu::from_cpuinfo("vendor_id : HygonGenuine\ncpu family : 24\nmodel : 0\nflags : fpu\n");
        assert_eq!(hygon.kind.to_string(), "HygonGenuine family 24 model 0 stepping 0");
    }

    #[test]
    fn a_cpuinfo_that_differs_from_cpuid_is_a_contradiction() {
        let told = epyc("sse");
        assert_eq!(told.clone().beside(EPYC, false), told);
        let other = Kind::X86 { vendor: Vendor::Intel, family: 6, model: 143, stepping: 8 };
        let found = told.beside(other.clone(), true);
        assert_eq!((found.kind, found.hypervisor), (other, true));
        let said = found.contradiction.unwrap();
        assert!(said.starts_with("CPUID says Intel family 6 model 143 stepping 8, and /proc/cpuinfo AMD"), "{said}");
    }

    #[test]
    fn this_machine_identifies_itself() {
        let cpu = Cpu::this_machine();
        let known = matches!(cpu.kind, Kind::X86 { .. } | Kind::Arm { .. });
        assert!(known || cfg!(not(any(target_arch = "x86_64", target_arch = "aarch64"))), "{cpu:?}");
    }
}
