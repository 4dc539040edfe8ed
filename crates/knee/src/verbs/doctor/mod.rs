//! `knee doctor`: what can be measured here, and what would help where it cannot.

mod conditions;
mod counters;
mod measures;
mod table;

use std::path::Path;
use std::process::ExitCode;

use knee_machine::Topology;
use knee_meter::perf::{Linux, Surroundings};
use serde::Serialize;

use self::conditions::Finding;
use self::measures::Measure;
use super::siblings;
use crate::cli;
use crate::error::{Failure, print_out};

/// What the doctor says, and its JSON form.
#[derive(Serialize)]
struct Report {
    schema: u32,
    conditions: Vec<Finding>,
    measures: Vec<Measure>,
}

/// Prints what was found, or tests the cpus for siblings, or the counters for sense.
pub(crate) fn show(args: &cli::Doctor) -> Result<ExitCode, Failure> {
    if args.siblings {
        return siblings::show(args.json);
    }
    let machine = Topology::this_machine()?;
    if args.counters {
        return counters::show(&machine, args.json);
    }
    let root = Path::new("/");
    let measures = measures::examine(&Surroundings::under(root), &mut Linux::default(), root);
    let report = Report { schema: 1, conditions: conditions::examine(&machine), measures };
    if args.json {
        print_json(&report)?;
        return Ok(ExitCode::SUCCESS);
    }
    for Finding { name, good, found, advice } in &report.conditions {
        let sign = if *good { "yes" } else { "no " };
        print_out(&format!("{sign}  {name:<22} {found}\n"))?;
        if !good {
            print_out(&format!("     {advice}\n"))?;
        }
    }
    print_out(&format!("\n{}", table::drawn(&report.measures)))?;
    print_out("\n`knee doctor --counters` tests counters with known work, and says what would help.\n")?;
    Ok(ExitCode::SUCCESS)
}

fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print_out(&format!("{}\n", serde_json::to_string_pretty(value).map_err(Failure::new)?))
}
