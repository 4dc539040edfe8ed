//! The counters of one run: opened before the program starts, read when it has ended.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::generic::{TYPE_CACHE, TYPE_HARDWARE, TYPE_RAW, TYPE_SOFTWARE};
use super::kernel::{Handle, Kernel, Opening, Target};
use super::lent::Lent;
use super::linux::Linux;
use super::marks::Marks;
use super::pmu::{Encoding, Pmus};
use super::reading::{Counter, across_boxes, across_kinds};
use super::reason::{Permissions, Subject};
use super::request::{Names, Reach, Request, Resolved};

/// Events that share a group, and so their time on the hardware. The smallest PMUs in use have four counters for any
/// event, of which the NMI watchdog or a hypervisor may hold one; the kernel would take a larger group and never find
/// room for it.
const GROUP: usize = 3;

/// A counter that was opened.
struct Open {
    parts: Vec<Handle>,
    resolved: Resolved,
    user_only: bool,
}

/// The counters of one run.
pub struct Counters<K: Kernel> {
    kernel: K,
    permissions: Permissions,
    cores: Vec<String>,
    groups: BTreeMap<String, (Handle, usize)>,
    open: BTreeMap<String, Open>,
    refused: BTreeMap<String, String>,
}

impl<K: Kernel> Counters<K> {
    /// Opens the named counters for the programs that the calling thread starts next, or keeps the reason why one
    /// cannot be opened.
    pub fn open(kernel: K, root: &Path, asked: &[(String, Request)], names: &Names<'_>) -> Self {
        let pmus = Pmus::under(root);
        let mut counters = Self {
            kernel,
            permissions: Permissions::under(root),
            cores: pmus.of_cores(),
            groups: BTreeMap::new(),
            open: BTreeMap::new(),
            refused: BTreeMap::new(),
        };
        let mut asked: Vec<_> = asked.iter().collect();
        // Instructions and cycles first: they make IPC, so they have to be counted at the same time.
        asked.sort_by_key(|(_, request)| !matches!(request, Request::Hardware(0 | 1)));
        for (name, request) in asked {
            let opened = request.resolve(&pmus, names).and_then(|resolved| counters.open_parts(resolved));
            match opened {
                Ok(open) => drop(counters.open.insert(name.clone(), open)),
                Err(reason) => drop(counters.refused.insert(name.clone(), reason)),
            }
        }
        counters.switch_machine(true);
        counters
    }

    fn open_parts(&mut self, resolved: Resolved) -> Result<Open, String> {
        match self.open_all(&resolved, false) {
            Ok(parts) => Ok(Open { parts, resolved, user_only: false }),
            // Without permission to count the kernel, the program alone may still be counted, if the event has counts
            // outside the kernel.
            Err(error) if forbidden(&error) && resolved.reach == Reach::Program && !resolved.in_kernel => {
                let parts = self.open_all(&resolved, true).map_err(|second| match second.raw_os_error() {
                    // A PMU that cannot exclude the kernel: the reason is that the kernel may not be counted.
                    Some(libc::EINVAL) => self.refusal(&error, Subject::KernelToo, &resolved),
                    _ => self.refusal(&second, Subject::OwnWork, &resolved),
                })?;
                Ok(Open { parts, resolved, user_only: true })
            }
            Err(error) => {
                let machine = resolved.reach != Reach::Program;
                Err(self.refusal(&error, if machine { Subject::Machine } else { Subject::KernelToo }, &resolved))
            }
        }
    }

    fn refusal(&self, error: &io::Error, subject: Subject, resolved: &Resolved) -> String {
        let of_cores = resolved.parts.iter().any(|part| matches!(part.kind, TYPE_HARDWARE | TYPE_CACHE | TYPE_RAW));
        // A user who may count nothing is refused before the kernel looks for a PMU, and permission would not help
        // without one.
        if of_cores && self.cores.is_empty() {
            return self.permissions.no_pmu().reason;
        }
        self.permissions.explain(error, subject, &self.cores).reason
    }

    fn open_all(&mut self, resolved: &Resolved, user_only: bool) -> io::Result<Vec<Handle>> {
        let mut parts = Vec::new();
        for event in &resolved.parts {
            match &resolved.reach {
                Reach::Program => parts.push(self.open_in_group(event, user_only)?),
                Reach::Machine(cpus) => {
                    for cpu in cpus.iter() {
                        parts.push(self.kernel.open(event, Opening::of(Target::Cpu(cpu)))?);
                    }
                }
            }
        }
        Ok(parts)
    }

    fn open_in_group(&mut self, event: &Encoding, user_only: bool) -> io::Result<Handle> {
        let alone = Opening { target: Target::Descendants, leader: None, user_only };
        if event.kind == TYPE_SOFTWARE {
            return self.kernel.open(event, alone);
        }
        if let Some((leader, members)) = self.groups.get(&event.pmu).copied().filter(|(_, members)| *members < GROUP) {
            match self.kernel.open(event, Opening { leader: Some(leader), ..alone }) {
                Ok(handle) => {
                    self.groups.insert(event.pmu.clone(), (leader, members + 1));
                    return Ok(handle);
                }
                // The kernel's error for an event that does not fit into the group; alone it may fit.
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
                Err(error) => return Err(error),
            }
        }
        let leader = self.kernel.open(event, alone)?;
        self.groups.insert(event.pmu.clone(), (leader, 1));
        Ok(leader)
    }

    /// The same events, at most `most`, for threads to count by themselves.
    #[must_use]
    pub fn marks(&self, most: usize) -> Marks {
        let mut marks = Marks::default();
        for (name, open) in self.open.iter().filter(|(_, open)| open.resolved.reach == Reach::Program) {
            marks.add(name, &open.resolved.parts, open.user_only, open.resolved.scale, most);
        }
        marks
    }

    /// Ends the counting of the whole machine; to be called as soon as the program has ended.
    pub fn stop_machine(&mut self) {
        self.switch_machine(false);
    }

    fn switch_machine(&mut self, on: bool) {
        let mut failed = Vec::new();
        for (name, open) in self.open.iter().filter(|(_, open)| open.resolved.reach != Reach::Program) {
            for &part in &open.parts {
                let done = if on { self.kernel.enable(part) } else { self.kernel.disable(part) };
                failed.extend(done.err().map(|error| (name.clone(), error.to_string())));
            }
        }
        for (name, error) in failed {
            self.open.remove(&name);
            self.refused.insert(name, format!("not counted: cannot enable or disable it: {error}"));
        }
    }

    /// Reads everything; to be called when the whole tree has ended.
    #[must_use]
    pub fn finish(mut self) -> BTreeMap<String, Counter> {
        let refused = self.refused.iter().map(|(name, reason)| (name.clone(), Counter::unavailable(reason)));
        let mut found: BTreeMap<String, Counter> = refused.collect();
        for (name, open) in &self.open {
            let value = read(&mut self.kernel, open, &self.permissions).unwrap_or_else(Counter::unavailable);
            found.insert(name.clone(), value);
        }
        found
    }
}

impl Counters<Linux> {
    /// The events of the program, for itself to read while it runs.
    #[must_use]
    pub fn lend(&self) -> Lent {
        let mut lent = Lent::default();
        for (name, open) in self.open.iter().filter(|(_, open)| open.resolved.reach == Reach::Program) {
            for (part, event) in open.parts.iter().zip(&open.resolved.parts) {
                // Without a descriptor more it is counted all the same, but not by phases.
                let file = self.kernel.descriptor(*part);
                let _ = file.map(|file| lent.add(name, &event.pmu, open.resolved.scale, &file));
            }
        }
        lent
    }
}

fn forbidden(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM))
}

fn read(kernel: &mut impl Kernel, open: &Open, permissions: &Permissions) -> Result<Counter, String> {
    let raw = open.parts.iter().map(|part| kernel.read(*part)).collect::<io::Result<Vec<_>>>();
    let raw = raw.map_err(|error| format!("not counted: cannot read it: {error}"))?;
    let scaled = match open.resolved.reach {
        Reach::Program => {
            // One handle for each part: only a PMU of the machine is opened on several cpus.
            let pmus = open.resolved.parts.iter().map(|part| part.pmu.as_str());
            across_kinds(&pmus.zip(raw).collect::<Vec<_>>())?
        }
        Reach::Machine(_) => across_boxes(&raw)?,
    };
    let scope = match (&open.resolved.reach, open.user_only) {
        (Reach::Machine(_), _) => "the whole machine while the program ran".to_owned(),
        (Reach::Program, false) => String::new(),
        (Reach::Program, true) => {
            let paranoid = permissions.paranoid.map_or("unknown".into(), |paranoid| paranoid.to_string());
            format!("without the kernel's work: kernel.perf_event_paranoid is {paranoid}")
        }
    };
    let Resolved { unit, scale, caution, .. } = &open.resolved;
    let plain = scope.is_empty() && unit.is_empty() && caution.is_empty() && scale.to_bits() == 1.0_f64.to_bits();
    Ok(match scaled.exact.filter(|_| plain) {
        Some(count) => Counter::Known(count),
        None => Counter::Qualified {
            value: scaled.value * scale,
            unit: unit.clone(),
            counted_share: scaled.share,
            scope,
            caution: caution.clone(),
        },
    })
}

/// The generic cycles event of a machine, with which everything is tried first.
pub(crate) fn generic(pmus: &Pmus, config: u64) -> Encoding {
    let first =
        Request::Hardware(config).resolve(pmus, &|_| None).ok().and_then(|found| found.parts.into_iter().next());
    let plain = || Encoding { pmu: "cpu".into(), kind: TYPE_HARDWARE, config, config1: 0, config2: 0 };
    first.unwrap_or_else(plain)
}
