//! Simple graphs as lists of edges.

use rayon::prelude::*;

use super::header::header;

/// Undirected simple graph as pairs a < b, sorted, on vertices 0..n. Dropped lines are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeList {
    /// Vertices with at least one edge.
    pub vertices: usize,
    /// What each vertex was called where it comes from.
    pub names: Vec<u64>,
    /// The edges.
    pub edges: Vec<(u32, u32)>,
    /// Edges from a vertex to itself, dropped.
    pub loops: usize,
    /// Lines that named an edge again, in either direction, dropped.
    pub repeated: usize,
    /// The first line, when it was taken for a header (vertices, edges) and not for an edge.
    pub header: Option<(u64, u64)>,
}

impl EdgeList {
    /// The edges by the names of their ends, in an order in which none is read as a header.
    #[must_use]
    pub fn written(&self) -> Vec<(u64, u64)> {
        let name = |vertex: u32| self.names[vertex as usize];
        let mut pairs: Vec<_> = self.edges.iter().map(|(a, b)| (name(*a), name(*b))).collect();
        for at in 1..pairs.len() {
            if header(&pairs).is_none() {
                break;
            }
            pairs.swap(0, at);
        }
        pairs
    }

    /// Makes a simple graph of any pairs: renumbers without gaps in ascending order, drops loops and repetitions.
    ///
    /// # Panics
    /// When there are 2^32 - 1 vertices or more.
    #[must_use]
    pub fn from_pairs(pairs: Vec<(u64, u64)>) -> Self {
        let most = pairs.par_iter().map(|(a, b)| *a.max(b)).max().unwrap_or(0);
        // Names that are far apart are numbered first, so that a number for each lower name costs little.
        let near = most < pairs.len() as u64 * 4 + (1 << 16) && most < u64::from(u32::MAX);
        if near {
            let number = |name| u32::try_from(name).expect(FEW);
            return Self::from_short(pairs.into_par_iter().map(|(a, b)| (number(a), number(b))).collect());
        }
        let mut names: Vec<u64> = pairs.par_iter().flat_map_iter(|&(a, b)| [a, b]).collect();
        names.par_sort_unstable();
        names.dedup();
        assert!(names.len() < u32::MAX as usize, "{FEW}");
        let number = |name| u32::try_from(names.partition_point(|&other| other < name)).expect(FEW);
        let mut list = Self::from_short(pairs.into_par_iter().map(|(a, b)| (number(a), number(b))).collect());
        list.names.iter_mut().for_each(|name| *name = names[usize::try_from(*name).expect(FEW)]);
        list
    }

    /// The same for numbers that are not far apart.
    pub(super) fn from_short(mut pairs: Vec<(u32, u32)>) -> Self {
        let given = pairs.len();
        pairs.retain(|(a, b)| a != b);
        pairs.par_iter_mut().for_each(|(a, b)| (*a, *b) = ((*a).min(*b), (*a).max(*b)));
        let straight = pairs.len();
        pairs.par_sort_unstable();
        pairs.dedup();
        let most = pairs.par_iter().map(|(_, b)| *b).max().map_or(0, |most| most as usize + 1);
        let mut number = vec![0; most];
        for &(a, b) in &pairs {
            (number[a as usize], number[b as usize]) = (1, 1);
        }
        let mut names = Vec::new();
        for (name, number) in (0..).zip(&mut number) {
            let seen = *number == 1;
            *number = u32::try_from(names.len()).expect(FEW);
            if seen {
                names.push(name);
            }
        }
        pairs.par_iter_mut().for_each(|(a, b)| (*a, *b) = (number[*a as usize], number[*b as usize]));
        let (loops, repeated) = (given - straight, straight - pairs.len());
        Self { vertices: names.len(), names, edges: pairs, loops, repeated, header: None }
    }
}

/// Why a number fits 32 bits.
const FEW: &str = "there are fewer than 2^32 - 1 vertices";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_numbered_without_gaps_and_keep_their_names() {
        let far = 1 << 40;
        let list = EdgeList::from_pairs(vec![(5, 5), (9, 7), (far, 7), (7, 9)]);
        assert_eq!((list.names, list.edges), (vec![7, 9, far], vec![(0, 1), (0, 2)]));
        let list = EdgeList::from_pairs(vec![(3, 1), (1, 8), (4, 4)]);
        assert_eq!((list.names, list.edges), (vec![1, 3, 8], vec![(0, 1), (0, 2)]));
    }

    #[test]
    fn what_is_written_is_read_back_also_where_an_edge_could_be_a_header() {
        for least in 0..8 {
            let clique = (least..least + 4).flat_map(|a| (a + 1..least + 4).map(move |b| (a, b)));
            let list = EdgeList::from_pairs(clique.collect());
            let lines: Vec<String> = list.written().iter().map(|(a, b)| format!("{a} {b}")).collect();
            assert_eq!(EdgeList::parse(lines.join("\n").as_bytes()).unwrap(), list, "{lines:?}");
        }
    }
}
