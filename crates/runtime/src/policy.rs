//! How a thief chooses its next victim.

use crate::neighbours::{Distance, Neighbours};

/// A steal policy. Thieves call it once for each attempt, in parallel.
///
/// Every other worker has to keep a positive probability, or work stealing's bound on the run time is lost; it is lost
/// with [`WithinDomain`], on purpose.
pub trait Policy: Send + Sync {
    /// The victim that `thief` tries next; none if it has none. `random` is uniform over all 64-bit numbers. Not called
    /// for a single worker.
    fn victim(&self, thief: usize, random: u64) -> Option<usize>;

    /// Whether no victim is outside of the thief's domain: see [`Neighbours::share_domain`].
    fn is_confined(&self) -> bool {
        false
    }
}

/// Policies by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Steal {
    /// All others with equal probability: the classic policy.
    Random,
    /// Those nearby more often: see [`Near`].
    #[default]
    Near,
    /// Those of the thief's own socket alone: see [`WithinDomain`].
    Within,
}

impl Steal {
    pub(crate) fn policy(self, neighbours: &Neighbours) -> Box<dyn Policy> {
        match self {
            Self::Random => Box::new(Random { workers: neighbours.workers() }),
            Self::Near => Box::new(Near::new(neighbours)),
            Self::Within => Box::new(WithinDomain::new(neighbours)),
        }
    }
}

/// Chooses all other workers with equal probability.
#[derive(Debug, Clone)]
pub struct Random {
    workers: usize,
}

impl Policy for Random {
    fn victim(&self, thief: usize, random: u64) -> Option<usize> {
        let other = scaled(random, self.workers as u64 - 1);
        Some(if other >= thief { other + 1 } else { other })
    }
}

/// Chooses all other workers of the thief's socket with equal probability, and no other ones; where a node has several
/// sockets, those of its node. Work reaches another socket only when it is sent there: see
/// [`crate::join_over_sockets`].
#[derive(Debug, Clone)]
pub struct WithinDomain {
    /// The other workers of each worker's domain.
    mates: Vec<Vec<usize>>,
}

impl WithinDomain {
    /// Lists the victims of each worker.
    #[must_use]
    pub fn new(neighbours: &Neighbours) -> Self {
        let all = 0..neighbours.workers();
        let mates = |own: usize| all.clone().filter(move |&other| other != own && neighbours.share_domain(own, other));
        Self { mates: all.clone().map(|own| mates(own).collect()).collect() }
    }
}

impl Policy for WithinDomain {
    fn victim(&self, thief: usize, random: u64) -> Option<usize> {
        let mates = &self.mates[thief];
        mates.get(scaled(random, mates.len() as u64)).copied()
    }

    fn is_confined(&self) -> bool {
        true
    }
}

/// Half of the attempts go to hardware threads of the same core, a quarter to the same last-level cache, 18 of 100 to
/// the same node and 7 to other nodes; an empty class gives its share to the others. Inside a class all have equal
/// probability, but other nodes count less by the square of their SLIT distance.
#[derive(Debug, Clone)]
pub struct Near {
    /// For each thief the sums of shares up to each worker, out of 2^32.
    sums: Vec<Vec<u64>>,
}

const SHARES: [f64; 4] = [50.0, 25.0, 18.0, 7.0];
const ALL: f64 = 4_294_967_296.0;

impl Near {
    /// Computes the shares.
    #[must_use]
    pub fn new(neighbours: &Neighbours) -> Self {
        Self { sums: (0..neighbours.workers()).map(|thief| sums(neighbours, thief)).collect() }
    }
}

impl Policy for Near {
    fn victim(&self, thief: usize, random: u64) -> Option<usize> {
        let sums = &self.sums[thief];
        let point = random >> 32;
        Some(sums.partition_point(|&sum| sum <= point).min(sums.len() - 1))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shares are in 0..2^32")]
fn sums(neighbours: &Neighbours, thief: usize) -> Vec<u64> {
    let workers = neighbours.workers();
    let others = || (0..workers).filter(move |&other| other != thief);
    let weight = |other: usize| match neighbours.distance(thief, other) {
        Distance::Far => f64::from(neighbours.slit(thief, other)).powi(-2),
        _ => 1.0,
    };
    let of_class = |class: Distance| others().filter(move |&other| neighbours.distance(thief, other) == class);
    let class_weight = Distance::ALL.map(|class| of_class(class).map(weight).sum::<f64>());
    let whole: f64 = (0..4).filter(|&class| class_weight[class] > 0.0).map(|class| SHARES[class]).sum();
    let mut sum = 0_u64;
    let shares = (0..workers).map(|other| {
        if other != thief {
            let class = neighbours.distance(thief, other) as usize;
            let share = SHARES[class] / whole * weight(other) / class_weight[class];
            sum += ((share * ALL) as u64).max(1);
        }
        sum
    });
    let mut sums: Vec<_> = shares.collect();
    // What rounding left over goes to the last one.
    if let Some(last) = others().next_back() {
        sums[last..].fill(ALL as u64);
    }
    sums
}

/// A number below `bound` (Lemire's multiplication instead of a division).
#[expect(clippy::cast_possible_truncation, reason = "it is below the bound")]
fn scaled(random: u64, bound: u64) -> usize {
    ((u128::from(random) * u128::from(bound)) >> 64) as usize
}
