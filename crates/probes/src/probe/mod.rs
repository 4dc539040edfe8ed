//! The probes, one file each: options, the measurements of a sweep, and one trial.
//!
//! To add one, copy `core_to_core.rs`, which is the shortest: `plan` names the measurements of a sweep, `prepare` maps
//! what one of them needs, `go` does it once. Sampling, validity, the census of pages, output and the workload of the
//! same name are shared.

mod allocate;
mod array;
mod bandwidth;
mod core_to_core;
mod latency;
mod loaded;
mod lockstep;
mod ownership;
mod random;
mod rounds;
mod sequential;
mod smt;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use knee_workload::{Args, Error, Param};

use crate::arena::Found;
use crate::context::Context;
use crate::figure::Figure;
use crate::pinned::taken;

/// Every probe, in the order of a sweep. A new one is a file and a line here.
pub const PROBES: &[&dyn Probe] = &[
    &latency::Latency,
    &bandwidth::Bandwidth,
    &loaded::Loaded,
    &core_to_core::CoreToCore,
    &smt::Smt,
    &sequential::Sequential,
    &lockstep::Lockstep,
    &random::Random,
    &allocate::Allocate,
    &ownership::Ownership,
];

/// A measurement of a machine's memory.
pub trait Probe: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// One line for lists.
    fn summary(&self) -> &'static str;

    /// Markdown with the headings of a workload: *What it computes*, *What it stresses*, *Where it should bend*, *Source*.
    fn about(&self) -> &'static str;

    /// Its options, with defaults.
    fn params(&self) -> &'static [Param];

    /// The measurements of a sweep. Options in `given` are fixed; others vary, or keep their defaults.
    ///
    /// # Errors
    /// When an option is invalid on this machine.
    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error>;

    /// Prepares trials on these cpus.
    ///
    /// # Errors
    /// When an option is invalid, or the kernel refuses memory.
    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error>;
}

/// The options that were given, by name.
pub type Given = BTreeMap<String, String>;

/// One measurement of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its arguments, as far as they differ from the defaults.
    pub args: Given,
    /// The cpus it takes, the reader first.
    pub cpus: Vec<u32>,
    /// About how long it takes.
    pub seconds: f64,
}

impl Step {
    /// A step with the given options, and more.
    #[must_use]
    pub fn new(given: &Given, more: &[(&str, String)], cpus: &[u32], seconds: f64) -> Self {
        let mut args = given.clone();
        args.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        Self { args, cpus: cpus.to_vec(), seconds }
    }
}

/// Work that is repeated.
pub trait Trial {
    /// Describes the numbers of a trial, in their order.
    fn rows(&self) -> Vec<Row>;

    /// Runs once, and returns one number for each row.
    ///
    /// # Errors
    /// When a thread cannot be pinned, or there is no memory.
    fn go(&mut self) -> Result<Vec<f64>, Error>;

    /// Makes all later trials the same amount of work, so that times can be compared.
    fn fix(&mut self) {}

    /// Whether a workload runs it once and without a warm-up, since it is about memory that nobody has read before.
    fn once(&self) -> bool {
        false
    }

    /// Rows that are the points of a curve, with the curve's name: a workload reports them as one line of numbers.
    fn curves(&self) -> Vec<(String, Range<usize>)> {
        Vec::new()
    }

    /// Where its memory is; none if it has none.
    fn found(&self) -> Option<(Found, bool)> {
        None
    }

    /// A warning, if it does not measure what it should.
    fn flag(&self) -> Option<String> {
        None
    }
}

/// Describes one number of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// `latency`, `bandwidth`, `time`.
    pub measure: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Its conditions.
    pub at: Vec<(&'static str, String)>,
}

/// Least trials of one measurement.
const LEAST: usize = 5;
const MOST: usize = 200;
/// Time spent on one measurement beyond the least number of trials.
const BUDGET: Duration = Duration::from_millis(300);
const QUICK_BUDGET: Duration = Duration::from_millis(80);

/// Makes one measurement.
///
/// # Errors
/// As [`Probe::prepare`] and [`Trial::go`].
pub fn measure(probe: &dyn Probe, context: &Context<'_>, step: &Step) -> Result<Vec<Figure>, Error> {
    let args = Args::complete(probe.params(), &step.args)?;
    let mut trial = probe.prepare(context, &args, &step.cpus)?;
    trial.go()?;
    let budget = if context.quick { QUICK_BUDGET } else { BUDGET };
    let least = if context.quick { 3 } else { LEAST };
    let before = taken();
    let (samples, mut validity) = context.watched(&step.cpus, || -> Result<Vec<Vec<f64>>, Error> {
        let (begin, mut samples) = (Instant::now(), Vec::new());
        while samples.len() < least || samples.len() < MOST && begin.elapsed() < budget {
            samples.push(trial.go()?);
        }
        Ok(samples)
    });
    let samples = samples?;
    let [wall, cpu] = std::array::from_fn(|index| taken()[index] - before[index]);
    if let Some(validity) = validity.as_mut().filter(|_| wall > 0) {
        // Of the work alone, without the start of its threads.
        validity.own_share = cpu as f64 / wall as f64;
    }
    // Once for all rows, since the kernel looks at every page.
    let memory = trial.found();
    let figure = |(index, row): (usize, Row)| {
        let values: Vec<f64> = samples.iter().map(|values| values[index]).collect();
        // A value that the kernel does not give is not a number.
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut figure = Figure::of(probe.name(), row.measure, row.unit, values);
        figure = row.at.iter().fold(figure, |figure, (name, value)| figure.at(name, value));
        if let Some((found, huge)) = memory {
            figure = figure.in_memory(found, huge);
        }
        let figure = figure.flagged(trial.flag());
        Some(match validity {
            Some(validity) => figure.watched(validity),
            None => figure,
        })
    };
    Ok(trial.rows().into_iter().enumerate().filter_map(figure).collect())
}

/// A node that was given, or none for `local`.
fn node(args: &Args) -> Result<Option<u32>, Error> {
    let text = args.text("node");
    if text == "local" {
        return Ok(None);
    }
    let node = text.parse().map(Some);
    node.map_err(|_| Error::new(format!("bad argument: node '{text}'; expected local or a node number")))
}

/// The condition that distinguishes figures of a matrix from those of a curve.
fn matrix_mark(args: &Args) -> Vec<(&'static str, String)> {
    if args.text("matrix") == "yes" { vec![("matrix", "yes".into())] } else { Vec::new() }
}

/// A node's name in figures: the requested one, or that of the reader.
fn node_name(context: &Context<'_>, node: Option<u32>, cpu: u32) -> String {
    node.or_else(|| context.node_of(cpu)).map_or("unknown".into(), |node| node.to_string())
}

/// The same for several readers: the nodes of all of them, `0,1`.
fn node_names(context: &Context<'_>, node: Option<u32>, cpus: &[u32]) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in cpus.iter().map(|&cpu| node_name(context, node, cpu)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(",")
}

/// The values of a parameter in a sweep: the given one, or all of these.
fn sweep(given: &Given, name: &str, all: &[&str]) -> Vec<String> {
    given.get(name).map_or_else(|| all.iter().map(ToString::to_string).collect(), |value| vec![value.clone()])
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use knee_machine::Topology;

    use super::*;

    static CENSUSES: AtomicUsize = AtomicUsize::new(0);

    struct ManyRows;

    impl Probe for ManyRows {
        fn name(&self) -> &'static str {
            "many-rows"
        }

        fn summary(&self) -> &'static str {
            ""
        }

        fn about(&self) -> &'static str {
            ""
        }

        fn params(&self) -> &'static [Param] {
            &[]
        }

        fn plan(&self, _: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
            Ok(vec![Step::new(given, &[], &[0], 0.1)])
        }

        fn prepare(&self, _: &Context<'_>, _: &Args, _: &[u32]) -> Result<Box<dyn Trial>, Error> {
            Ok(Box::new(Self))
        }
    }

    impl Trial for ManyRows {
        fn rows(&self) -> Vec<Row> {
            let row = |number: usize| Row { measure: "time", unit: "ns", at: vec![("row", number.to_string())] };
            (0..100).map(row).collect()
        }

        fn go(&mut self) -> Result<Vec<f64>, Error> {
            Ok(vec![1.0; 100])
        }

        fn found(&self) -> Option<(Found, bool)> {
            CENSUSES.fetch_add(1, Ordering::SeqCst);
            Some((Found { on_node: Some(1.0), huge: Some(0.0) }, false))
        }
    }

    #[test]
    fn pages_are_counted_once_for_all_rows() {
        let machine = Topology::from_synthetic("pack:1 [numa] core:1 pu:1").unwrap();
        let context = Context::quick(&machine);
        let steps = ManyRows.plan(&context, &Given::new()).unwrap();
        let figures = measure(&ManyRows, &context, &steps[0]).unwrap();
        assert_eq!((figures.len(), CENSUSES.load(Ordering::SeqCst)), (100, 1));
        assert!(figures.iter().all(|figure| figure.memory.is_some_and(|memory| memory.on_node == Some(1.0))));
    }
}
