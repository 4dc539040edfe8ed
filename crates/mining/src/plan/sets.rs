//! The sets of candidates that a plan needs.

use super::tail::Product;
use super::{Bounds, Step};
use crate::pattern::{MOST_VERTICES, Pattern};

/// The common neighbours of matched vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Set {
    /// Their positions.
    pub near: u8,
    /// The last of them: the set is made when it is matched.
    pub made_at: usize,
    /// The set without the last of them, with whose neighbours it is intersected; none where there is no other.
    pub parent: Option<usize>,
    /// Conditions that all its members meet.
    pub bounds: Bounds,
    /// Whether its members are needed, not only their number.
    pub kept: bool,
    /// Whether others are made of it.
    pub has_children: bool,
    /// The table in which its size is looked up, instead of making it.
    pub table: Option<usize>,
}

fn last(near: u8) -> usize {
    near.ilog2() as usize
}

/// Which positions are matched up to this one.
fn up_to(position: usize) -> u8 {
    u8::MAX >> (MOST_VERTICES - 1 - position)
}

/// All sets, each behind its parent and behind those that are made before.
pub(super) fn needed(pattern: &Pattern, matched: usize, bounds: &[Bounds], tail: &[Product]) -> Vec<Set> {
    let loops = (1..matched).map(|at| (before(pattern, at), bounds[at], true));
    let ends = tail.iter().flat_map(|product| &product.factors).map(|(near, bounds)| (*near, *bounds, false));
    let uses: Vec<(u8, Bounds, bool)> = loops.chain(ends).collect();
    let mut masks: Vec<u8> = uses.iter().flat_map(|(near, ..)| parents(*near)).collect();
    masks.sort_unstable_by_key(|near| (last(*near), near.count_ones(), *near));
    masks.dedup();
    let parent = |near: u8| masks.iter().position(|other| *other == near & !(1 << last(near)));
    let set = |near: &u8| Set {
        near: *near,
        made_at: last(*near),
        parent: parent(*near),
        bounds: Bounds::default(),
        kept: uses.iter().any(|(used, _, listed)| used == near && *listed),
        has_children: masks.iter().any(|other| other != near && other & !(1 << last(*other)) == *near),
        table: None,
    };
    let mut sets: Vec<Set> = masks.iter().map(set).collect();
    for at in (0..sets.len()).rev() {
        let own = uses.iter().filter(|(used, ..)| *used == sets[at].near).map(|(_, bounds, _)| *bounds);
        let children = sets.iter().filter(|child| child.parent == Some(at)).map(|child| child.bounds);
        let common = own.chain(children).reduce(Bounds::common).expect("each set is of use");
        let pushed = common.at(up_to(sets[at].made_at));
        let cut = uses.iter().any(|(used, bounds, _)| *used == sets[at].near && *bounds != pushed);
        let set = &mut sets[at];
        set.bounds = pushed;
        set.kept |= cut || set.has_children;
    }
    sets
}

/// How many paths of two edges lead from the first matched vertex to each other one: the size of each set of common
/// neighbours of these two. All are counted at once in the time that making one such set for each edge takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    /// Conditions on the vertex in the middle.
    pub middle: Bounds,
    /// Conditions on the vertex at the end.
    pub end: Bounds,
}

/// The tables that sets can be looked up in: those of which only the size is needed, with conditions by the first
/// vertex only.
pub(super) fn tables(sets: &mut [Set], bounds: &[Bounds]) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let only_first = |bounds: Bounds| bounds == bounds.at(1);
    let fit = |set: &&mut Set| set.near.count_ones() == 2 && set.near & 1 == 1 && !set.kept && only_first(set.bounds);
    for set in sets.iter_mut().filter(fit) {
        let end = bounds[set.made_at].at(1);
        let known = tables.iter().position(|table| table.middle == set.bounds);
        let table = known.unwrap_or_else(|| {
            tables.push(Table { middle: set.bounds, end });
            tables.len() - 1
        });
        tables[table].end = tables[table].end.common(end);
        set.table = Some(table);
    }
    tables
}

/// A set and all that it is made of, each from the one with one position less.
fn parents(near: u8) -> impl Iterator<Item = u8> {
    std::iter::successors(Some(near), |near| Some(near & !(1 << last(*near))).filter(|near| *near != 0))
}

/// The matched positions that the one at a position is joined to.
fn before(pattern: &Pattern, at: usize) -> u8 {
    pattern.neighbours(at) & earlier(at)
}

fn earlier(at: usize) -> u8 {
    at.checked_sub(1).map_or(0, up_to)
}

/// How the vertex at a position is matched.
pub(super) fn step(pattern: &Pattern, at: usize, bounds: &[Bounds], sets: &[Set]) -> Step {
    let near = before(pattern, at);
    let from = sets.iter().position(|set| set.near == near).unwrap_or(0);
    let left = if near == 0 { Bounds::default() } else { bounds[at].without(sets[from].bounds) };
    // No vertex is its own neighbour, and ranks that differ belong to different vertices.
    let ruled_out = near | bounds[at].above | bounds[at].below;
    let makes = (0..sets.len()).filter(|set| sets[*set].made_at == at && sets[*set].table.is_none()).collect();
    Step { from, bounds: left, distinct: earlier(at) & !ruled_out, makes, probes: 0, probed: false }
}
