//! What is asked, from the arguments.

use knee_workload::{Args, Error};

use crate::matching::Of;
use crate::{Induced, Method, Order, Pattern, Question, pattern};

/// The actions, with what each does.
pub(super) const ACTIONS: &[&str] =
    &["count", "motifs", "cliques", "explain", "match", "exists", "per-vertex", "per-edge"];
pub(super) const ABOUT: &str = "count a pattern; motifs: all connected patterns of a size; cliques: those of all sizes up to one; explain: \
                                count a pattern and say how; match: find copies; exists: find out whether there is one; per-vertex and \
                                per-edge: in how many copies of patterns each takes which part";

/// Most copies that are listed: each takes 32 bytes until all are found, and every worker may find as many.
const MOST_LISTED: u64 = 1_000_000;

/// Arguments that only some actions take, with the value of each where it is not given.
const ONLY: &[(&str, &str, &[&str])] = &[
    ("pattern", "diamond", &["count", "explain", "match", "exists"]),
    ("size", "4", &["motifs", "cliques", "per-vertex", "per-edge"]),
    ("limit", "10", &["match"]),
    ("plan", "auto", &["count", "motifs", "cliques", "explain"]),
    ("order", "hubs-first", &["count", "motifs", "cliques", "explain"]),
];

/// What is asked.
pub(crate) enum Asked {
    /// How many copies there are; of several patterns, their names.
    Count(Question, Vec<String>),
    /// The same, and how they are counted.
    Explain(Question),
    /// The first copies, at most so many.
    Match(Pattern, Induced, usize),
    /// Whether there is one.
    Exists(Pattern, Induced),
    /// In how many copies each vertex or edge takes which part, in patterns of up to so many vertices.
    Roles(Of, usize, Induced),
}

impl Asked {
    pub(crate) fn new(args: &Args) -> Result<Self, Error> {
        let action = args.text("action");
        check(args, action)?;
        let induced = |usual| Induced::named(args.text("induced")).unwrap_or(usual);
        Ok(match action {
            "match" => {
                let limit = usize::try_from(args.number("limit", 1..=MOST_LISTED)?).expect("it is not too large");
                Self::Match(pattern_of(args)?, induced(Induced::Edge), limit)
            }
            "exists" => Self::Exists(pattern_of(args)?, induced(Induced::Edge)),
            "explain" => Self::Explain(question(args, &[pattern_of(args)?], induced(Induced::Edge))?),
            "motifs" => {
                let (names, patterns): (Vec<_>, Vec<_>) = pattern::motifs(size(args, 5)?).into_iter().unzip();
                Self::Count(question(args, &patterns, induced(Induced::Vertex))?, names)
            }
            "cliques" => {
                let names: Vec<_> = (3..=size(args, 8)?).map(|size| format!("{size}-clique")).collect();
                let patterns = names.iter().map(|name| Pattern::parse(name).expect("it is a name"));
                Self::Count(question(args, &patterns.collect::<Vec<_>>(), induced(Induced::Edge))?, names)
            }
            "per-vertex" => Self::Roles(Of::Vertices, size(args, 4)?, induced(Induced::Vertex)),
            "per-edge" => Self::Roles(Of::Edges, size(args, 4)?, induced(Induced::Vertex)),
            _ => Self::Count(question(args, &[pattern_of(args)?], induced(Induced::Edge))?, Vec::new()),
        })
    }

    /// Whether the answer names vertices.
    pub(super) fn names_vertices(&self) -> bool {
        matches!(self, Self::Match(..) | Self::Roles(..))
    }
}

/// Refuses what an action would not heed.
fn check(args: &Args, action: &str) -> Result<(), Error> {
    for (name, usual, actions) in ONLY {
        let given = args.text(name);
        if given != *usual && !actions.contains(&action) {
            let takes = knee_workload::one_of(actions).replace(" or ", " and ");
            return Err(Error::new(format!("--{name} {given} is of no use for {action}; it is for {takes}"))
                .hint(format!("leave out --{name}")));
        }
    }
    Ok(())
}

fn pattern_of(args: &Args) -> Result<Pattern, Error> {
    let text = args.text("pattern");
    Pattern::parse(text).map_err(|reason| {
        Error::new(format!("bad pattern: {text}: {reason}"))
            .hint("use a name such as triangle, house or 5-clique, or edges such as a-b,b-c,c-a")
    })
}

fn size(args: &Args, most: u64) -> Result<usize, Error> {
    Ok(usize::try_from(args.number("size", 3..=most)?).expect("it is small"))
}

fn question(args: &Args, patterns: &[Pattern], induced: Induced) -> Result<Question, Error> {
    let order = Order::named(args.text("order")).expect("values were checked");
    let method = Method::named(args.text("plan")).expect("values were checked");
    Ok(Question::all(patterns, induced, method)?.in_order(order))
}
