//! Turns the command line of `knee run` into a run spec.

use std::collections::BTreeMap;

use knee_machine::placement::Order;
use knee_machine::{Placement, Topology, sys};
use knee_meter::events::Table;
use knee_meter::perf::split;
use knee_workload::Bind;

use super::super::options::Run;
use super::super::program::runtimes;
use super::super::running::census_ms;
use super::mistakes;
use crate::error::{Failure, say, status};
use crate::measures;
use crate::registry;
use crate::run_spec::{OutputCheck, Program, Role, RunSpec, SCHEMA};

const USAGE: &str = "`knee run --help` shows the options";

/// Whether this command line could be run on some machine. Which cpus a placement has is known only where the job runs.
pub(crate) fn check(args: Run) -> Result<(), Failure> {
    refuse_unknown_counters(&args)?;
    let anywhere = |_: &Placement, threads: Option<usize>, _| Ok((threads.unwrap_or(1), Vec::new()));
    spec_with(args, anywhere).map(|_| ()).map_err(|failure| failure.code(status::KNEE))
}

/// Refuses the name of a counter that exists on no machine, as a typing error. The user's own table may have any name.
pub(super) fn refuse_unknown_counters(args: &Run) -> Result<(), Failure> {
    let asked = args.counters.as_deref().filter(|_| args.events.is_none());
    asked.map(split).unwrap_or_default().iter().try_for_each(|name| measures::recognize(name))
}

/// Whether the thread count is passed to the command, so that it can be compared with the threads that computed.
pub(super) fn told_its_threads(args: &Run) -> bool {
    let named = args.words.iter().chain(&args.env).any(|word| word.contains("{threads}"));
    args.is_command() && (args.threads.is_some() || args.runtime.is_some() || named)
}

/// The run that a command line asks for.
pub(super) fn run_spec(args: Run) -> Result<RunSpec, Failure> {
    let without_threads = args.samples.is_some() && args.sample_ms == 0;
    let spec = spec_with(args, placed)?;
    // Whether a program's pages are counted by default depends on the machine.
    if without_threads && census_ms(&spec.program, spec.census_ms) == 0 {
        return Err(no_samples(spec.census_ms));
    }
    Ok(spec)
}

fn no_samples(census_ms: Option<u64>) -> Failure {
    let both = if census_ms.is_some() { " and --census-ms 0" } else { "" };
    let reason = format!("--samples with --sample-ms 0{both}: there are no samples to write");
    Failure::new(reason).hint("leave out one of them")
}

/// The thread count, by default one for each cpu, and the cpus of a placement on this machine.
fn placed(placement: &Placement, threads: Option<usize>, bind: Bind) -> Result<(usize, Vec<u32>), Failure> {
    let machine = machine(placement)?;
    let available = match machine.as_ref().map(|machine| placement.order(machine)).transpose()? {
        Some(Order::Cpus(order)) => order.len(),
        Some(Order::Kernel) | None => sys::affinity().len(),
    };
    let threads = threads.unwrap_or(available);
    let places = if bind == Bind::Set { threads.min(available) } else { threads };
    Ok((threads, machine.map(|machine| placement.cpus(&machine, places)).transpose()?.unwrap_or_default()))
}

fn spec_with(
    mut args: Run,
    placed: impl FnOnce(&Placement, Option<usize>, Bind) -> Result<(usize, Vec<u32>), Failure>,
) -> Result<RunSpec, Failure> {
    let placement: Placement = args.placement.parse()?;
    let program = program(&mut args)?;
    refuse_contradictions(&args, &placement)?;
    if args.threads == Some(0) {
        return Err(knee_machine::Error::NoThreads.into());
    }
    let (threads, cpus) = placed(&placement, args.threads, args.bind.unwrap_or_else(|| program.usual_bind()))?;
    let spec = RunSpec {
        schema: SCHEMA,
        id: "run".into(),
        role: Role::Measure,
        cell: BTreeMap::new(),
        block: 1,
        repeats: None,
        program,
        threads,
        cpus,
        bind: args.bind,
        skip: args.skip.unwrap_or_default(),
        memory: args.memory.map(|text| text.parse()).transpose()?,
        counters: args.counters.as_deref().map(split).unwrap_or_default(),
        events: args.events,
        sample_ms: Some(args.sample_ms),
        sampler_cpu: None,
        census_ms: args.census_ms,
        warmup: args.warmup,
        prepare: args.prepare,
        conclude: args.conclude,
        cache: args.cache,
        hold: BTreeMap::new(),
        timeout_s: args.timeout,
        metric: None,
        check: args.check.map(|stdout| OutputCheck { stdout }),
        test: None,
        beside: Vec::new(),
        switches: args.switches,
        hotspots: args.hotspots,
    };
    spec.checked()
}

/// This machine. If it cannot be read and the run is not pinned, prints a note and returns none.
fn machine(placement: &Placement) -> Result<Option<Topology>, Failure> {
    match Topology::this_machine() {
        Ok(machine) => Ok(Some(machine)),
        Err(error) if *placement == Placement::None => {
            say(format_args!("knee: note: {error}; the run continues, because it is not pinned"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The command or the workload, with its own options.
fn program(args: &mut Run) -> Result<Program, Failure> {
    let is_command = args.is_command();
    let words = std::mem::take(&mut args.words);
    if words.is_empty() {
        return Err(Failure::new("nothing to run; give a workload, or a program after --").hint(USAGE));
    }
    mistakes::refuse_placeholder(args.env.iter().map(String::as_str))?;
    let env = args.env.iter().map(|pair| variable(pair)).collect::<Result<_, _>>()?;
    if is_command {
        mistakes::refuse_placeholder(words.iter().map(String::as_str))?;
        args.runtime.as_deref().map(runtimes::find).transpose()?;
        return Ok(Program::Command { command: words, env, runtime: args.runtime.take(), directory: None });
    }
    mistakes::refuse_program(&words)?;
    let (workload, named) = registry::resolve(&words)?;
    if args.runtime.is_some() {
        return Err(
            Failure::new("--for only applies to programs; a built-in workload gets its threads from knee").hint(USAGE)
        );
    }
    for (name, given) in [("--skip", args.skip.is_some()), ("--census-ms", args.census_ms.is_some())] {
        if given {
            let reason = format!(
                "{name} only applies to programs; a built-in workload pins its threads and counts its pages itself"
            );
            return Err(Failure::new(reason).hint(USAGE));
        }
    }
    Ok(Program::Workload { workload, args: named, params: BTreeMap::new(), env, directory: None })
}

fn refuse_contradictions(args: &Run, placement: &Placement) -> Result<(), Failure> {
    if args.bind == Some(Bind::Each) && *placement == Placement::None {
        let hint = "choose a placement, for example --placement cores-close --bind each";
        return Err(Failure::new("--bind each needs a placement; with none the kernel places all threads").hint(hint));
    }
    if args.skip.is_some() && args.bind != Some(Bind::Each) {
        let reason = "--skip needs --bind each";
        return Err(Failure::new(reason).hint(USAGE));
    }
    if args.samples.is_some() && args.sample_ms == 0 && args.census_ms == Some(0) {
        return Err(no_samples(args.census_ms));
    }
    if let Some(path) = &args.events {
        Table::read(path)?;
    }
    Ok(())
}

fn variable(pair: &str) -> Result<(String, String), Failure> {
    let parts = pair.split_once('=').filter(|(name, _)| !name.is_empty());
    let parts = parts.ok_or_else(|| Failure::new(format!("bad variable '{pair}'; expected NAME=VALUE")))?;
    Ok((parts.0.into(), parts.1.into()))
}
