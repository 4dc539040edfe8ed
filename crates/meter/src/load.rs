//! Load of the machine while nothing is measured: the share of the cpus that other programs use, and their names.
//!
//! `knee doctor` prints it, and a study asks for it before its runs (`verbs::answer`).

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use knee_machine::CpuSet;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::proc::{numbered, parse_stat};
use crate::validity::{Ticks, rounded, stalled, ticks};

/// A machine is not quiet when other programs use more than this share of its cpus. Runs are called disturbed by the
/// same share when they are analysed.
pub const OTHER_BUSY: f64 = 0.05;

/// A machine is not quiet when a hypervisor takes more than this share of its cpus.
pub const STEAL: f64 = 0.02;

/// Programs that are named at most.
const NAMED: usize = 3;

/// A program is named when it used this share of the cpus or more.
const WORTH_NAMING: f64 = 0.01;

/// What others did to the cpus over a short time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Load {
    /// Seconds over which it was measured.
    pub over_s: f64,
    /// Number of cpus that were watched.
    pub cpus: usize,
    /// Share of their time that other programs used.
    pub other_busy: f64,
    /// Share of their time that a hypervisor took.
    pub steal: f64,
    /// Fraction of the time in which some task of the machine waited for a cpu; absent where the kernel does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub psi_cpu: Option<f64>,
    /// The busiest programs by name, at most three.
    pub programs: Vec<String>,
    /// Whether both shares are within their limits.
    pub quiet: bool,
    /// The same in words.
    pub says: String,
}

impl Load {
    /// Watches `cpus` for some time; the calling process is not counted.
    ///
    /// # Errors
    /// Why the kernel does not say how busy they are.
    pub fn watch(cpus: &CpuSet, span: Duration) -> Result<Self, String> {
        let before = Moment::now(cpus)?;
        std::thread::sleep(span);
        Moment::now(cpus)?.since(&before, cpus.len())
    }

    fn of(
        over_s: f64,
        cpus: usize,
        [other_busy, steal]: [f64; 2],
        psi_cpu: Option<f64>,
        programs: Vec<String>,
    ) -> Self {
        let quiet = other_busy <= OTHER_BUSY && steal <= STEAL;
        let says = words(other_busy, steal, &programs);
        Self { over_s, cpus, other_busy, steal, psi_cpu, programs, quiet, says }
    }
}

fn words(other_busy: f64, steal: f64, programs: &[String]) -> String {
    let names = if programs.is_empty() { String::new() } else { format!(" ({})", programs.join(", ")) };
    let taken = if steal > STEAL { format!(" and a hypervisor takes {:.0} %", 100.0 * steal) } else { String::new() };
    format!("other programs use {:.0} % of the cpus{names}{taken}", 100.0 * other_busy)
}

/// Counts that only grow, at one moment.
struct Moment {
    at: Instant,
    own: Duration,
    ticks: Ticks,
    stalled: Option<Duration>,
    programs: HashMap<i32, Program>,
}

/// Name and CPU time, in ticks, of one process.
struct Program {
    name: String,
    ticks: u64,
}

impl Moment {
    fn now(cpus: &CpuSet) -> Result<Self, String> {
        let programs = programs();
        let ticks = ticks(cpus).ok_or("/proc/stat has no line for these cpus")?;
        let own = clock_gettime(ClockId::ProcessCPUTime);
        let own = Duration::new(own.tv_sec.unsigned_abs(), u32::try_from(own.tv_nsec).unwrap_or(0));
        Ok(Self { at: Instant::now(), own, ticks, stalled: stalled(), programs })
    }

    fn since(&self, before: &Self, cpus: usize) -> Result<Load, String> {
        if self.ticks == before.ticks {
            return Err("/proc/stat of this kernel has no busy times".into());
        }
        let span = (self.at - before.at).as_secs_f64().max(1e-9);
        let hertz = rustix::param::clock_ticks_per_second().max(1) as f64;
        let share = |ticks: u64, less: Duration| {
            let seconds = ticks as f64 / hertz - less.as_secs_f64();
            rounded((seconds / (span * cpus.max(1) as f64)).clamp(0.0, 1.0))
        };
        let other = share(self.ticks.busy.saturating_sub(before.ticks.busy), self.own.saturating_sub(before.own));
        let steal = share(self.ticks.steal.saturating_sub(before.ticks.steal), Duration::ZERO);
        let stall = self.stalled.zip(before.stalled).map(|(now, then)| now.saturating_sub(then).as_secs_f64());
        let psi = stall.map(|seconds| rounded((seconds / span).clamp(0.0, 1.0)));
        let least = WORTH_NAMING * span * hertz * cpus as f64;
        Ok(Load::of(rounded(span), cpus, [other, steal], psi, busiest(&before.programs, &self.programs, least)))
    }
}

/// Every process but this one.
fn programs() -> HashMap<i32, Program> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let read = |pid: i32| {
        let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        let (_, ticks, _) = parse_stat(&text)?;
        let name = text.get(text.find('(')? + 1..text.rfind(')')?)?.to_owned();
        Some((pid, Program { name, ticks }))
    };
    numbered("/proc").into_iter().filter(|&pid| pid != own).filter_map(read).collect()
}

/// Names of the programs that used most since then, `least` ticks or more; processes of one name are one program.
fn busiest(before: &HashMap<i32, Program>, now: &HashMap<i32, Program>, least: f64) -> Vec<String> {
    let mut used: HashMap<&str, u64> = HashMap::new();
    for (pid, program) in now {
        // A process that was not there has used all of its time since.
        let then = before.get(pid).map_or(0, |one| one.ticks);
        *used.entry(&program.name).or_default() += program.ticks.saturating_sub(then);
    }
    let mut used: Vec<_> = used.into_iter().filter(|&(_, ticks)| ticks > 0 && ticks as f64 >= least).collect();
    used.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    used.into_iter().take(NAMED).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processes(list: &[(i32, &str, u64)]) -> HashMap<i32, Program> {
        list.iter().map(|&(pid, name, ticks)| (pid, Program { name: name.into(), ticks })).collect()
    }

    #[test]
    fn the_busiest_are_named_and_processes_of_one_name_are_one() {
        let before = processes(&[(1, "init", 500), (2, "cc1", 10), (3, "python3", 0)]);
        let now = processes(&[
            (1, "init", 500),
            (2, "cc1", 40),
            (3, "python3", 50),
            (4, "cc1", 30),
            (5, "ld", 20),
            (6, "sh", 3),
            (7, "make", 5),
        ]);
        assert_eq!(busiest(&before, &now, 4.0), ["cc1", "python3", "ld"]);
        assert!(busiest(&now, &now, 0.0).is_empty());
    }

    #[test]
    fn limits_make_it_quiet_and_words_name_who_is_not() {
        let load = Load::of(1.0, 2, [0.52, 0.0], None, vec!["python3".into(), "cc1".into()]);
        assert!(!load.quiet);
        assert_eq!(load.says, "other programs use 52 % of the cpus (python3, cc1)");
        let stolen = Load::of(1.0, 2, [0.01, 0.1], None, vec![]);
        assert!(!stolen.quiet);
        assert_eq!(stolen.says, "other programs use 1 % of the cpus and a hypervisor takes 10 %");
        assert!(Load::of(1.0, 2, [0.05, 0.02], None, vec![]).quiet);
    }

    #[test]
    fn what_this_process_uses_itself_is_not_counted_as_others() {
        let ticks = |busy| Ticks { busy, steal: 0, idle: 100 - busy };
        let begin = Instant::now();
        let moment = |after: u64, busy| Moment {
            at: begin + Duration::from_millis(after),
            own: Duration::from_millis(after * 3 / 10),
            ticks: ticks(busy),
            stalled: None,
            programs: HashMap::new(),
        };
        let hertz = rustix::param::clock_ticks_per_second();
        let load = moment(1000, hertz * 8 / 10).since(&moment(0, 0), 1).unwrap();
        assert!((load.other_busy - 0.5).abs() < 1e-6, "{load:?}");
        assert!(moment(1000, 0).since(&moment(0, 0), 1).is_err(), "counts that stand still say nothing");
    }
}
