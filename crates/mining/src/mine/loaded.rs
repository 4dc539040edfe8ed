//! A graph, read and laid out for the workers that count in it.

use knee_runtime::Arrangement;
use knee_workload::{Args, Error, Phases, Team};

use crate::graph::Unsorted;
use crate::scheduler::{self, Scheduler};
use crate::{Graph, graph};

pub(crate) struct Loaded {
    pub graph: Graph,
    pub scheduler: Scheduler,
    /// What each vertex is called in the source.
    pub names: Vec<u64>,
    pub facts: Vec<(String, String)>,
}

impl Loaded {
    pub(crate) fn new(args: &Args, team: &Team, phases: &mut Phases) -> Result<Self, Error> {
        // What reads and scatters is rayon's; knee's own workers place and sort.
        let loading = scheduler::pinned(team)?;
        let list = phases.measure("load", || loading.install(|| graph::load(args.text("graph"))))?;
        let facts = [
            ("vertices", list.vertices.to_string()),
            ("edges", list.edges.len().to_string()),
            ("dropped_loops", list.loops.to_string()),
            ("dropped_repetitions", list.repeated.to_string()),
            ("header", list.header.map_or("none".into(), |(v, e)| format!("{v} vertices, {e} edges"))),
        ];
        let arrangement = Arrangement::named(args.text("layout")).expect("values were checked");
        let (graph, pool) = phases.measure("prepare", || {
            let unsorted = loading.install(|| Unsorted::new(list.vertices, list.edges));
            let pool = scheduler::ours(args, team)?;
            let graph = pool.install(|| Graph::placed(unsorted, &arrangement));
            graph.map(|graph| (graph, pool)).map_err(|error| Error::new(format!("cannot place the graph: {error}")))
        })?;
        let scheduler = Scheduler::of(args, team, pool, loading);
        let facts = facts.map(|(name, value)| (name.to_owned(), value)).to_vec();
        Ok(Self { graph, scheduler, names: list.names, facts })
    }
}
