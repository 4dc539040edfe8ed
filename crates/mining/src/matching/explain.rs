//! How an answer was found, to read.

use std::fmt::Write;

use super::counting::{self, How};
use super::question::ADDS_UP;
use super::work::Work;
use super::{Question, Readers, Told};
use crate::pattern::{Pattern, members};
use crate::plan::{Counted, Plan, Term};
use crate::{Graph, Scheduler};

/// Counts, and tells how.
pub(super) fn text(question: &Question, graph: &Graph, scheduler: &Scheduler) -> String {
    let readers = Readers::unwatched(graph, scheduler);
    let hows = counting::decide(question, graph, scheduler);
    let found = counting::find(&hows, &readers, scheduler, question.order, Told::default(), None);
    let raw = |pattern: &Pattern| found[pattern].raw;
    let answers = question.answers(&hows, &raw).expect(ADDS_UP);
    let mut text = String::new();
    for (pattern, how) in &hows {
        let _ = writeln!(text, "{pattern}: {}", counting::copies(pattern, &hows, &raw).expect(ADDS_UP));
        match how {
            How::Plan(chosen) => {
                text += &(levels(&chosen.plan, &chosen.work, &found[pattern].work) + &tail(&chosen.plan));
            }
            How::Formula(known) => {
                let _ = writeln!(text, "  formula: {known}");
            }
            How::Vertices => text += "  the number of vertices\n",
        }
    }
    for (sum, answer) in question.sums.iter().zip(answers) {
        if sum.terms.len() > 1 || sum.divisor != sum.terms[0].0 {
            let terms: Vec<_> = sum.terms.iter().map(|(times, pattern)| format!("{times:+} × {pattern}")).collect();
            let _ = writeln!(text, "({}) / {}", terms.join(" "), sum.divisor);
        }
        let _ = writeln!(text, "answer: {answer}");
    }
    text.trim_end().to_owned()
}

/// A line for each position: what is matched there, what was expected and what was done.
fn levels(plan: &Plan, expected: &Work, done: &Work) -> String {
    let mut text = format!(
        "  {:<7}{:<11}{:<14}{:>11}{:>11}{:>11}{:>11}\n",
        "vertex", "joined to", "ranks", "matches", "expected", "read", "expected"
    );
    for (at, vertex) in plan.choice.order.iter().enumerate().take(plan.matched()) {
        let bounds = plan.bounds(at);
        let ranks = named(plan, bounds.above, ">").into_iter().chain(named(plan, bounds.below, "<"));
        let near = named(plan, plan.pattern.neighbours(at) & ((1 << at) - 1), "");
        let numbers = [done.matches[at], expected.matches[at], done.read[at], expected.read[at]].map(short);
        let [matches, may_match, read, may_read] = numbers;
        let (near, ranks) = (near.join(" "), ranks.collect::<Vec<_>>().join(" "));
        let _ =
            writeln!(text, "  {vertex:<7}{near:<11}{ranks:<14}{matches:>11}{may_match:>11}{read:>11}{may_read:>11}");
    }
    text
}

/// How the rest is counted.
fn tail(plan: &Plan) -> String {
    let factor = |counted: &Counted| {
        let set = &plan.sets[counted.set];
        let how = if set.table.is_some() { "paths" } else { "common" };
        format!("{how}({})", named(plan, set.near, "").join(","))
    };
    let term = |term: &Term| {
        let factors: Vec<_> = term.factors().map(factor).collect();
        format!("{:+} × {}", term.times, factors.join(" × "))
    };
    let bitmaps = if plan.is_around_the_first() { "  in bitmaps of the first vertex's neighbours\n" } else { "" };
    let rest: Vec<_> = plan.choice.order[plan.matched()..].iter().map(usize::to_string).collect();
    let terms: Vec<_> = plan.tail.iter().map(term).collect();
    let less = plan
        .less
        .iter()
        .fold(String::new(), |text, (ways, less)| text + &format!("  less {ways} × matches of {less}\n"));
    let (times, each) = (plan.times, plan.symmetries);
    format!("{bitmaps}  {} counted: {}\n  matches × {times} / {each}\n{less}", rest.join(" "), terms.join(" "))
}

/// The pattern's own numbers of the vertices at some positions.
fn named(plan: &Plan, positions: u8, sign: &str) -> Vec<String> {
    members(positions).map(|at| format!("{sign}{}", plan.choice.order[at])).collect()
}

/// A number of at most six characters.
fn short(number: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.iter().find(|(unit, _)| number >= *unit) {
        Some((unit, name)) => format!("{:.1}{name}", number / unit),
        None => format!("{number:.0}"),
    }
}
