//! Rehearsals of kernels, by the argument `rehearse`: the real protocol of the runtime on a machine that is only described,
//! in virtual time (see [`knee_runtime::Pool::rehearse`]). Steals, and bytes at home and away, are those that this schedule
//! has on such a machine; its times know forks, steals and the distance of memory, and nothing else.

use knee_machine::{Placement, Topology};
use knee_runtime::{Builder, Costs, Layout, Neighbours, Pool};
use knee_workload::{Args, Error, Param, Team};

/// A machine as hwloc writes it, or `no`.
pub(crate) const REHEARSE: Param =
    Param::new("rehearse", "a machine such as \"pack:4 [numa] core:8 pu:1\", to run on in virtual time", "no");

/// Of thieves' random numbers.
pub(crate) const SEED: Param =
    Param::new("seed", "seed of the thieves' random numbers; time: another one for each run", "0");

/// The machine of a rehearsal.
pub(crate) struct Rehearsed {
    machine: Topology,
    seed: u64,
}

impl Rehearsed {
    /// Reads the arguments; none if this is no rehearsal.
    pub(crate) fn of(args: &Args) -> Result<Option<Self>, Error> {
        let text = args.text(REHEARSE.name);
        if text == "no" {
            return Ok(None);
        }
        let hint = "for instance \"pack:4 [numa] core:8 pu:1\": four sockets of eight cores, with a node each";
        let bad = |reason: &str| Error::new(format!("bad argument: rehearse '{text}': {reason}")).hint(hint);
        let machine = Topology::from_synthetic(text).map_err(|error| bad(&error.to_string()))?;
        Ok(Some(Self { machine, seed: seed(args)? }))
    }

    /// Workers on the first cores of the machine, as the placement `cores-close` has them.
    pub(crate) fn builder(&self, team: &Team) -> Result<Builder, Error> {
        let neighbours = Neighbours::on(&self.machine, &self.cpus(team.threads())?);
        Ok(Pool::builder().workers(team.threads()).neighbours(neighbours).seed(self.seed).rehearse(Costs::default()))
    }

    fn cpus(&self, threads: usize) -> Result<Vec<u32>, Error> {
        let close: Placement = "cores-close".parse().expect("it is a placement");
        close.cpus(&self.machine, threads).map_err(|error| {
            Error::new(format!("cannot rehearse: {error}")).hint("use no more threads than the machine has in rehearse")
        })
    }

    /// A layout over the nodes of the workers' cores, which close placements number from 0. Nothing is where it was
    /// touched first: in a rehearsal no page moves.
    pub(crate) fn layout(&self, word: &str, threads: usize) -> Result<(Layout, u32), Error> {
        let cpus = self.cpus(threads)?;
        let last = cpus.iter().filter_map(|&cpu| self.machine.node_of(cpu)).max();
        let layout = match word {
            "interleaved" => Layout::Interleaved,
            "blocked" => Layout::Blocked,
            "one-node" => Layout::Node(0),
            _ => {
                let message = "layout contiguous cannot be rehearsed: pages would lie where they are touched first";
                return Err(Error::new(message).hint("--layout blocked, interleaved or one-node"));
            }
        };
        Ok((layout, last.map_or(1, |node| node + 1)))
    }
}

/// The argument `seed`.
pub(crate) fn seed(args: &Args) -> Result<u64, Error> {
    if args.text(SEED.name) == "time" {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        return Ok(now.map_or(0, |since| u64::from(since.subsec_nanos()) + since.as_secs()));
    }
    args.number(SEED.name, 0..=u64::MAX)
}

/// The error for a scheduler that is not knee's own.
pub(crate) fn no_rehearsal(runtime: &str) -> Error {
    let error = Error::new(format!("runtime '{runtime}' cannot be rehearsed: it is not knee's own"));
    error.hint("--runtime near, random or within-socket")
}
