//! What is asked, from the arguments.

use std::ops::RangeInclusive;
use std::path::Path;

use knee_workload::{Args, Error};

use crate::graph::{self, Dump};
use crate::matching::Of;
use crate::pattern::{self, Labelled};
use crate::{Induced, Method, Order, Pattern, Question};

/// The actions.
pub(super) const ACTIONS: &[&str] =
    &["count", "motifs", "cliques", "explain", "match", "exists", "per-vertex", "per-edge", "fsm"];
/// What each does.
pub(super) const ABOUT: &str = "count a pattern; motifs: all connected patterns of a size; cliques: those of all sizes \
                                up to one; explain: count a pattern and say how; match: find copies; exists: find out \
                                whether there is one; per-vertex and per-edge: in how many copies of patterns each \
                                takes which part; fsm: find patterns that are frequent";

/// Most copies that are listed: each takes 32 bytes until all are found, and each worker may have found as many.
const MOST_LISTED: u64 = 1_000_000;
/// Most edges of frequent patterns.
const MOST_EDGES: u64 = 7;

const ALL_BUT_FSM: &[&str] = &["count", "motifs", "cliques", "explain", "match", "exists", "per-vertex", "per-edge"];
const ALL_BUT_EXPLAIN: &[&str] = &["count", "motifs", "cliques", "match", "exists", "per-vertex", "per-edge", "fsm"];

/// Arguments that only some actions take.
const ONLY: &[(&str, &[&str])] = &[
    ("pattern", &["count", "explain", "match", "exists"]),
    ("size", &["motifs", "cliques", "per-vertex", "per-edge"]),
    ("limit", &["match"]),
    ("plan", &["count", "motifs", "cliques", "explain"]),
    ("order", &["count", "motifs", "cliques", "explain"]),
    ("labels", &["count", "match", "exists", "fsm"]),
    ("edges", &["fsm"]),
    ("support", &["fsm"]),
    ("induced", ALL_BUT_FSM),
    ("repeat", ALL_BUT_EXPLAIN),
];

/// What is asked.
pub(crate) enum Asked {
    /// How many copies there are; of several patterns, their names.
    Count(Question, Vec<String>),
    /// The same, and how they are counted.
    Explain(Question),
    /// How many copies there are of a pattern with labels.
    Labelled(Labelled, Induced),
    /// The first copies, at most so many.
    Match(Labelled, Induced, usize),
    /// Whether there is one.
    Exists(Labelled, Induced),
    /// Patterns of up to so many edges whose support is at least this.
    Frequent(usize, usize),
    /// In how many copies each vertex or edge takes which part, in patterns of up to so many vertices.
    Orbits(Of, usize, Induced),
}

impl Asked {
    pub(crate) fn new(args: &Args) -> Result<Self, Error> {
        let action = args.text("action");
        let induced = |usual| Induced::named(args.text("induced")).unwrap_or(usual);
        Ok(match action {
            "match" => {
                let limit = usize::try_from(args.number("limit", 1..=MOST_LISTED)?).expect("it is not too large");
                Self::Match(labelled(args)?, induced(Induced::Edge), limit)
            }
            "exists" => Self::Exists(labelled(args)?, induced(Induced::Edge)),
            "explain" => Self::Explain(question(args, &[labelled(args)?.pattern], induced(Induced::Edge))?),
            "fsm" => Self::Frequent(small(args, "edges", 1..=MOST_EDGES)?, support(args)?),
            "motifs" => {
                let (names, patterns): (Vec<_>, Vec<_>) = pattern::motifs(size(args, 5)?).into_iter().unzip();
                Self::Count(question(args, &patterns, induced(Induced::Vertex))?, names)
            }
            "cliques" => {
                let names: Vec<_> = (3..=size(args, 8)?).map(|size| format!("{size}-clique")).collect();
                let patterns = names.iter().map(|name| Pattern::parse(name).expect("it is a name"));
                Self::Count(question(args, &patterns.collect::<Vec<_>>(), induced(Induced::Edge))?, names)
            }
            "per-vertex" => Self::Orbits(Of::Vertices, size(args, 4)?, induced(Induced::Vertex)),
            "per-edge" => Self::Orbits(Of::Edges, size(args, 4)?, induced(Induced::Vertex)),
            _ => match labelled(args)? {
                Labelled { pattern, words } if words.is_empty() => {
                    Self::Count(question(args, &[pattern], induced(Induced::Edge))?, Vec::new())
                }
                pattern => Self::Labelled(pattern, induced(Induced::Edge)),
            },
        })
    }

    /// The labels that it asks for.
    pub(super) fn labels(&self) -> &[String] {
        match self {
            Self::Labelled(pattern, _) | Self::Match(pattern, ..) | Self::Exists(pattern, _) => &pattern.words,
            _ => &[],
        }
    }

    /// Whether the answer names vertices.
    pub(super) fn names_vertices(&self) -> bool {
        matches!(self, Self::Match(..) | Self::Orbits(..))
    }
}

/// Refuses what an action would not heed, of what is given on a command line. A study may give all its levels the same
/// arguments.
///
/// # Errors
/// Which argument it is, and for what it is meant.
pub fn check(args: &Args, is_given: impl Fn(&str) -> bool) -> Result<(), Error> {
    let action = args.text("action");
    for (name, actions) in ONLY {
        if is_given(name) && !actions.contains(&action) {
            let (given, takes) = (args.text(name), knee_workload::one_of(actions).replace(" or ", " and "));
            return Err(Error::new(format!("--{name} {given} is of no use for {action}; it is for {takes}"))
                .hint(format!("leave out --{name}")));
        }
    }
    let source = args.text("graph");
    if is_given("cache") && !graph::is_generated(source) && Dump::is_one(Path::new(source)) {
        let what = format!("--cache {} is of no use for {source}, which is a kept graph already", args.text("cache"));
        return Err(Error::new(what).hint("leave out --cache"));
    }
    let order = args.text("order");
    if is_given("order")
        && order != "hubs-first"
        && let Asked::Count(question, _) | Asked::Explain(question) = Asked::new(args)?
        && question.matches_nothing()
    {
        let what = format!("--order {order} is of no use here: formulas count all of it, and nothing is matched");
        return Err(Error::new(what).hint("add --plan explore, or leave out --order"));
    }
    Ok(())
}

/// The pattern, whose labels are those of a file.
fn labelled(args: &Args) -> Result<Labelled, Error> {
    let text = args.text("pattern");
    let pattern = Labelled::parse(text).map_err(|reason| {
        Error::new(format!("bad pattern: {text}: {reason}"))
            .hint("use a name such as triangle, house or 5-clique, or edges such as a-b,b-c,c-a")
    })?;
    let (with, file) = (!pattern.words.is_empty(), args.text("labels"));
    if args.text("action") == "explain" && with {
        return Err(Error::new("patterns with labels are matched vertex by vertex; there is no plan to explain")
            .hint("ask for count, match or exists"));
    }
    let idle = [("plan", "auto"), ("order", "hubs-first")].into_iter().find(|(name, usual)| args.text(name) != *usual);
    match (with, file, idle) {
        (true, "", _) => Err(Error::new(format!("the pattern {text} has labels, and the graph has none"))
            .hint("give --labels FILE, with a vertex and its label in each line")),
        (true, _, Some((name, _))) => Err(Error::new(format!(
            "--{name} {} is of no use for a pattern with labels, which is matched vertex by vertex",
            args.text(name)
        ))
        .hint(format!("leave out --{name}"))),
        (false, "", _) | (true, _, None) => Ok(pattern),
        (false, ..) => Err(Error::new(format!("the pattern is {text}, which has no labels, and --labels gives some"))
            .hint("give --pattern with labels, such as a:C-b:N, or leave out --labels")),
    }
}

fn size(args: &Args, most: u64) -> Result<usize, Error> {
    small(args, "size", 3..=most)
}

fn small(args: &Args, name: &str, range: RangeInclusive<u64>) -> Result<usize, Error> {
    Ok(usize::try_from(args.number(name, range)?).expect("it is small"))
}

fn support(args: &Args) -> Result<usize, Error> {
    if args.text("support").is_empty() {
        return Err(Error::new("fsm needs --support: how many vertices there must be for each place of a pattern")
            .hint("begin with a tenth of the graph's vertices, and take less if too little is found"));
    }
    small(args, "support", 1..=u64::from(u32::MAX))
}

fn question(args: &Args, patterns: &[Pattern], induced: Induced) -> Result<Question, Error> {
    let order = Order::named(args.text("order")).expect("values were checked");
    let method = Method::named(args.text("plan")).expect("values were checked");
    Ok(Question::all(patterns, induced, method)?.in_order(order))
}
