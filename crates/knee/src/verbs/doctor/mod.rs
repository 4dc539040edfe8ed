//! `knee doctor`: checks what can be measured on this machine, and how to fix what cannot.

mod conditions;
mod counters;
mod measures;
mod table;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use knee_machine::Topology;
use knee_meter::load::Load;
use knee_meter::perf::{Linux, Surroundings};
use serde::Serialize;

use self::conditions::Finding;
use self::measures::Measure;
use super::siblings;
use crate::error::{Failure, print_out};
use crate::verb::Native;

/// Options of `knee doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Measure which cpus share a core, instead of trusting /sys: about 2 s for 2 cpus,
    /// 15 s for 16, 30 s for 256, up to three times that on a busy machine
    #[arg(long)]
    siblings: bool,
    /// Test whether hardware counters are available and correct, using work with known
    /// counts
    #[arg(long, conflicts_with = "siblings")]
    counters: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Native for Doctor {
    fn run(self) -> Result<ExitCode, Failure> {
        show(&self)
    }
}

/// The JSON form of the report.
#[derive(Serialize)]
struct Report {
    schema: u32,
    load: Watched,
    conditions: Vec<Finding>,
    measures: Vec<Measure>,
}

/// The load of other programs now, or why it is unknown.
#[derive(Serialize)]
#[serde(untagged)]
enum Watched {
    Known(Load),
    Unavailable { unavailable: String },
}

/// Long enough for ticks of 10 ms to show 5 % on one cpu.
const WATCH: Duration = Duration::from_millis(500);

/// Prints the report, or tests the cpus for siblings, or the counters for correctness.
fn show(args: &Doctor) -> Result<ExitCode, Failure> {
    if args.siblings {
        return siblings::show(args.json);
    }
    let machine = Topology::this_machine()?;
    if args.counters {
        return counters::show(&machine, args.json);
    }
    let root = Path::new("/");
    let measures = measures::examine(&Surroundings::under(root), &mut Linux::default(), root);
    let load = Load::watch(&machine.allowed.cpus, WATCH);
    let load = load.map_or_else(|unavailable| Watched::Unavailable { unavailable }, Watched::Known);
    let conditions = conditions::examine(&machine, &load);
    let report = Report { schema: 1, load, conditions, measures };
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
    print_out("\n`knee doctor --counters` tests the counters with known work and shows how to fix them.\n")?;
    Ok(ExitCode::SUCCESS)
}

fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print_out(&format!("{}\n", serde_json::to_string_pretty(value).map_err(Failure::new)?))
}
