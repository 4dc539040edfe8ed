//! The summary of a run on standard error, and the exit status of `knee run`.

use std::path::Path;
use std::process::ExitCode;

use knee_machine::facts;
use knee_meter::Sampling;
use knee_meter::perf::Counter;

use crate::error::{say, status};
use crate::record::{Changed, Record};

/// Prints a run's times and problems on standard error.
pub(super) fn say_all(record: &Record, threads: usize) {
    say_times(record, threads);
    say_validity(record);
    say_quota(threads);
    say_end(record);
}

fn say_times(record: &Record, threads: usize) {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let (wall, user, system) = (seconds(record.wall_ns), seconds(record.user_ns), seconds(record.system_ns));
    let cpus = (user + system) / wall.max(1e-9);
    say(format_args!("knee: {wall:.3} s wall, {:.3} s CPU ({user:.3} user + {system:.3} system)", user + system));
    let untold = record.sampling.as_ref().map_or(0, |sampling| sampling.untold);
    let unseen = record.unseen.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    say(format_args!(
        "      {cpus:.2} cpus busy on average, {threads} threads requested, {} seen{unseen}",
        record.observed_threads.len() as u64 + untold
    ));
    if let Some(sampling) = record.sampling.as_ref().filter(|sampling| sampling.left_out > 0) {
        let (left_out, why) = (sampling.left_out, why_left_out(sampling));
        say(format_args!("      {left_out} more threads were alive at the same time but not sampled: {why}"));
    }
    if let Some(more) = record.unaccounted_cpu_ns.map(seconds) {
        let why = "children whose parent ignores their end are not in the CPU time";
        say(format_args!("      {why}: samples saw at least {more:.3} s more"));
    }
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
}

fn why_left_out(sampling: &Sampling) -> String {
    if sampling.out_of_files {
        return "the limit of open files allows no more: raise `ulimit -n`".into();
    }
    format!("knee samples at most {}", sampling.most)
}

fn say_validity(record: &Record) {
    if let Some(validity) = &record.validity {
        // Of shorter runs shares of ticks are mostly rounding.
        let told = |fraction: Option<f64>| fraction.filter(|_| record.wall_ns >= 100_000_000);
        let share = |fraction| told(fraction).map_or("unknown".into(), |f| format!("{:.1} %", f * 100.0));
        say(format_args!(
            "      on its cpus: other programs {}, stolen by the hypervisor {}",
            share(validity.other_busy),
            share(validity.steal)
        ));
    }
}

fn say_quota(threads: usize) {
    let Some(quota) = facts::quota_cpus(Path::new("/")).filter(|quota| *quota < threads as f64) else { return };
    say(format_args!(
        "knee: the control group limits CPU time to {quota} cpus: the kernel pauses threads that have used it up"
    ));
}

fn say_end(record: &Record) {
    if let Some(reason) = record.check.as_ref().and_then(|check| check.reason.as_ref()) {
        say(format_args!("knee: check failed: {reason}"));
    }
    if let Some(seconds) = record.exit.timeout_s {
        say(format_args!("knee: stopped after {seconds} s"));
    }
    if let Some(kills) = record.exit.memory_kills {
        let which = if kills == 1 { "a process".into() } else { format!("{kills} processes") };
        say(format_args!("knee: out of memory: the kernel killed {which} while the program ran"));
    }
    if let Some(count) = record.exit.left_behind.filter(|_| record.exit.not_ended.is_none()) {
        say(format_args!("knee: the program left {count} processes running; knee terminated them"));
    }
    if let Some(what) = &record.exit.not_ended {
        say(format_args!("knee: still running: {what}"));
    }
    for Changed { fact, held, found } in &record.changed {
        say(format_args!("knee: {fact} changed from {held} to {found}"));
    }
}

/// Says so where more, or fewer, threads computed than were asked for.
pub(super) fn say_computed(record: &Record, asked: usize) {
    let Some(found) = record.computing_threads.filter(|found| *found != asked) else { return };
    let plural = if asked == 1 { "" } else { "s" };
    let work = if found < asked { ", and whether it has work for so many" } else { "" };
    say(format_args!(
        "knee: asked for {asked} thread{plural}, {found} computed: check how the program reads its thread count{work}"
    ));
}

/// A counter in words, with its qualifications.
fn told(counter: &Counter) -> String {
    match counter {
        Counter::Known(count) => count.to_string(),
        Counter::Unavailable { unavailable } => format!("unknown: {unavailable}"),
        Counter::Qualified { value, unit, counted_share, scope, caution } => {
            let share = counted_share.map(|share| format!("scaled up; counted {:.1} % of the time", 100.0 * share));
            let said = [scope, caution].into_iter().filter(|text| !text.is_empty()).cloned();
            let notes: Vec<String> = share.into_iter().chain(said).collect();
            let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
            format!("{value:.0} {unit}{notes}").replace("  ", " ")
        }
    }
}

/// The exit status for how the program ended.
pub(super) fn exit_code(record: &Record) -> ExitCode {
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
