//! A count in parts, for engines that run on several machines.
//!
//! The graph itself is not divided: each part reads all of it, and begins at its own share of vertices or edges. Plans
//! are chosen once, when the count is divided, since only what the same plan finds can be added up. What is added up are
//! numbers before anything is divided or taken off; copies follow at the end.

mod answer;
mod merge;

use std::collections::BTreeMap;

use knee_parts::{Verb, checked};
use knee_workload::{Args, Error, Phases, Team, Workload};
use serde::{Deserialize, Serialize};

pub use answer::{Part, answer};
pub use merge::{Merged, merge};

use crate::matching::{By, How, Hows, whole};
use crate::mine::{Asked, Loaded, Mine};
use crate::{Graph, Pattern, Question, graph};

const VERB: Verb = Verb("mine");

/// Most parts: a count has at most as many tasks.
const MOST: usize = 4096;

/// The arguments that say what is asked; others say how this machine answers.
const ARGUMENTS: &[&str] = &["action", "graph", "pattern", "size", "induced", "plan", "order"];

/// What all parts of a count have in common.
type Job = knee_parts::Job<Whole>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Whole {
    arguments: BTreeMap<String, String>,
    vertices: usize,
    edges: usize,
    /// The hash of all edges.
    hash: String,
    /// What the graph's first line says, where it is taken for a header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    patterns: Vec<Counted>,
}

/// A pattern, and how all parts count it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Counted {
    pattern: String,
    by: By,
}

/// One part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Descriptor {
    #[serde(flatten)]
    job: Job,
    part: usize,
}

/// Describes the parts of a count, one line of JSON for each, of about the same cost.
///
/// # Errors
/// What is wrong with the question, with the graph or with the machine; questions that do not count.
pub fn split(args: &Args, team: &Team, parts: usize) -> Result<Vec<String>, Error> {
    let Asked::Count(question, _) = Asked::new(args)? else {
        let what = if args.text("labels").is_empty() { args.text("action") } else { "--labels" };
        let reason = format!("--split with {what}: only counts without labels are divided");
        return Err(Error::new(reason).hint("use count, motifs or cliques"));
    };
    if args.text("repeat") != "1" {
        return Err(Error::new("--split with --repeat: a part is counted once").hint("leave out --repeat"));
    }
    refuse_passing(args.text("graph"))?;
    let Loaded { graph, scheduler, header, .. } = Loaded::new(args, team, &mut Phases::default())?;
    graph::check_workers(args.text("graph"), &graph, team.threads())?;
    let hows = whole(|| question.decide(&graph, &scheduler))?;
    let counted = |(pattern, how): (&Pattern, &How)| Counted { pattern: pattern.to_string(), by: how.by() };
    let mut arguments: BTreeMap<_, _> =
        ARGUMENTS.iter().map(|name| ((*name).to_owned(), args.text(name).to_owned())).collect();
    arguments.insert("graph".into(), seen_by_all(args.text("graph")));
    let whole = Whole {
        arguments,
        vertices: graph.vertices,
        edges: graph.edges(),
        hash: hash(&graph),
        header,
        patterns: hows.iter().map(counted).collect(),
    };
    let parts = parts.min(MOST);
    let job = Job::new(whole, parts, &());
    Ok((0..parts).map(|part| checked(&Descriptor { job: job.clone(), part })).collect())
}

/// Refuses a graph that only this process can read, and only once.
fn refuse_passing(source: &str) -> Result<(), Error> {
    let own = ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"].iter().any(|begin| source.starts_with(begin));
    // A folder is refused where it is read.
    let passes = || std::fs::metadata(source).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if graph::is_generated(source) || !(own || passes()) {
        return Ok(());
    }
    let why = "each part reads the graph again, and this can be read only here, or only once";
    let what = format!("cannot divide a count in {source}: {why}");
    Err(Error::new(what).hint("write the graph to a file that all machines see"))
}

/// The source of a graph, by which it is found from any working directory.
fn seen_by_all(source: &str) -> String {
    let path = if graph::is_generated(source) { None } else { std::path::absolute(source).ok() };
    path.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| source.to_owned())
}

/// What differs between graphs that differ by more than the numbers of vertices in a file.
fn hash(graph: &Graph) -> String {
    format!("{:016x}", graph.fingerprint())
}

impl Whole {
    /// The arguments, with those of this machine.
    fn arguments(&self, own: &BTreeMap<String, String>) -> Result<Args, Error> {
        let asks = |name: &str| ARGUMENTS.contains(&name);
        if let Some(name) = self.arguments.keys().find(|name| !asks(name)) {
            return Err(Error::new(format!("the part gives {name}, which is for this machine to say")));
        }
        let own = own.iter().filter(|(name, _)| !asks(name));
        let all = own.chain(&self.arguments).map(|(name, value)| (name.clone(), value.clone())).collect();
        Args::complete(Mine.params(), &all)
    }

    /// What is asked, the names of several patterns, and how everything that it needs is counted.
    fn question(&self, args: &Args) -> Result<(Question, Vec<String>, Hows), Error> {
        let wrong = || Error::new("the part does not say how to count what it asks for");
        let Asked::Count(question, names) = Asked::new(args)? else { return Err(wrong()) };
        let how = |counted: &Counted| {
            let pattern = Pattern::parse(&counted.pattern).ok()?.canonical();
            Some((pattern, How::of(&pattern, counted.by.clone())?))
        };
        let hows: Hows = self.patterns.iter().map(how).collect::<Option<_>>().ok_or_else(wrong)?;
        let known = question.patterns().chain(hows.values().flat_map(How::less)).all(|one| hows.contains_key(one));
        if known { Ok((question, names, hows)) } else { Err(wrong()) }
    }
}
