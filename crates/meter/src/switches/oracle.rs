//! Made-up threads: what is added up event by event agrees with what is counted moment by moment.

use proptest::prelude::*;

use super::accounts::{Accounts, Followed, SwitchSums};
use super::event::{Event, What};
use super::merge::Merge;

/// A thread: when it was made, and then a wait for its first cpu, times on a cpu, and times off it (preempted or not).
type Made = (u64, u64, Vec<(u64, bool, u64)>, u64);

/// What a thread does from one moment to another.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Doing {
    Runs,
    Ready,
    Sleeps,
}

fn threads() -> impl Strategy<Value = Vec<Made>> {
    // Short times, so that many events of different threads fall on the same moment.
    let part = (1..9_u64, any::<bool>(), 1..9_u64);
    prop::collection::vec((0..40_u64, 1..5_u64, prop::collection::vec(part, 0..6), 1..9_u64), 1..7)
}

/// The pieces of a thread's life, and its events.
fn life(tid: i32, made: &Made) -> (Vec<(u64, u64, Doing)>, Vec<Event>) {
    let (begin, wait, parts, last) = made;
    let event = |t_ns, what| Event { t_ns, pid: 1, tid, what };
    let mut at = begin + wait;
    let mut pieces = vec![(*begin, at, Doing::Ready)];
    let mut events = vec![event(*begin, What::Fork), event(at, What::In)];
    for (on, preempted, off) in parts {
        let (what, doing) = if *preempted { (What::Preempted, Doing::Ready) } else { (What::Slept, Doing::Sleeps) };
        pieces.extend([(at, at + on, Doing::Runs), (at + on, at + on + off, doing)]);
        events.extend([event(at + on, what), event(at + on + off, What::In)]);
        at += on + off;
    }
    pieces.push((at, at + last, Doing::Runs));
    events.push(event(at + last, What::Exit));
    (pieces, events)
}

/// The tids of threads that do one of these things during the nanosecond from `t` on.
fn who(lives: &[Vec<(u64, u64, Doing)>], t: u64, doing: &[Doing]) -> Vec<i32> {
    let does = |pieces: &Vec<(u64, u64, Doing)>| {
        pieces.iter().any(|(from, to, what)| *from <= t && t < *to && doing.contains(what))
    };
    (1..).zip(lives).filter(|(_, pieces)| does(pieces)).map(|(tid, _)| tid).collect()
}

fn count(times: &mut Vec<u64>, threads: usize) {
    if times.len() <= threads {
        times.resize(threads + 1, 0);
    }
    times[threads] += 1;
}

fn check(found: &Followed, lives: &[Vec<(u64, u64, Doing)>]) {
    let pieces = || lives.iter().flatten();
    let begin = pieces().map(|piece| piece.0).min().unwrap();
    let end = pieces().map(|piece| piece.1).max().unwrap();
    let (mut running, mut runnable, mut spells, mut alone) = (vec![], vec![], vec![], vec![0; lives.len() + 1]);
    let mut before = false;
    for t in begin..end {
        count(&mut running, who(lives, t, &[Doing::Runs]).len());
        let able = who(lives, t, &[Doing::Runs, Doing::Ready]);
        count(&mut runnable, able.len());
        if let [only] = able[..] {
            alone[usize::try_from(only).unwrap()] += 1;
            if before { *spells.last_mut().unwrap() += 1 } else { spells.push(1_u64) }
        }
        before = able.len() == 1;
    }
    let total = |doing| pieces().filter(|piece| piece.2 == doing).map(|(from, to, _)| to - from).sum::<u64>();
    let times = (found.totals.on_ns, found.totals.ready_ns, found.totals.asleep_ns);
    assert_eq!(times, (total(Doing::Runs), total(Doing::Ready), total(Doing::Sleeps)));
    assert_eq!((found.begin_ns, found.end_ns, found.odd), (begin, end, 0));
    assert_eq!(found.threads, lives.len() as u64);
    assert_eq!(found.concurrency.running_ns, running);
    assert_eq!(found.concurrency.runnable_ns, runnable);
    let Some(seen) = &found.concurrency.alone else { return assert_eq!(spells, [0; 0]) };
    spells.sort_unstable();
    assert_eq!((seen.intervals, Some(&seen.longest_ns)), (spells.len() as u64, spells.last()));
    assert_eq!(seen.median_ns, spells[(spells.len() - 1) / 2]);
    assert_eq!(Some(&seen.most_ns), alone.iter().max());
    assert_eq!(seen.most_ns, alone[usize::try_from(seen.tid).unwrap()]);
}

proptest! {
    #[test]
    fn sums_and_profile_agree_with_a_count_of_every_moment(made in threads(), rings in 1..4_usize) {
        let (lives, events): (Vec<_>, Vec<_>) = (1..).zip(&made).map(|(tid, made)| life(tid, made)).unzip();
        let mut of_rings = vec![Vec::new(); rings];
        for (number, event) in events.into_iter().flatten().enumerate() {
            of_rings[number * 7 % rings].push(event);
        }
        let (mut merge, mut accounts) = (Merge::default(), Accounts::default());
        for ring in &mut of_rings {
            ring.sort_by_key(|event| event.t_ns);
            for event in ring {
                merge.push(*event);
            }
        }
        for until in [20, 45, u64::MAX] {
            for event in merge.before(until) {
                accounts.note(&event);
            }
        }
        check(&accounts.finish(0).unwrap(), &lives);
    }

    #[test]
    fn any_events_at_all_add_up_to_the_time_that_passed(events in prop::collection::vec((0..99_u64, 1..5_i32, 0..6_usize), 1..60)) {
        let kinds = [What::Exec, What::Fork, What::In, What::Preempted, What::Slept, What::Exit];
        let mut accounts = Accounts::default();
        for (t_ns, tid, kind) in &events {
            accounts.note(&Event { t_ns: *t_ns, pid: tid % 2, tid: *tid, what: kinds[*kind] });
        }
        let found = accounts.finish(99).unwrap();
        let span = found.end_ns - found.begin_ns;
        prop_assert_eq!(found.concurrency.running_ns.iter().sum::<u64>(), span);
        prop_assert_eq!(found.concurrency.runnable_ns.iter().sum::<u64>(), span);
        let mut sums = SwitchSums::default();
        for life in &found.lives {
            sums.add(&life.sums);
        }
        prop_assert_eq!(sums, found.totals);
        let thread_time: u64 = (0..).zip(&found.concurrency.running_ns).map(|(threads, time): (u64, _)| threads * time).sum();
        prop_assert_eq!(thread_time, found.totals.on_ns);
    }
}
