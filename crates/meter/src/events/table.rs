//! An event table: one microarchitecture, its cpu models, events and errata.

use std::fmt;
use std::sync::OnceLock;

use serde::Deserialize;

use super::cpu::{Cpu, Kind};
use super::errata::Erratum;
use super::event::Event;
use super::formula::Derived;
use super::numbers::Numbers;
use super::reader;

/// The tables that are part of the program, by name. A new one is a file and a line here.
const FILES: &[(&str, &str)] = &[
    ("sandy-bridge-ep", include_str!("../../events/sandy-bridge-ep.toml")),
    ("ivy-bridge-ep", include_str!("../../events/ivy-bridge-ep.toml")),
    ("haswell-ep", include_str!("../../events/haswell-ep.toml")),
    ("broadwell-ep", include_str!("../../events/broadwell-ep.toml")),
    ("skylake-x", include_str!("../../events/skylake-x.toml")),
    ("cascade-lake-x", include_str!("../../events/cascade-lake-x.toml")),
    ("ice-lake-x", include_str!("../../events/ice-lake-x.toml")),
    ("sapphire-rapids", include_str!("../../events/sapphire-rapids.toml")),
    ("granite-rapids", include_str!("../../events/granite-rapids.toml")),
    ("sierra-forest", include_str!("../../events/sierra-forest.toml")),
    ("zen2", include_str!("../../events/zen2.toml")),
    ("zen3", include_str!("../../events/zen3.toml")),
    ("zen4", include_str!("../../events/zen4.toml")),
    ("zen5", include_str!("../../events/zen5.toml")),
    ("neoverse-n1", include_str!("../../events/neoverse-n1.toml")),
    ("neoverse-n2", include_str!("../../events/neoverse-n2.toml")),
    ("neoverse-n3", include_str!("../../events/neoverse-n3.toml")),
    ("neoverse-v1", include_str!("../../events/neoverse-v1.toml")),
    ("neoverse-v2", include_str!("../../events/neoverse-v2.toml")),
    ("neoverse-v3", include_str!("../../events/neoverse-v3.toml")),
];

/// Derived measures of every table that has the events they need.
pub(super) const DERIVED: &str = include_str!("../../events/derived.toml");

/// Each is read at its first use: a run needs one.
static READ: [OnceLock<Table>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

const TESTED: &str = "the tables of the program are read by its tests";

fn shipped(index: usize) -> &'static Table {
    let (name, text) = FILES[index];
    READ[index].get_or_init(|| Table::parse(text, &format!("events/{name}.toml")).expect(TESTED))
}

/// Vendor of a table's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Vendor {
    /// `GenuineIntel`.
    Intel,
    /// `AuthenticAMD`.
    Amd,
    /// Arm's own cores, in chips of any vendor.
    Arm,
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Intel => "Intel",
            Self::Amd => "AMD",
            Self::Arm => "Arm",
        })
    }
}

/// Parts of one microarchitecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cpus {
    /// By CPUID.
    X86 {
        /// Family, with the extended one added.
        family: u32,
        /// Models, with the extended one added.
        models: Numbers,
        /// Steppings, where two microarchitectures share a model.
        steppings: Option<Numbers>,
    },
    /// By the main id register.
    Arm {
        /// Implementer, 0x41 for Arm.
        implementer: u32,
        /// Part numbers.
        parts: Numbers,
    },
}

/// The events of one microarchitecture.
#[derive(Debug, Clone)]
pub struct Table {
    /// Short name, that of its file.
    pub name: String,
    /// The common name.
    pub title: String,
    /// The vendor.
    pub vendor: Vendor,
    /// The parts it is for.
    pub cpus: Vec<Cpus>,
    /// Notes that apply to all its numbers.
    pub notes: Option<String>,
    pub(super) events: Vec<Event>,
    pub(super) derived: Vec<Derived>,
    pub(super) errata: Vec<Erratum>,
}

/// The tables that are part of the program.
pub fn tables() -> impl Iterator<Item = &'static Table> {
    (0..FILES.len()).map(shipped)
}

/// The table for `cpu`.
pub(super) fn made_for(cpu: &Cpu) -> Option<&'static Table> {
    let is_for = |&(name, text): &(&str, &str)| {
        let (vendor, parts) = reader::parts(text, name).expect(TESTED);
        parts.iter().any(|part| part.covers(vendor, cpu))
    };
    FILES.iter().position(is_for).map(shipped)
}

impl Cpus {
    fn covers(&self, maker: Vendor, cpu: &Cpu) -> bool {
        match (self, &cpu.kind) {
            (Self::X86 { family, models, steppings }, Kind::X86 { vendor, family: of, model, stepping }) => {
                maker == *vendor
                    && family == of
                    && models.contains(*model)
                    && steppings.as_ref().is_none_or(|steppings| steppings.contains(*stepping))
            }
            (Self::Arm { implementer, parts }, Kind::Arm { implementer: of, part }) => {
                implementer == of && parts.contains(*part)
            }
            _ => false,
        }
    }
}

impl Table {
    /// How it counts `measure`, or none when it cannot.
    #[must_use]
    pub fn event(&self, measure: &str) -> Option<&Event> {
        self.events.iter().find(|event| event.measure == measure)
    }

    /// All its events.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What can be computed from its events: its own derived measures, then the general ones.
    #[must_use]
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// All its errata.
    #[must_use]
    pub fn errata(&self) -> &[Erratum] {
        &self.errata
    }

    /// The errata of `measure` on `cpu`. A part that the table does not list gets all of them, since it is not known
    /// which steppings it resembles.
    pub fn errata_for(&self, measure: &str, cpu: &Cpu) -> impl Iterator<Item = &Erratum> {
        let of_this = match cpu.kind {
            Kind::X86 { model, stepping, .. } if self.covers(cpu) => Some((model, stepping)),
            _ => None,
        };
        self.errata.iter().filter(move |erratum| match of_this {
            Some((model, stepping)) => erratum.applies(measure, model, stepping),
            None => erratum.measures.iter().any(|spoiled| spoiled == measure),
        })
    }

    /// Whether it is made for `cpu`.
    #[must_use]
    pub fn covers(&self, cpu: &Cpu) -> bool {
        self.cpus.iter().any(|cpus| cpus.covers(self.vendor, cpu))
    }
}
