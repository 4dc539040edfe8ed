//! Probes as workloads, so that a study can vary their options: the same trial, with a fixed amount of work.

use knee_machine::Topology;
use knee_workload::{Args, Bind, Check, Error, Param, Phases, Run, Team, Workload};

use crate::context::Context;
use crate::probe::{PROBES, Probe, Row, Trial};

/// Every probe of [`PROBES`] under its own name.
pub const WORKLOADS: &[&dyn Workload] = &{
    let mut workloads: [&dyn Workload; PROBES.len()] = [&WRAPPED[0]; PROBES.len()];
    let mut at = 1;
    while at < PROBES.len() {
        workloads[at] = &WRAPPED[at];
        at += 1;
    }
    workloads
};

static WRAPPED: [Probing; PROBES.len()] = {
    let mut wrapped = [Probing(PROBES[0]); PROBES.len()];
    let mut at = 1;
    while at < PROBES.len() {
        wrapped[at] = Probing(PROBES[at]);
        at += 1;
    }
    wrapped
};

/// Trials of a run, all of them in its phase.
const TRIALS: usize = 10;

/// A probe that runs as a workload.
#[derive(Clone, Copy)]
struct Probing(&'static dyn Probe);

impl Workload for Probing {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn summary(&self) -> &'static str {
        self.0.summary()
    }

    fn about(&self) -> &'static str {
        self.0.about()
    }

    fn phase(&self) -> &'static str {
        "trials"
    }

    fn params(&self) -> &'static [Param] {
        self.0.params()
    }

    fn measures(&self) -> bool {
        true
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let machine = Topology::this_machine().map_err(|error| Error::new(error.to_string()))?;
        let context = Context::quick(&machine);
        if self.0.params().iter().any(|param| param.name == "matrix") && args.text("matrix") == "yes" {
            return Err(Error::new("bad argument: matrix 'yes': only knee memory goes through all nodes"));
        }
        let mut trial = self.0.prepare(&context, args, cpus_of(team, &context.cpus())?)?;
        if !trial.once() {
            trial.fix();
            trial.go()?;
        }
        Ok(Box::new(Trials { trial, numbers: Vec::new(), failure: None }))
    }
}

/// A cpu for each thread of a team: its own ones, or the first of all where it was given none.
fn cpus_of<'a>(team: &'a Team, all: &'a [u32]) -> Result<&'a [u32], Error> {
    let own = team.cpus();
    let (cpus, moving) = if own.is_empty() { (all, false) } else { (own, team.bind() == Bind::Set) };
    cpus.get(..team.threads()).filter(|_| !moving).ok_or_else(|| {
        let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (threads, cpus) = (counted(team.threads(), "thread"), counted(cpus.len(), "cpu"));
        Error::new(format!("probes pin one thread to each cpu: {threads}, {cpus}"))
            .hint("give a placement with a cpu for each thread, and neither --bind set nor copies")
    })
}

struct Trials {
    trial: Box<dyn Trial>,
    numbers: Vec<Vec<f64>>,
    failure: Option<Error>,
}

impl Trials {
    /// The median of each row, with its name and unit; the medians of a curve together.
    fn medians(&self) -> Vec<(String, String, &'static str)> {
        let median = |index: usize| {
            let mut column: Vec<f64> = self.numbers.iter().map(|numbers| numbers[index]).collect();
            column.sort_by(f64::total_cmp);
            column.get(column.len() / 2).copied().unwrap_or(f64::NAN)
        };
        let (rows, curves) = (self.trial.rows(), self.trial.curves());
        let alone = (0..rows.len()).filter(|index| curves.iter().all(|(_, points)| !points.contains(index)));
        let alone = alone.map(|index| (name(&rows[index], &rows), format!("{:.4}", median(index)), rows[index].unit));
        let curves = curves.iter().map(|(name, points)| {
            let values: Vec<String> = points.clone().map(|index| format!("{:.4}", median(index))).collect();
            (name.clone(), values.join(" "), rows[points.start].unit)
        });
        alone.chain(curves).collect()
    }
}

/// What a row measures, with the conditions that distinguish it from others of the same measure.
fn name(row: &Row, rows: &[Row]) -> String {
    let unlike = |at: &&(&str, String)| rows.iter().any(|other| other.measure == row.measure && !other.at.contains(at));
    let conditions = row.at.iter().filter(unlike).map(|(name, value)| format!(", {name} {value}"));
    std::iter::once(row.measure.to_owned()).chain(conditions).collect()
}

impl Run for Trials {
    fn run(&mut self, phases: &mut Phases) -> String {
        let (trial, numbers) = (&mut self.trial, &mut self.numbers);
        self.failure = phases.measure("trials", || {
            for _ in 0..if trial.once() { 1 } else { TRIALS } {
                match trial.go() {
                    Ok(found) => numbers.push(found),
                    Err(error) => return Some(error),
                }
            }
            None
        });
        let lines = self.medians().into_iter().map(|(measure, value, unit)| format!("{measure}: {value} {unit}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn failure(&self) -> Option<Error> {
        self.failure.clone()
    }

    fn check(&self, _: &str) -> Check {
        Check::Unknown
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.medians().into_iter().map(|(measure, value, _)| (measure, value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn each_thread_has_a_cpu_of_its_own_or_the_run_is_refused() {
        let all = [0, 1, 2, 3];
        let cpus = |threads, own: &[u32], bind| {
            let team = Team::new(threads, own, bind);
            cpus_of(&team, &all).map(<[u32]>::to_vec).map_err(|error| error.to_string())
        };
        assert_eq!(cpus(2, &[6, 4], Bind::Each), Ok(vec![6, 4]));
        assert_eq!(cpus(1, &[6, 4], Bind::Each), Ok(vec![6]));
        // Without a placement, whatever its threads are bound to.
        assert_eq!(cpus(3, &[], Bind::Set), Ok(vec![0, 1, 2]));
        let refused = |counts: &str| Err(format!("probes pin one thread to each cpu: {counts}"));
        assert_eq!(cpus(5, &[], Bind::Each), refused("5 threads, 4 cpus"));
        assert_eq!(cpus(2, &[6], Bind::Each), refused("2 threads, 1 cpu"));
        // One of several copies, which move over the cpus of all.
        assert_eq!(cpus(1, &[6, 4], Bind::Set), refused("1 thread, 2 cpus"));
    }

    /// A trial that fails when it runs a second time.
    struct Failing(usize);

    impl Trial for Failing {
        fn rows(&self) -> Vec<Row> {
            vec![Row { measure: "time", unit: "ms", at: Vec::new() }]
        }

        fn go(&mut self) -> Result<Vec<f64>, Error> {
            self.0 += 1;
            if self.0 < 2 { Ok(vec![1.0]) } else { Err(Error::new("cannot map").hint("a smaller size")) }
        }
    }

    #[test]
    fn a_trial_that_fails_is_a_failure_and_no_wrong_answer() {
        let mut run = Trials { trial: Box::new(Failing(0)), numbers: Vec::new(), failure: None };
        let answer = run.run(&mut Phases::default());
        let failure = run.failure().expect("its second trial failed");
        assert_eq!((failure.to_string().as_str(), failure.hinted()), ("cannot map", Some("a smaller size")));
        assert_eq!(run.check(&answer), Check::Unknown);
    }

    #[test]
    fn every_probe_is_a_workload() {
        let names: Vec<_> = WORKLOADS.iter().map(|workload| workload.name()).collect();
        assert_eq!(names, PROBES.iter().map(|probe| probe.name()).collect::<Vec<_>>());
        for workload in WORKLOADS {
            let headings = ["What it computes", "What it stresses", "Where it should bend", "Source"];
            assert!(headings.iter().all(|heading| workload.about().contains(heading)), "{}", workload.name());
        }
    }

    #[test]
    fn rows_of_one_measure_are_told_apart_by_their_conditions() {
        let row =
            |measure, step: &str| Row { measure, unit: "ms", at: vec![("page", "base".into()), ("step", step.into())] };
        let rows = [row("time", "A reads"), row("time", "B reads"), row("share", "A reads")];
        let names = rows.each_ref().map(|one| name(one, &rows));
        assert_eq!(names, ["time, step A reads", "time, step B reads", "share"]);
    }

    /// On whatever nodes the first two cpus have: the same memory is read, and a line of numbers has one for each owner.
    #[test]
    fn rounds_report_a_curve_for_each_reader() {
        let cpus: Vec<u32> = knee_machine::sys::affinity().iter().take(2).collect();
        let rounds = [("sequential", "owners", "all"), ("random", "owners", "all"), ("lockstep", "shift", "all")];
        let memories = ["reused", "fresh", "freed"].map(|memory| ("sequential", "allocation", memory));
        for (name, key, value) in rounds.into_iter().chain(memories) {
            let workload = WORKLOADS.iter().find(|workload| workload.name() == name).unwrap();
            let asked = [("size", "1M"), ("owners", "all"), ("readers", "quarters"), (key, value)];
            let known = |name: &str| workload.params().iter().any(|param| param.name == name);
            let asked = asked.into_iter().filter(|(name, _)| known(name));
            let given: BTreeMap<_, _> = asked.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let args = Args::complete(workload.params(), &given).unwrap();
            let team = Team::new(cpus.len(), &cpus, Bind::Each);
            let mut run = workload.prepare(&args, &team, &mut Phases::default()).unwrap();
            run.run(&mut Phases::default());
            let facts: BTreeMap<_, _> = run.facts().into_iter().collect();
            assert!(facts.keys().any(|fact| fact.starts_with("time a line")), "{name}: {facts:?}");
            assert!(facts.contains_key("pages with the owner"));
            for reader in 0..cpus.len() {
                let curve = &facts[&format!("time by owner, reader {reader}")];
                assert_eq!(curve.split(' ').count(), cpus.len(), "{name}: {curve}");
            }
        }
    }

    /// All run on the first two cpus with little memory, and give a number for each row.
    #[test]
    fn every_probe_runs() {
        let cpus: Vec<u32> = knee_machine::sys::affinity().iter().take(2).collect();
        for workload in WORKLOADS {
            let given = workload.params().iter().filter(|param| param.name == "size");
            let given: BTreeMap<_, _> = given.map(|param| (param.name.to_owned(), "3M".to_owned())).collect();
            let args = Args::complete(workload.params(), &given).unwrap();
            if cpus.len() < 2 && workload.name() == "core-to-core" {
                continue;
            }
            let mut phases = Phases::default();
            let team = Team::new(cpus.len(), &cpus, Bind::Each);
            let mut run = workload.prepare(&args, &team, &mut phases).unwrap();
            let answer = run.run(&mut phases);
            assert_eq!(run.check(&answer), Check::Unknown, "{}", workload.name());
            for (name, value) in run.facts() {
                let value: f64 = value.parse().unwrap();
                assert!(value > 0.0 || name == "traffic", "{} {name}: {value}", workload.name());
            }
        }
    }
}
