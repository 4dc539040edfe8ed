//! The workload `mine`: count a pattern in a graph.

use knee_runtime::Arrangement;
use knee_workload::{Args, Check, Error, Layout, Param, Phases, Run, Team, Workload};

use crate::graph::Unsorted;
use crate::matching::Told;
use crate::scheduler::{self, RUNTIME, Scheduler};
use crate::{Graph, Induced, Method, Order, Pattern, Question, graph, pattern};

pub(crate) struct Mine;

impl Workload for Mine {
    fn name(&self) -> &'static str {
        "mine"
    }

    fn summary(&self) -> &'static str {
        "count a small pattern in a graph"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The number of copies of a pattern of up to 8 vertices in an undirected graph, each counted \
         once: sub-graphs that have the pattern's edges, or, with `induced` `vertex`, exactly those. Phases: `load` (read or \
         generate), `prepare` (renumber by degree, sort), `match` (choose a plan, count).\n\n\
         **What it stresses.** Plan `explore` intersects sorted lists of neighbours: hard-to-predict branches and \
         streaming reads, most of them of a few long lists. For patterns with long cycles it looks numbers up in a table as \
         long as the graph has vertices; for wheels and the like it counts bits. Plan `formula` (triangle, diamond, square, \
         paw, pentagon, stars, path-4) jumps through such tables, and counts bits for cliques.\n\n\
         **Where it should bend.** At the cores, later with SMT when lists come from memory; across sockets when the graph \
         lies on one node. No task writes what another one reads.\n\n\
         **Source.** The chordal 4-cycle of Peregrine's scaling study (EuroSys 2020); formulas as in ESCAPE (WWW 2017); plans \
         as in `GraphPi` (SC 2020) and `DecoMine` (ASPLOS 2022)."
    }

    fn phase(&self) -> &'static str {
        "match"
    }

    fn params(&self) -> &'static [Param] {
        const ACTION: &str =
            "count a pattern; motifs: all connected patterns of a size; explain: count a pattern and say how";
        const INDUCED: &str = "count sub-graphs that have the edges, or exactly those; auto: edge, for motifs vertex";
        const PATTERN: &str = "what to count: a name such as house, edges such as a-b,b-c,a!c, or graph6:CODE";
        const PARAMS: &[Param] = &[
            Param::choice("action", ACTION, "count", &["count", "motifs", "explain"]).positional(),
            Param::required("graph", "an edge list, rmat:SCALE[:EDGE_FACTOR[:SEED]], or chung-lu:VERTICES:EDGES")
                .positional(),
            Param::new("pattern", PATTERN, "diamond"),
            Param::new("size", "motifs: their number of vertices, 3 to 5", "4"),
            Param::choice("induced", INDUCED, "auto", &["auto", "edge", "vertex"]),
            Param::choice("plan", "how to count; auto takes a formula where there is one", "auto", Method::NAMES),
            Param::choice("order", "which vertices come first where they are matched", "hubs-first", Order::NAMES),
            Param::new("repeat", "number of repetitions", "1"),
            Layout::param(&["contiguous", "interleaved", "blocked", "one-node", "replicated"]),
            RUNTIME,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let (question, names) = question(args)?;
        let question = question.in_order(Order::named(args.text("order")).expect("values were checked"));
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
        let scheduler = Scheduler::of(args, pool, loading);
        let facts = facts.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let explain = args.text("action") == "explain";
        let repeat = args.number("repeat", 1..=1_000_000)?;
        let told = Told { found: team.counter("matches"), lists: team.counter("lists") };
        Ok(Box::new(Prepared { scheduler, graph, question, names, explain, repeat, told, facts }))
    }
}

/// What is asked, and the name of each pattern where there are several.
fn question(args: &Args) -> Result<(Question, Vec<String>), Error> {
    let motifs = args.text("action") == "motifs";
    let induced = Induced::named(args.text("induced")).unwrap_or(if motifs { Induced::Vertex } else { Induced::Edge });
    let method = Method::named(args.text("plan")).expect("values were checked");
    if motifs {
        let size = usize::try_from(args.number("size", 3..=5)?).expect("it is small");
        let (names, patterns): (Vec<_>, Vec<_>) = pattern::motifs(size).into_iter().unzip();
        return Ok((Question::all(&patterns, induced, method)?, names));
    }
    let text = args.text("pattern");
    let bad = |reason: &dyn std::fmt::Display| Error::new(format!("bad pattern: {text}: {reason}"));
    let pattern = Pattern::parse(text).map_err(|reason| {
        bad(&reason).hint("use a name such as triangle, house or 5-clique, or edges such as a-b,b-c,c-a")
    })?;
    Ok((Question::new(&pattern, induced, method)?, Vec::new()))
}

struct Prepared {
    scheduler: Scheduler,
    graph: Graph,
    question: Question,
    /// Names of the patterns; none where there is one.
    names: Vec<String>,
    explain: bool,
    repeat: u64,
    /// Published so that a report can draw it over time.
    told: Told,
    facts: Vec<(String, String)>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        if self.explain {
            return phases.measure("match", || self.question.explain(&self.graph, &self.scheduler));
        }
        let once = || self.question.count_published(&self.graph, &self.scheduler, self.told);
        let counted = || {
            let first = once();
            let same = (1..self.repeat).all(|_| once() == first);
            assert!(same, "a repetition counted something else");
            first
        };
        let counts = phases.measure("match", counted);
        let all =
            counts.iter().fold(0_u128, |sum, count| sum.saturating_add(*count)).saturating_mul(self.repeat.into());
        phases.count("matches", u64::try_from(all).unwrap_or(u64::MAX));
        if let [count] = counts[..] {
            return count.to_string();
        }
        let width = self.names.iter().map(String::len).max().unwrap_or(0);
        let digits = counts.iter().map(|count| count.to_string().len()).max().unwrap_or(0);
        let line = |(name, count): (&String, &u128)| format!("{name:width$}  {count:>digits$}");
        self.names.iter().zip(&counts).map(line).collect::<Vec<_>>().join("\n")
    }

    /// Counting again by the other plan would take as long as the run; a study compares answers across its cells.
    fn check(&self, _: &str) -> Check {
        Check::Unknown
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.facts.clone()
    }
}
