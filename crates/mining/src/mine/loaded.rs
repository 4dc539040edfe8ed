//! A graph, read and laid out for the workers that count in it.

use std::path::Path;

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
    pub facts: Vec<(String, String)>,
}

impl Loaded {
    pub(crate) fn new(args: &Args, team: &Team, phases: &mut Phases) -> Result<Self, Error> {
        let loader = Loader {
            source: args.text("graph"),
            arrangement: Arrangement::named(args.text("layout")).expect("values were checked"),
            // What reads and scatters is rayon's; knee's own workers place and sort.
            parsing: scheduler::pinned(team)?,
            pool: scheduler::ours(args, team)?,
        };
        let (graph, origin) = loader.graph(args.text("cache"), phases)?;
        let facts = [
            ("vertices", graph.vertices.to_string()),
            ("edges", graph.edges().to_string()),
            ("dropped_loops", origin.loops.to_string()),
            ("dropped_repetitions", origin.repeated.to_string()),
            ("header", origin.header.map_or("none".into(), |(v, e)| format!("{v} vertices, {e} edges"))),
        ];
        let facts = facts.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let scheduler = Scheduler::of(args, team, loader.pool, loader.parsing);
        Ok(Self { graph, scheduler, names: origin.names, facts })
    }
}

struct Loader<'a> {
    source: &'a str,
    arrangement: Arrangement,
    parsing: rayon::ThreadPool,
    pool: Pool,
}

impl Loader<'_> {
    fn graph(&self, cache: &str, phases: &mut Phases) -> Result<(Graph, Origin), Error> {
        let path = Path::new(self.source);
        if !graph::is_generated(self.source) && Dump::is_one(path) {
            return self.dumped(&Dump::open(path)?, phases);
        }
        if cache.is_empty() { self.parsed(phases) } else { self.cached(Path::new(cache), phases) }
    }

    fn parsed(&self, phases: &mut Phases) -> Result<(Graph, Origin), Error> {
        let list = phases.measure("load", || self.parsing.install(|| graph::load(self.source)))?;
        let vertices = list.vertices;
        let (origin, edges) = Origin::of(list);
        let graph = phases.measure("prepare", || {
            let unsorted = self.parsing.install(|| Unsorted::new(vertices, edges));
            self.pool.install(|| Graph::placed(unsorted, &self.arrangement))
        });
        Ok((graph.map_err(|error| Error::new(format!("cannot place the graph: {error}")))?, origin))
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
        phases.measure("load", || self.pool.install(|| dump.read(&self.arrangement)))
    }
}
