//! How many ways there are to choose the tail: vertices that are not joined to each other, all different, and different
//! from all matched ones.
//!
//! If they need not differ from each other, the number is the product of the sizes of their sets. The choices in which
//! some are equal are taken off by inclusion and exclusion over all ways to divide the tail into groups of equal
//! vertices: a group of n vertices counts (-1)^(n-1) (n-1)! times the size of the intersection of their sets (the
//! Möbius function of the partition lattice). The matched vertices that lie in such an intersection are not counted.
//!
//! Or the product is left as it is, and what it counts too much is taken off at the end: the matches of the smaller
//! patterns that arise where a vertex of the tail is the same as another one. These may be counted by plans of their
//! own (pattern decomposition, as in `DecoMine`, Chen and Qian, ASPLOS 2022).

use std::collections::BTreeMap;

use super::{Bounds, Set};
use crate::pattern::Pattern;

/// A product, `times` as often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    pub times: i64,
    /// Factors that do not depend on the last matched vertex.
    pub fixed: Vec<Counted>,
    /// Those that do.
    pub varying: Vec<Counted>,
}

/// The size of a set without the matched vertices in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counted {
    pub set: usize,
    /// All conditions on its members.
    pub bounds: Bounds,
    /// Those that the set does not meet by itself.
    pub left: Bounds,
    /// Matched vertices that may be in it, by position, each with the positions to which it must then be joined and of
    /// which the pattern does not say so.
    pub matched: Vec<(usize, u8)>,
}

/// The same before sets have numbers: for each factor the positions whose common neighbours are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Product {
    pub times: i64,
    pub factors: Vec<(u8, Bounds)>,
}

impl Term {
    pub(crate) fn factors(&self) -> impl Iterator<Item = &Counted> {
        self.fixed.iter().chain(&self.varying)
    }
}

/// The product alone, where the tail's vertices need not differ from any other.
pub(super) fn loose(pattern: &Pattern, matched: usize) -> Vec<Product> {
    let factors = (matched..pattern.vertices()).map(|at| (pattern.neighbours(at), Bounds::default())).collect();
    vec![Product { times: 1, factors }]
}

/// The patterns that a pattern becomes where a vertex of the tail is the same as a matched one or as another of the
/// tail, with the number of ways.
pub(super) fn merged(pattern: &Pattern, matched: usize) -> Vec<(u64, Pattern)> {
    let mut found: BTreeMap<Pattern, u64> = BTreeMap::new();
    merge(pattern, matched, &mut (0..matched).collect(), &mut |names| {
        let vertices = names.iter().max().map_or(0, |most| most + 1);
        if vertices < pattern.vertices() {
            let edges: Vec<_> = pattern.edges().map(|(a, b)| (names[a], names[b])).collect();
            let merged = Pattern::new(vertices, &edges, &[]).expect("what is joined stays joined");
            *found.entry(merged.canonical()).or_default() += 1;
        }
    });
    found.into_iter().map(|(pattern, ways)| (ways, pattern)).collect()
}

/// Calls `found` with each way to name vertices, the matched ones by their positions, such that none that are joined
/// have the same name.
fn merge(pattern: &Pattern, matched: usize, names: &mut Vec<usize>, found: &mut impl FnMut(&[usize])) {
    let at = names.len();
    if at == pattern.vertices() {
        return found(names);
    }
    let next = names.iter().max().map_or(0, |most| most + 1).max(matched);
    for name in 0..=next {
        let joined = |other: usize| names[other] == name && pattern.neighbours(at) >> other & 1 == 1;
        if !(0..at).any(joined) {
            names.push(name);
            merge(pattern, matched, names, found);
            names.pop();
        }
    }
}

/// The sum for a pattern in the order of matching. Only a tail of one vertex has conditions.
pub(super) fn terms(pattern: &Pattern, matched: usize, bounds: &[Bounds]) -> Vec<Product> {
    let tail: Vec<u8> = (matched..pattern.vertices()).map(|at| pattern.neighbours(at)).collect();
    let mut products: Vec<Product> = Vec::new();
    groups(&tail, &mut Vec::new(), &mut |groups| {
        let times = groups.iter().map(|(_, size)| sign(*size)).product();
        let conditions = if tail.len() == 1 { bounds[matched] } else { Bounds::default() };
        let mut factors: Vec<_> = groups.iter().map(|(near, _)| (*near, conditions)).collect();
        factors.sort_unstable_by_key(|(near, _)| *near);
        match products.iter_mut().find(|product| product.factors == factors) {
            Some(known) => known.times += times,
            None => products.push(Product { times, factors }),
        }
    });
    products.retain(|product| product.times != 0);
    products
}

/// (-1)^(n-1) (n-1)!
fn sign(size: u32) -> i64 {
    (1..i64::from(size)).map(|factor| -factor).product()
}

/// Calls `found` with each way to divide `tail` into groups, each as the union of its members' masks and its size.
fn groups(tail: &[u8], made: &mut Vec<(u8, u32)>, found: &mut impl FnMut(&[(u8, u32)])) {
    let Some((first, rest)) = tail.split_first() else { return found(made) };
    for at in 0..made.len() {
        let before = made[at];
        made[at] = (before.0 | first, before.1 + 1);
        groups(rest, made, found);
        made[at] = before;
    }
    made.push((*first, 1));
    groups(rest, made, found);
    made.pop();
}

/// The sum over numbered sets.
pub(super) fn counted(
    pattern: &Pattern,
    matched: usize,
    products: Vec<Product>,
    sets: &[Set],
    loose: bool,
) -> Vec<Term> {
    let factor = |(near, bounds): (u8, Bounds)| {
        let set = sets.iter().position(|set| set.near == near).expect("all sets that are needed are there");
        let outside = (0..matched).filter(|at| !loose && near >> at & 1 == 0);
        let matched = outside.map(|at| (at, near & !pattern.neighbours(at))).collect();
        Counted { set, bounds, left: bounds.without(sets[set].bounds), matched }
    };
    let last = 1 << (matched - 1);
    let varies = |counted: &Counted| {
        let bounds = counted.bounds.above | counted.bounds.below;
        let inside = counted.matched.iter().fold(0, |all, (at, unknown)| all | 1 << at | unknown);
        (sets[counted.set].near | bounds | inside) & last != 0
    };
    let term = |product: Product| {
        let (varying, fixed) = product.factors.into_iter().map(factor).partition(varies);
        Term { times: product.times, fixed, varying }
    };
    products.into_iter().map(term).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_counted_by_falling_factorials() {
        // All leaves have the same set, of d members: d (d-1) (d-2) = d³ - 3d² + 2d.
        let star = Pattern::parse("star-3").unwrap();
        let products = terms(&star, 1, &[Bounds::default(); 4]);
        let mut shape: Vec<_> = products.iter().map(|product| (product.factors.len(), product.times)).collect();
        shape.sort_unstable();
        assert_eq!(shape, [(1, 2), (2, -3), (3, 1)]);
    }
}
