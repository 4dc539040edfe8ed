//! What one may choose about counting, and what is published meanwhile.

use knee_workload::Counter;

/// How a pattern is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By a formula where there is one, else by matching.
    Auto,
    /// Match vertex by vertex, symmetric matches once, the last vertices counted as sets.
    Explore,
    /// By a formula, or in bitmaps, without matching (cliques are matched all the same where a vertex has over 16,383
    /// neighbours of higher rank).
    Formula,
}

impl Method {
    /// Names, in the order of the variants.
    pub const NAMES: &'static [&'static str] = &["auto", "explore", "formula"];

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(|at| [Self::Auto, Self::Explore, Self::Formula][at])
    }
}

/// Which parts of a graph are matched first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Vertices of many neighbours.
    HubsFirst,
    /// Vertices in the order of the source.
    Id,
    /// Vertices of few neighbours.
    HubsLast,
}

impl Order {
    /// Names, in the order of the variants.
    pub const NAMES: &'static [&'static str] = &["hubs-first", "id", "hubs-last"];

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(|at| [Self::HubsFirst, Self::Id, Self::HubsLast][at])
    }
}

/// What is published while matching.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Told {
    /// Copies that were found.
    pub found: Counter,
    /// Lists of neighbours that were taken up.
    pub lists: Counter,
}
