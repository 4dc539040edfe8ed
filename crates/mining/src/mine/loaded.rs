//! A graph, read and laid out for the workers that count in it.

use std::path::Path;
use std::sync::OnceLock;

use knee_runtime::{Arrangement, Pool};
use knee_workload::{Args, Error, Phases, Team};
use twox_hash::XxHash3_64;

use crate::Graph;
use crate::graph::{self, Dump, Origin, Unsorted};
use crate::scheduler::{self, Scheduler};

pub(crate) struct Loaded {
    pub graph: Graph,
    pub scheduler: Scheduler,
    /// What each vertex is called in the source.
    pub names: Vec<u64>,
    /// What the source's first line says, where it is taken for a header.
    pub header: Option<String>,
    pub facts: Vec<(String, String)>,
}

impl Loaded {
    pub(crate) fn new(args: &Args, team: &Team, phases: &mut Phases) -> Result<Self, Error> {
        let loader = Loader {
            source: args.text("graph"),
            arrangement: Arrangement::named(args.text("layout")).expect("values were checked"),
            // What reads and scatters is rayon's; knee's own workers place and sort.
            parsing: scheduler::pinned(team)?,
            pool: OnceLock::new(),
            args,
            team,
        };
        let (graph, origin) = loader.graph(args.text("cache"), phases)?;
        let header = origin.header.map(|(vertices, edges)| format!("{vertices} vertices, {edges} edges"));
        let facts = [
            ("vertices", graph.vertices.to_string()),
            ("edges", graph.edges().to_string()),
            ("dropped_loops", origin.loops.to_string()),
            ("dropped_repetitions", origin.repeated.to_string()),
            ("header", header.clone().unwrap_or_else(|| "none".into())),
        ];
        let facts = facts.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let pool = loader.pool.into_inner().expect("the graph was laid out on it");
        let scheduler = Scheduler::of(args, team, pool, loader.parsing);
        Ok(Self { graph, scheduler, names: origin.names, header, facts })
    }
}

struct Loader<'a> {
    source: &'a str,
    arrangement: Arrangement,
    parsing: rayon::ThreadPool,
    /// Started when a source is read, which may need all memory that is left.
    pool: OnceLock<Pool>,
    args: &'a Args,
    team: &'a Team,
}

impl Loader<'_> {
    fn pool(&self) -> Result<&Pool, Error> {
        if self.pool.get().is_none() {
            let _ = self.pool.set(scheduler::ours(self.args, self.team)?);
        }
        Ok(self.pool.get().expect("it was just set"))
    }

    fn graph(&self, cache: &str, phases: &mut Phases) -> Result<(Graph, Origin), Error> {
        let path = Path::new(self.source);
        if !graph::is_generated(self.source) && Dump::is_one(path) {
            let own = |error: Error| match error.hinted() {
                Some(_) => error,
                None => error.hint("give the graph's own file"),
            };
            return Dump::open(path).and_then(|dump| self.dumped(&dump, phases)).map_err(own);
        }
        if cache.is_empty() { self.parsed(phases) } else { self.cached(Path::new(cache), phases) }
    }

    fn parsed(&self, phases: &mut Phases) -> Result<(Graph, Origin), Error> {
        let list = phases.measure("load", || self.parsing.install(|| graph::load(self.source)))?;
        let vertices = list.vertices;
        let (origin, edges) = Origin::of(list);
        let graph = phases.measure("prepare", || {
            graph::check_copies(self.source, vertices as u64, edges.len() as u64, &self.arrangement)?;
            let unsorted = self.parsing.install(|| Unsorted::new(vertices, edges));
            let placed = self.pool()?.install(|| Graph::placed(unsorted, &self.arrangement));
            placed.map_err(|error| graph::unplaced(&error))
        });
        Ok((graph?, origin))
    }

    /// From the dump of a source, which is made first if it is not there.
    fn cached(&self, cache: &Path, phases: &mut Phases) -> Result<(Graph, Origin), Error> {
        let input = graph::input(self.source)?;
        let file = cache.join(format!("{:016x}.knee", XxHash3_64::oneshot(input.as_bytes())));
        if !file.exists() {
            self.keep(&input, cache, &file, phases)?;
        }
        let again = |error: Error| match error.hinted() {
            Some(_) => error,
            None => error.hint("remove it; --cache makes it again"),
        };
        let dump = Dump::open(&file).map_err(again)?;
        if dump.input() != input {
            let what = format!("cannot use {}: it is of {}, not of {input}", file.display(), dump.input());
            return Err(again(Error::new(what)));
        }
        self.dumped(&dump, phases).map_err(again)
    }

    fn keep(&self, input: &str, cache: &Path, file: &Path, phases: &mut Phases) -> Result<(), Error> {
        let no_directory = |error| {
            Error::new(format!("cannot make the directory {}: {error}", cache.display()))
                .hint("give --cache a directory that can be written")
        };
        std::fs::create_dir_all(cache).map_err(no_directory)?;
        let (graph, origin) = self.parsed(phases)?;
        // Asked after it was read.
        if graph::input(self.source)? != input {
            return Err(Error::new(format!("{} changed while it was read", self.source))
                .hint("ask again, of a file that nobody writes"));
        }
        phases.measure("dump", || graph::write(&graph, &origin, input, file)).map_err(|error| {
            Error::new(format!("cannot write {}: {error}", file.display()))
                .hint("give --cache a directory that can be written, with room for the graph")
        })
    }

    fn dumped(&self, dump: &Dump, phases: &mut Phases) -> Result<(Graph, Origin), Error> {
        phases.measure("load", || self.pool()?.install(|| dump.read(&self.arrangement)))
    }
}
