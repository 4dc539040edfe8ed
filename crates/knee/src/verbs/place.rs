//! `knee place`: which thread goes to which cpu.

use std::process::ExitCode;

use knee_machine::placement::{Format, Order};
use knee_machine::{Placement, Topology};
use serde::Serialize;

use super::{drawing, machine};
use crate::cli;
use crate::error::{Failure, print_out};

/// A thread's place with everything that tells it from the others.
#[derive(Serialize)]
struct Place {
    thread: usize,
    cpu: u32,
    core: u32,
    node: u32,
    socket: u32,
}

#[derive(Serialize)]
struct Places {
    schema: u32,
    placement: String,
    /// None when the kernel decides.
    #[expect(clippy::struct_field_names, reason = "the word of the JSON form")]
    places: Option<Vec<Place>>,
}

/// Prints the order.
pub(crate) fn show(args: &cli::Place) -> Result<ExitCode, Failure> {
    let machine = machine::read(&args.input)?;
    let placement: Placement = written(args).parse()?;
    let cpus = cpus(&machine, &placement, args.threads)?;
    let text = if args.json {
        let places = cpus.map(|cpus| places(&machine, &cpus));
        let places = Places { schema: Topology::SCHEMA, placement: placement.to_string(), places };
        format!("{}\n", serde_json::to_string_pretty(&places).map_err(Failure::new)?)
    } else {
        shown(&machine, &placement, cpus, args)
    };
    print_out(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The placement with the options' qualifiers behind it.
fn written(args: &cli::Place) -> String {
    let per_core = args.per_core.map(|siblings| format!("+per-core:{siblings}"));
    let within = args.within.iter().map(|part| format!("+within:{part}"));
    let flags = [("+leave-one", args.leave_one), ("+compact", args.compact)];
    let flags = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned());
    [args.placement.clone()].into_iter().chain(per_core).chain(within).chain(flags).collect()
}

/// None when the kernel decides.
fn cpus(machine: &Topology, placement: &Placement, threads: Option<usize>) -> Result<Option<Vec<u32>>, Failure> {
    match (placement.order(machine)?, threads) {
        (Order::Kernel, Some(0)) => Err(knee_machine::Error::NoThreads.into()),
        (Order::Kernel, _) => Ok(None),
        (Order::Cpus(order), None) => Ok(Some(order)),
        (Order::Cpus(_), Some(threads)) => Ok(Some(placement.cpus(machine, threads)?)),
    }
}

fn places(machine: &Topology, cpus: &[u32]) -> Vec<Place> {
    let place = |(thread, &cpu): (usize, &u32)| {
        let found = machine.hardware_threads.iter().find(|hardware| hardware.id == cpu);
        let hardware = found.expect("an order names online cpus only");
        Place { thread, cpu, core: hardware.core, node: hardware.node, socket: hardware.socket }
    };
    cpus.iter().enumerate().map(place).collect()
}

fn shown(machine: &Topology, placement: &Placement, cpus: Option<Vec<u32>>, args: &cli::Place) -> String {
    let allowed = &machine.allowed.cpus;
    let tool = match args.format {
        None => None,
        Some(cli::PlaceFormat::List) => Some(Format::List),
        Some(cli::PlaceFormat::Omp) => Some(Format::Omp),
        Some(cli::PlaceFormat::Taskset) => Some(Format::Taskset),
        Some(cli::PlaceFormat::Numactl) => Some(Format::Numactl),
        Some(cli::PlaceFormat::Slurm) => Some(Format::Slurm),
    };
    if let Some(format) = tool {
        return format!("{}\n", format.write(&cpus.unwrap_or_default(), allowed));
    }
    let Some(cpus) = cpus else { return format!("the kernel decides, among cpus {allowed}\n") };
    let mut text = format!("{placement}, {} threads\n(a number is a thread, a dot a free cpu)\n", cpus.len());
    text += &drawing::sockets(machine, |cpu| match cpus.iter().position(|&taken| taken == cpu) {
        Some(thread) => thread.to_string(),
        None if allowed.contains(cpu) => ".".into(),
        None => "-".into(),
    });
    if machine.online() != *allowed {
        text += "- is a cpu that this process may not use\n";
    }
    text
}
