//! The workload `mine`: count a pattern in a graph.

use knee_workload::{Args, Check, Counter, Error, Param, Phases, Run, Team, Workload};

use crate::{Graph, Induced, Method, Pattern, Question, graph};

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
         streaming reads, most of them of a few long lists; or, for patterns with long cycles, it looks numbers up in a \
         table as long as the graph has vertices. Plan `formula` (triangle, diamond and 4-clique) jumps through tables as \
         large as the graph.\n\n\
         **Where it should bend.** `explore` at the cores, later with SMT when lists come from memory; across sockets \
         when the graph lies on one node. `formula` earlier: its counts per edge are shared.\n\n\
         **Source.** The chordal 4-cycle of Peregrine's scaling study (EuroSys 2020); formulas as in ESCAPE (WWW 2017); plans \
         as in `GraphPi` (SC 2020) and `DecoMine` (ASPLOS 2022)."
    }

    fn phase(&self) -> &'static str {
        "match"
    }

    fn params(&self) -> &'static [Param] {
        const PATTERN: &str = "what to count: a name such as house, edges such as a-b,b-c,a!c, or graph6:CODE";
        const PARAMS: &[Param] = &[
            Param::choice("action", "count the pattern; explain: and say how", "count", &["count", "explain"])
                .positional(),
            Param::required("graph", "an edge list, or rmat:SCALE[:EDGE_FACTOR[:SEED]]").positional(),
            Param::new("pattern", PATTERN, "diamond"),
            Param::choice("induced", "count sub-graphs that have the edges, or exactly those", "edge", Induced::NAMES),
            Param::choice("plan", "match vertices, or use formulas", "explore", &["explore", "formula"]),
            Param::new("repeat", "number of repetitions", "1"),
            Param::choice("runtime", "scheduler", "rayon", &["rayon"]),
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let question = question(args)?;
        let pool = start(team)?;
        let list = phases.measure("load", || pool.install(|| graph::load(args.text("graph"))))?;
        let graph = phases.measure("prepare", || pool.install(|| Graph::from_edges(&list)));
        let facts = [
            ("vertices", graph.vertices.to_string()),
            ("edges", graph.edges().to_string()),
            ("dropped_loops", list.loops.to_string()),
            ("dropped_repetitions", list.repeated.to_string()),
            ("header", list.header.map_or("none".into(), |(v, e)| format!("{v} vertices, {e} edges"))),
        ];
        let facts = facts.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let explain = args.text("action") == "explain";
        let repeat = args.number("repeat", 1..=1_000_000)?;
        let found = team.counter("matches");
        Ok(Box::new(Prepared { pool, graph, question, explain, repeat, found, facts }))
    }
}

/// What is asked.
fn question(args: &Args) -> Result<Question, Error> {
    let text = args.text("pattern");
    let bad = |reason: &dyn std::fmt::Display| Error::new(format!("bad pattern: {text}: {reason}"));
    let pattern = Pattern::parse(text).map_err(|reason| {
        bad(&reason).hint("use a name such as triangle, house or 5-clique, or edges such as a-b,b-c,c-a")
    })?;
    let induced = Induced::named(args.text("induced")).expect("values were checked");
    let method = if args.text("plan") == "formula" { Method::Formula } else { Method::Explore };
    Question::new(&pattern, induced, method)
}

/// A rayon pool of the team's workers, each pinned to its cpu.
fn start(team: &Team) -> Result<rayon::ThreadPool, Error> {
    let threads = team.threads();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|worker| format!("worker {worker}"));
    let pool = pool.build().map_err(|error| Error::new(format!("cannot start {threads} workers: {error}")))?;
    let pinned = pool.broadcast(|worker| team.pin(worker.index()));
    pinned.into_iter().collect::<Result<(), _>>().map(|()| pool)
}

struct Prepared {
    pool: rayon::ThreadPool,
    graph: Graph,
    question: Question,
    explain: bool,
    repeat: u64,
    /// Copies found so far, published so that a report can draw them over time.
    found: Counter,
    facts: Vec<(String, String)>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        if self.explain {
            return phases.measure("match", || self.pool.install(|| self.question.explain(&self.graph)));
        }
        let once = || self.question.count_published(&self.graph, self.found);
        let counted = || {
            let first = once();
            let same = (1..self.repeat).all(|_| once() == first);
            assert!(same, "counted again, the graph has another number of them");
            first
        };
        let count = phases.measure("match", || self.pool.install(counted));
        phases.count("matches", u64::try_from(count * u128::from(self.repeat)).unwrap_or(u64::MAX));
        count.to_string()
    }

    /// Counting again by the other plan would take as long as the run; a study compares answers across its cells.
    fn check(&self, _: &str) -> Check {
        Check::Unknown
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.facts.clone()
    }
}
