//! Small classics of parallel programming. One file each: what it stresses, a serial version, a parallel one, a check.

mod mandel;
mod parfib;
mod sumeuler;

use knee_workload::{Param, Team, Workload};

/// Every kernel of this crate.
pub const WORKLOADS: &[&dyn Workload] = &[&sumeuler::Sumeuler, &parfib::Parfib, &mandel::Mandel];

/// Who schedules the work. `serial` is the best version without any parallelism, the base of an honest speedup.
const RUNTIME: Param = Param {
    name: "runtime",
    summary: "who schedules the work",
    default: Some("rayon"),
    values: &["rayon", "serial"],
    positional: false,
};

/// A parameter that is a whole number.
const fn number(name: &'static str, summary: &'static str, default: &'static str) -> Param {
    Param { name, summary, default: Some(default), values: &[], positional: false }
}

/// Runs the parallel version on the team, or the serial one on a single thread outside of it.
fn run_by<T: Send>(serial: bool, team: &Team, one: impl FnOnce() -> T, many: impl FnOnce() -> T + Send) -> T {
    if serial { one() } else { team.install(many) }
}
