//! `knee place`: shows which cpu each thread of a placement runs on.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use knee_machine::placement::{Format, Order};
use knee_machine::{Placement, Topology};
use serde::Serialize;

use super::{drawing, machine};
use crate::error::{Failure, json_line, print_out};
use crate::listing::listed;
use crate::verb::Native;

/// Options of `knee place`.
#[derive(Debug, Args)]
#[command(after_help = placements())]
pub(crate) struct Place {
    /// A placement listed below, or cpus like 0,2,4-7
    placement: String,
    /// Number of threads [default: one per cpu of the placement]
    #[arg(long, short = 'n')]
    threads: Option<usize>,
    /// Use exactly this many hardware threads per core
    #[arg(long, value_name = "K")]
    per_core: Option<usize>,
    /// Use only part of the machine: socket:0, node:1, die:0, core:3, kind:NAME, first-threads
    #[arg(long, value_name = "PART")]
    within: Vec<String>,
    /// Leave the farthest core, with all its hardware threads, free
    #[arg(long)]
    leave_one: bool,
    /// Use as few sockets as possible
    #[arg(long)]
    compact: bool,
    /// Print the placement in the syntax of another tool
    #[arg(long, value_enum)]
    format: Option<Tool>,
    #[command(flatten)]
    input: machine::Input,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn placements() -> String {
    listed("Placements", Placement::NAMED.iter().map(|(name, meaning)| (*name, (*meaning).to_owned())))
}

/// Tools that read placements.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Tool {
    List,
    Omp,
    Taskset,
    Numactl,
    Slurm,
}

/// A thread with its cpu, core, node and socket.
#[derive(Serialize)]
struct PlacedThread {
    thread: usize,
    cpu: u32,
    core: u32,
    /// None where the source does not say.
    node: Option<u32>,
    socket: u32,
}

/// The JSON form.
#[derive(Serialize)]
struct PlacedThreads {
    schema: u32,
    placement: String,
    /// None when the kernel decides.
    places: Option<Vec<PlacedThread>>,
}

impl Native for Place {
    fn run(self) -> Result<ExitCode, Failure> {
        let (machine, placement, cpus) = self.cpus()?;
        let text = if self.json {
            let found = PlacedThreads::new(&machine, &placement, cpus);
            format!("{}\n", serde_json::to_string_pretty(&found).map_err(Failure::new)?)
        } else if let Some(tool) = self.format {
            format!("{}\n", tool.format().write(&cpus.unwrap_or_default(), &machine.allowed.cpus))
        } else {
            drawn(&machine, &placement, cpus)
        };
        print_out(&text)?;
        Ok(ExitCode::SUCCESS)
    }

    fn answer(self) -> Result<String, Failure> {
        let (machine, placement, cpus) = self.cpus()?;
        json_line(&PlacedThreads::new(&machine, &placement, cpus))
    }
}

impl Place {
    /// The cpus in order; none when the kernel decides.
    fn cpus(&self) -> Result<(Topology, Placement, Option<Vec<u32>>), Failure> {
        let machine = machine::read(&self.input)?;
        let placement: Placement = self.written().parse()?;
        let cpus = match (placement.order(&machine)?, self.threads) {
            (Order::Kernel, Some(0)) => return Err(knee_machine::Error::NoThreads.into()),
            (Order::Kernel, _) => None,
            (Order::Cpus(order), None) => Some(order),
            (Order::Cpus(_), Some(threads)) => Some(placement.cpus(&machine, threads)?),
        };
        Ok((machine, placement, cpus))
    }

    /// The placement with the options' qualifiers behind it.
    fn written(&self) -> String {
        let per_core = self.per_core.map(|siblings| format!("+per-core:{siblings}"));
        let within = self.within.iter().map(|part| format!("+within:{part}"));
        let flags = [("+leave-one", self.leave_one), ("+compact", self.compact)];
        let flags = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned());
        [self.placement.clone()].into_iter().chain(per_core).chain(within).chain(flags).collect()
    }
}

impl Tool {
    fn format(self) -> Format {
        match self {
            Self::List => Format::List,
            Self::Omp => Format::Omp,
            Self::Taskset => Format::Taskset,
            Self::Numactl => Format::Numactl,
            Self::Slurm => Format::Slurm,
        }
    }
}

impl PlacedThreads {
    fn new(machine: &Topology, placement: &Placement, cpus: Option<Vec<u32>>) -> Self {
        let placed = |(thread, cpu): (usize, u32)| {
            let found = machine.hardware_threads.iter().find(|hardware| hardware.id == cpu);
            let hardware = found.expect("an order names online cpus only");
            PlacedThread { thread, cpu, core: hardware.core, node: machine.node_of(cpu), socket: hardware.socket }
        };
        let places = cpus.map(|cpus| cpus.into_iter().enumerate().map(placed).collect());
        Self { schema: Topology::SCHEMA, placement: placement.to_string(), places }
    }
}

fn drawn(machine: &Topology, placement: &Placement, cpus: Option<Vec<u32>>) -> String {
    let allowed = &machine.allowed.cpus;
    let Some(cpus) = cpus else { return format!("unpinned: the kernel schedules threads on cpus {allowed}\n") };
    let mut text = format!("{placement}, {} threads\n(number: thread on this cpu; dot: free cpu)\n", cpus.len());
    text += &drawing::sockets(machine, |cpu| match cpus.iter().position(|&taken| taken == cpu) {
        Some(thread) => thread.to_string(),
        None if allowed.contains(cpu) => ".".into(),
        None => "-".into(),
    });
    if machine.online() != *allowed {
        text += "-: cpu that this process may not use\n";
    }
    text
}
