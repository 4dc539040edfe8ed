//! `knee machine`: this machine, drawn calmly.

use std::fmt::Write;
use std::process::ExitCode;

use knee_machine::{CpuSet, Fact, Topology};

use crate::cli;
use crate::error::{Failure, print_out};

/// Prints the topology.
pub(crate) fn show(args: &cli::Machine) -> Result<ExitCode, Failure> {
    let machine = read(&args.input)?;
    if args.xml {
        print_out(&machine.to_hwloc_xml())?;
    } else if args.json {
        print_out(&format!("{}\n", serde_json::to_string_pretty(&machine).map_err(Failure::new)?))?;
    } else {
        print_out(&drawn(&machine))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// This machine, or the one that was asked for.
pub(crate) fn read(asked: &cli::Input) -> Result<Topology, Failure> {
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
    for socket in &machine.sockets {
        writeln!(text, "\nsocket {}", socket.id)?;
        for node in machine.nodes.iter().filter(|node| !node.cpus.intersection(&socket.cpus).is_empty()) {
            writeln!(
                text,
                "  node {}   {:>5.1} GiB   cpus {}",
                node.id,
                gib(node.memory_bytes),
                node.cpus.intersection(&socket.cpus)
            )?;
            let cores = machine.cores.iter().filter(|core| core.socket == socket.id && core.node == node.id);
            let names: Vec<String> = cores.map(|core| bracketed(&core.cpus)).collect();
            write_wrapped(text, "    cores ", &names)?;
        }
        write_caches(machine, &socket.cpus, text)?;
    }
    for node in machine.nodes.iter().filter(|node| node.cpus.is_empty()) {
        writeln!(text, "\nnode {} without cpus   {:.1} GiB", node.id, gib(node.memory_bytes))?;
    }
    Ok(())
}

/// Siblings of a core stand together: `[0 16]`.
fn bracketed(cpus: &CpuSet) -> String {
    format!("[{}]", cpus.iter().map(|cpu| cpu.to_string()).collect::<Vec<_>>().join(" "))
}

fn write_wrapped(text: &mut String, first: &str, words: &[String]) -> std::fmt::Result {
    let mut line = first.to_owned();
    for word in words {
        if line.len() + word.len() + 1 > 78 {
            writeln!(text, "{}", line.trim_end())?;
            line = " ".repeat(first.len());
        }
        line += word;
        line += " ";
    }
    writeln!(text, "{}", line.trim_end())
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
        writeln!(text, "    L{level} {number} x {}, {shared}", size_text(size))?;
    }
    Ok(())
}

fn write_facts(machine: &Topology, text: &mut String) -> std::fmt::Result {
    writeln!(text)?;
    if !machine.offline.is_empty() {
        writeln!(text, "offline: {}", machine.offline)?;
    }
    writeln!(text, "this process may use cpus {}", machine.allowed.cpus)?;
    if let Some(quota) = machine.allowed.quota_cpus {
        writeln!(text, "and CPU time of {quota} cpus (quota of its control group)")?;
    }
    Ok(())
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

fn size_text(bytes: u64) -> String {
    if bytes >= 1 << 20 {
        format!("{} MiB", bytes as f64 / f64::from(1 << 20))
    } else {
        format!("{} KiB", bytes / 1024)
    }
}
