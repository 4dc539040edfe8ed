//! Finds sibling pairs among many cpus in few tests: all run at once, and only siblings slow each other down.
//!
//! All cpus run first; a cpu that is not slowed has no sibling. The slowed ones are numbered, and for each binary digit
//! first those run who have 0 there, then those who have 1. A cpu that is still slowed has the same digit as its
//! partner, one that is not has the other digit. So 1 + 2 log₂ n tests spell every partner's number, where testing
//! every pair would take n²/2. This is group testing with many answers per test.
//!
//! That holds for two hardware threads to a core. With more, the digits of several partners mix and spell cpus that do
//! not spell each other: those stay unpaired. A pair that comes out is a candidate, for a test of the two alone.

use std::collections::BTreeMap;

use super::judge::Verdict;

/// What a search found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Each spelled the other, lower cpu first: candidates for a direct test.
    pub pairs: Vec<(u32, u32)>,
    /// Slowed or unclear, and without a partner that agrees.
    pub unpaired: Vec<u32>,
}

/// Searches among `cpus`, which are distinct. `contended` lets some of them run at once and says of each, in their
/// order, whether it was slowed; it is asked at most 1 + 2 ⌈log₂ n⌉ times.
pub fn search(cpus: &[u32], mut contended: impl FnMut(&[u32]) -> Vec<Verdict>) -> Found {
    let all = contended(cpus);
    let left = cpus.iter().copied().zip(all).filter(|(_, verdict)| *verdict != Verdict::Separate);
    let (slowed, verdicts): (Vec<u32>, Vec<Verdict>) = left.unzip();
    // A cpu that was not clearly slowed still runs, since it may be the sibling of another one, but spells no partner
    // itself: it might never be slowed again, and would then spell the number with all digits different.
    let begun: Vec<_> = verdicts.iter().map(|verdict| (*verdict == Verdict::Siblings).then_some(0)).collect();
    if begun.iter().all(Option::is_none) {
        return Found { unpaired: slowed, ..Found::default() };
    }
    let spelled = spell(&slowed, begun, contended);
    let mut found = Found::default();
    for (position, &cpu) in slowed.iter().enumerate() {
        match spelled[position] {
            Some(partner) if partner != position && spelled.get(partner) == Some(&Some(position)) => {
                if position < partner {
                    found.pairs.push((cpu, slowed[partner]));
                }
            }
            _ => found.unpaired.push(cpu),
        }
    }
    found
}

/// Adds to each number the digits of the partner's position; none if one of them is unknown.
fn spell(
    cpus: &[u32],
    mut spelled: Vec<Option<usize>>,
    mut contended: impl FnMut(&[u32]) -> Vec<Verdict>,
) -> Vec<Option<usize>> {
    let digits = cpus.len().next_power_of_two().trailing_zeros();
    for (digit, value) in (0..digits).flat_map(|digit| [(digit, 0), (digit, 1)]) {
        let runs: BTreeMap<u32, usize> =
            cpus.iter().zip(0..).filter(|(_, at)| at >> digit & 1 == value).map(|(&cpu, at)| (cpu, at)).collect();
        let running: Vec<u32> = runs.keys().copied().collect();
        // A cpu that runs alone is not slowed; that needs no test.
        let verdicts = if running.len() > 1 { contended(&running) } else { vec![Verdict::Separate; running.len()] };
        for (at, verdict) in runs.values().zip(verdicts) {
            let partner_has = match verdict {
                Verdict::Siblings => Some(value),
                Verdict::Separate => Some(1 - value),
                Verdict::Unknown => None,
            };
            spelled[*at] = spelled[*at].zip(partner_has).map(|(number, bit)| number | bit << digit);
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// A simulated machine: the core of each cpu.
    struct Machine(BTreeMap<u32, usize>);

    impl Machine {
        /// The first cpus of `order` make cores of `threads`, the others have a core each.
        fn new(order: &[u32], grouped: usize, threads: usize) -> Self {
            let core = |at: usize| if at < grouped { at / threads } else { at };
            Self(
                order
                    .iter()
                    .enumerate()
                    .map(|(at, &cpu)| (cpu, 1000 * usize::from(at >= grouped) + core(at)))
                    .collect(),
            )
        }

        /// Whether `cpu` is slowed when all of `set` run.
        fn contends(&self, cpu: u32, set: &[u32]) -> bool {
            set.iter().any(|other| *other != cpu && self.0[other] == self.0[&cpu])
        }

        fn answer(&self, set: &[u32]) -> Vec<Verdict> {
            let slowed = set.iter().map(|&cpu| self.contends(cpu, set));
            slowed.map(|slowed| if slowed { Verdict::Siblings } else { Verdict::Separate }).collect()
        }

        fn pairs(&self) -> BTreeSet<(u32, u32)> {
            let cpus = || self.0.keys().copied();
            let pairs = cpus().flat_map(|a| cpus().filter(move |&b| a < b).map(move |b| (a, b)));
            pairs.filter(|&(a, b)| self.contends(a, &[a, b])).collect()
        }
    }

    fn shuffled() -> impl Strategy<Value = Vec<u32>> {
        // Cpu numbers with holes, as where some are offline.
        Just((0..64).map(|cpu| 3 * cpu).collect::<Vec<u32>>()).prop_shuffle()
    }

    proptest! {
        #[test]
        fn hidden_pairs_are_all_found_and_no_other_in_few_tests(order in shuffled(), pairs in 0usize..=32) {
            let machine = Machine::new(&order, 2 * pairs, 2);
            let cpus: Vec<u32> = machine.0.keys().copied().collect();
            let mut tests = 0;
            let found = search(&cpus, |set| { tests += 1; machine.answer(set) });
            prop_assert_eq!(found.pairs.iter().copied().collect::<BTreeSet<_>>(), machine.pairs());
            prop_assert!(found.unpaired.is_empty());
            prop_assert!(tests <= 1 + 2 * 6, "{} tests", tests);
        }

        #[test]
        fn what_cannot_be_told_leaves_cpus_unpaired_and_makes_no_false_pair(
            order in shuffled(), pairs in 0usize..=32, unclear in prop::collection::btree_set(0usize..600, 0..60)
        ) {
            let machine = Machine::new(&order, 2 * pairs, 2);
            let cpus: Vec<u32> = machine.0.keys().copied().collect();
            let mut asked = 0..;
            let found = search(&cpus, |set| {
                let blur = |verdict| if unclear.contains(&asked.next().unwrap()) { Verdict::Unknown } else { verdict };
                machine.answer(set).into_iter().map(blur).collect()
            });
            prop_assert!(found.pairs.iter().all(|pair| machine.pairs().contains(pair)));
            let named: BTreeSet<u32> = found.pairs.iter().flat_map(|&(a, b)| [a, b]).chain(found.unpaired).collect();
            prop_assert!(machine.pairs().iter().all(|(a, b)| named.contains(a) && named.contains(b)));
        }

        #[test]
        fn cores_of_four_threads_are_never_taken_for_separate(order in shuffled(), cores in 1usize..=16) {
            let machine = Machine::new(&order, 4 * cores, 4);
            let cpus: Vec<u32> = machine.0.keys().copied().collect();
            let found = search(&cpus, |set| machine.answer(set));
            let named = 2 * found.pairs.len() + found.unpaired.len();
            prop_assert_eq!(named, 4 * cores);
        }
    }

    #[test]
    fn one_pair_needs_one_test_and_no_cpu_none_that_matters() {
        let mut tests = 0;
        let found = search(&[4, 9], |set| {
            tests += 1;
            vec![Verdict::Siblings; set.len()]
        });
        assert_eq!((found.pairs, tests), (vec![(4, 9)], 1));
        assert_eq!(search(&[], |_| Vec::new()), Found::default());
    }
}
