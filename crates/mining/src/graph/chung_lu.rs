//! Random graphs with given expected degrees (Chung-Lu) that follow a power law, as in social networks.
//!
//! Each end of each edge is vertex i with a probability proportional to (i + s)^(-2/3), so that degrees have the exponent
//! 2.5; the shift s bounds the highest one. Chung, Lu, *Connected components in random graphs with given expected degree
//! sequences*, 2002; drawn edge by edge as in Miller, Hagberg, *Efficient generation of networks with given expected
//! degrees*, WAW 2011, and with loops and repetitions dropped, so that the highest degrees come out somewhat lower.

use knee_workload::Error;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{EdgeList, drawn};

/// The parameters of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChungLu {
    /// Number of vertices; those that get no edge are dropped.
    pub vertices: u32,
    /// Edges drawn.
    pub edges: u64,
    /// The highest expected degree.
    pub highest: u64,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// The friendships of Orkut: J. Yang, J. Leskovec, *Defining and evaluating network communities*, ICDM 2012.
const ORKUT: ChungLu = ChungLu { vertices: 3_072_441, edges: 117_185_083, highest: 33_313, seed: 1 };

impl ChungLu {
    /// Reads `VERTICES:EDGES[:HIGHEST[:SEED]]`, or `orkut[:DIVISOR]` for vertices and edges as many as the social network
    /// Orkut has, or a whole part of them.
    ///
    /// # Errors
    /// When a part is not a number or out of range.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = || {
            let forms = "chung-lu:VERTICES:EDGES[:HIGHEST_DEGREE[:SEED]] or chung-lu:orkut[:DIVISOR]";
            Error::new(format!("bad graph: chung-lu:{text}; expected {forms}"))
                .hint("try chung-lu:orkut:100, a hundredth of a large social network")
        };
        let mut parts = text.split(':');
        let mut number = |least: u64, most: u64, default: Option<u64>| match parts.next() {
            None => default.ok_or_else(refuse),
            Some(part) => part.parse().ok().filter(|number| (least..=most).contains(number)).ok_or_else(refuse),
        };
        let found = if let Some(divisor) = text.strip_prefix("orkut") {
            let divisor = match divisor.strip_prefix(':') {
                None if divisor.is_empty() => 1,
                Some(part) => part.parse().ok().filter(|one| (1..=100_000).contains(one)).ok_or_else(refuse)?,
                None => return Err(refuse()),
            };
            let part = u64::from(divisor);
            // Hubs shrink with the square root, as they do where a network is still growing.
            let highest = (ORKUT.highest * ORKUT.highest / part).isqrt();
            return Ok(Self { vertices: ORKUT.vertices / divisor, edges: ORKUT.edges / part, highest, ..ORKUT });
        } else {
            let vertices = number(2, 1 << 31, None)?;
            let edges = number(1, 1 << 40, None)?;
            // With no shift, and with an endless one: then all degrees are the same.
            let most = (2.0 * edges as f64 / (vertices as f64).cbrt()).floor();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is at most 2^41")]
            let (least, most) = ((2 * edges).div_ceil(vertices), (most as u64).max(1));
            if most < least {
                return Err(refuse());
            }
            let highest = number(1, 1 << 41, Some((2 * edges).isqrt().clamp(least, most)))?;
            if !(least..=most).contains(&highest) {
                let reason = format!("the highest degree of so many edges is from {least} to {most}");
                return Err(Error::new(format!("bad graph: chung-lu:{text}: {reason}"))
                    .hint("leave it out, and knee chooses one"));
            }
            let vertices = u32::try_from(vertices).expect("inside the range");
            Self { vertices, edges, highest, seed: number(0, u64::MAX, Some(1))? }
        };
        if parts.next().is_some() { Err(refuse()) } else { Ok(found) }
    }

    /// Draws the graph.
    #[must_use]
    pub fn generate(&self) -> EdgeList {
        let (vertices, shift) = (f64::from(self.vertices), self.shift());
        let (least, most) = (shift.cbrt(), (vertices + shift).cbrt());
        let one = move |random: &mut ChaCha8Rng| {
            // The inverse of the distribution, whose density falls with the power 2/3.
            let root = least + random.random::<f64>() * (most - least);
            let at = (root * root * root - shift).clamp(0.0, vertices - 1.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is the number of a vertex")]
            (at as u32)
        };
        let edges = usize::try_from(self.edges).expect("a machine of 64 bits");
        drawn::graph(self.vertices, edges, Vec::new(), self.seed, move |random| (one(random), one(random)))
    }

    /// The shift with which the first vertex has the highest degree: the one at which its share of all ends is that
    /// of the highest degree, found by halving.
    fn shift(&self) -> f64 {
        let vertices = f64::from(self.vertices);
        let share = self.highest as f64 / (2.0 * self.edges as f64);
        let of_first = |shift: f64| {
            let root = |at: f64| (at + shift).cbrt();
            (root(1.0) - root(0.0)) / (root(vertices) - root(0.0))
        };
        let (mut low, mut high) = (0.0, vertices * 1e3);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if of_first(middle) > share {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_follow_the_law() {
        let asked = ChungLu::parse("100000:1000000:2000:3").unwrap();
        let graph = asked.generate();
        let mut degrees = vec![0_u32; graph.vertices];
        for &(a, b) in &graph.edges {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        degrees.sort_unstable_by(|a, b| b.cmp(a));
        // Some of a hub's edges are repetitions.
        assert!((1400..2200).contains(&degrees[0]), "{}", degrees[0]);
        assert!(graph.edges.len() > 960_000, "{}", graph.edges.len());
        // With the exponent 2.5 the number of vertices above a degree falls with the power 1.5.
        let above = |degree: u32| degrees.iter().filter(|own| **own > degree).count() as f64;
        let power = (above(50) / above(200)).ln() / 4_f64.ln();
        assert!((1.3..1.7).contains(&power), "{power}");
    }

    #[test]
    fn a_seed_gives_the_same_graph_on_any_number_of_threads() {
        let draw = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| ChungLu::parse("5000:50000").unwrap().generate())
        };
        assert_eq!(draw(1), draw(3));
    }

    #[test]
    fn descriptions_are_read_or_refused() {
        assert_eq!(ChungLu::parse("orkut").unwrap(), ORKUT);
        let small = ChungLu::parse("orkut:100").unwrap();
        assert_eq!((small.vertices, small.edges, small.highest), (30_724, 1_171_850, 3_331));
        for text in [
            "",
            "1:1",
            "10",
            "10:0",
            "10:5:3:1:1",
            "orkut:0",
            "orkut:1:2",
            "orkut-1",
            "x:1",
            "10:-5",
            "1000:10:1000",
            "10:1000:1",
        ] {
            assert!(ChungLu::parse(text).is_err(), "{text}");
        }
    }
}
