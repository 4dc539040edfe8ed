//! A question, asked of a graph that is ready.

use std::fmt::Write;

use knee_workload::{Check, Phases, Run};

use super::Asked;
use crate::graph::Labels;
use crate::matching::{Found, Frequent, Lies, Of, Readers, Roles, Told, count, first, frequent};
use crate::pattern::Labelled;
use crate::scheduler::Scheduler;
use crate::{Graph, Induced, Pattern};

/// Vertices whose lines one task writes.
const VERTICES_PER_TASK: usize = 1 << 12;

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

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        match &self.asked {
            Asked::Count(question, names) => {
                let (counts, unknown) =
                    self.read_by_all(phases, |readers| question.count_published(readers, &self.scheduler, self.told));
                let answer = self.counts(&counts, names, phases);
                self.unknown = unknown;
                answer
            }
            Asked::Explain(question) => phases.measure("match", || question.explain(&self.graph, &self.scheduler)),
            Asked::Labelled(pattern, induced) => {
                let (graph, pattern) = (&self.graph, self.with_labels(pattern));
                let once = || count(graph, &self.labels, &self.scheduler, &pattern, *induced, self.told);
                let copies = self.repeated(phases, once);
                self.counts(&[copies], &[], phases)
            }
            Asked::Match(pattern, induced, limit) => self.copies(pattern, *induced, *limit, phases),
            Asked::Exists(pattern, induced) => {
                if self.found(pattern, *induced, 1, phases).is_empty() { "no" } else { "yes" }.to_owned()
            }
            Asked::Frequent(edges, least) => {
                let (graph, labels) = (&self.graph, &self.labels);
                let all = self.repeated(phases, || frequent(graph, labels, &self.scheduler, *edges, *least));
                let line = |one: &Frequent| format!("{} {}", one.support, one.pattern.written(labels.words()));
                all.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            Asked::Roles(of, size, induced) => {
                let (of, size, induced) = (*of, *size, *induced);
                let (answer, unknown) = self.read_by_all(phases, |readers| self.roles(readers, of, size, induced));
                self.unknown = unknown;
                answer
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
    /// What `once` finds out, as often as asked; and why it is not known from where lists are read.
    fn read_by_all<R: PartialEq>(&self, phases: &mut Phases, once: impl Fn(&Readers<'_>) -> R) -> (R, Option<String>) {
        let readers = Readers::new(&self.graph, &self.scheduler, Lies::of(&self.graph, &self.scheduler));
        let found = self.repeated(phases, || once(&readers));
        let unknown = readers.lies().unknown().map(str::to_owned);
        if unknown.is_none() {
            let (home, away) = readers.bytes();
            phases.count("local-read-bytes", home);
            phases.count("remote-read-bytes", away);
        }
        (found, unknown)
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

    /// A line for each vertex or edge, behind one that names the parts.
    fn roles(&self, readers: &Readers<'_>, of: Of, size: usize, induced: Induced) -> String {
        let roles = Roles::new(readers, &self.scheduler, of, size, induced);
        let who = if of == Of::Vertices { "vertex" } else { "from to" };
        let names: Vec<_> = roles.names().collect();
        let tasks = self.graph.vertices.div_ceil(VERTICES_PER_TASK);
        let lines = self.scheduler.map(tasks, |number| {
            let from = number * VERTICES_PER_TASK;
            let mut text = String::new();
            roles.each(from..self.graph.vertices.min(from + VERTICES_PER_TASK), |who, counts| {
                let names = who.iter().map(|vertex| u128::from(self.names[*vertex as usize]));
                let begin = if text.is_empty() && number == 0 { "" } else { "\n" };
                let words: Vec<_> = names.chain(counts).map(|number| number.to_string()).collect();
                let _ = write!(text, "{begin}{}", words.join(" "));
            });
            text
        });
        format!("# {who} {}\n{}", names.join(" "), lines.concat())
    }
}
