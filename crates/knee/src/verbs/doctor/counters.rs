//! `knee doctor --counters`: whether counters can be had and believed, from the PMU to work of known counts.

use std::path::Path;
use std::process::ExitCode;

use knee_machine::Topology;
use knee_meter::perf::{Linux, PlacementProbe, RealWork, Rung, Standing, Surroundings, check_placement, climb};
use serde::Serialize;

use super::print_json;
use crate::error::{Failure, print_out};
use crate::measures;

/// The ladder, and its JSON form.
#[derive(Serialize)]
struct Report {
    schema: u32,
    rungs: Vec<Rung>,
}

/// Climbs the ladder and prints it.
pub(super) fn show(machine: &Topology, json: bool) -> Result<ExitCode, Failure> {
    let report = Report { schema: 1, rungs: climbed(machine) };
    if json {
        print_json(&report)?;
    } else {
        for rung in &report.rungs {
            print_out(&told(rung))?;
        }
        if report.rungs.iter().any(|rung| rung.standing != Standing::Yes) {
            print_out("\n`knee doctor` has what is used instead of what is missing.\n")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn climbed(machine: &Topology) -> Vec<Rung> {
    let around = Surroundings::under(Path::new("/"));
    let cpu = machine.allowed.cpus.first().unwrap_or(0);
    let cache_bytes = machine.last_level_cache(cpu).map_or(0, |cache| cache.size_bytes);
    let mut kernel = Linux::default();
    let mut rungs = climb(&mut kernel, &around, &mut RealWork::new(cache_bytes));
    let with_memory = machine.nodes.iter().filter(|node| node.memory_bytes > 0 && !node.cpus.is_empty());
    let nodes: Vec<u32> = with_memory.map(|node| node.id).collect();
    let mut probe = placement_probe();
    let probe: Option<&mut dyn PlacementProbe> = match &mut probe {
        Some(probe) => Some(probe.as_mut()),
        None => None,
    };
    rungs.push(check_placement(&mut kernel, &around, &measures::named, &nodes, probe));
    rungs
}

/// The probe that loads from memory of a known node, if this build has one: the one place to plug it in.
fn placement_probe() -> Option<Box<dyn PlacementProbe>> {
    None
}

fn told(rung: &Rung) -> String {
    let sign = match rung.standing {
        Standing::Yes => "yes",
        Standing::No => "no ",
        Standing::Untried => "-  ",
    };
    let remedy = if rung.remedy.is_empty() { String::new() } else { format!("     {}\n", rung.remedy) };
    format!("{sign}  {:<32} {}\n{remedy}", rung.name, rung.found)
}
