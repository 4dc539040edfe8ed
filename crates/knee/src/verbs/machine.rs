//! `knee machine`: draws sockets, nodes, caches and cores, then the facts.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use knee_machine::topology::Node;
use knee_machine::{CpuSet, Fact, Topology};

use super::drawing;
use crate::error::{Failure, json_line, print_out};
use crate::verb::Native;

/// Options that choose the machine.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// Describe another machine: a folder with its /sys and /proc, an hwloc XML file,
    /// or text like "pack:2 core:4 pu:2"
    #[arg(long, short, value_name = "FOLDER|XML|TEXT")]
    input: Option<String>,
    /// Read /sys and /proc under this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "input")]
    root: Option<PathBuf>,
}

/// Options of `knee machine`.
#[derive(Debug, Args)]
pub(crate) struct Machine {
    #[command(flatten)]
    input: Input,
    /// Measure the clock proxy too: nanoseconds per step of a dependent chain
    #[arg(long, conflicts_with_all = ["input", "root"])]
    clock: bool,
    /// Print hwloc XML, for lstopo and other hwloc tools
    #[arg(long, conflicts_with = "json")]
    xml: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Native for Machine {
    fn run(self) -> Result<ExitCode, Failure> {
        let machine = self.read()?;
        if self.xml {
            print_out(&machine.to_hwloc_xml())?;
        } else if self.json {
            print_out(&format!("{}\n", serde_json::to_string_pretty(&machine).map_err(Failure::new)?))?;
        } else {
            print_out(&drawn(&machine))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn answer(self) -> Result<String, Failure> {
        json_line(&self.read()?)
    }
}

impl Machine {
    fn read(&self) -> Result<Topology, Failure> {
        let mut machine = read(&self.input)?;
        if self.clock {
            let proxy = Fact::Known(format!("{:.3}", knee_meter::clock::nanoseconds_per_link()));
            machine.facts.insert("clock_ns".into(), proxy);
        }
        Ok(machine)
    }
}

/// This machine, or the requested one.
pub(super) fn read(asked: &Input) -> Result<Topology, Failure> {
    Ok(match (&asked.root, &asked.input) {
        (Some(root), _) => Topology::from_sysfs(root)?,
        (None, Some(input)) => Topology::from_input(input)?,
        (None, None) => Topology::this_machine()?,
    })
}

fn drawn(machine: &Topology) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_heading(machine, &mut text);
    let _ = write_sockets(machine, &mut text);
    let _ = write_facts(machine, &mut text);
    text
}

fn write_heading(machine: &Topology, text: &mut String) -> std::fmt::Result {
    if let Some(Fact::Known(model)) = machine.facts.get("model") {
        writeln!(text, "{model}")?;
    }
    let count = |n: usize, thing: &str| format!("{n} {thing}{}", if n == 1 { "" } else { "s" });
    let parts = [
        count(machine.sockets.len(), "socket"),
        count(machine.nodes.len(), "node"),
        count(machine.cores.len(), "core"),
        count(machine.hardware_threads.len(), "hardware thread"),
    ];
    writeln!(text, "{}", parts.join(", "))
}

fn write_sockets(machine: &Topology, text: &mut String) -> std::fmt::Result {
    write!(text, "{}", drawing::sockets(machine, |cpu| cpu.to_string()))?;
    let apart = |node: &&Node| machine.cores.iter().all(|core| machine.home(core) != Some(node.id));
    let coreless = machine.nodes.iter().filter(apart);
    for (at, node) in coreless.enumerate() {
        if at == 0 {
            writeln!(text, "\nnodes without cores")?;
        }
        let what = if node.cpus.is_empty() { "has no cpus" } else { "shares its cpus with other nodes" };
        writeln!(text, "  node {:<3} {}   {what}", node.id, drawing::memory(node))?;
    }
    writeln!(text)?;
    write_caches(machine, &machine.online(), text)?;
    write_groups(machine, text)?;
    write_distances(machine, text)
}

fn write_groups(machine: &Topology, text: &mut String) -> std::fmt::Result {
    let mut kinds: Vec<(&str, usize, usize)> = Vec::new();
    for group in &machine.groups {
        match kinds.iter_mut().find(|kind| (kind.0, kind.1) == (&group.kind, group.cpus.len())) {
            Some(kind) => kind.2 += 1,
            None => kinds.push((&group.kind, group.cpus.len(), 1)),
        }
    }
    for (kind, cpus, number) in kinds {
        writeln!(text, "{number} x {kind} of {cpus} cpus")?;
    }
    if !machine.dies.is_empty() {
        writeln!(text, "{} dies of {} cpus", machine.dies.len(), machine.dies[0].cpus.len())?;
    }
    Ok(())
}

/// Distances between nodes if these are few enough to read, and the firmware's claims about each node.
fn write_distances(machine: &Topology, text: &mut String) -> std::fmt::Result {
    let nodes = &machine.nodes;
    if nodes.len() > 1 && nodes.len() <= 16 && nodes.iter().all(|node| !node.distances.is_empty()) {
        let head: Vec<String> = nodes.iter().map(|node| format!("{:>3}", node.id)).collect();
        writeln!(text, "\ndistance  {}", head.join(" "))?;
        for node in nodes {
            let row: Vec<String> = node.distances.iter().map(|d| format!("{d:>3}")).collect();
            writeln!(text, "node {:<4} {}", node.id, row.join(" "))?;
        }
    }
    for node in nodes {
        let Some(access) = &node.access else { continue };
        let number = |n: Option<u64>, unit: &str| n.map_or("unknown".into(), |n| format!("{n} {unit}"));
        let (latency, bandwidth) = (number(access.read_latency_ns, "ns"), number(access.read_bandwidth_mib_s, "MiB/s"));
        writeln!(text, "node {}: {latency}, {bandwidth} for reads (from firmware, not measured)", node.id)?;
    }
    Ok(())
}

fn write_caches(machine: &Topology, cpus: &CpuSet, text: &mut String) -> std::fmt::Result {
    let here =
        machine.caches.iter().filter(|cache| cache.kind != "instruction" && !cache.cpus.intersection(cpus).is_empty());
    let mut kinds: Vec<(u32, u64, usize, usize)> = Vec::new();
    for cache in here {
        let key = (cache.level, cache.size_bytes, cache.cpus.len());
        match kinds.iter_mut().find(|kind| (kind.0, kind.1, kind.2) == key) {
            Some(kind) => kind.3 += 1,
            None => kinds.push((key.0, key.1, key.2, 1)),
        }
    }
    for (level, size, sharers, number) in kinds {
        let shared = if sharers == 1 { "one cpu each".to_owned() } else { format!("shared by {sharers} cpus") };
        writeln!(text, "L{level}  {number} x {}, {shared}", size_text(size))?;
    }
    Ok(())
}

fn write_facts(machine: &Topology, text: &mut String) -> std::fmt::Result {
    writeln!(text)?;
    if !machine.offline.is_empty() {
        writeln!(text, "offline: {}", drawing::short(&machine.offline))?;
    }
    writeln!(text, "this process may use cpus {}", drawing::short(&machine.allowed.cpus))?;
    let all: CpuSet = machine.nodes.iter().map(|node| node.id).collect();
    if machine.allowed.nodes != all {
        writeln!(text, "this process may use memory of nodes {}", machine.allowed.nodes)?;
    }
    if let Some(quota) = machine.allowed.quota_cpus {
        writeln!(text, "this process may use CPU time of {quota} cpus (control group quota)")?;
    }
    if let Some(bytes) = machine.allowed.memory_bytes {
        writeln!(text, "this process may use {} MiB of memory (control group limit)", bytes >> 20)?;
    }
    let known = machine.facts.iter().filter_map(|(name, fact)| match fact {
        Fact::Known(value) if name != "model" && name != "memory_bytes" => Some((name, value)),
        _ => None,
    });
    for (name, value) in known {
        let words: Vec<String> = value.split(' ').map(str::to_owned).collect();
        drawing::wrapped(text, &format!("{:<23}", name.replace('_', " ")), &words)?;
    }
    Ok(())
}

fn size_text(bytes: u64) -> String {
    if bytes >= 1 << 20 {
        format!("{} MiB", bytes as f64 / f64::from(1 << 20))
    } else {
        format!("{} KiB", bytes / 1024)
    }
}
