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
    /// The workers of each domain, and the domain of each worker.
    domains: Vec<Vec<usize>>,
    domain_of: Vec<usize>,
}

impl WithinDomain {
    /// Lists the victims of each worker.
    #[must_use]
    pub fn new(neighbours: &Neighbours) -> Self {
        let domain_of: Vec<usize> = (0..neighbours.workers()).map(|worker| neighbours.domain(worker)).collect();
        let mut domains = vec![Vec::new(); domain_of.iter().max().map_or(0, |last| last + 1)];
        domain_of.iter().enumerate().for_each(|(worker, &domain)| domains[domain].push(worker));
        Self { domains, domain_of }
    }
}

impl Policy for WithinDomain {
    fn victim(&self, thief: usize, random: u64) -> Option<usize> {
        another_of(&self.domains[self.domain_of[thief]], thief, random)
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
    /// The workers of each seat, and the seat of each worker.
    seats: Vec<Vec<usize>>,
    seat_of: Vec<usize>,
    /// For the thieves of each seat the sums of shares up to each seat, out of 2^32.
    sums: Vec<Vec<u64>>,
}

const SHARES: [f64; 4] = [50.0, 25.0, 18.0, 7.0];
const ALL: f64 = 4_294_967_296.0;

impl Near {
    /// Computes the shares.
    #[must_use]
    pub fn new(neighbours: &Neighbours) -> Self {
        let (seats, mut seat_of) = (neighbours.by_seat(), vec![0; neighbours.workers()]);
        for (seat, workers) in seats.iter().enumerate() {
            for &worker in workers {
                seat_of[worker] = seat;
            }
        }
        Self { sums: (0..seats.len()).map(|own| sums(neighbours, &seats, own)).collect(), seats, seat_of }
    }
}

impl Policy for Near {
    /// The upper half of the random number chooses the seat, the lower one the worker.
    fn victim(&self, thief: usize, random: u64) -> Option<usize> {
        let sums = &self.sums[self.seat_of[thief]];
        let seat = sums.partition_point(|&sum| sum <= random >> 32).min(sums.len() - 1);
        another_of(&self.seats[seat], thief, random << 32)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shares are in 0..2^32")]
fn sums(neighbours: &Neighbours, seats: &[Vec<usize>], own: usize) -> Vec<u64> {
    // How far the thief's other workers of a seat are, and what they weigh together.
    let others = |(seat, workers): (usize, &Vec<usize>)| {
        let (thief, other) = (seats[own][0], workers[workers.len() - 1]);
        let class = neighbours.distance(thief, other);
        let each = if class == Distance::Far { f64::from(neighbours.slit(thief, other)).powi(-2) } else { 1.0 };
        (class, (workers.len() - usize::from(seat == own)) as f64 * each)
    };
    let others: Vec<(Distance, f64)> = seats.iter().enumerate().map(others).collect();
    let of_class = |class: Distance| others.iter().filter(move |other| other.0 == class).map(|other| other.1);
    let class_weight = Distance::ALL.map(|class| of_class(class).sum::<f64>());
    let whole: f64 = (0..4).filter(|&class| class_weight[class] > 0.0).map(|class| SHARES[class]).sum();
    let mut sum = 0_u64;
    let shares = others.iter().map(|&(class, weight)| {
        if weight > 0.0 {
            let share = SHARES[class as usize] / whole * weight / class_weight[class as usize];
            sum += ((share * ALL) as u64).max(1);
        }
        sum
    });
    let mut sums: Vec<_> = shares.collect();
    // What rounding left over goes to the last one.
    if let Some(last) = others.iter().rposition(|other| other.1 > 0.0) {
        sums[last..].fill(ALL as u64);
    }
    sums
}

/// One of these workers, which are in ascending order, but not the thief: all with equal probability.
fn another_of(workers: &[usize], thief: usize, random: u64) -> Option<usize> {
    let own = workers.binary_search(&thief).ok();
    let at = scaled(random, (workers.len() - usize::from(own.is_some())) as u64);
    workers.get(at + usize::from(own.is_some_and(|own| at >= own))).copied()
}

/// A number below `bound` (Lemire's multiplication instead of a division).
#[expect(clippy::cast_possible_truncation, reason = "it is below the bound")]
fn scaled(random: u64, bound: u64) -> usize {
    ((u128::from(random) * u128::from(bound)) >> 64) as usize
}

#[cfg(all(test, not(any(knee_loom, knee_shuttle))))]
mod tests {
    use knee_machine::Topology;

    use super::*;

    #[test]
    fn near_thieves_choose_by_class_and_never_themselves() {
        let machine = Topology::from_synthetic("pack:2 [numa] l3:1 core:2 pu:2").unwrap();
        let near = Near::new(&Neighbours::on(&machine, &[0, 1, 2, 3, 4, 5, 6, 7]));
        let mut tries = [0.0_f64; 8];
        for upper in 0..1000_u64 {
            for lower in 0..20_u64 {
                // Evenly spread over both halves of the number.
                let random = (upper * 4_294_967 + 2_147_483) << 32 | (lower * 214_748_364 + 107_374_182);
                tries[near.victim(0, random).unwrap()] += 1.0 / 20_000.0;
            }
        }
        // No class is empty but the node beyond the cache: 50, 25 and 7 of 82.
        let expected = [0.0, 50.0, 12.5, 12.5, 1.75, 1.75, 1.75, 1.75].map(|share| share / 82.0);
        assert!(tries.iter().zip(expected).all(|(tries, share)| (tries - share).abs() < 0.002), "{tries:?}");
    }

    #[test]
    fn workers_at_unknown_places_need_no_table_of_pairs() {
        let near = Near::new(&Neighbours::unknown(60_000));
        assert_eq!(near.sums.iter().map(Vec::len).sum::<usize>(), 1);
        assert_eq!([near.victim(0, 0), near.victim(7, u64::MAX)], [Some(1), Some(59_999)]);
        assert_eq!(near.victim(59_999, u64::MAX), Some(59_998));
    }
}
