//! Symmetry: which relabellings of a pattern leave it as it is, and one form for all relabellings.

use super::{MOST_VERTICES, Pattern, members};

/// A relabelling: the new number of each vertex.
pub(crate) type Relabelling = [u8; MOST_VERTICES];

impl Pattern {
    /// All relabellings that leave it as it is (automorphisms), the identity among them.
    pub(crate) fn automorphisms(&self) -> Vec<Relabelling> {
        let mut found = Vec::new();
        self.extend(&mut [0; MOST_VERTICES], 0, 0, &mut found);
        found
    }

    /// Extends a partial relabelling of the vertices below `vertex` by all that keep pairs as they are.
    fn extend(&self, to: &mut Relabelling, vertex: usize, used: u8, found: &mut Vec<Relabelling>) {
        if vertex == self.vertices() {
            return found.push(*to);
        }
        let same = |rows: &[u8; MOST_VERTICES], to: &Relabelling, image: usize| {
            (0..vertex).all(|other| rows[vertex] >> other & 1 == rows[image] >> to[other] & 1)
        };
        for image in (0..self.vertices()).filter(|image| used >> image & 1 == 0) {
            let alike = self.labels[vertex] == self.labels[image];
            if alike && same(&self.joined, to, image) && same(&self.apart, to, image) {
                to[vertex] = u8::try_from(image).expect("patterns are small");
                self.extend(to, vertex + 1, used | 1 << image, found);
            }
        }
    }

    /// The pattern with its vertices renumbered.
    pub(crate) fn relabelled(&self, to: Relabelling) -> Self {
        let none = [0; MOST_VERTICES];
        let mut moved = Self { vertices: self.vertices, joined: none, apart: none, labels: [0; MOST_VERTICES] };
        for a in 0..self.vertices {
            moved.labels[usize::from(to[a])] = self.labels[a];
            for (from, into) in [(self.joined[a], &mut moved.joined), (self.apart[a], &mut moved.apart)] {
                let row = members(from).fold(0, |row, b| row | 1 << to[b]);
                into[usize::from(to[a])] = row;
            }
        }
        moved
    }

    /// The same pattern for all patterns that differ only in the numbers of vertices: of all renumberings that sort
    /// vertices by their surroundings the one whose rows are smallest.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let marks = self.surroundings();
        let mut order: Vec<usize> = (0..self.vertices).collect();
        order.sort_by_key(|vertex| (self.labels[*vertex], marks[*vertex]));
        let mut least = None;
        self.arrange(&mut order, 0, &marks, &mut least);
        least.expect("there is at least one order")
    }

    /// Tries all orders in which vertices with the same marks, from position `at` on, change places.
    fn arrange(&self, order: &mut [usize], at: usize, marks: &[u64; MOST_VERTICES], least: &mut Option<Self>) {
        if at == order.len() {
            let mut to = [0; MOST_VERTICES];
            order.iter().zip(0..).for_each(|(vertex, number)| to[*vertex] = number);
            let moved = self.relabelled(to);
            *least = Some(least.map_or(moved, |least| least.min(moved)));
            return;
        }
        for other in at..order.len() {
            if marks[order[other]] == marks[order[at]] {
                order.swap(at, other);
                self.arrange(order, at + 1, marks, least);
                order.swap(at, other);
            }
        }
    }

    /// A mark of each vertex that no renumbering changes: its label and degrees, then its neighbours' marks, and theirs.
    fn surroundings(&self) -> [u64; MOST_VERTICES] {
        let degrees = |at: usize| self.joined[at].count_ones() << 4 | self.apart[at].count_ones();
        let mark = |at: usize| u64::from(self.labels[at]) << 32 | u64::from(degrees(at));
        let mut marks: [u64; MOST_VERTICES] = std::array::from_fn(mark);
        for _ in 0..3 {
            let sum = |row: u8| members(row).map(|other| mixed(marks[other])).fold(0, u64::wrapping_add);
            let around = |at: usize| sum(self.joined[at]).wrapping_add(mixed(sum(self.apart[at])));
            marks = std::array::from_fn(|at| mixed(marks[at] ^ around(at).rotate_left(17)));
        }
        marks
    }
}

/// Spreads bits (the finaliser of splitmix64).
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_counted_as_in_the_textbook() {
        for (text, count) in [
            ("vertex", 1),
            ("wedge", 2),
            ("triangle", 6),
            ("path-4", 2),
            ("square", 8),
            ("claw", 6),
            ("paw", 2),
            ("diamond", 4),
            ("4-clique", 24),
            ("house", 2),
            ("pentagon", 10),
            ("octahedron", 48),
            ("prism", 12),
            ("k2,3", 12),
            ("a-b, b-c, a!c", 2),
            ("a-b, b-c, c-d, a!c", 1),
        ] {
            assert_eq!(Pattern::parse(text).unwrap().automorphisms().len(), count, "{text}");
        }
    }

    #[test]
    fn renumbered_patterns_have_one_form_and_others_another_one() {
        // All graphs of 5 vertices: 34 of them differ, 21 are connected.
        let pairs: Vec<_> = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).collect();
        let some = |bits: u32| -> Vec<_> {
            pairs.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, pair)| *pair).collect()
        };
        let patterns: Vec<_> =
            (0..1 << pairs.len()).filter_map(|bits| Pattern::new(5, &some(bits), &[]).ok()).collect();
        let mut forms: Vec<_> = patterns.iter().map(Pattern::canonical).collect();
        forms.sort();
        forms.dedup();
        assert_eq!(forms.len(), 21);
        // Each form has 5! renumberings, as often as it has symmetries.
        let all: usize = forms.iter().map(|form| 120 / form.automorphisms().len()).sum();
        assert_eq!(all, patterns.len());
    }
}
