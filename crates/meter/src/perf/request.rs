//! Resolves the name of a counter to an event of this machine.

use knee_machine::CpuSet;

use super::generic::{self, HARDWARE, SOFTWARE, Software, TYPE_CACHE, TYPE_HARDWARE, TYPE_RAW, TYPE_SOFTWARE};
use super::pmu::{Encoding, Pmus, is_file_name};
use crate::gauges;

/// One counter asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// An event of the kernel itself.
    Software(Software),
    /// A generic event of the core (`PERF_COUNT_HW_*`).
    Hardware(u64),
    /// A generic cache event.
    Cache(u64),
    /// `rUUEE`: the PMU's own number, in hex.
    Raw(u64),
    /// `pmu/event=0x..,umask=0x../`, or the name of an event that the PMU lists.
    Pmu {
        /// The PMU, or what its numbered parts have in common.
        pmu: String,
        /// Fields and names.
        terms: String,
    },
    /// A quantity that is read from files while the program runs, like memory traffic by resctrl; see
    /// [`Gauges`](crate::Gauges).
    Gauge(&'static str),
    /// A name that the tables of microarchitectures may know.
    Named(String),
}

/// Who is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// The program and all that it starts.
    Program,
    /// The whole machine, each part by the cpus that answer for it.
    Machine(CpuSet),
}

/// A request as events of this machine, whose counts are added.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// Each PMU's own encoding.
    pub parts: Vec<Encoding>,
    /// Who is counted.
    pub reach: Reach,
    /// Value of one count.
    pub scale: f64,
    /// Unit of the value; empty for a number of events.
    pub unit: String,
    /// Whether it happens inside the kernel only.
    pub in_kernel: bool,
    /// A caution for the value; empty if there is none.
    pub caution: String,
}

/// An event of a measure, on the PMU that counts it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedEvent {
    /// The PMU, or what its numbered parts have in common.
    pub pmu: String,
    /// First word.
    pub config: u64,
    /// Second word.
    pub config1: u64,
    /// Third word.
    pub config2: u64,
    /// Value of one count.
    pub scale: f64,
    /// Unit of the value; empty for a number of events.
    pub unit: String,
    /// What is known to be wrong with it on this part, or why this may be another part; empty where nothing is.
    pub caution: String,
}

/// Looks up a measure (`local_dram`, `remote_dram`): the events to add, or why this machine has none. None for a name
/// that is not a measure.
pub type Names<'a> = dyn Fn(&str) -> Option<Result<Vec<NamedEvent>, String>> + 'a;

/// A list of names: at commas, but not at those between slashes.
#[must_use]
pub fn split(text: &str) -> Vec<String> {
    let mut inside = false;
    let parts = text.split(|letter| {
        inside ^= letter == '/';
        letter == ',' && !inside
    });
    parts.map(|name| name.trim().to_owned()).collect()
}

impl Request {
    /// Names of the events that the kernel has for every program: its own, then those of the hardware.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SOFTWARE.iter().map(|event| event.name).chain(HARDWARE.iter().map(|(name, _)| *name))
    }

    /// Reads one name.
    ///
    /// # Errors
    /// Why it is not a valid name of a counter on any machine.
    pub fn parse(text: &str) -> Result<Self, String> {
        let name = generic::usual_name(text);
        if let Some(event) = SOFTWARE.iter().find(|event| event.name == name) {
            return Ok(Self::Software(*event));
        }
        if let Some((_, config)) = HARDWARE.iter().find(|(known, _)| *known == name) {
            return Ok(Self::Hardware(*config));
        }
        if let Some(config) = generic::cache(name) {
            return Ok(Self::Cache(config));
        }
        if let Some(name) = gauges::NAMES.iter().find(|known| **known == name) {
            return Ok(Self::Gauge(name));
        }
        if let Some(digits) = name.strip_prefix('r').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            let config = u64::from_str_radix(digits, 16);
            return config
                .map(Self::Raw)
                .map_err(|_| format!("'{text}' is not a raw event; write r and 1 to 16 hex digits"));
        }
        match name.split_once('/') {
            Some((pmu, rest)) => {
                let terms = rest.strip_suffix('/').filter(|terms| !terms.contains('/'));
                let terms =
                    terms.ok_or_else(|| format!("'{text}' is not an event; write pmu/event=0x..,umask=0x../"))?;
                if is_file_name(pmu) {
                    Ok(Self::Pmu { pmu: pmu.into(), terms: terms.into() })
                } else {
                    Err(format!("'{pmu}' is not a valid name of a PMU"))
                }
            }
            None if is_file_name(name) => Ok(Self::Named(name.into())),
            None => Err(format!("'{text}' is not a valid name of a counter")),
        }
    }

    /// Resolves it to events of this machine. Reads files only; the kernel is not asked yet.
    ///
    /// # Errors
    /// Why this machine does not have it.
    pub fn resolve(&self, pmus: &Pmus, names: &Names<'_>) -> Result<Resolved, String> {
        match self {
            Self::Software(event) => Ok(Resolved {
                parts: vec![encoding("software", TYPE_SOFTWARE, [event.config, 0, 0])],
                reach: Reach::Program,
                scale: 1.0,
                unit: event.unit.into(),
                in_kernel: event.in_kernel,
                caution: String::new(),
            }),
            Self::Hardware(config) => generic_event(pmus, TYPE_HARDWARE, *config),
            Self::Cache(config) => generic_event(pmus, TYPE_CACHE, *config),
            Self::Raw(config) => match pmus.of_cores().as_slice() {
                [] | [_] => Ok(of_program(vec![encoding("cpu", TYPE_RAW, [*config, 0, 0])])),
                several => Err(format!(
                    "a raw event belongs to one PMU, and the cores here have {}: write {}/config={config:#x}/",
                    several.join(" and "),
                    several[0]
                )),
            },
            Self::Pmu { pmu, terms } => {
                let parts = pmus.named(pmu).into_iter().map(|pmu| pmus.encode(&pmu, terms).map(|coded| (pmu, coded)));
                let parts: Vec<_> = parts.collect::<Result<_, _>>()?;
                assemble(pmus, pmu, parts.into_iter().map(|(pmu, coded)| (pmu, coded.words, coded.scale, coded.unit)))
            }
            Self::Named(name) => named(name, pmus, names),
            Self::Gauge(name) => Err(format!("{name} is read from files, not counted by events")),
        }
    }
}

/// The one place where a measure's name becomes events: the table of this microarchitecture says which.
fn named(name: &str, pmus: &Pmus, names: &Names<'_>) -> Result<Resolved, String> {
    let measures = names(name).unwrap_or_else(|| Err(format!("no event or measure '{name}' on this machine")))?;
    let parts = measures.iter().flat_map(|measure| {
        let words = [measure.config, measure.config1, measure.config2];
        pmus.named(&measure.pmu).into_iter().map(move |pmu| (pmu, words, measure.scale, measure.unit.clone()))
    });
    let wanted = measures.first().map_or("", |measure| measure.pmu.as_str());
    let caution = measures.first().map_or_else(String::new, |measure| measure.caution.clone());
    assemble(pmus, wanted, parts).map(|resolved| Resolved { caution, ..resolved })
}

/// Parts on PMUs that were found. They are added up, so they have to be of one kind.
fn assemble(
    pmus: &Pmus,
    wanted: &str,
    parts: impl Iterator<Item = (String, [u64; 3], f64, String)>,
) -> Result<Resolved, String> {
    let mut resolved: Option<Resolved> = None;
    for (pmu, words, scale, unit) in parts {
        let part = encoding(&pmu, pmus.kind(&pmu)?, words);
        let reach = pmus.answering(&pmu).map_or(Reach::Program, Reach::Machine);
        match &mut resolved {
            None => {
                let caution = String::new();
                resolved = Some(Resolved { parts: vec![part], reach, scale, unit, in_kernel: false, caution });
            }
            Some(sum) if sum.reach == reach && sum.scale.to_bits() == scale.to_bits() && sum.unit == unit => {
                sum.parts.push(part);
            }
            Some(_) => {
                return Err(format!("the parts of {wanted} differ in reach, scale or unit, and cannot be added"));
            }
        }
    }
    resolved.ok_or_else(|| {
        let listed = pmus.names();
        format!("no PMU {wanted} on this machine; the kernel lists {}", listed.join(" "))
    })
}

/// A generic event once for each kind of core; the kernel takes the kind's number in the upper half of the config.
fn generic_event(pmus: &Pmus, kind: u32, config: u64) -> Result<Resolved, String> {
    let cores = pmus.of_cores();
    if cores.len() < 2 {
        let name = cores.first().map_or("cpu", String::as_str);
        return Ok(of_program(vec![encoding(name, kind, [config, 0, 0])]));
    }
    let each = |name: &String| -> Result<Encoding, String> {
        Ok(encoding(name, kind, [config | u64::from(pmus.kind(name)?) << 32, 0, 0]))
    };
    Ok(of_program(cores.iter().map(each).collect::<Result<_, _>>()?))
}

fn of_program(parts: Vec<Encoding>) -> Resolved {
    let (unit, caution) = (String::new(), String::new());
    Resolved { parts, reach: Reach::Program, scale: 1.0, unit, in_kernel: false, caution }
}

fn encoding(pmu: &str, kind: u32, [config, config1, config2]: [u64; 3]) -> Encoding {
    Encoding { pmu: pmu.into(), kind, config, config1, config2 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_read_as_perf_reads_them() {
        let read = |text: &str| Request::parse(text).unwrap();
        assert!(matches!(read("cs"), Request::Software(event) if event.name == "context-switches" && event.in_kernel));
        assert_eq!(read("cpu-cycles"), Request::Hardware(0));
        assert_eq!(read("r01d3"), Request::Raw(0x1d3));
        assert_eq!(
            read("cpu/event=0xd3,umask=1/"),
            Request::Pmu { pmu: "cpu".into(), terms: "event=0xd3,umask=1".into() }
        );
        assert_eq!(read("local_dram"), Request::Named("local_dram".into()));
        assert_eq!(read("ref-cycles"), Request::Hardware(9), "an r alone makes no raw event");
        assert_eq!(read("mbm_total_bytes"), Request::Gauge("mbm_total_bytes"));
    }

    #[test]
    fn what_can_be_no_counter_is_refused() {
        for text in ["", "r", "r11112222333344445", "cpu/event=1", "../x/event=1/", "a b", "cpu/a/b/"] {
            assert!(Request::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_list_is_split_outside_of_slashes_only() {
        assert_eq!(split("a,cpu/event=1,umask=2/,b"), ["a", "cpu/event=1,umask=2/", "b"]);
        assert_eq!(split(""), [""]);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,60}") {
            for name in split(&text) {
                let _ = Request::parse(&name);
            }
        }

        #[test]
        fn no_event_makes_the_resolver_panic(text in "[a-z]{0,4}/[a-z0-9=,x/_.-]{0,40}/?") {
            if let Ok(request) = Request::parse(&text) {
                let _ = request.resolve(&Pmus::under(std::path::Path::new("/")), &|_| None);
            }
        }
    }
}
