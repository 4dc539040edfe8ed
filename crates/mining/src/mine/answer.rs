//! A question, asked of a graph that is ready.

use std::fmt::Write;

use knee_workload::{Check, Error, Phases, Run};

use super::Asked;
use crate::graph::Labels;
use crate::matching::{Found, Frequent, Lies, Of, Orbits, Readers, Told, count, exists, first, frequent, whole};
use crate::pattern::Labelled;
use crate::scheduler::Scheduler;
use crate::{Graph, Induced, Pattern};

/// Fewest vertices whose lines one task writes.
const VERTICES_PER_TASK: usize = 16;
/// Most tasks.
const TASKS: usize = 4096;

pub(super) struct Prepared {
    pub scheduler: Scheduler,
    pub graph: Graph,
    /// What each vertex is called in the source, where that is asked.
    pub names: Vec<u64>,
    pub labels: Labels,
    pub asked: Asked,
    pub repeat: u64,
    /// Published so that a report can draw it over time.
    pub told: Told,
    pub facts: Vec<(String, String)>,
    /// Why bytes are not counted as read at home or away.
    pub unknown: Option<String>,
    /// Why there is no answer.
    pub failed: Option<Error>,
}

/// A count, or a line for each pattern where they have names.
pub(crate) fn written(counts: &[u128], names: &[String]) -> String {
    if names.is_empty() {
        return counts[0].to_string();
    }
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let digits = counts.iter().map(|count| count.to_string().len()).max().unwrap_or(0);
    let line = |(name, count): (&String, &u128)| format!("{name:width$}  {count:>digits$}");
    names.iter().zip(counts).map(line).collect::<Vec<_>>().join("\n")
}

/// Why it is not known from where lists are read.
fn unknown(readers: &Readers<'_>) -> Option<String> {
    readers.lies().unknown().map(str::to_owned)
}

/// Counts in the phase that ended last what was read in it.
fn count_read(readers: &Readers<'_>, phases: &mut Phases) {
    let (home, away) = readers.take_bytes();
    if readers.lies().unknown().is_none() {
        phases.count("local-read-bytes", home);
        phases.count("remote-read-bytes", away);
    }
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        match whole(|| self.answer(phases)) {
            Ok((answer, unknown)) => {
                self.unknown = unknown;
                answer
            }
            Err(error) => {
                self.failed = Some(error);
                String::new()
            }
        }
    }

    fn failure(&self) -> Option<Error> {
        self.failed.clone()
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
    /// The answer, and why it is not known from where lists were read.
    fn answer(&self, phases: &mut Phases) -> (String, Option<String>) {
        match &self.asked {
            Asked::Count(question, names) => {
                let readers = self.readers();
                let once = || question.count_published(&readers, &self.scheduler, self.told);
                let counts = self.repeated(phases, once);
                count_read(&readers, phases);
                (self.counts(&counts, names, phases), unknown(&readers))
            }
            Asked::Orbits(of, size, induced) => {
                let readers = self.readers();
                let once = || Orbits::new(&readers, &self.scheduler, *of, *size, *induced);
                let orbits = self.repeated(phases, once);
                count_read(&readers, phases);
                let text = phases.measure("write", || self.orbits(&orbits, *of, &readers));
                count_read(&readers, phases);
                (text, unknown(&readers))
            }
            Asked::Explain(question) => {
                (phases.measure("match", || question.explain(&self.graph, &self.scheduler)), None)
            }
            others => {
                let unknown = "copies are searched one by one, and their lists are not counted";
                (self.searched(others, phases), Some(unknown.to_owned()))
            }
        }
    }

    /// What is found vertex by vertex.
    fn searched(&self, asked: &Asked, phases: &mut Phases) -> String {
        let (graph, labels, scheduler) = (&self.graph, &self.labels, &self.scheduler);
        match asked {
            Asked::Labelled(pattern, induced) => {
                let pattern = self.with_labels(pattern);
                let once = || count(graph, labels, scheduler, &pattern, *induced, self.told);
                let copies = self.repeated(phases, once);
                self.counts(&[copies], &[], phases)
            }
            Asked::Match(pattern, induced, limit) => self.copies(pattern, *induced, *limit, phases),
            Asked::Exists(pattern, induced) => {
                let pattern = self.with_labels(pattern);
                let there = self.repeated(phases, || exists((graph, labels), scheduler, &pattern, *induced));
                phases.count("matches", u64::from(there).saturating_mul(self.repeat));
                if there { "yes" } else { "no" }.to_owned()
            }
            Asked::Frequent(edges, least) => {
                let all = self.repeated(phases, || frequent(graph, labels, scheduler, *edges, *least));
                let line = |one: &Frequent| format!("{} {}", one.support, one.pattern.written(labels.words()));
                all.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            Asked::Count(..) | Asked::Explain(_) | Asked::Orbits(..) => unreachable!("they are answered otherwise"),
        }
    }

    /// Those who note what they read.
    fn readers(&self) -> Readers<'_> {
        Readers::new(&self.graph, &self.scheduler, Lies::of(&self.graph, &self.scheduler))
    }

    /// What `once` finds out, as often as asked.
    fn repeated<R: PartialEq>(&self, phases: &mut Phases, once: impl Fn() -> R) -> R {
        phases.measure("match", || {
            let first = once();
            assert!((1..self.repeat).all(|_| once() == first), "a repetition found something else");
            first
        })
    }

    /// A pattern with the numbers that its labels have in the graph.
    fn with_labels(&self, Labelled { pattern, words }: &Labelled) -> Pattern {
        let number =
            |at| usize::from(pattern.label(at)).checked_sub(1).map_or(0, |word| self.labels.number(&words[word]));
        pattern.labelled(number)
    }

    /// A count, or a line for each pattern.
    fn counts(&self, counts: &[u128], names: &[String], phases: &mut Phases) -> String {
        let all =
            counts.iter().fold(0_u128, |sum, count| sum.saturating_add(*count)).saturating_mul(self.repeat.into());
        phases.count("matches", u64::try_from(all).unwrap_or(u64::MAX));
        written(counts, names)
    }

    /// The first copies, a line for each, behind one that says which vertex of the pattern is which.
    fn copies(&self, pattern: &Labelled, induced: Induced, limit: usize, phases: &mut Phases) -> String {
        let found = self.found(pattern, induced, limit, phases);
        let sources = self.graph.sources();
        let name = |rank: &u32| self.names[sources[*rank as usize] as usize].to_string();
        let line = |copy: &Found| copy[..pattern.pattern.vertices()].iter().map(name).collect::<Vec<_>>().join(" ");
        let written = pattern.pattern.written(&pattern.words);
        std::iter::once(format!("# {written}")).chain(found.iter().map(line)).collect::<Vec<_>>().join("\n")
    }

    fn found(&self, pattern: &Labelled, induced: Induced, limit: usize, phases: &mut Phases) -> Vec<Found> {
        let (graph, pattern) = ((&self.graph, &self.labels), self.with_labels(pattern));
        let found = self.repeated(phases, || first(graph, &self.scheduler, &pattern, induced, limit));
        phases.count("matches", (found.len() as u64).saturating_mul(self.repeat));
        found
    }

    /// A line for each vertex or edge, behind one that names the orbits.
    fn orbits(&self, orbits: &Orbits, of: Of, readers: &Readers<'_>) -> String {
        let who = if of == Of::Vertices { "vertex" } else { "from to" };
        let names: Vec<_> = orbits.names().collect();
        let per_task = VERTICES_PER_TASK.max(self.graph.vertices / TASKS);
        let parts = self.scheduler.map(self.graph.vertices.div_ceil(per_task), |number, worker| {
            let from = number * per_task;
            let mut text = String::new();
            orbits.each(readers.view(worker), from..self.graph.vertices.min(from + per_task), |who, counts| {
                let names = who.iter().map(|vertex| u128::from(self.names[*vertex as usize]));
                let words: Vec<_> = names.chain(counts).map(|number| number.to_string()).collect();
                let _ = write!(text, "\n{}", words.join(" "));
            });
            text
        });
        let mut text = format!("# {who} {}", names.join(" "));
        // Each part is given back when it is copied.
        for part in parts {
            text.push_str(&part);
        }
        text
    }
}
