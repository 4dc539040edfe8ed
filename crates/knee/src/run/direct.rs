//! `knee run -- COMMAND` and `knee run WORKLOAD`: one run for a person who watches it.

use std::collections::BTreeMap;
use std::io;
use std::process::ExitCode;

use knee_machine::placement::Order;
use knee_machine::{Placement, Topology};
use knee_meter::events::Table;
use knee_meter::perf::{Counter, split};
use knee_workload::Bind;

use super::capture::Echo;
use super::hooks;
use super::launch::{Launch, Outcome, Streams, launch};
use super::runtimes;
use super::signals::Signals;
use super::tree;
use crate::cli::Run;
use crate::error::{Failure, print_out, say, status};
use crate::record::{Changed, Record};
use crate::registry;
use crate::run_spec::{OutputCheck, Program, RunSpec, SCHEMA};

/// Makes the run, says what it took, and ends as the program did.
pub(crate) fn run_once(args: Run) -> Result<ExitCode, Failure> {
    let ours = |failure: Failure| failure.code(status::KNEE);
    let (json, samples) = (args.json, args.samples.clone());
    let (setup, cleanup) = (args.setup.clone(), args.cleanup.clone());
    let spec = run_spec(args).map_err(ours)?;
    if let Some(folder) = &samples {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| ours(Failure::new(format!("cannot keep samples: {}: {error}", folder.display()))))?;
    }
    let signals = Signals::catch().map_err(|error| ours(Failure::new(format!("cannot catch signals: {error}"))))?;
    let streams = match (&spec.check, json) {
        (Some(_), true) => Streams::Shown(Echo::StandardError),
        (Some(_), false) => Streams::Shown(Echo::StandardOutput),
        (None, true) => Streams::ToStandardError,
        (None, false) => Streams::Inherited,
    };
    let how = Launch { streams, samples: samples.as_deref(), lifeline: None, signals: &signals };
    tree::refuse_others().map_err(ours)?;
    // Before the setup already: what it leaves behind is ended as well.
    tree::adopt_orphans();
    let step =
        |name: &str, text: Option<&str>| hooks::shell(name, text, &spec, &how).map_err(|error| ours(error.into()));
    let outcome = step("setup", setup.as_deref()).map(|()| launch(&spec, &how));
    let cleaned = step("cleanup", cleanup.as_deref());
    // What was measured comes first: it is not lost when the cleanup fails.
    let code = tell(outcome?, &spec, json)?;
    cleaned.map(|()| code)
}

fn tell(outcome: Outcome, spec: &RunSpec, json: bool) -> Result<ExitCode, Failure> {
    let ours = |failure: Failure| failure.code(status::KNEE);
    match outcome {
        Outcome::Abandoned => Err(ours(Failure::new("stopped"))),
        Outcome::Refused(record, kind) => {
            if json {
                print_record(&record).map_err(ours)?;
            }
            Err(Failure::new(record.exit.error.unwrap_or_default()).code(match kind {
                io::ErrorKind::NotFound => status::NOT_FOUND,
                // Not the program's fault: a refusal of our own, or no memory or no process to be had.
                io::ErrorKind::Other | io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => status::KNEE,
                _ => status::NOT_EXECUTABLE,
            }))
        }
        Outcome::Ran(record) => {
            if json {
                print_record(&record).map_err(ours)?;
            } else {
                summarise(&record, spec.threads);
            }
            Ok(exit_code(&record))
        }
    }
}

/// Whether this command line could be run at all.
pub(crate) fn check(args: Run) -> Result<(), Failure> {
    run_spec(args).map(|_| ()).map_err(|failure| failure.code(status::KNEE))
}

fn run_spec(args: Run) -> Result<RunSpec, Failure> {
    let machine = Topology::this_machine()?;
    let placement: Placement = args.placement.parse()?;
    let available = match placement.order(&machine)? {
        Order::Cpus(order) => order.len(),
        Order::Kernel => machine.allowed.cpus.len(),
    };
    let threads = args.threads.unwrap_or(available);
    let usage = "`knee run --help` shows how";
    if args.words.is_empty() {
        return Err(Failure::new("nothing to run: give a command after --, or a workload").hint(usage));
    }
    let program = if args.is_command() {
        let env = args.env.iter().map(|pair| variable(pair)).collect::<Result<_, _>>()?;
        Program::Command { command: args.words, env, runtime: args.runtime.clone(), directory: None }
    } else {
        if !args.env.is_empty() {
            return Err(Failure::new("--env is for commands: a built-in workload takes arguments").hint(usage));
        }
        let (workload, args) = registry::resolve(&args.words)?;
        Program::Workload { workload, args, params: BTreeMap::new(), directory: None }
    };
    if let Program::Command { runtime: Some(runtime), .. } = &program {
        runtimes::find(runtime)?;
    } else if args.runtime.is_some() {
        return Err(Failure::new("--for is for commands: a built-in workload knows its threads").hint(usage));
    }
    let foreign = matches!(program, Program::Command { .. });
    if args.bind == Some(Bind::Each) && placement == Placement::None {
        let hint = "name a placement, as in --placement cores-close --bind each";
        return Err(Failure::new("--bind each: the placement none leaves every thread to the kernel").hint(hint));
    }
    if args.skip.is_some() && args.bind != Some(Bind::Each) {
        return Err(
            Failure::new("--skip leaves threads without a place of their own: it goes with --bind each").hint(usage)
        );
    }
    let bind = args.bind.unwrap_or(if foreign { Bind::Set } else { Bind::Each });
    let places = if bind == Bind::Set { threads.min(available) } else { threads };
    if threads == 0 {
        return Err(knee_machine::Error::NoThreads.into());
    }
    if let Some(path) = &args.events {
        Table::read(path)?;
    }
    let spec = RunSpec {
        schema: SCHEMA,
        id: "run".into(),
        cell: BTreeMap::new(),
        block: 1,
        program,
        threads,
        cpus: placement.cpus(&machine, places)?,
        bind,
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
    };
    spec.checked()
}

fn variable(pair: &str) -> Result<(String, String), Failure> {
    let parts = pair.split_once('=').filter(|(name, _)| !name.is_empty());
    let parts = parts.ok_or_else(|| Failure::new(format!("bad variable: {pair:?}: it is written NAME=VALUE")))?;
    Ok((parts.0.into(), parts.1.into()))
}

fn print_record(record: &Record) -> Result<(), Failure> {
    print_out(&format!("{}\n", serde_json::to_string(record).expect("a record is plain data")))
}

fn summarise(record: &Record, threads: usize) {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let (wall, user, system) = (seconds(record.wall_ns), seconds(record.user_ns), seconds(record.system_ns));
    let cpus = (user + system) / wall.max(1e-9);
    say(format_args!("knee: {wall:.3} s wall, {:.3} s CPU ({user:.3} user + {system:.3} system)", user + system));
    let unseen = record.unseen.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    say(format_args!(
        "      {cpus:.2} cpus busy on average, {threads} threads asked, {} seen{unseen}",
        record.observed_threads.len()
    ));
    for phase in &record.phases {
        let (wall, cpu) = (seconds(phase.wall_ns), seconds(phase.cpu_ns));
        say(format_args!("      phase {}: {wall:.3} s wall, {cpu:.3} s CPU", phase.name));
    }
    for (name, counter) in &record.counters {
        say(format_args!("      {name}: {}", told(counter)));
    }
    for fault in &record.region_faults {
        say(format_args!("      {fault}"));
    }
    if let Some(validity) = &record.validity {
        let share = |fraction: Option<f64>| fraction.map_or("unknown".into(), |f| format!("{:.1} %", f * 100.0));
        say(format_args!(
            "      its cpus: other work {}, stolen {}",
            share(validity.other_busy),
            share(validity.steal)
        ));
    }
    if let Some(reason) = record.check.as_ref().and_then(|check| check.reason.as_ref()) {
        say(format_args!("knee: check failed: {reason}"));
    }
    if let Some(seconds) = record.exit.timeout_s {
        say(format_args!("knee: stopped after {seconds} s"));
    }
    if let Some(count) = record.exit.left_behind.filter(|_| record.exit.not_ended.is_none()) {
        say(format_args!("knee: the program left {count} processes behind; they were ended"));
    }
    if let Some(what) = &record.exit.not_ended {
        say(format_args!("knee: still running: {what}"));
    }
    for Changed { fact, held, found } in &record.changed {
        say(format_args!("knee: {fact} changed from {held} to {found}"));
    }
}

/// A counter in words, with all that has to be said beside it.
fn told(counter: &Counter) -> String {
    match counter {
        Counter::Known(count) => count.to_string(),
        Counter::Unavailable { unavailable } => format!("unknown: {unavailable}"),
        Counter::Qualified { value, unit, counted_share, scope, caution } => {
            let share = counted_share.map(|share| format!("scaled up, counted in {:.1} % of the time", 100.0 * share));
            let said = [scope, caution].into_iter().filter(|text| !text.is_empty()).cloned();
            let notes: Vec<String> = share.into_iter().chain(said).collect();
            let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
            format!("{value:.0} {unit}{notes}").replace("  ", " ")
        }
    }
}

fn exit_code(record: &Record) -> ExitCode {
    let exit = &record.exit;
    let failed_check = record.check.as_ref().is_some_and(|check| !check.ok);
    let code = match (exit.timeout_s, exit.signal, exit.code) {
        (Some(_), ..) => status::TIMEOUT,
        (None, Some(signal), _) => status::SIGNALLED.saturating_add(u8::try_from(signal).unwrap_or(0)),
        (None, None, Some(0)) if failed_check => status::GATE,
        (None, None, Some(code)) => u8::try_from(code & 0xff).unwrap_or(status::KNEE),
        (None, None, None) => status::KNEE,
    };
    ExitCode::from(code)
}
