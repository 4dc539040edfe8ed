//! One part, answered.

use std::collections::BTreeMap;

use knee_parts::{checked, read};
use knee_workload::{Args, Error, Phases, Team};
use serde::{Deserialize, Serialize};

use super::{Descriptor, Job, Whole, hash};
use crate::matching::{Lies, Readers, Share, Told, whole};
use crate::mine::Loaded;
use crate::{Graph, graph};

/// What is known of one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answered {
    #[serde(flatten)]
    pub(super) job: Job,
    pub(super) part: usize,
    /// What was found of each pattern, in decimal digits.
    pub(super) found: Vec<String>,
}

impl knee_parts::Answered for Answered {
    type Asked = Whole;

    fn job(&self) -> &Job {
        &self.job
    }

    fn part(&self) -> usize {
        self.part
    }

    fn fits(&self, other: &Self) -> bool {
        self.found.len() == other.found.len()
    }
}

/// A part that a line of [`split`](super::split()) describes.
#[derive(Debug)]
pub struct Part(Descriptor);

impl Part {
    /// Reads a line of this version.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(line: &str) -> Result<Self, Error> {
        let descriptor: Descriptor = read(line, "a part of knee mine --split")?;
        descriptor.job.own_version()?;
        Ok(Self(descriptor))
    }

    /// Its number, from 0.
    #[must_use]
    pub fn number(&self) -> usize {
        self.0.part
    }

    /// The arguments to answer it with; `own` are those of this machine, such as `layout`.
    ///
    /// # Errors
    /// Which of them is wrong.
    pub fn arguments(&self, own: &BTreeMap<String, String>) -> Result<Args, Error> {
        self.0.job.asked.arguments(own)
    }
}

/// Answers a part, by one line of JSON.
///
/// # Errors
/// What is wrong with the part, with the machine, or with the graph: one that is not as it was among others.
pub fn answer(part: &Part, args: &Args, team: &Team) -> Result<String, Error> {
    let Part(Descriptor { job, part }) = part;
    let (question, _, hows) = job.asked.question(args)?;
    if *part >= job.parts {
        return Err(Error::new(format!("part {part} is not one of {}, which count from 0", job.parts)));
    }
    let Loaded { graph, scheduler, .. } = Loaded::new(args, team, &mut Phases::default())?;
    same(&job.asked, &graph, args.text("graph"))?;
    graph::check_workers(args.text("graph"), &graph, team.threads())?;
    let readers = Readers::new(&graph, &scheduler, Lies::Unknown("nobody asks".into()));
    let readers = readers.of_share(Share { part: *part, parts: job.parts });
    let found = whole(|| question.find(&hows, &readers, &scheduler, Told::default()))?;
    // Both are in the order of patterns.
    let found = found.values().map(i128::to_string).collect();
    Ok(checked(&Answered { job: job.clone(), part: *part, found }))
}

/// Refuses a graph that is not the one that was divided.
fn same(divided: &Whole, graph: &Graph, source: &str) -> Result<(), Error> {
    if (divided.vertices, divided.edges, &divided.hash) == (graph.vertices, graph.edges(), &hash(graph)) {
        return Ok(());
    }
    let then = format!("{} vertices and {} edges", divided.vertices, divided.edges);
    let now = format!("{} vertices and {} edges", graph.vertices, graph.edges());
    let changed = if then == now { format!("other edges among its {now}") } else { format!("{now}, and had {then}") };
    Err(Error::new(format!("{source} is not the graph that was divided: it has {changed}"))
        .hint("divide it again; all machines must see the same file"))
}
