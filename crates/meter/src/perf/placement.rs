//! Whether the events for local and remote memory tell local from remote: checked with loads whose home is known.

use std::io;

use super::kernel::{Kernel, Raw};
use super::ladder::{Rung, Surroundings, count};
use super::reading::scale;
use super::reason::{CounterRefusal, Subject};
use super::request::{Names, Request};

/// Loads from memory of a known node.
pub trait PlacementProbe {
    /// Allocates pages on node `home`, and pins the calling thread to a cpu of node `reader`.
    ///
    /// # Errors
    /// Why that failed.
    fn prepare(&mut self, reader: u32, home: u32) -> Result<(), String>;

    /// Loads lines of these pages beyond every cache, on the calling thread, and returns how many.
    fn load(&mut self) -> u64;
}

const NAME: &str = "local and remote are distinguished";
/// Least share of known loads that the right event must count: prefetches and page walks add noise.
const LEAST: f64 = 0.25;
/// Most that the wrong event may count, as a share of the right one.
const MOST_WRONG: f64 = 0.2;

/// Checks the measures `local_dram` and `remote_dram` with known placements on the first two nodes.
pub fn check_placement(
    kernel: &mut dyn Kernel,
    around: &Surroundings,
    names: &Names<'_>,
    nodes: &[u32],
    probe: Option<&mut dyn PlacementProbe>,
) -> Rung {
    let &[near, far, ..] = nodes else {
        return Rung::untried(NAME, "cannot be checked: one node, so that no memory is remote");
    };
    if around.cores.is_empty() {
        return Rung::untried(NAME, "cannot be checked: no hardware PMU");
    }
    let Some(probe) = probe else {
        return Rung::untried(NAME, "cannot be checked: this build has no probe of known placement");
    };
    let mut told = Vec::new();
    for (home, right, wrong) in [(near, "local_dram", "remote_dram"), (far, "remote_dram", "local_dram")] {
        if let Err(reason) = probe.prepare(near, home) {
            return Rung::untried(NAME, format!("cannot be checked: memory on node {home}: {reason}"));
        }
        let mut counted = |name| one(kernel, around, names, name, probe);
        let verdict = counted(right).and_then(|right| Ok((right, counted(wrong)?.1)));
        match verdict {
            Err(refusal) => return Rung::no(NAME, refusal),
            Ok(((lines, right_count), wrong_count)) => {
                let said =
                    format!("{lines} loads from node {home}: {right} {right_count:.0}, {wrong} {wrong_count:.0}");
                if right_count < LEAST * lines as f64 || wrong_count > MOST_WRONG * right_count {
                    let remedy = "do not use these events on this machine; use the page census instead";
                    return Rung::no(NAME, CounterRefusal::new(said, remedy));
                }
                told.push(said);
            }
        }
    }
    Rung::yes(NAME, told.join("; "))
}

/// Known loads under one measure: how many there were, and how many were counted.
fn one(
    kernel: &mut dyn Kernel,
    around: &Surroundings,
    names: &Names<'_>,
    name: &str,
    probe: &mut dyn PlacementProbe,
) -> Result<(u64, f64), CounterRefusal> {
    let plain = |reason: String| CounterRefusal::new(reason, "");
    let resolved = Request::Named(name.into()).resolve(&around.pmus, names).map_err(plain)?;
    let (mut lines, mut sum) = (0, 0.0);
    for event in &resolved.parts {
        let raw: io::Result<Raw> = count(kernel, event, &mut || lines = probe.load());
        let raw = raw.map_err(|error| around.permissions.explain(&error, Subject::OwnWork, &around.cores))?;
        sum += scale(raw).map_err(plain)?.value;
    }
    Ok((lines, sum))
}
