//! Scores from slices: of a pair of cpus, and of every cpu of a group.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use knee_machine::CpuSet;

use super::judge::{Evidence, Verdict, judge, quantile};
use super::loops::Loop;
use super::search::{Found, search};
use super::slices::{Reading, Workers};
use super::{Crowded, Error, Pair};
use crate::Baseline;

/// Scores to collect for each pair, and for each cpu in a crowd.
const SCORES: usize = 11;
/// Tries for them on a busy machine.
const TRIES: usize = 3 * SCORES;
/// Ratios of a cpu alone, to compare it with itself in a crowd.
const ALONE: usize = 5;
/// Even few pairs are tested for this long, to notice a host that moves cpus.
const AT_LEAST: Duration = Duration::from_secs(2);
/// What one try takes at most on average, four slices and their beginnings; a test of pairs ends after the sum of it.
const TRY: Duration = Duration::from_millis(12);
/// The same for a crowd, whose workers all have to meet: they wait in vain for a cpu that another program keeps.
const CROWD: Duration = Duration::from_secs(1);
/// Share of a cpu that others may use before "alone" is doubtful: below it, ticks of 10 ms and a short test say little.
const OTHERS: f64 = 0.2;

/// Workers with the tests that they run.
pub(super) struct Bench {
    workers: Workers,
}

/// The scores of one pair, or of one cpu in a crowd.
#[derive(Default)]
struct Scores {
    clean: Vec<f64>,
    tried: usize,
}

impl Scores {
    fn add(&mut self, score: Option<f64>) {
        self.tried += 1;
        self.clean.extend(score);
    }

    fn want_more(&self) -> bool {
        self.clean.len() < SCORES && self.tried < TRIES
    }

    fn judge(&self) -> Evidence {
        judge(&self.clean, self.tried)
    }
}

impl Bench {
    /// Tests with a worker on each cpu.
    pub(super) fn with<T>(cpus: &CpuSet, test: impl FnOnce(&mut Self) -> T) -> Result<T, Error> {
        let cpus: Vec<u32> = cpus.iter().collect();
        Workers::with(&cpus, |workers| test(&mut Self { workers }))
    }

    /// Tests each pair alone with each other; the scores of all pairs are interleaved.
    pub(super) fn pairs(&mut self, pairs: &[(u32, u32)]) -> Vec<Pair> {
        let watch = Watch::begin(&self.workers, pairs.iter().map(|pair| pair.1));
        let mut scores: Vec<Scores> = pairs.iter().map(|_| Scores::default()).collect();
        let at_most = AT_LEAST + TRY * u32::try_from(pairs.len() * TRIES).unwrap_or(u32::MAX);
        let mut early = !pairs.is_empty();
        while early || (watch.begin.elapsed() < at_most && scores.iter().any(Scores::want_more)) {
            for (scores, &(a, b)) in scores.iter_mut().zip(pairs).filter(|(scores, _)| early || scores.want_more()) {
                scores.add(self.score(a, b));
            }
            early = watch.begin.elapsed() < AT_LEAST;
        }
        let others = watch.end(&self.workers);
        let judged = |(&(a, b), scores): (&(u32, u32), &Scores)| Pair {
            cpus: [a, b],
            evidence: doubt(scores.judge(), b, others.get(&b)),
        };
        pairs.iter().zip(&scores).map(judged).collect()
    }

    /// The score of `a` beside `b`; none when a slice was disturbed. A clock that drifts steadily cancels in this order.
    fn score(&mut self, a: u32, b: u32) -> Option<f64> {
        let port_alone = self.rate(&[(a, Loop::Port)])?;
        let port_beside = self.rate(&[(a, Loop::Port), (b, Loop::Port)])?;
        let chain_alone = self.rate(&[(a, Loop::Chain)])?;
        let chain_beside = self.rate(&[(a, Loop::Chain), (b, Loop::Port)])?;
        Some(port_beside / port_alone / (chain_beside / chain_alone))
    }

    /// The rate of the first cpu of a shift, if none of its workers was disturbed.
    fn rate(&mut self, shift: &[(u32, Loop)]) -> Option<f64> {
        let readings = self.workers.work(shift)?;
        readings.iter().all(|reading| reading.is_clean()).then(|| readings[0].rate)
    }

    /// Searches among `cpus`: candidates for pairs, and each cpu against all others. A slowed cpu gets no verdict here:
    /// only the test of a pair says which cpu slows it.
    pub(super) fn search(&mut self, cpus: &[u32]) -> (Found, Vec<Crowded>) {
        let watch = Watch::begin(&self.workers, cpus.iter().copied());
        let alone = self.alone(cpus);
        let mut against_all = None;
        let found = search(cpus, |running| {
            let evidence = self.crowd(running, &alone);
            let verdicts = evidence.iter().map(|evidence| evidence.verdict).collect();
            against_all.get_or_insert(evidence);
            verdicts
        });
        let others = watch.end(&self.workers);
        let crowded = |(&cpu, evidence)| Crowded {
            cpu,
            others: cpus.len() - 1,
            evidence: doubt(without_partner(evidence), cpu, others.get(&cpu)),
        };
        let crowd = cpus.iter().zip(against_all.unwrap_or_default()).map(crowded).collect();
        (found, crowd)
    }

    /// For each cpu the rate of its port-bound loop over that of its chain while all others sleep. Both count cycles,
    /// so the clock cancels in this ratio, and one measurement serves the whole search.
    fn alone(&mut self, cpus: &[u32]) -> BTreeMap<u32, f64> {
        let mut ratios: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for _ in 0..3 * ALONE {
            for &cpu in cpus {
                let of_cpu = ratios.entry(cpu).or_default();
                if of_cpu.len() < ALONE {
                    of_cpu.extend(self.ratios(&[cpu])[0]);
                }
            }
        }
        let median = |mut ratios: Vec<f64>| {
            ratios.sort_by(f64::total_cmp);
            quantile(&ratios, 2)
        };
        ratios.into_iter().filter_map(|(cpu, ratios)| Some((cpu, median(ratios)?))).collect()
    }

    /// Runs all of `running` at once, several times, and judges each against itself alone.
    fn crowd(&mut self, running: &[u32], alone: &BTreeMap<u32, f64>) -> Vec<Evidence> {
        let mut scores: Vec<Scores> = running.iter().map(|_| Scores::default()).collect();
        let begin = Instant::now();
        while begin.elapsed() < CROWD && scores.iter().any(Scores::want_more) {
            let ratios = self.ratios(running);
            for ((scores, ratio), cpu) in scores.iter_mut().zip(ratios).zip(running) {
                scores.add(ratio.zip(alone.get(cpu)).map(|(ratio, alone)| ratio / alone));
            }
        }
        scores.iter().map(Scores::judge).collect()
    }

    /// Rate of the port-bound loop over that of the chain for each of `running`, all in the same loop at once; none for
    /// a cpu that was disturbed. Its sibling may have been faster for that; the median over tries removes this.
    fn ratios(&mut self, running: &[u32]) -> Vec<Option<f64>> {
        let mut rates = |work| self.workers.work(&running.iter().map(|&cpu| (cpu, work)).collect::<Vec<_>>());
        let (port, chain) = (rates(Loop::Port), rates(Loop::Chain));
        let ratio =
            |(port, chain): (Reading, Reading)| (port.is_clean() && chain.is_clean()).then_some(port.rate / chain.rate);
        let both = port.zip(chain);
        both.map_or(vec![None; running.len()], |(port, chain)| port.into_iter().zip(chain).map(ratio).collect())
    }
}

/// "Alone" is only alone while nothing else runs on the neighbour: where something did, separate cores and siblings
/// that were slowed in both slices look the same.
fn doubt(evidence: Evidence, cpu: u32, others: Option<&f64>) -> Evidence {
    match others {
        Some(&share) if share > OTHERS && evidence.verdict == Verdict::Separate => evidence
            .doubted(format!("other programs took {:.0} % of cpu {cpu}, so its rate alone is unknown", share * 100.0)),
        _ => evidence,
    }
}

fn without_partner(evidence: Evidence) -> Evidence {
    if evidence.verdict == Verdict::Siblings {
        return evidence.doubted("slowed when all others run, but no single sibling was found".into());
    }
    evidence
}

/// Watches what others do on some cpus during a test.
struct Watch {
    begin: Instant,
    /// For each cpu its state at the beginning, and what our worker there had used.
    cpus: BTreeMap<u32, (Baseline, Duration)>,
}

impl Watch {
    fn begin(workers: &Workers, cpus: impl Iterator<Item = u32>) -> Self {
        let state = |cpu| (cpu, (Baseline::take(CpuSet::from_iter([cpu]), 0.0), workers.spent(cpu)));
        Self { begin: Instant::now(), cpus: cpus.map(state).collect() }
    }

    /// The share of each cpu that others used; a cpu is missing where the kernel does not say.
    fn end(self, workers: &Workers) -> BTreeMap<u32, f64> {
        let wall = self.begin.elapsed();
        let share = |(cpu, (baseline, before)): (u32, (Baseline, Duration))| {
            let ours = workers.spent(cpu).saturating_sub(before);
            Some((cpu, baseline.compare(wall, ours, 1, 0.0).other_busy?))
        };
        self.cpus.into_iter().filter_map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_neighbour_takes_the_verdict_of_separate_and_no_other() {
        let (separate, siblings) = (judge(&[1.0; 9], 9), judge(&[0.5; 9], 9));
        let doubted = doubt(separate.clone(), 1, Some(&0.4));
        assert_eq!(doubted.verdict, Verdict::Unknown);
        assert_eq!(doubted.reason.unwrap(), "other programs took 40 % of cpu 1, so its rate alone is unknown");
        assert_eq!(doubt(siblings.clone(), 1, Some(&0.4)), siblings);
        assert_eq!(doubt(separate.clone(), 1, Some(&0.1)), separate);
        assert_eq!(doubt(separate.clone(), 1, None), separate);
    }

    #[test]
    fn slowed_by_a_crowd_is_not_yet_a_sibling_of_somebody() {
        let evidence = without_partner(judge(&[0.5; 9], 9));
        assert_eq!((evidence.verdict, evidence.score), (Verdict::Unknown, Some(0.5)));
        assert_eq!(without_partner(judge(&[1.0; 9], 9)).verdict, Verdict::Separate);
    }
}
