//! The workload `mine`: count or find a pattern in a graph.

use knee_runtime::Arrangement;
use knee_workload::{Args, Check, Error, Layout, Param, Phases, Run, Team, Workload};

use crate::graph::Unsorted;
use crate::matching::{Found, Lies, Readers, Told, first};
use crate::scheduler::{self, RUNTIME, Scheduler};
use crate::{Graph, Induced, Method, Order, Pattern, Question, graph, pattern};

pub(crate) struct Mine;

/// Most copies that are listed: each takes 32 bytes until all are found, and every worker may find as many.
const MOST_LISTED: u64 = 1_000_000;

impl Workload for Mine {
    fn name(&self) -> &'static str {
        "mine"
    }

    fn summary(&self) -> &'static str {
        "count or find a small pattern in a graph"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The number of copies of a pattern of up to 8 vertices in an undirected graph, each counted \
         once: sub-graphs that have the pattern's edges, or, with `induced` `vertex`, exactly those. Phases: `load` (read or \
         generate), `prepare` (renumber by degree, sort), `match` (choose a plan, count). Counting, workers note the bytes of the \
         lists that they read, those from their own node and those from others.\n\n\
         **What it stresses.** Plan `explore` intersects sorted lists of neighbours: hard-to-predict branches and \
         streaming reads, most of them of a few long lists. For patterns with long cycles it looks numbers up in a table as \
         long as the graph has vertices; for wheels and the like it counts bits. Plan `formula` (triangle, diamond, square, \
         paw, pentagon, stars, path-4) jumps through such tables, and counts bits for cliques. Actions `match` and `exists` search \
         vertex by vertex.\n\n\
         **Where it should bend.** At the cores, later with SMT when lists come from memory; across sockets when the graph \
         lies on one node. No task writes what another one reads.\n\n\
         **Source.** The chordal 4-cycle of Peregrine's scaling study (EuroSys 2020); formulas as in ESCAPE (WWW 2017); plans \
         as in `GraphPi` (SC 2020) and `DecoMine` (ASPLOS 2022)."
    }

    fn phase(&self) -> &'static str {
        "match"
    }

    fn params(&self) -> &'static [Param] {
        const ACTION: &str = "count a pattern; motifs: all connected patterns of a size; explain: count one and say how; match: find copies; \
             exists: find out whether there is one";
        const INDUCED: &str = "sub-graphs that have the edges, or exactly those; auto: edge, for motifs vertex";
        const PATTERN: &str = "what to look for: a name such as house, edges such as a-b,b-c,a!c, or graph6:CODE";
        const PARAMS: &[Param] = &[
            Param::choice("action", ACTION, "count", &["count", "motifs", "explain", "match", "exists"]).positional(),
            Param::required("graph", "an edge list, rmat:SCALE[:EDGE_FACTOR[:SEED]], or chung-lu:VERTICES:EDGES")
                .positional(),
            Param::new("pattern", PATTERN, "diamond"),
            Param::new("size", "motifs: their number of vertices, 3 to 5", "4"),
            Param::new("limit", "match: how many copies to find at most", "10"),
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
        let asked = Asked::new(args)?;
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
        let repeat = args.number("repeat", 1..=1_000_000)?;
        let told = Told { found: team.counter("matches"), lists: team.counter("lists") };
        let names = if matches!(asked, Asked::Match(..)) { list.names } else { Vec::new() };
        Ok(Box::new(Prepared { scheduler, graph, names, asked, repeat, told, facts, unknown: None }))
    }
}

/// What is asked.
enum Asked {
    /// How many copies there are; of several patterns, their names.
    Count(Question, Vec<String>),
    /// The same, and how they are counted.
    Explain(Question),
    /// The first copies, at most so many.
    Match(Pattern, Induced, usize),
    /// Whether there is one.
    Exists(Pattern, Induced),
}

impl Asked {
    fn new(args: &Args) -> Result<Self, Error> {
        let action = args.text("action");
        if action != "match" && action != "exists" {
            let (question, names) = question(args)?;
            return Ok(if action == "explain" { Self::Explain(question) } else { Self::Count(question, names) });
        }
        for (name, usual) in [("plan", "auto"), ("order", "hubs-first")] {
            let given = args.text(name);
            if given != usual {
                return Err(Error::new(format!("--{name} {given} is about counting, and {action} finds copies"))
                    .hint(format!("leave out --{name}")));
            }
        }
        let (pattern, induced) = (pattern_of(args)?, induced(args, Induced::Edge));
        if action == "exists" {
            return Ok(Self::Exists(pattern, induced));
        }
        let limit = usize::try_from(args.number("limit", 1..=MOST_LISTED)?).expect("it is not too large");
        Ok(Self::Match(pattern, induced, limit))
    }
}

fn induced(args: &Args, usual: Induced) -> Induced {
    Induced::named(args.text("induced")).unwrap_or(usual)
}

fn pattern_of(args: &Args) -> Result<Pattern, Error> {
    let text = args.text("pattern");
    Pattern::parse(text).map_err(|reason| {
        Error::new(format!("bad pattern: {text}: {reason}"))
            .hint("use a name such as triangle, house or 5-clique, or edges such as a-b,b-c,c-a")
    })
}

/// What is counted, and the name of each pattern where there are several.
fn question(args: &Args) -> Result<(Question, Vec<String>), Error> {
    let motifs = args.text("action") == "motifs";
    let induced = induced(args, if motifs { Induced::Vertex } else { Induced::Edge });
    let order = Order::named(args.text("order")).expect("values were checked");
    let method = Method::named(args.text("plan")).expect("values were checked");
    if motifs {
        let size = usize::try_from(args.number("size", 3..=5)?).expect("it is small");
        let (names, patterns): (Vec<_>, Vec<_>) = pattern::motifs(size).into_iter().unzip();
        return Ok((Question::all(&patterns, induced, method)?.in_order(order), names));
    }
    Ok((Question::new(&pattern_of(args)?, induced, method)?.in_order(order), Vec::new()))
}

struct Prepared {
    scheduler: Scheduler,
    graph: Graph,
    /// What each vertex is called in the source, where that is asked.
    names: Vec<u64>,
    asked: Asked,
    repeat: u64,
    /// Published so that a report can draw it over time.
    told: Told,
    facts: Vec<(String, String)>,
    /// Why bytes are not counted as read at home or away.
    unknown: Option<String>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        match &self.asked {
            Asked::Count(question, names) => {
                let (answer, unknown) = self.count(question, names, phases);
                self.unknown = unknown;
                answer
            }
            Asked::Explain(question) => phases.measure("match", || question.explain(&self.graph, &self.scheduler)),
            Asked::Match(pattern, induced, limit) => self.copies(pattern, *induced, *limit, phases),
            Asked::Exists(pattern, induced) => {
                if self.found(pattern, *induced, 1, phases).is_empty() { "no" } else { "yes" }.to_owned()
            }
        }
    }

    /// Counting again by the other plan would take as long as the run; a study compares answers across its cells.
    fn check(&self, _: &str) -> Check {
        Check::Unknown
    }

    fn facts(&self) -> Vec<(String, String)> {
        let home = self.unknown.as_ref().map(|reason| ("read_at_home".to_owned(), format!("unknown: {reason}")));
        self.facts.iter().cloned().chain(home).collect()
    }
}

impl Prepared {
    /// The counts, and why it is not known from where lists are read.
    fn count(&self, question: &Question, names: &[String], phases: &mut Phases) -> (String, Option<String>) {
        let lies = Lies::of(&self.graph, &self.scheduler);
        let readers = Readers::new(&self.graph, &self.scheduler, lies);
        let once = || question.count_published(&readers, &self.scheduler, self.told);
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
        let unknown = readers.lies().unknown().map(str::to_owned);
        if unknown.is_none() {
            let (home, away) = readers.bytes();
            phases.count("local-read-bytes", home);
            phases.count("remote-read-bytes", away);
        }
        if let [count] = counts[..] {
            return (count.to_string(), unknown);
        }
        let width = names.iter().map(String::len).max().unwrap_or(0);
        let digits = counts.iter().map(|count| count.to_string().len()).max().unwrap_or(0);
        let line = |(name, count): (&String, &u128)| format!("{name:width$}  {count:>digits$}");
        (names.iter().zip(&counts).map(line).collect::<Vec<_>>().join("\n"), unknown)
    }

    /// The first copies, a line for each, behind one that says which vertex of the pattern is which.
    fn copies(&self, pattern: &Pattern, induced: Induced, limit: usize, phases: &mut Phases) -> String {
        let mut sources = vec![0; self.graph.vertices];
        self.graph.ranks().iter().zip(&self.names).for_each(|(rank, name)| sources[*rank as usize] = *name);
        let found = self.found(pattern, induced, limit, phases);
        let line =
            |copy: &[u32]| copy.iter().map(|rank| sources[*rank as usize].to_string()).collect::<Vec<_>>().join(" ");
        let lines = found.iter().map(|copy| line(&copy[..pattern.vertices()]));
        std::iter::once(format!("# {pattern}")).chain(lines).collect::<Vec<_>>().join("\n")
    }

    fn found(&self, pattern: &Pattern, induced: Induced, limit: usize, phases: &mut Phases) -> Vec<Found> {
        let once = || first(&self.graph, &self.scheduler, pattern, induced, limit);
        let found = phases.measure("match", || {
            let first = once();
            assert!((1..self.repeat).all(|_| once() == first), "a repetition found something else");
            first
        });
        phases.count("matches", (found.len() as u64).saturating_mul(self.repeat));
        found
    }
}
