//! Reasons why the kernel refused a counter, and remedies.

use std::fs;
use std::path::Path;

use serde::Serialize;

/// `CAP_PERFMON`, since Linux 5.8.
const PERFMON: u32 = 38;
/// `CAP_SYS_ADMIN`, which stood in for it before.
const SYS_ADMIN: u32 = 21;

/// A reason, and the one thing to try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CounterRefusal {
    /// The reason.
    pub reason: String,
    /// The remedy; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

impl CounterRefusal {
    /// A refusal with its remedy.
    #[must_use]
    pub fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { reason: reason.into(), remedy: remedy.into() }
    }
}

/// What was to be counted, as permissions distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The user's own program, without the kernel's work for it.
    OwnWork,
    /// The user's own program with the kernel's work.
    KernelToo,
    /// The whole machine.
    Machine,
}

impl Subject {
    /// The highest `perf_event_paranoid` at which a user without privileges may.
    fn highest_paranoid(self) -> i32 {
        match self {
            Self::OwnWork => 2,
            Self::KernelToo => 1,
            Self::Machine => 0,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::OwnWork => "count its own programs",
            Self::KernelToo => "count what the kernel does for its programs",
            Self::Machine => "count the whole machine",
        }
    }
}

/// What this process may count, and facts that explain a missing PMU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// `kernel.perf_event_paranoid`; none where the kernel has no perf events.
    pub paranoid: Option<i32>,
    /// Whether this process has `CAP_PERFMON` or `CAP_SYS_ADMIN`.
    pub privileged: bool,
    /// Whether a filter of system calls (seccomp) is on it, as in most containers.
    pub filtered: bool,
    /// Whether this is a guest of a hypervisor.
    pub guest: bool,
}

impl Permissions {
    /// Reads `proc` under a root folder.
    #[must_use]
    pub fn under(root: &Path) -> Self {
        let text = |file: &str| fs::read_to_string(root.join(file)).unwrap_or_default();
        let status = text("proc/self/status");
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let effective = field("CapEff:").and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or(0);
        let flags = text("proc/cpuinfo");
        let flags = flags.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        Self {
            paranoid: text("proc/sys/kernel/perf_event_paranoid").trim().parse().ok(),
            privileged: effective >> PERFMON & 1 == 1 || effective >> SYS_ADMIN & 1 == 1,
            filtered: field("Seccomp:") == Some("2"),
            guest: flags.split(' ').any(|flag| flag == "hypervisor"),
        }
    }

    /// Why `perf_event_open` refused, from its error number.
    pub(crate) fn explain(&self, error: &std::io::Error, subject: Subject, core_pmus: &[String]) -> CounterRefusal {
        let number = error.raw_os_error().unwrap_or(0);
        match number {
            libc::ENOENT if core_pmus.is_empty() => self.no_pmu(),
            libc::ENOENT => CounterRefusal::new(
                format!("PMU {} does not count this event", core_pmus.join(" and ")),
                "`perf list` shows the events that it counts; `pmu/event=0x..,umask=0x../` asks for one by number",
            ),
            libc::EOPNOTSUPP => CounterRefusal::new(
                "the PMU lacks what this event needs (EOPNOTSUPP)",
                if self.guest {
                    "a guest's PMU often lacks part of the real one's: bare metal has all of it"
                } else {
                    ""
                },
            ),
            libc::EACCES | libc::EPERM => self.forbidden(number, subject),
            libc::EINVAL => CounterRefusal::new(
                "the PMU does not take this encoding (EINVAL): a bad umask, a register that this model lacks, or too \
                 many events at once",
                "compare the numbers with the manual of this very model",
            ),
            libc::EBUSY => CounterRefusal::new(
                "another user holds the PMU for itself (EBUSY)",
                "stop the other perf, likwid or VTune",
            ),
            libc::ENOSPC => CounterRefusal::new(
                "all counters are taken (ENOSPC)",
                "stop the programs that use them, or ask for fewer",
            ),
            libc::EMFILE | libc::ENFILE => CounterRefusal::new(
                "no more files may be open (EMFILE)",
                "ask for fewer counters, or raise `ulimit -n`",
            ),
            libc::ENODEV => CounterRefusal::new("the PMU does not serve this cpu (ENODEV)", ""),
            libc::ENOSYS => {
                CounterRefusal::new("this kernel has no perf events (ENOSYS)", "a kernel with CONFIG_PERF_EVENTS=y")
            }
            _ => CounterRefusal::new(format!("the kernel refused it: {error}"), ""),
        }
    }

    /// No PMU of cores is listed.
    pub(crate) fn no_pmu(&self) -> CounterRefusal {
        if self.guest {
            CounterRefusal::new(
                "no hardware PMU: the hypervisor does not give this guest one",
                "bare metal, or a guest with a virtual PMU (KVM: -cpu host,pmu=on; VMware: vpmc.enable; clouds: .metal \
                 or whole-socket sizes)",
            )
        } else {
            CounterRefusal::new(
                "no hardware PMU: the kernel lists no PMU of the cores",
                "`dmesg | grep -i pmu` shows why: firmware may reserve it, or the kernel may be too old for this cpu",
            )
        }
    }

    fn forbidden(&self, number: i32, subject: Subject) -> CounterRefusal {
        let name = if number == libc::EACCES { "EACCES" } else { "EPERM" };
        let highest = subject.highest_paranoid();
        if let Some(paranoid) = self.paranoid.filter(|paranoid| *paranoid > highest && !self.privileged) {
            let since = if paranoid > 2 { " (Debian and Ubuntu know values above 2: no events at all)" } else { "" };
            return CounterRefusal::new(
                format!(
                    "kernel.perf_event_paranoid is {paranoid}{since}: this user may not {} ({name})",
                    subject.words()
                ),
                format!("sudo sysctl kernel.perf_event_paranoid={highest}"),
            );
        }
        if self.filtered {
            return CounterRefusal::new(
                format!("a system call filter (seccomp) forbids perf_event_open, as in most containers ({name})"),
                "docker run --cap-add PERFMON, or --security-opt seccomp=PROFILE with perf_event_open in it",
            );
        }
        let paranoid = self.paranoid.map_or("unknown".into(), |paranoid| paranoid.to_string());
        CounterRefusal::new(
            format!("forbidden ({name}), and not by kernel.perf_event_paranoid, which is {paranoid}"),
            "a security module (SELinux, AppArmor, lockdown) may say why in `dmesg`",
        )
    }
}
