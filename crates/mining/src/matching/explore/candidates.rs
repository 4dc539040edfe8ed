//! The candidates for a vertex: neighbours of a matched vertex as they lie in the graph, or what such a list has in
//! common with another set.

use super::bits::Bits;
use super::sets::{common, common_count, search, searched};
use crate::plan::Set;

/// A set of vertices, in ascending order.
pub(super) struct Candidates<'a> {
    kept: bool,
    borrowed: bool,
    neighbours: &'a [u32],
    made: Vec<u32>,
    size: u64,
    /// How often others were made of it.
    uses: u32,
    marks: Bits,
}

/// A set of which this many others were made is looked up in a bitmap from then on.
const MARKED: u32 = 1;

impl<'a> Candidates<'a> {
    pub(super) fn new(set: &Set, vertices: usize) -> Self {
        let marks = Bits::over(if set.has_children { vertices } else { 0 });
        let (kept, borrowed) = (set.kept, set.parent.is_none());
        Self { kept, borrowed, neighbours: &[], made: Vec::new(), size: 0, uses: 0, marks }
    }

    /// Its members. Empty where only their number is kept.
    pub(super) fn list(&self) -> &[u32] {
        if self.borrowed { self.neighbours } else { &self.made }
    }

    /// The number of its members.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Takes a list of the graph.
    pub(super) fn borrow(&mut self, neighbours: &'a [u32]) {
        self.wipe();
        self.neighbours = neighbours;
        self.size = neighbours.len() as u64;
    }

    /// Takes what `near`, which lies in a range of ranks, has in common with another set. Tells how many members of
    /// either were looked up in the other.
    pub(super) fn intersect(&mut self, other: &mut Self, near: &[u32], (low, high): (u32, u32)) -> u64 {
        self.wipe();
        self.made.clear();
        if near.is_empty() || other.size == 0 {
            self.size = 0;
            return 0;
        }
        if other.uses > MARKED && !searched(other.list().len(), near.len()) {
            return self.look_up(other, near);
        }
        let list = other.list();
        let start = list.partition_point(|member| *member < low);
        let list = &list[start..start + list[start..].partition_point(|member| *member < high)];
        if searched(list.len(), near.len()) {
            let read = list.len() as u64;
            self.size = if self.kept { search(list, near, |x| self.made.push(x)) } else { search(list, near, |_| {}) };
            return read;
        }
        if other.uses < MARKED && !searched(near.len(), list.len()) {
            self.size = if self.kept { common(list, near, &mut self.made) } else { common_count(list, near) };
            other.uses += 1;
            return near.len() as u64;
        }
        other.mark();
        self.look_up(other, near)
    }

    /// What `near`, which lies in a range of ranks, has in common with this set, whose members are marked: how much, and
    /// how many members of either were looked up in the other.
    #[inline]
    pub(super) fn common(&self, near: &[u32], low: u32, high: u32) -> (u64, u64) {
        let list = self.list();
        if !searched(list.len(), near.len()) {
            return (self.count(near), near.len() as u64);
        }
        let list = &list[list.partition_point(|member| *member < low)..];
        let list = &list[..list.partition_point(|member| *member < high)];
        (search(list, near, |_| {}), list.len() as u64)
    }

    /// Takes those members of `near` that are marked in another set.
    fn look_up(&mut self, other: &Self, near: &[u32]) -> u64 {
        self.size = if self.kept { other.marked(near, &mut self.made) } else { other.count(near) };
        near.len() as u64
    }

    /// How many members are looked up where this is intersected with a list.
    pub(super) fn cost(&self, near: &[u32]) -> u64 {
        let own = self.list().len();
        (if searched(own, near.len()) { own } else { near.len() }) as u64
    }

    /// Marks its members in a bitmap, in which others are looked up from then on.
    pub(super) fn mark(&mut self) {
        if self.uses > MARKED {
            return;
        }
        self.uses = MARKED + 1;
        self.marks.set(if self.borrowed { self.neighbours } else { &self.made });
    }

    /// Wipes the marks, while it still has the members that were marked.
    fn wipe(&mut self) {
        if std::mem::take(&mut self.uses) > MARKED {
            self.marks.wipe(if self.borrowed { self.neighbours } else { &self.made });
        }
    }

    fn count(&self, near: &[u32]) -> u64 {
        near.iter().map(|&vertex| self.marks.at(vertex)).sum()
    }

    /// Writes each, and goes on only behind those that are marked: which are, no predictor knows.
    fn marked(&self, near: &[u32], into: &mut Vec<u32>) -> u64 {
        into.resize(near.len(), 0);
        let mut end = 0;
        for &vertex in near {
            into[end] = vertex;
            end += usize::try_from(self.marks.at(vertex)).expect("a bit");
        }
        into.truncate(end);
        end as u64
    }
}
