//! Finds cpus that share a core by contention, because a hypervisor may report wrong siblings in `/sys`.
//!
//! Two hardware threads of one core share its multiplier. So a loop that is bound by the multiplier runs at about half
//! its rate while a sibling runs the same loop, and at its full rate while another core does; neither touches memory,
//! so that caches and nodes do not matter. A second loop, one chain of dependent additions, leaves the core mostly idle
//! and so is not slowed by a sibling, but like the first by every other effect of a second busy cpu: a lower clock, or
//! a host that gives both half its time. The score is the ratio of the two slow-downs,
//!
//! ```text
//! (port beside a neighbour / port alone) / (chain beside a neighbour / chain alone)
//! ```
//!
//! where the neighbour always runs the port-bound loop: about 0.5 for siblings, 1 for separate cores. Each rate is of a
//! slice of 2 ms, begun together from a spin barrier; a slice in which a worker lost its cpu, as its CPU time shows, is
//! dropped. The four slices of a score follow each other, and the scores of all pairs are interleaved over seconds,
//! because a host may move its guests' cpus between cores every few tens of milliseconds: then the scores have two
//! modes, which is reported.
//!
//! Up to 16 cpus every pair is tested. Beyond that, [`search()`] finds candidates with a few tests in which many cpus
//! run at once, and only these, and the siblings in `/sys`, are tested as pairs.
//!
//! Contention for ports as a signal between siblings: Aldaya, Brumley, ul Hassan, Pereida García and Tuveri, *Port
//! Contention for Fun and Profit*, IEEE Symposium on Security and Privacy 2019.

mod bench;
mod judge;
mod loops;
mod search;
mod slices;

use knee_machine::CpuSet;
use knee_machine::pinned_team::Error;
use serde::Serialize;

use bench::Bench;
pub use judge::{Evidence, Verdict, judge};
pub use search::{Found, search};

/// Up to this many cpus every pair is tested: 120 pairs.
pub const ALL_PAIRS_UP_TO: usize = 16;

/// Two cpus that were tested alone with each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The cpus, the lower first.
    pub cpus: [u32; 2],
    /// What was seen.
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// One cpu that was tested against all others at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crowded {
    /// The cpu.
    pub cpu: u32,
    /// How many others ran.
    pub others: usize,
    /// What was seen. Never [`Verdict::Siblings`]: a cpu that is slowed and in no pair is unknown, with that reason.
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// What was tested, and what came out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// Pairs that were tested: all, or the candidates and the siblings that the system names.
    pub pairs: Vec<Pair>,
    /// Cpus that were tested against all others at once; empty where every pair was tested.
    pub crowd: Vec<Crowded>,
}

/// Tests the cpus of `cores`, the cores that the system lists; a cpu alone in its core may have hidden siblings. It
/// takes 2 s for 2 cpus, about 15 s for 16 and half a minute for 256, up to three times that on a busy machine.
///
/// # Errors
/// When a thread cannot be started or put on its cpu.
pub fn examine(cores: &[CpuSet]) -> Result<Report, Error> {
    let cpus: CpuSet = cores.iter().flat_map(CpuSet::iter).collect();
    Bench::with(&cpus, |bench| {
        if cpus.len() <= ALL_PAIRS_UP_TO {
            return Report { pairs: bench.pairs(&all_pairs(&cpus)), crowd: Vec::new() };
        }
        few_pairs(bench, cores)
    })
}

fn all_pairs(cpus: &CpuSet) -> Vec<(u32, u32)> {
    cpus.iter().flat_map(|a| cpus.iter().filter(move |&b| a < b).map(move |b| (a, b))).collect()
}

/// The siblings that the system names, as a control; then hidden ones among one cpu of each core.
fn few_pairs(bench: &mut Bench, cores: &[CpuSet]) -> Report {
    let mut pairs = bench.pairs(&cores.iter().flat_map(named_pairs).collect::<Vec<_>>());
    let candidates = representatives(cores, &pairs);
    let (found, mut crowd) = bench.search(&candidates);
    let tested = bench.pairs(&found.pairs);
    let siblings = tested.iter().filter(|pair| pair.evidence.verdict == Verdict::Siblings);
    let paired: CpuSet = siblings.flat_map(|pair| pair.cpus).collect();
    crowd.retain(|crowded| !paired.contains(crowded.cpu));
    pairs.extend(tested);
    Report { pairs, crowd }
}

/// The first cpu of a core with each of the others.
fn named_pairs(core: &CpuSet) -> impl Iterator<Item = (u32, u32)> {
    core.first().into_iter().flat_map(|first| core.iter().skip(1).map(move |other| (first, other)))
}

/// The first cpu of each core, and those that the system calls its siblings and the test does not.
fn representatives(cores: &[CpuSet], control: &[Pair]) -> Vec<u32> {
    let firsts = cores.iter().filter_map(CpuSet::first);
    let denied = control.iter().filter(|pair| pair.evidence.verdict == Verdict::Separate).map(|pair| pair.cpus[1]);
    firsts.chain(denied).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_comes_once() {
        assert_eq!(all_pairs(&"0,2,5".parse().unwrap()), [(0, 2), (0, 5), (2, 5)]);
        assert_eq!(all_pairs(&"0-15".parse().unwrap()).len(), 120);
    }

    #[test]
    fn one_cpu_stands_for_a_core_unless_the_test_denies_the_core() {
        let cores: Vec<CpuSet> = ["0,4", "1,5", "2"].map(|text| text.parse().unwrap()).into();
        let pair = |cpus, score| Pair { cpus, evidence: judge(&[score; 9], 9) };
        assert_eq!(cores.iter().flat_map(named_pairs).collect::<Vec<_>>(), [(0, 4), (1, 5)]);
        assert_eq!(representatives(&cores, &[pair([0, 4], 0.5), pair([1, 5], 1.0)]), [0, 1, 2, 5]);
    }

    #[test]
    fn few_pairs_of_this_machine_have_the_right_form() {
        let cpus: CpuSet = knee_machine::sys::affinity().iter().take(4).collect();
        let cores: Vec<CpuSet> = cpus.iter().map(|cpu| CpuSet::from_iter([cpu])).collect();
        let report = Bench::with(&cpus, |bench| few_pairs(bench, &cores)).unwrap();
        let named: CpuSet =
            report.pairs.iter().flat_map(|pair| pair.cpus).chain(report.crowd.iter().map(|one| one.cpu)).collect();
        assert_eq!(named, cpus, "{report:?}");
        let has_reason = |evidence: &Evidence| evidence.verdict != Verdict::Unknown || evidence.reason.is_some();
        assert!(report.pairs.iter().all(|pair| has_reason(&pair.evidence)), "{report:?}");
        assert!(report.crowd.iter().all(|one| has_reason(&one.evidence)), "{report:?}");
    }
}
