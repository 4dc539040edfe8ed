//! `knee mine`: count a pattern, or print a graph as a plain edge list.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use knee_machine::{Placement, Topology};
use knee_workload::{Args, Bind, Phases, Team};

use crate::cli;
use crate::error::{Failure, print_out};
use crate::registry;

/// Does what was asked.
pub(crate) fn act(args: &cli::Mine) -> Result<ExitCode, Failure> {
    if args.action == "edges" { edges(&args.graph) } else { count(args) }
}

fn edges(source: &str) -> Result<ExitCode, Failure> {
    let list = knee_mining::graph::load(source)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = list.edges.iter().try_for_each(|(a, b)| writeln!(out, "{a} {b}")).and_then(|()| out.flush());
    written.map_err(|error| Failure::new(format!("cannot write the edges: standard output: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

fn count(args: &cli::Mine) -> Result<ExitCode, Failure> {
    let workload = registry::find("mine")?;
    let given = [("graph", &args.graph), ("pattern", &args.pattern), ("plan", &args.plan)];
    let given: BTreeMap<String, String> = given.into_iter().map(|(name, value)| (name.into(), value.clone())).collect();
    let complete = Args::complete(workload.params(), &given)?;
    let machine = Topology::this_machine()?;
    let threads = args.threads.unwrap_or(machine.allowed.cpus.len());
    let cpus = args.placement.parse::<Placement>()?.cpus(&machine, threads)?;
    let team = Team::new(threads, &cpus, Bind::Each);
    let mut phases = Phases::default();
    let mut run = workload.prepare(&complete, &team, &mut phases)?;
    let answer = run.run(&mut phases);
    if args.json {
        let facts: BTreeMap<_, _> = run.facts().into_iter().collect();
        let number: serde_json::Value = serde_json::from_str(&answer).map_err(Failure::new)?;
        let report = serde_json::json!({
            "schema": 1, "pattern": args.pattern, "plan": args.plan, "graph": args.graph, "count": number,
            "threads": threads, "facts": facts, "phases": phases.done(),
        });
        print_out(&format!("{report:#}\n"))?;
    } else {
        print_out(&format!("{answer}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
