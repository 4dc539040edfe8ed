//! How a pattern is matched vertex by vertex.
//!
//! **Order.** The pattern's vertices are matched one after the other, each joined to one before it. A vertex's candidates
//! are the common neighbours of those that it is joined to.
//!
//! **Symmetry.** A pattern with symmetries would be found once for each of them. Conditions on the ranks of matched
//! vertices leave one: the first vertex ranks below all that a symmetry can move it to; then the same for the next one
//! and the symmetries that leave the first where it is, and so on.
//!
//! **Tail.** The last vertices, where no two of them are joined, need not be matched: how many ways there are to choose
//! them follows from the sizes of their candidate sets and of their intersections ([`Term`]). The symmetries that move
//! such a vertex cannot be left out by conditions; each copy is then counted several times, always as often.
//!
//! **Tables.** Where only the size of a set of common neighbours of two vertices is needed, one of them the first, it is
//! looked up: the paths of two edges from the first vertex are counted once for all vertices at their ends, as for
//! squares in ESCAPE (Pinar et al., WWW 2017).
//!
//! **Sets.** A candidate set depends only on which matched vertices it neighbours. Equal ones are computed once, at the
//! first level at which all these are matched, from the set without the last of them. Conditions that all its uses have
//! in common are applied as it is made.
//!
//! Conditions as in `GraphZero` (Mawhirter et al., 2019) and `GraphPi` (Shi et al., SC 2020), the tail as in `GraphPi`.

mod cost;
mod order;
mod sets;
mod symmetry;
mod tail;

pub(crate) use cost::{FILL, SEARCHED, Shape, promising};
#[cfg(test)]
pub(crate) use order::choices;
pub(crate) use order::is_choice;
pub(crate) use sets::{Set, Table};
pub(crate) use tail::{Counted, Term};

use serde::{Deserialize, Serialize};

use crate::pattern::{MOST_VERTICES, Pattern, members};

/// Ranks between which a vertex must lie: above the matched vertices at some positions, below those at others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Bounds {
    pub above: u8,
    pub below: u8,
}

impl Bounds {
    /// Those that both have.
    fn common(self, other: Self) -> Self {
        Self { above: self.above & other.above, below: self.below & other.below }
    }

    /// Those at these positions only.
    fn at(self, positions: u8) -> Self {
        Self { above: self.above & positions, below: self.below & positions }
    }

    /// Those that the other has not.
    pub(crate) fn without(self, other: Self) -> Self {
        Self { above: self.above & !other.above, below: self.below & !other.below }
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// How the vertex at a position is matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// The set of its candidates; of no meaning at position 0, where all vertices are.
    pub from: usize,
    /// Conditions on it that the set does not meet by itself.
    pub bounds: Bounds,
    /// Earlier positions whose vertex may be among the candidates.
    pub distinct: u8,
    /// Sets that can be made once it is matched, in their order.
    pub makes: Vec<usize>,
    /// Earlier positions of which it must be known whether they are joined to this one.
    pub probes: u8,
    /// Whether a later position asks that of this one.
    pub probed: bool,
}

/// A plan: the pattern in the order of matching, and what is done at each position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The pattern, its vertices numbered by position.
    pub pattern: Pattern,
    /// What was decided, with the pattern's own number of the vertex at each position.
    pub choice: Choice,
    /// One for each matched vertex; those that are left are the tail.
    pub steps: Vec<Step>,
    pub sets: Vec<Set>,
    pub tables: Vec<Table>,
    /// The number of ways to choose the tail, as a sum.
    pub tail: Vec<Term>,
    /// Patterns whose matches are counted as well and must be taken off, with the number of ways.
    pub less: Vec<(u64, Pattern)>,
    /// How many times more matches there are than those that meet all conditions.
    pub times: u64,
    /// The number of matches of each copy.
    pub symmetries: u64,
}

/// The last vertices, which are counted instead of matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tail {
    /// One, on which there may be conditions.
    Ranked,
    /// So many without conditions.
    Free(usize),
    /// So many, which need not differ from each other and from matched ones while they are counted.
    Loose(usize),
}

impl Tail {
    fn len(self) -> usize {
        match self {
            Self::Ranked => 1,
            Self::Free(count) | Self::Loose(count) => count,
        }
    }
}

/// What is decided before the rest follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Choice {
    /// The pattern's vertices in the order of matching.
    pub order: Vec<usize>,
    pub tail: Tail,
    /// Whether sizes of sets are looked up in tables where they can be.
    pub tables: bool,
    /// Whether ranks in conditions are turned round: the first vertex above the others, not below.
    pub turned: bool,
}

/// Conditions on the vertex at each position by those before it, where all are matched in the order of their numbers:
/// they leave one match of each copy.
pub(crate) fn conditions(pattern: &Pattern) -> Vec<Bounds> {
    let all = pattern.vertices();
    let choice = Choice { order: (0..all).collect(), tail: Tail::Ranked, tables: false, turned: true };
    let broken = symmetry::broken(pattern, all, &choice);
    (0..all).map(|at| broken.bounds(at)).collect()
}

impl Plan {
    /// The plan that follows from a choice.
    pub(crate) fn new(pattern: &Pattern, choice: &Choice) -> Self {
        let mut to = [0; MOST_VERTICES];
        (0..).zip(&choice.order).for_each(|(position, vertex)| to[*vertex] = position);
        let pattern = pattern.without_apart().relabelled(to);
        let matched = pattern.vertices() - choice.tail.len();
        let loose = matches!(choice.tail, Tail::Loose(_));
        let symmetry = symmetry::broken(&pattern, matched, choice);
        let bounds: Vec<_> = (0..pattern.vertices()).map(|at| symmetry.bounds(at)).collect();
        let terms = if loose { tail::loose(&pattern, matched) } else { tail::terms(&pattern, matched, &bounds) };
        let mut sets = sets::needed(&pattern, matched, &bounds, &terms);
        let tables = if choice.tables { sets::tables(&mut sets, &bounds) } else { Vec::new() };
        let mut plan = Self {
            steps: (0..matched).map(|at| sets::step(&pattern, at, &bounds, &sets)).collect(),
            tail: tail::counted(&pattern, matched, terms, &sets, loose),
            less: if loose { tail::merged(&pattern, matched) } else { Vec::new() },
            choice: choice.clone(),
            symmetries: symmetry.all,
            times: symmetry.times,
            pattern,
            sets,
            tables,
        };
        plan.probe();
        plan
    }

    /// Notes at each position whose edges to earlier ones must be known.
    fn probe(&mut self) {
        for counted in self.tail.iter().flat_map(Term::factors) {
            for (position, unknown) in &counted.matched {
                for other in members(*unknown) {
                    let (first, second) = (other.min(*position), other.max(*position));
                    self.steps[second].probes |= 1 << first;
                    self.steps[first].probed = true;
                }
            }
        }
    }

    /// All conditions on the vertex at a position.
    pub(crate) fn bounds(&self, at: usize) -> Bounds {
        let from = self.sets.get(self.steps[at].from).map(|set| set.bounds).filter(|_| at > 0).unwrap_or_default();
        let left = self.steps[at].bounds;
        Bounds { above: from.above | left.above, below: from.below | left.below }
    }

    /// Whether the last vertex is only looked up in a table.
    pub(crate) fn looks_up(&self) -> bool {
        let Some(step) = self.steps.last() else { return false };
        let [Term { varying, .. }] = &self.tail[..] else { return false };
        let [counted] = &varying[..] else { return false };
        let nothing_else = step.makes.is_empty() && !step.probed && step.probes == 0;
        nothing_else && self.sets[counted.set].table.is_some() && counted.matched.is_empty()
    }

    /// Whether all that is asked of the last vertex is the size of one set that is made of another one with it.
    pub(crate) fn sums_sizes(&self) -> bool {
        let Some(Step { makes, probes: 0, probed: false, .. }) = self.steps.last() else { return false };
        let ([set], [Term { varying, .. }]) = (&makes[..], &self.tail[..]) else { return false };
        let alone = |one: &Counted| one.set == *set && one.matched.is_empty() && one.left.is_none();
        self.sets[*set].parent.is_some() && matches!(&varying[..], [one] if alone(one))
    }

    /// Whether the first vertex is joined to all others, and the matches around it lie among few vertices: with two
    /// matched ones, finding out which of these are joined is all there is to do.
    pub(crate) fn is_around_the_first(&self) -> bool {
        self.pattern.neighbours(0) == self.pattern.all() & !1 && self.matched() > 2 && self.tables.is_empty()
    }

    /// Whether something is prepared for each first vertex, however few of its roots are matched.
    pub(crate) fn prepares(&self) -> bool {
        !self.tables.is_empty() || self.is_around_the_first()
    }

    /// How many vertices are matched.
    pub(crate) fn matched(&self) -> usize {
        self.steps.len()
    }
}
