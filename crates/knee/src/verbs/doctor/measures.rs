//! The measures of this machine: available or why not, and what knee uses instead.

use std::path::Path;

use knee_meter::perf::{Kernel, Rung, Standing, Surroundings};
use serde::Serialize;

use crate::measures;

/// One row of the table.
#[derive(Serialize)]
pub(super) struct Measure {
    #[serde(rename = "measure")]
    pub(super) name: &'static str,
    pub(super) available: bool,
    /// The source, or why there is none.
    pub(super) reason: String,
    /// The substitute if it is missing.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) substitute: &'static str,
}

/// Asks the kernel and reads files; nothing is counted yet.
pub(super) fn examine(around: &Surroundings, kernel: &mut dyn Kernel, root: &Path) -> Vec<Measure> {
    let listed = around.listed();
    // Without a PMU the reason is given once, not again for each event that does not open.
    let cores = if listed.standing == Standing::Yes { around.cycles(kernel) } else { listed };
    let has_pmu = cores.standing == Standing::Yes;
    let beside = around.beside(kernel);
    let [memory, links, energy, resctrl, pages] = beside.try_into().expect("five things stand beside the cores");
    vec![
        row("software events", &around.software(kernel), "rusage: faults and switches of the tree"),
        row(
            "instructions, cycles, misses",
            &cores,
            "CPU time, clock proxy, thread samples; extra CPU time cannot be attributed to a cause",
        ),
        remote_share(has_pmu),
        either("memory bandwidth", [&resctrl, &memory], "bytes that the program reports, per second"),
        row("traffic between sockets", &links, "run times with local, remote and interleaved memory"),
        row("cache occupancy", &resctrl, "data size compared with cache size"),
        row("energy", &energy, "none"),
        row("page allocations by node", &pages, "none"),
        file(root, "pages by node", "proc/self/numa_maps", "a kernel with CONFIG_NUMA", "none"),
        file(
            root,
            "CPU time of threads",
            "proc/self/schedstat",
            "a kernel with CONFIG_SCHED_INFO",
            "ticks of 10 ms; no waiting time",
        ),
        file(
            root,
            "cpu pressure",
            "proc/pressure/cpu",
            "booting with psi=1",
            "cpu time of other programs on the run's cpus",
        ),
    ]
}

fn row(name: &'static str, rung: &Rung, substitute: &'static str) -> Measure {
    let available = rung.standing == Standing::Yes;
    Measure { name, available, reason: rung.found.clone(), substitute: if available { "" } else { substitute } }
}

/// A measure with two sources, of which one is enough.
fn either(name: &'static str, ways: [&Rung; 2], substitute: &'static str) -> Measure {
    if let Some(rung) = ways.iter().find(|rung| rung.standing == Standing::Yes) {
        return Measure { name, available: true, reason: format!("{}: {}", rung.name, rung.found), substitute: "" };
    }
    let reasons = ways.map(|rung| format!("{}: {}", rung.name, rung.found));
    Measure { name, available: false, reason: reasons.join("; "), substitute }
}

/// Local and remote accesses need the cores' PMU and a table of its events.
fn remote_share(has_pmu: bool) -> Measure {
    let known = measures::named("remote_dram", None);
    let found = match (has_pmu, known) {
        (false, _) => Err("needs the hardware PMU".to_owned()),
        (true, None) => Err("no event table covers local and remote accesses of this cpu".into()),
        (true, Some(Err(reason))) => Err(reason),
        (true, Some(Ok(_))) => Ok("local_dram, remote_dram".to_owned()),
    };
    let (available, reason) = match found {
        Ok(found) => (true, found),
        Err(reason) => (false, reason),
    };
    let substitute = if available { "" } else { "pages by node (--census-ms) and latency by node" };
    Measure { name: "local and remote accesses", available, reason, substitute }
}

fn file(root: &Path, name: &'static str, path: &str, needs: &str, substitute: &'static str) -> Measure {
    let reason = match std::fs::read_to_string(root.join(path)) {
        Ok(text) if !text.trim().is_empty() => {
            return Measure { name, available: true, reason: format!("/{path}"), substitute: "" };
        }
        Ok(_) => format!("/{path} is empty; needs {needs}"),
        Err(error) => format!("/{path}: {error}; needs {needs}"),
    };
    Measure { name, available: false, reason, substitute }
}
