//! Simple graphs as lists of edges.

use rayon::prelude::*;

/// Undirected simple graph as pairs a < b, sorted, on vertices 0..n. Dropped lines are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeList {
    /// Vertices with at least one edge.
    pub vertices: usize,
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
    /// Makes a simple graph of any pairs: renumbers without gaps in ascending order, drops loops and repetitions.
    ///
    /// # Panics
    /// When there are 2^32 - 1 vertices or more.
    #[must_use]
    pub fn from_pairs(pairs: Vec<(u64, u64)>) -> Self {
        let most = pairs.par_iter().map(|(a, b)| *a.max(b)).max().unwrap_or(0);
        // Names that are far apart are numbered first, so that a number for each lower name costs little.
        let near = most < pairs.len() as u64 * 4 + (1 << 16) && most < u64::from(u32::MAX);
        let number: Box<dyn Fn(u64) -> u32 + Sync> = if near {
            Box::new(|name| u32::try_from(name).expect(FEW))
        } else {
            let mut names: Vec<u64> = pairs.par_iter().flat_map_iter(|&(a, b)| [a, b]).collect();
            names.par_sort_unstable();
            names.dedup();
            assert!(names.len() < u32::MAX as usize, "{FEW}");
            Box::new(move |name| u32::try_from(names.partition_point(|&other| other < name)).expect(FEW))
        };
        Self::from_short(pairs.into_par_iter().map(|(a, b)| (number(a), number(b))).collect())
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
        let mut vertices = 0;
        for number in &mut number {
            (*number, vertices) = (vertices, vertices + *number);
        }
        pairs.par_iter_mut().for_each(|(a, b)| (*a, *b) = (number[*a as usize], number[*b as usize]));
        let (loops, repeated) = (given - straight, straight - pairs.len());
        Self { vertices: vertices as usize, edges: pairs, loops, repeated, header: None }
    }
}

/// Why a number fits 32 bits.
const FEW: &str = "there are fewer than 2^32 - 1 vertices";
