//! A merge sort whose merges are parallel too: two arrays, streamed from one into the other and back.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::data::{Data, LAYOUT, Layout};
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};
use crate::{number, random};

pub(crate) struct Cilksort;

impl Workload for Cilksort {
    fn name(&self) -> &'static str {
        "cilksort"
    }

    fn summary(&self) -> &'static str {
        "sort random keys by a four-way merge sort with parallel merges"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** `n` random 64-bit keys in order. Quarters are sorted as tasks, merged in pairs into a \
         second array, and from there back into the first. A merge halves its longer input and finds the place of the \
         middle key in the other. Up to `base` keys are one task, sorted by the standard library. Runtime `serial` is \
         the standard library's sort alone. Phases: `fill`, `sort`.\n\n\
         **What it stresses.** Memory, read and written in order: each level of the recursion streams all keys through \
         two merges. Small parts stay in the caches.\n\n\
         **Where it should bend.** Where memory channels are full, before the cores are; across sockets when the \
         arrays lie on one node. Compare layouts and memory policies before blaming the scheduler.\n\n\
         **Source.** `cilksort` of the Cilk-5 examples; a benchmark of NUMA-WS (Deters et al., IISWC 2018)."
    }

    fn phase(&self) -> &'static str {
        "sort"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            number("n", "keys", "16000000"),
            number("base", "keys per task", "2048"),
            LAYOUT,
            RUNTIME,
            REHEARSE,
            SEED,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let n = usize::try_from(args.number("n", 1..=1 << 34)?).expect("inside the range");
        let base = usize::try_from(args.number("base", 2..=1 << 34)?).expect("inside the range");
        let (layout, scheduler) = (Layout::of(args, team)?, Scheduler::start(args, team)?);
        let key = |index| random(index as u64);
        let (keys, spare) =
            on!(scheduler, phases, "fill", F => (layout.array::<F, _>(n, key), layout.array::<F, _>(n, |_| 0)));
        Ok(Box::new(Prepared { keys, spare, base, scheduler }))
    }
}

struct Prepared {
    keys: Data<u64>,
    spare: Data<u64>,
    base: usize,
    scheduler: Scheduler,
}

impl Run for Prepared {
    /// The answer is the middle key.
    fn run(&mut self, phases: &mut Phases) -> String {
        if self.scheduler.is_serial() {
            phases.measure("sort", || self.keys.sort_unstable());
        } else {
            on!(self.scheduler, phases, "sort", F => sort::<F>(&mut self.keys, &mut self.spare, self.base));
        }
        self.keys[self.keys.len() / 2].to_string()
    }

    fn check(&self, answer: &str) -> Check {
        if let Some(index) = self.keys.windows(2).position(|pair| pair[0] > pair[1]) {
            return Check::Wrong(format!("key {index} is above the next one"));
        }
        if fingerprint(self.keys.iter().copied()) != fingerprint((0..self.keys.len() as u64).map(random)) {
            return Check::Wrong("keys went in that did not come out".to_owned());
        }
        let middle = self.keys[self.keys.len() / 2].to_string();
        if answer == middle { Check::Right } else { Check::Wrong(middle) }
    }
}

/// Two sums that keys have in common in any order.
fn fingerprint(keys: impl Iterator<Item = u64>) -> (u64, u64) {
    keys.fold((0, 0), |(plain, mixed), key| (plain.wrapping_add(key), mixed.wrapping_add(random(key))))
}

/// Sorts the keys in place.
fn sort<F: Fork>(keys: &mut [u64], spare: &mut [u64], base: usize) {
    if keys.len() <= base {
        F::touch(keys);
        return keys.sort_unstable();
    }
    let middle = keys.len() / 2;
    let (low, high) = keys.split_at_mut(middle);
    let (low_spare, high_spare) = spare.split_at_mut(middle);
    F::join_near(
        low.as_ptr(),
        || sort_into::<F>(low, low_spare, base),
        high.as_ptr(),
        || sort_into::<F>(high, high_spare, base),
    );
    merge::<F>(low_spare, high_spare, keys, base);
}

/// Sorts the keys, a half of some, so that they end in `sorted`.
fn sort_into<F: Fork>(keys: &mut [u64], sorted: &mut [u64], base: usize) {
    let middle = keys.len() / 2;
    let (low, high) = keys.split_at_mut(middle);
    let (low_spare, high_spare) = sorted.split_at_mut(middle);
    F::join_near(low.as_ptr(), || sort::<F>(low, low_spare, base), high.as_ptr(), || sort::<F>(high, high_spare, base));
    merge::<F>(low, high, sorted, base);
}

fn merge<F: Fork>(left: &[u64], right: &[u64], merged: &mut [u64], base: usize) {
    if merged.len() <= base {
        F::touch(merged);
        return merge_alone(left, right, merged);
    }
    let (long, short) = if left.len() < right.len() { (right, left) } else { (left, right) };
    let middle = long.len() / 2;
    let cut = short.partition_point(|&key| key < long[middle]);
    let (low, high) = merged.split_at_mut(middle + cut);
    F::join_near(
        low.as_ptr(),
        || merge::<F>(&long[..middle], &short[..cut], low, base),
        high.as_ptr(),
        || merge::<F>(&long[middle..], &short[cut..], high, base),
    );
}

/// Steps by arithmetic, since a branch on random keys is wrongly predicted every other time.
fn merge_alone(left: &[u64], right: &[u64], merged: &mut [u64]) {
    let (mut taken, mut other) = (0, 0);
    while taken < left.len() && other < right.len() {
        let (a, b) = (left[taken], right[other]);
        merged[taken + other] = a.min(b);
        taken += usize::from(a <= b);
        other += usize::from(a > b);
    }
    let (from_left, from_right) = merged[taken + other..].split_at_mut(left.len() - taken);
    from_left.copy_from_slice(&left[taken..]);
    from_right.copy_from_slice(&right[other..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Serial;
    use crate::trial;

    #[test]
    fn every_scheduler_sorts_any_number_of_keys() {
        for (n, base) in [(1, 2), (2, 2), (3, 2), (10, 2), (1000, 3), (4097, 16), (100_000, 2048)] {
            trial::answer(&Cilksort, &format!("--n {n} --base {base}"));
        }
    }

    #[test]
    fn equal_keys_are_kept() {
        let mut keys: Vec<u64> = (0..5000).map(|index| random(index) % 7).collect();
        let mut expected = keys.clone();
        expected.sort_unstable();
        sort::<Serial>(&mut keys, &mut vec![0; 5000], 5);
        assert_eq!(keys, expected);
    }

    #[test]
    fn a_lost_key_and_a_wrong_order_are_seen() {
        let layout = Layout::CONTIGUOUS;
        let sorted = || {
            let mut keys = layout.array::<Serial, _>(100, |index| random(index as u64));
            keys.sort_unstable();
            Prepared { keys, spare: layout.array::<Serial, _>(0, |_| 0), base: 2, scheduler: Scheduler::Serial }
        };
        let check = |run: &Prepared| run.check(&run.keys[50].to_string());
        assert_eq!(check(&sorted()), Check::Right);
        let mut swapped = sorted();
        swapped.keys.swap(3, 4);
        assert_eq!(check(&swapped), Check::Wrong("key 3 is above the next one".to_owned()));
        let mut doubled = sorted();
        doubled.keys[3] = doubled.keys[4];
        assert_eq!(check(&doubled), Check::Wrong("keys went in that did not come out".to_owned()));
    }
}
