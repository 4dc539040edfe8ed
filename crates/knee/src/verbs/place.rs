//! `knee place`: which thread goes to which cpu.

use std::process::ExitCode;

use knee_machine::placement::Order;
use knee_machine::{Placement, Topology};
use serde::Serialize;

use super::machine;
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
    let placement: Placement = args.placement.parse()?;
    let places = places(&machine, &placement, args.threads)?;
    if args.json {
        print_out(&format!("{}\n", serde_json::to_string_pretty(&places).map_err(Failure::new)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    match places.places {
        None => print_out(&format!("the kernel decides, among cpus {}\n", machine.allowed.cpus))?,
        Some(places) => {
            print_out("thread  cpu  core  node  socket\n")?;
            for place in places {
                let Place { thread, cpu, core, node, socket } = place;
                print_out(&format!("{thread:>6} {cpu:>4} {core:>5} {node:>5} {socket:>7}\n"))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn places(machine: &Topology, placement: &Placement, threads: Option<usize>) -> Result<Places, Failure> {
    let cpus = match (placement.order(machine)?, threads) {
        (Order::Kernel, Some(0)) => return Err(knee_machine::Error::NoThreads.into()),
        (Order::Kernel, _) => None,
        (Order::Cpus(order), None) => Some(order),
        (Order::Cpus(_), Some(threads)) => Some(placement.cpus(machine, threads)?),
    };
    let place = |(thread, cpu): (usize, u32)| {
        let found = machine.hardware_threads.iter().find(|hardware| hardware.id == cpu);
        let hardware = found.expect("an order names online cpus only");
        Place { thread, cpu, core: hardware.core, node: hardware.node, socket: hardware.socket }
    };
    let places = cpus.map(|cpus| cpus.into_iter().enumerate().map(place).collect());
    Ok(Places { schema: Topology::SCHEMA, placement: placement.to_string(), places })
}
