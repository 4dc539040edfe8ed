//! Events that the kernel names itself, from its ABI (`include/uapi/linux/perf_event.h`) and with perf's words for them.

/// `PERF_TYPE_HARDWARE`.
pub(crate) const TYPE_HARDWARE: u32 = 0;
/// `PERF_TYPE_SOFTWARE`.
pub(crate) const TYPE_SOFTWARE: u32 = 1;
/// `PERF_TYPE_HW_CACHE`.
pub(crate) const TYPE_CACHE: u32 = 3;
/// `PERF_TYPE_RAW`.
pub(crate) const TYPE_RAW: u32 = 4;

/// An event that the kernel counts itself; there on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Software {
    /// perf's word for it.
    pub name: &'static str,
    /// `PERF_COUNT_SW_*`.
    pub config: u64,
    /// Unit; empty for a number of events.
    pub unit: &'static str,
    /// Whether it happens inside the kernel only: leaving the kernel out would leave nothing, and it would read 0.
    pub in_kernel: bool,
}

/// Every software event that is counted over a program.
pub(crate) const SOFTWARE: [Software; 9] = [
    software("task-clock", 1, "ns", false),
    software("cpu-clock", 0, "ns", false),
    software("page-faults", 2, "", false),
    software("minor-faults", 5, "", false),
    software("major-faults", 6, "", false),
    software("context-switches", 3, "", true),
    software("cpu-migrations", 4, "", true),
    software("alignment-faults", 7, "", false),
    software("emulation-faults", 8, "", false),
];

const fn software(name: &'static str, config: u64, unit: &'static str, in_kernel: bool) -> Software {
    Software { name, config, unit, in_kernel }
}

/// perf's word and `PERF_COUNT_HW_*`.
pub(crate) const HARDWARE: [(&str, u64); 10] = [
    ("instructions", 1),
    ("cycles", 0),
    ("ref-cycles", 9),
    ("branches", 4),
    ("branch-misses", 5),
    ("cache-references", 2),
    ("cache-misses", 3),
    ("bus-cycles", 6),
    ("stalled-cycles-frontend", 7),
    ("stalled-cycles-backend", 8),
];

const CACHES: [&str; 7] = ["L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"];
const OPERATIONS: [(&str, &str); 3] = [("loads", "load"), ("stores", "store"), ("prefetches", "prefetch")];

/// The config of a generic cache event: `LLC-loads`, `dTLB-load-misses`, `node-stores`.
pub(crate) fn cache(name: &str) -> Option<u64> {
    let (cache, rest) = CACHES.iter().zip(0_u64..).find_map(|(cache, id)| {
        let rest = name.strip_prefix(cache)?.strip_prefix('-')?;
        Some((id, rest))
    })?;
    OPERATIONS.iter().zip(0_u64..).find_map(|((all, one), operation)| {
        let missed = rest.strip_prefix(one) == Some("-misses");
        (missed || rest == *all).then_some(cache | operation << 8 | u64::from(missed) << 16)
    })
}

/// Other words that perf takes for the same.
pub(crate) fn usual_name(name: &str) -> &str {
    match name {
        "faults" => "page-faults",
        "cs" => "context-switches",
        "migrations" => "cpu-migrations",
        "cpu-cycles" => "cycles",
        "branch-instructions" => "branches",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_events_have_the_configs_of_the_kernels_abi() {
        assert_eq!(cache("L1-dcache-loads"), Some(0));
        assert_eq!(cache("LLC-load-misses"), Some(0x1_0002));
        assert_eq!(cache("dTLB-store-misses"), Some(0x1_0103));
        assert_eq!(cache("node-prefetches"), Some(0x206));
        assert_eq!(cache("LLC-load"), None);
        assert_eq!(cache("LLC"), None);
        assert_eq!(cache("cache-misses"), None);
    }
}
