//! Tests hardware counters step by step, from "is there a PMU" to "does it count known work correctly", each with a
//! reason and remedy. PMUs outside the cores (memory controllers, links between sockets, energy, resctrl) are tested
//! separately: a guest with the cores' PMU often lacks all of these.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::canary::{INSTRUCTION_BOUNDS, Known, MISS_BOUNDS, Work, judge};
use super::counters::generic;
use super::generic::TYPE_SOFTWARE;
use super::kernel::{Kernel, Opening, Raw, Target};
use super::pmu::{Encoding, Pmus};
use super::reason::{CounterRefusal, Permissions, Subject};
use crate::gauges;

/// The result of a rung.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// It could not be tried.
    Untried,
}

/// One rung.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rung {
    /// What was tested.
    pub name: &'static str,
    /// Whether it holds.
    pub standing: Standing,
    /// What was found.
    pub found: String,
    /// A remedy; empty if none is needed or known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

impl Rung {
    pub(crate) fn yes(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, standing: Standing::Yes, found: found.into(), remedy: String::new() }
    }

    pub(crate) fn no(name: &'static str, refusal: CounterRefusal) -> Self {
        Self { name, standing: Standing::No, found: refusal.reason, remedy: refusal.remedy }
    }

    pub(crate) fn untried(name: &'static str, why: impl Into<String>) -> Self {
        Self { name, standing: Standing::Untried, found: why.into(), remedy: String::new() }
    }

    fn of(name: &'static str, examined: Result<String, CounterRefusal>) -> Self {
        match examined {
            Ok(found) => Self::yes(name, found),
            Err(refusal) => Self::no(name, refusal),
        }
    }
}

/// PMUs of memory controllers, by how their names begin.
const MEMORY: [&str; 6] = ["uncore_imc", "amd_umc", "amd_df", "arm_cmn", "arm_dmc620", "nvidia_scf"];
/// PMUs of links between sockets.
const LINKS: [&str; 5] = ["uncore_upi", "uncore_qpi", "uncore_cxlcm", "amd_df", "nvidia_cnvlink"];

/// The files and permissions of the examined machine.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub(crate) root: std::path::PathBuf,
    pub(crate) pmus: Pmus,
    pub(crate) permissions: Permissions,
    pub(crate) cores: Vec<String>,
}

impl Surroundings {
    /// Reads `sys` and `proc` under a root folder.
    #[must_use]
    pub fn under(root: &Path) -> Self {
        let pmus = Pmus::under(root);
        let cores = pmus.of_cores();
        Self { root: root.to_owned(), permissions: Permissions::under(root), cores, pmus }
    }

    /// Whether software events can be counted: the kernel's own, on every machine.
    #[must_use]
    pub fn software(&self, kernel: &mut dyn Kernel) -> Rung {
        let event = Encoding { pmu: "software".into(), kind: TYPE_SOFTWARE, config: 1, config1: 0, config2: 0 };
        let (opened, user_only) = self.open(kernel, &event);
        match opened {
            Ok(()) if user_only => self.partly("software events", "task-clock opens, without the kernel's work"),
            Ok(()) => Rung::yes("software events", "task-clock opens"),
            Err(refusal) => Rung::no("software events", refusal),
        }
    }

    /// Whether the kernel lists a PMU of the cores.
    #[must_use]
    pub fn listed(&self) -> Rung {
        match self.cores.as_slice() {
            [] => Rung::no("PMU of the cores", self.permissions.no_pmu()),
            cores => Rung::yes("PMU of the cores", format!("the kernel lists {}", cores.join(" and "))),
        }
    }

    /// Whether the cores' first event opens, and whether only without counting the kernel.
    #[must_use]
    pub fn cycles(&self, kernel: &mut dyn Kernel) -> Rung {
        let (opened, user_only) = self.open(kernel, &generic(&self.pmus, 0));
        match opened {
            // The rung of the PMU has the reason and the remedy.
            Err(_) if self.cores.is_empty() => {
                Rung::no("cycles event opens", CounterRefusal::new("it does not, as without a PMU", ""))
            }
            Ok(()) if user_only => self.partly("cycles event opens", "yes, without the kernel's work"),
            Ok(()) => Rung::yes("cycles event opens", "yes"),
            Err(refusal) => Rung::no("cycles event opens", refusal),
        }
    }

    fn partly(&self, name: &'static str, found: &str) -> Rung {
        let error = io::Error::from_raw_os_error(libc::EACCES);
        let refusal = self.permissions.explain(&error, Subject::KernelToo, &self.cores);
        Rung { remedy: refusal.remedy, ..Rung::yes(name, format!("{found}: {}", refusal.reason)) }
    }

    fn open(&self, kernel: &mut dyn Kernel, event: &Encoding) -> (Result<(), CounterRefusal>, bool) {
        let how = Opening::of(Target::Caller);
        let explain = |error: &io::Error, subject| self.permissions.explain(error, subject, &self.cores);
        match kernel.open(event, how) {
            Ok(_) => (Ok(()), false),
            Err(error) if matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM)) => {
                let opened = kernel.open(event, Opening { user_only: true, ..how });
                (opened.map(drop).map_err(|error| explain(&error, Subject::OwnWork)), true)
            }
            Err(error) => (Err(explain(&error, Subject::KernelToo)), false),
        }
    }

    /// Memory controllers, links, energy and resctrl, each by itself.
    #[must_use]
    pub fn beside(&self, kernel: &mut dyn Kernel) -> Vec<Rung> {
        vec![
            self.uncore("memory controllers", &MEMORY, kernel),
            self.uncore("links between sockets", &LINKS, kernel),
            Rung::of("energy (RAPL)", gauges::examine_rapl(&self.root)),
            Rung::of("resctrl monitoring", gauges::examine_resctrl(&self.root)),
            Rung::of("page traffic by node", gauges::examine_numastat(&self.root)),
        ]
    }

    /// Opens the first event that one of these PMUs names, on the first cpu that answers for it.
    fn uncore(&self, name: &'static str, prefixes: &[&str], kernel: &mut dyn Kernel) -> Rung {
        let named = |pmu: &String| prefixes.iter().any(|prefix| pmu.starts_with(prefix));
        let listed: Vec<String> = self.pmus.names().into_iter().filter(named).collect();
        let Some(first) = listed.first() else {
            let remedy = if self.permissions.guest {
                "cloud providers offer them only on bare metal"
            } else {
                "the driver of this model's uncore may be missing: modprobe intel_uncore or amd_uncore"
            };
            return Rung::no(name, CounterRefusal::new("the kernel lists no such PMU", remedy));
        };
        let Some(event) = self.pmus.events(first).into_iter().next() else {
            return Rung::untried(name, format!("{} listed; {first} names no event to try", listed.join(" ")));
        };
        let cpu = self.pmus.answering(first).and_then(|cpus| cpus.first()).unwrap_or(0);
        let opened = self.pmus.encode(first, &event).and_then(|coded| {
            let [config, config1, config2] = coded.words;
            Ok(Encoding { pmu: first.clone(), kind: self.pmus.kind(first)?, config, config1, config2 })
        });
        match opened.map(|event| kernel.open(&event, Opening::of(Target::Cpu(cpu)))) {
            Ok(Ok(_)) => Rung::yes(name, format!("{} listed, {first}/{event}/ opens", listed.join(" "))),
            Ok(Err(error)) => Rung::no(name, self.permissions.explain(&error, Subject::Machine, &self.cores)),
            Err(reason) => Rung::no(name, CounterRefusal::new(reason, "")),
        }
    }
}

/// Tests every rung, with work of known counts.
pub fn climb(kernel: &mut dyn Kernel, around: &Surroundings, work: &mut dyn Work) -> Vec<Rung> {
    let mut rungs = vec![around.software(kernel), around.listed(), around.cycles(kernel)];
    if rungs[2].standing == Standing::Yes {
        let (instructions, share) = canary_instructions(kernel, around, work);
        rungs.extend([instructions, canary_misses(kernel, around, work), share]);
    } else {
        let why = "no event of the cores opens";
        rungs.extend(
            ["instructions are right", "cache misses are right", "counted all the time"]
                .map(|name| Rung::untried(name, why)),
        );
    }
    rungs.extend(around.beside(kernel));
    rungs
}

fn distrusted(reason: String, guest: bool) -> CounterRefusal {
    let remedy = if guest {
        "do not trust the counters of this guest: the hypervisor emulates them; use bare metal"
    } else {
        "do not trust these counters: another tool or the firmware may use them"
    };
    CounterRefusal::new(reason, remedy)
}

fn canary_instructions(kernel: &mut dyn Kernel, around: &Surroundings, work: &mut dyn Work) -> (Rung, Rung) {
    const NAME: &str = "instructions are right";
    const SHARE: &str = "counted all the time";
    let mut number = None;
    let counted = count(kernel, &generic(&around.pmus, 1), &mut || number = work.instructions());
    let refusal = |error: &io::Error| around.permissions.explain(error, Subject::OwnWork, &around.cores);
    match (counted, number) {
        (Err(error), _) => {
            (Rung::no(NAME, refusal(&error)), Rung::untried(SHARE, "the instructions event does not open"))
        }
        (Ok(raw), None) => (Rung::untried(NAME, "no loop of known length for this architecture"), share(SHARE, raw)),
        (Ok(raw), Some(number)) => {
            let judged = judge(Known { what: "instructions", number, bounds: INSTRUCTION_BOUNDS }, raw);
            let guest = around.permissions.guest;
            (Rung::of(NAME, judged.map_err(|reason| distrusted(reason, guest))), share(SHARE, raw))
        }
    }
}

/// A single event should not be multiplexed.
fn share(name: &'static str, raw: Raw) -> Rung {
    if raw.running_ns >= raw.enabled_ns && raw.running_ns > 0 {
        return Rung::yes(name, "a single event counts all the time");
    }
    let percent = 100.0 * raw.running_ns as f64 / raw.enabled_ns.max(1) as f64;
    let remedy = "other programs use counters: stop other perf sessions, and sysctl kernel.nmi_watchdog=0";
    Rung::no(name, CounterRefusal::new(format!("a single event counts in {percent:.1} % of its time"), remedy))
}

fn canary_misses(kernel: &mut dyn Kernel, around: &Surroundings, work: &mut dyn Work) -> Rung {
    const NAME: &str = "cache misses are right";
    if let Err(why) = work.prepare_misses() {
        return Rung::untried(NAME, why);
    }
    let mut number = 0;
    match count(kernel, &generic(&around.pmus, 3), &mut || number = work.misses()) {
        Err(error) => Rung::no(NAME, around.permissions.explain(&error, Subject::OwnWork, &around.cores)),
        Ok(raw) => {
            let judged = judge(Known { what: "loads beyond every cache", number, bounds: MISS_BOUNDS }, raw);
            Rung::of(NAME, judged.map_err(|reason| distrusted(reason, around.permissions.guest)))
        }
    }
}

/// Counts the calling thread's own work, without the kernel's.
pub(crate) fn count(kernel: &mut dyn Kernel, event: &Encoding, work: &mut dyn FnMut()) -> io::Result<Raw> {
    let counter = kernel.open(event, Opening { user_only: true, ..Opening::of(Target::Caller) })?;
    kernel.enable(counter)?;
    work();
    kernel.disable(counter)?;
    kernel.read(counter)
}
