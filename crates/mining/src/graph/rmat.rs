//! Random graphs by recursive matrix (R-MAT), with the constants of the Graph500 benchmark.
//!
//! 2^scale vertices, edge factor × 2^scale edges; at each of `scale` levels an edge falls into a quadrant with
//! probability .57, .19, .19, .05; vertex numbers are then permuted so that a number says nothing of a degree.
//! Chakrabarti, Zhan, Faloutsos, *R-MAT: a recursive model for graph mining*, SDM 2004; Graph500 specification 3.

use knee_workload::Error;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{EdgeList, drawn};

/// The parameters of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rmat {
    /// Binary logarithm of the number of vertices.
    pub scale: u32,
    /// Edges drawn for each vertex; loops and repetitions among them are dropped later.
    pub edge_factor: u64,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Rmat {
    /// Reads `SCALE[:EDGE_FACTOR[:SEED]]`.
    ///
    /// # Errors
    /// When a part is not a number or out of range.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = || {
            Error::new(format!(
                "bad graph: rmat:{text}; expected rmat:SCALE[:EDGE_FACTOR[:SEED]] with SCALE from 1 to 28"
            ))
            .hint("try rmat:17, about 2 million edges")
        };
        let parts: Vec<u64> =
            text.split(':').map(|part| part.parse().map_err(|_| refuse())).collect::<Result<_, _>>()?;
        let (scale, edge_factor, seed) = match parts[..] {
            [scale] => (scale, 16, 1),
            [scale, factor] => (scale, factor, 1),
            [scale, factor, seed] => (scale, factor, seed),
            _ => return Err(refuse()),
        };
        if !(1..=28).contains(&scale) || !(1..=1024).contains(&edge_factor) {
            return Err(refuse());
        }
        Ok(Self { scale: u32::try_from(scale).expect("inside the range"), edge_factor, seed })
    }

    /// Draws the graph.
    #[must_use]
    pub fn generate(&self) -> EdgeList {
        let edges = usize::try_from(self.edge_factor << self.scale).expect("a machine of 64 bits");
        drawn::graph(1 << self.scale, edges, Vec::new(), self.seed, |random| self.edge(random))
    }

    fn edge(&self, random: &mut ChaCha8Rng) -> (u32, u32) {
        (0..self.scale).fold((0, 0), |(row, column), _| {
            let (down, right) = match random.random_range(0..100_u32) {
                0..57 => (0, 0),
                57..76 => (0, 1),
                76..95 => (1, 0),
                _ => (1, 1),
            };
            (row << 1 | down, column << 1 | right)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_graph_on_any_number_of_threads() {
        let draw = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Rmat::parse("12:8:7").unwrap().generate())
        };
        assert_eq!(draw(1), draw(3));
        assert_ne!(draw(1), Rmat::parse("12:8:8").unwrap().generate());
    }

    #[test]
    fn degrees_are_skewed_as_the_model_says() {
        let graph = Rmat::parse("14").unwrap().generate();
        let mut degrees = vec![0; graph.vertices];
        for &(a, b) in &graph.edges {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        // The most probable row collects about total × (.57 + .19)^scale × 2 ends before repetitions are dropped.
        let highest = degrees.iter().copied().max().unwrap();
        assert!(highest > 50 * (2 * graph.edges.len() / graph.vertices), "{highest}");
    }

    #[test]
    fn bad_descriptions_are_refused() {
        for text in ["", "0", "29", "17:0", "17:16:1:1", "x", "-3"] {
            assert!(Rmat::parse(text).is_err(), "{text}");
        }
    }
}
