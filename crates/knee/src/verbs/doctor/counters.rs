//! `knee doctor --counters`: tests counters step by step, from finding the PMU to counting known work.

use std::path::Path;
use std::process::ExitCode;

use knee_machine::{Topology, sys};
use knee_meter::perf::{Linux, PlacementProbe, RealWork, Rung, Standing, Surroundings, check_placement, climb};
use knee_probes::arena::{Arena, Page};
use knee_probes::chase::Chase;
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

/// Tests every rung and prints the results.
pub(super) fn show(machine: &Topology, json: bool) -> Result<ExitCode, Failure> {
    let report = Report { schema: 1, rungs: climbed(machine) };
    if json {
        print_json(&report)?;
    } else {
        for rung in &report.rungs {
            print_out(&told(rung))?;
        }
        if report.rungs.iter().any(|rung| rung.standing != Standing::Yes) {
            print_out("\n`knee doctor` shows what knee uses instead of missing counters.\n")?;
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
    let bytes = usize::try_from(4 * cache_bytes).unwrap_or(0).max(256 << 20);
    let mut loads = Loads { machine, bytes, chase: None };
    rungs.push(check_placement(
        &mut kernel,
        &around,
        &|name: &str| measures::named(name, None),
        &nodes,
        Some(&mut loads),
    ));
    rungs
}

/// Loads from memory of a known node: the chase of the latency probe.
struct Loads<'a> {
    machine: &'a Topology,
    bytes: usize,
    chase: Option<Chase>,
}

/// Loads of one measurement.
const LOADS: usize = 1 << 20;

impl PlacementProbe for Loads<'_> {
    fn prepare(&mut self, reader: u32, home: u32) -> Result<(), String> {
        let node = self.machine.nodes.iter().find(|node| node.id == reader);
        let cpu = node.and_then(|node| node.cpus.iter().find(|cpu| self.machine.allowed.cpus.contains(*cpu)));
        let cpu = cpu.ok_or_else(|| format!("this process may use no cpu of node {reader}"))?;
        sys::pin(&[cpu]).map_err(|error| format!("cannot pin a thread: cpu {cpu}: {error}"))?;
        let arena = Arena::written(self.bytes, Page::Base, Some(home)).map_err(|error| error.to_string())?;
        let share = arena.share_on(home).ok_or("the kernel does not report the nodes of pages")?;
        if share < 0.99 {
            return Err(format!("only {:.0} % of the pages are on that node", 100.0 * share));
        }
        self.chase = Some(Chase::lay(arena, self.bytes, LINE, 1));
        Ok(())
    }

    fn load(&mut self) -> u64 {
        let Some(chase) = &self.chase else { return 0 };
        let [_] = chase.follow([chase.starts(1, 2)[0]], LOADS);
        Chase::loads(LOADS) as u64
    }
}

/// Bytes of a cache line, or of several shorter ones.
const LINE: usize = 128;

fn told(rung: &Rung) -> String {
    let sign = match rung.standing {
        Standing::Yes => "yes",
        Standing::No => "no ",
        Standing::Untried => "-  ",
    };
    let remedy = if rung.remedy.is_empty() { String::new() } else { format!("     {}\n", rung.remedy) };
    format!("{sign}  {:<32} {}\n{remedy}", rung.name, rung.found)
}
