//! A workload that has a verb of its own: the workload's parameters are the verb's options, and it runs in this process.
//! So `knee mine count ...`, `knee run mine count ...` and `knee study mine count ...` take the same words; a verb may refuse
//! more of them than the workload, for which a study may give each level the arguments of all.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches, Command, FromArgMatches};
use knee_machine::topology::Allowed;
use knee_machine::{Order, Placement, Topology};
use knee_workload::{Args, Bind, Param, Phase, Phases, Team, Workload};

use super::progress;
use super::workloads::meaning;
use crate::error::Failure;

/// The placement that leaves threads where the kernel puts them.
const NOWHERE: &str = "none";

/// Options of such a verb that the workload does not have.
#[derive(Debug, clap::Args)]
struct Options {
    /// Number of threads [default: one per cpu of the placement; without one, all allowed cpus]
    #[arg(long, short = 'n')]
    threads: Option<usize>,
    /// Where the threads go; see `knee place`
    #[arg(long, short, default_value = NOWHERE)]
    placement: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What was asked.
#[derive(Debug)]
pub(crate) struct Direct {
    options: Options,
    /// Arguments of the workload, by name.
    pub(crate) given: BTreeMap<String, String>,
}

/// What came of it.
pub(crate) struct Done {
    pub(crate) answer: String,
    pub(crate) args: Args,
    pub(crate) threads: usize,
    pub(crate) facts: BTreeMap<String, String>,
    pub(crate) phases: Vec<Phase>,
}

/// Adds the options to a command. `change` may change what a parameter became.
pub(crate) fn options(
    command: Command,
    workload: &'static dyn Workload,
    change: impl Fn(&Param, Arg) -> Arg,
) -> Command {
    let args = workload.params().iter().map(|param| change(param, arg(param)));
    <Options as clap::Args>::augment_args(command.args(args))
}

/// A parameter as an argument of clap. The workload checks its values.
fn arg(param: &Param) -> Arg {
    // A number below zero is refused by the workload, which says what it expects.
    let arg = Arg::new(param.name)
        .allow_negative_numbers(true)
        .value_name(param.name.to_uppercase())
        .help(capitalised(&meaning(param)));
    if param.positional { arg.required(param.default.is_none()) } else { arg.long(param.name) }
}

/// As the help of other options begins.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl Direct {
    pub(crate) fn from(matches: &ArgMatches, workload: &'static dyn Workload) -> Result<Self, clap::Error> {
        let value = |param: &Param| {
            let given = matches.get_one::<String>(param.name)?;
            Some((param.name.to_owned(), given.clone()))
        };
        let given = workload.params().iter().filter_map(value).collect();
        Ok(Self { options: Options::from_arg_matches(matches)?, given })
    }

    /// The options that were given besides the workload's arguments.
    pub(crate) fn options_given(&self) -> impl Iterator<Item = &'static str> + use<> {
        let Options { threads, placement, json } = &self.options;
        let given = [("threads", threads.is_some()), ("placement", placement != NOWHERE), ("json", *json)];
        given.into_iter().filter_map(|(name, given)| given.then_some(name))
    }

    /// Whether JSON is wanted.
    pub(crate) fn json(&self) -> bool {
        self.options.json
    }

    /// All arguments, and the threads that run the workload.
    pub(crate) fn complete(&self, workload: &'static dyn Workload) -> Result<(Args, Team), Failure> {
        Ok((Args::complete(workload.params(), &self.given)?, self.team()?))
    }

    /// The threads that run the workload. This process stays on their cpus from then on.
    pub(crate) fn team(&self) -> Result<Team, Failure> {
        self.team_of(|_| None)
    }

    /// The same, but as many threads as the control group gives CPU time for, where nobody said how many: among others, as
    /// in a container of a cluster, more would only be paused in turn.
    pub(crate) fn team_within_quota(&self) -> Result<Team, Failure> {
        self.team_of(|allowed| allowed.quota_cpus)
    }

    fn team_of(&self, quota: impl Fn(&Allowed) -> Option<f64>) -> Result<Team, Failure> {
        let machine = Topology::this_machine()?;
        let placement: Placement = self.options.placement.parse()?;
        let threads = match self.options.threads {
            Some(threads) => threads,
            None => threads_for(&placement, &machine, quota(&machine.allowed))?,
        };
        let cpus = placement.cpus(&machine, threads)?;
        let team = Team::new(threads, &cpus, Bind::Each).fitting()?;
        // As in a run, whose process starts on its cpus: layouts take the nodes of those.
        if !team.cpus().is_empty() {
            let refused = |error| {
                Failure::new(format!("cannot stay on cpus {:?}: {error}", team.cpus()))
                    .hint("leave out --placement, or give cpus that this process may use: see `knee machine`")
            };
            knee_machine::sys::pin(team.cpus()).map_err(refused)?;
        }
        Ok(team)
    }

    /// Runs the workload once.
    pub(crate) fn run(&self, workload: &'static dyn Workload) -> Result<Done, Failure> {
        self.run_by(workload, |args, team, phases| prepared(workload, args, team, phases))
    }

    /// The same, where what comes of the workload is made in this way.
    pub(crate) fn run_by(
        &self,
        workload: &'static dyn Workload,
        by: impl FnOnce(&Args, &Team, &mut Phases) -> Result<Made, knee_workload::Error>,
    ) -> Result<Done, Failure> {
        let (args, team) = self.complete(workload)?;
        let team = team.telling(progress::progress());
        let line = progress::Line::start();
        // Under `knee run -- knee query ...` this is a command like any other, whose phases are its regions.
        let mut phases = progress::phases();
        let made = by(&args, &team, &mut phases);
        drop(line);
        let (answer, facts) = made?;
        Ok(Done { answer, args, threads: team.threads(), facts: facts.into_iter().collect(), phases: phases.done() })
    }
}

/// An answer, and what else is known of it.
pub(crate) type Made = (String, Vec<(String, String)>);

/// Prepares the workload and runs it.
pub(crate) fn prepared(
    workload: &dyn Workload,
    args: &Args,
    team: &Team,
    phases: &mut Phases,
) -> Result<Made, knee_workload::Error> {
    let mut run = workload.prepare(args, team, phases)?;
    let answer = run.run(phases);
    run.failure().map_or(Ok(()), Err)?;
    Ok((answer, run.facts()))
}

/// As many threads as the placement has cpus, or as many as the quota is enough for, where nobody said how many.
fn threads_for(placement: &Placement, machine: &Topology, quota: Option<f64>) -> Result<usize, Failure> {
    let places = match placement.order(machine)? {
        Order::Cpus(order) => order.len(),
        Order::Kernel => machine.allowed.cpus.len(),
    };
    let enough = |quota| (1..places).find(|threads| *threads as f64 >= quota);
    Ok(quota.and_then(enough).unwrap_or(places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placement_says_how_many_threads_there_are_within_the_quota() {
        let machine = Topology::from_synthetic("pack:2 core:2 pu:2").unwrap();
        for (placement, quota, threads) in [
            ("none", None, 8),
            ("0,1", None, 2),
            ("cores-close+per-core:1", None, 4),
            ("cores-close+within:socket:0", None, 4),
            ("none", Some(2.5), 3),
            ("0,1,4", Some(1.5), 2),
            ("0,1,4", Some(6.0), 3),
        ] {
            let placed = placement.parse().unwrap();
            let found = threads_for(&placed, &machine, quota).unwrap();
            assert_eq!(found, threads, "{placement} {quota:?}");
            assert!(placed.cpus(&machine, found).is_ok(), "{placement}");
        }
    }
}
