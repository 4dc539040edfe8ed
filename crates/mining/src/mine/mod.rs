//! The workload `mine`: count or find a pattern in a graph.

mod answer;
mod asked;
mod loaded;

use knee_workload::{Args, Error, Layout, Param, Phases, Run, Team, Workload};

use crate::graph::{self, Labels, LabelsFile};
use crate::matching::{Of, Told};
use crate::scheduler::RUNTIME;
use crate::{Method, Order};
use answer::Prepared;
pub(crate) use answer::written;
pub(crate) use asked::Asked;
pub use asked::check;
use asked::{ABOUT, ACTIONS};
pub(crate) use loaded::Loaded;

pub(crate) struct Mine;

impl Workload for Mine {
    fn name(&self) -> &'static str {
        "mine"
    }

    fn summary(&self) -> &'static str {
        "count or find a small pattern in a graph"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The number of copies of a pattern of up to 8 vertices in an undirected graph, each counted \
         once: sub-graphs that have the pattern's edges, or, with `induced` `vertex`, exactly those. `motifs` counts all \
         patterns of a size, `cliques` those of all sizes, `per-vertex` and `per-edge` the orbits that each vertex or edge \
         has in copies, `fsm` finds the patterns that are frequent by their minimum image. Phases: `load` (read or \
         generate), `prepare` (renumber by degree, sort), `match` (choose a plan, count), `write` (the text of orbits); \
         with `cache` `load` reads what was laid out before, and `dump` writes it the first time. Where plans, formulas or \
         orbits are counted, workers note the bytes of the lists that they read, those from their own node and those from \
         others.\n\n\
         **What it stresses.** Plan `explore` intersects sorted lists of neighbours: hard-to-predict branches and \
         streaming reads, most of them of a few long lists. For patterns with long cycles it looks numbers up in a table as \
         long as the graph has vertices; for wheels and the like it counts bits. Plan `formula` (triangle, diamond, square, \
         paw, pentagon, stars, path-4) jumps through such tables, and counts bits for cliques. Actions `match`, `exists` and \
         `fsm`, and patterns with labels, search vertex by vertex; `per-vertex` and `per-edge` add to numbers for each edge.\n\n\
         **Where it should bend.** At the cores, later with SMT when lists come from memory; across sockets when the graph \
         lies on one node. Counting patterns, no task writes what another one reads; orbits and `fsm` share what they count.\n\n\
         **Source.** The chordal 4-cycle of Peregrine's scaling study (EuroSys 2020); formulas as in ESCAPE (WWW 2017); plans \
         as in `GraphPi` (SC 2020) and `DecoMine` (ASPLOS 2022); orbits as in Orca (2014); supports as in `GraMi` (VLDB 2014)."
    }

    fn phase(&self) -> &'static str {
        "match"
    }

    fn params(&self) -> &'static [Param] {
        const INDUCED: &str = "sub-graphs that have the edges, or exactly those; auto: edge, but vertex for motifs, per-vertex and per-edge";
        const SIZE: &str = "vertices of the patterns: motifs of 3 to 5; cliques from 3 up to this, 8 at most; orbits up to this, 3 or 4";
        const PATTERN: &str =
            "what to look for: a name such as house, edges such as a-b,b-c,a!c, with labels a:C-b:N, or graph6:CODE";
        const PARAMS: &[Param] = &[
            Param::choice("action", ABOUT, "count", ACTIONS).positional(),
            Param::required("graph", "an edge list, .mtx, .npy, graph6 or a file of --cache; rmat:SCALE[:EDGE_FACTOR[:SEED]], chung-lu:VERTICES:EDGES or planted:VERTICES:EDGES:COPIES:PATTERN")
                .positional(),
            Param::new("pattern", PATTERN, "diamond"),
            Param::new("labels", "a file of labels, each line a vertex and its label", ""),
            Param::new("size", SIZE, "4"),
            Param::new("limit", "match: how many copies to find at most", "10"),
            Param::new("edges", "fsm: how many edges a pattern has at most, 1 to 7", "3"),
            Param::new("support", "fsm, which needs it: how many vertices there are at least for each place of a pattern", ""),
            Param::choice("induced", INDUCED, "auto", &["auto", "edge", "vertex"]),
            Param::choice("plan", "how to count; auto takes a formula where there is one", "auto", Method::NAMES),
            Param::choice("order", "which vertices come first where they are matched", "hubs-first", Order::NAMES),
            Param::new(
                "cache",
                "a directory that keeps graphs as they are laid out, so that the next start is fast",
                "",
            ),
            Param::new("repeat", "number of repetitions", "1"),
            Layout::param(&["contiguous", "interleaved", "blocked", "one-node", "replicated"]),
            RUNTIME,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error> {
        // What is wrong with the question is said before anything is loaded.
        let asked = Asked::new(args)?;
        let repeat = args.number("repeat", 1..=1_000_000)?;
        let file = Some(args.text("labels")).filter(|path| !path.is_empty()).map(LabelsFile::read).transpose()?;
        let Loaded { graph, scheduler, mut names, mut facts, .. } = Loaded::new(args, team, phases)?;
        if let Asked::Orbits(of, ..) = asked {
            graph::check_orbits(args.text("graph"), &graph, of == Of::Edges, repeat > 1)?;
        }
        if matches!(asked, Asked::Count(..) | Asked::Explain(_) | Asked::Orbits(..)) {
            graph::check_workers(args.text("graph"), &graph, team.threads())?;
        }
        let told = Told { found: team.counter("matches"), lists: team.counter("lists") };
        let labels = file.map_or(Ok(Labels::default()), |file| Labels::of_file(&file, &graph, &names))?;
        facts.extend(of_labels(&labels, asked.labels()));
        if !asked.names_vertices() {
            names = Vec::new();
        }
        Ok(Box::new(Prepared {
            scheduler,
            graph,
            names,
            labels,
            asked,
            repeat,
            told,
            facts,
            unknown: None,
            failed: None,
        }))
    }
}

/// Most labels of a graph that are listed.
const LISTED: usize = 20;

/// What there is to say of labels, and of those that are asked for.
fn of_labels(labels: &Labels, asked: &[String]) -> Vec<(String, String)> {
    if labels.is_none() {
        return Vec::new();
    }
    let mut facts = vec![("labelled_vertices", labels.count().to_string())];
    if labels.others() > 0 {
        facts.push(("labels_of_other_vertices", labels.others().to_string()));
    }
    let words = labels.words();
    let missing: Vec<_> = asked.iter().filter(|word| !words.contains(word)).map(String::as_str).collect();
    if !missing.is_empty() {
        let more = if words.len() > LISTED { format!(" and {} more", words.len() - LISTED) } else { String::new() };
        facts.push(("labels_of_no_vertex", missing.join(", ")));
        facts.push(("labels", words[..words.len().min(LISTED)].join(", ") + &more));
    }
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
