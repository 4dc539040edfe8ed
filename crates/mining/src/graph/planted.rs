//! Random graphs into which copies of a pattern are planted.
//!
//! Edges are drawn with equal probability; each copy joins vertices of its own, as the pattern is joined. So there are at
//! least as many edge-induced copies as were planted, and exactly as many where no edges are drawn.

use knee_workload::Error;
use rand::RngExt;

use super::{EdgeList, drawn};
use crate::Pattern;

/// The parameters of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planted {
    /// Number of vertices; those that get no edge are dropped.
    pub vertices: u32,
    /// Edges drawn besides the copies.
    pub edges: u64,
    /// How many copies are planted.
    pub copies: u32,
    /// What they are copies of.
    pub pattern: Pattern,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Planted {
    /// Reads `VERTICES:EDGES:COPIES:PATTERN[:SEED]`.
    ///
    /// # Errors
    /// When a part is not a number or out of range, or the pattern is none; when there are too few vertices.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = |why: &str| {
            Error::new(format!("bad graph: planted:{text}; {why}")).hint("try planted:10000:20000:50:house")
        };
        let form = "expected planted:VERTICES:EDGES:COPIES:PATTERN[:SEED]";
        let parts: Vec<&str> = text.splitn(4, ':').collect();
        let [vertices, edges, copies, rest] = parts[..] else { return Err(refuse(form)) };
        let (pattern, seed) = match rest.rsplit_once(':') {
            Some((pattern, seed)) if pattern != "graph6" => (pattern, seed),
            _ => (rest, "1"),
        };
        let number = |part: &str, most: u64| part.parse().ok().filter(|one| *one <= most).ok_or_else(|| refuse(form));
        let pattern = Pattern::parse(pattern).map_err(|reason| refuse(&format!("its pattern: {reason}")))?;
        let (vertices, copies) = (number(vertices, 1 << 31)?, number(copies, 1 << 31)?);
        if copies * pattern.vertices() as u64 > vertices || vertices < 2 {
            return Err(refuse("each copy has vertices of its own, and there are too few"));
        }
        let small = |number: u64| u32::try_from(number).expect("inside the range");
        let (edges, seed) = (number(edges, 1 << 40)?, number(seed, u64::MAX)?);
        Ok(Self { vertices: small(vertices), edges, copies: small(copies), pattern, seed })
    }

    /// All edges, of the copies as well.
    #[must_use]
    pub fn all_edges(&self) -> u64 {
        self.edges + u64::from(self.copies) * self.pattern.edges().count() as u64
    }

    /// Draws the graph.
    #[must_use]
    pub fn generate(&self) -> EdgeList {
        let edges = usize::try_from(self.edges).expect("a machine of 64 bits");
        let size = u32::try_from(self.pattern.vertices()).expect("patterns are small");
        let small = |vertex: usize| u32::try_from(vertex).expect("patterns are small");
        let copy =
            |number: u32| self.pattern.edges().map(move |(a, b)| (number * size + small(a), number * size + small(b)));
        let planted = (0..self.copies).flat_map(copy).collect();
        drawn::graph(self.vertices, edges, planted, self.seed, |random| {
            (random.random_range(0..self.vertices), random.random_range(0..self.vertices))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Graph, Induced, Method, Question, Scheduler};

    fn houses(text: &str, threads: usize) -> (EdgeList, u128) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let list = pool.install(|| Planted::parse(text).unwrap().generate());
        let house = Pattern::parse("house").unwrap();
        let question = Question::new(&house, Induced::Edge, Method::Auto).unwrap();
        let count = question.count(&Graph::from_edges(&list), &Scheduler::unpinned(1).unwrap())[0];
        (list, count)
    }

    #[test]
    fn what_was_planted_is_found() {
        let (list, count) = houses("500:0:100:house", 1);
        assert_eq!((list.vertices, list.edges.len(), count), (500, 600, 100));
        for text in ["500:0:100:graph6:DdW", "500:0:100:graph6:DdW:2"] {
            assert_eq!(houses(text, 1).0.edges.len(), 500, "cycles of five, in {text}");
        }
        let (list, count) = houses("5000:10000:50:house:7", 1);
        assert!(count >= 50 && list.edges.len() > 10_000, "{count}");
        assert_eq!(list, houses("5000:10000:50:house:7", 3).0);
        assert_ne!(list, houses("5000:10000:50:house:8", 1).0);
    }

    #[test]
    fn bad_descriptions_are_refused() {
        for text in ["", "10", "10:5:2", "10:5:3:house", "x:5:1:house", "10:5:1:hous", "10:5:1:house:1:1", "1:5:0:edge"]
        {
            assert!(Planted::parse(text).is_err(), "{text}");
        }
    }
}
