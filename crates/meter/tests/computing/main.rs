//! False alarms and finds of the rule that counts computing threads, in made-up runs of many kinds of programs: a hundred
//! of each, or as many as `KNEE_COMPUTING_RUNS` says; `--nocapture` shows the table.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "all times are short and none is negative"
)]

mod machine;

use fastrand::Rng;

use self::machine::{Of, Thread, run};

/// Makes threads of a program that computes on so many, for about so many ticks.
type Kind = fn(&mut Rng, usize, f64) -> Vec<Thread>;

/// What holds of a kind of program.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// No false alarms, and one on twice or half as many threads is found nearly always, unless the run is short.
    Found,
    /// No false alarms.
    Quiet,
    /// Neither: its reader computes about half as much as a worker, where the rule begins to count it.
    Neither,
}

use Holds::{Found, Neither, Quiet};

const KINDS: [(&str, Kind, Holds); 14] = [
    ("all compute evenly", even, Found),
    ("unevenly, 1 to 5", uneven, Found),
    ("one has most of the work", lopsided, Quiet),
    ("they start one after the other", staggered, Found),
    ("a serial part before", serial_first, Found),
    ("serial and parallel by turns", forking, Found),
    ("they sleep for up to half of the time", sleepy, Found),
    ("one more reads and writes, for up to 30 % of the time", with_reader, Quiet),
    ("the same, for 30 to 60 %", with_busy_reader, Neither),
    ("two more hand out the work", with_callers, Quiet),
    ("the runtime collects garbage", with_collector, Found),
    ("the same in threads without a known name", with_unnamed, Quiet),
    ("they take turns at a lock", turns, Quiet),
    ("jobs in processes of their own", jobs, Quiet),
];

fn even(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    (0..threads).map(|_| Thread::steady(ticks * between(random, 0.95, 1.0))).collect()
}

fn uneven(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    (0..threads).map(|_| Thread::steady(ticks * between(random, 0.2, 1.0))).collect()
}

fn lopsided(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let rest = (1..threads).map(|_| Thread::steady(ticks * between(random, 0.05, 0.2)));
    [Thread::steady(ticks)].into_iter().chain(rest.collect::<Vec<_>>()).collect()
}

fn staggered(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let step = between(random, 0.0, 0.4) * ticks / threads as f64;
    let begins = |one: usize| (one as f64 * step) as u64;
    even(random, threads, ticks).into_iter().enumerate().map(|(one, t)| Thread { begins: begins(one), ..t }).collect()
}

fn serial_first(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let alone = between(random, 0.0, 0.6) * ticks;
    let mut made = even(random, threads, ticks - alone);
    made[0].work += alone;
    for thread in &mut made[1..] {
        thread.begins = alone as u64;
    }
    made
}

fn forking(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let (of, parallel) = (random.u64(5..200), between(random, 0.3, 1.0));
    let from = ((1.0 - parallel) * of as f64) as u64;
    let mut made = even(random, threads, ticks * parallel);
    made[0].work = ticks;
    for thread in &mut made[1..] {
        thread.phase = Some((of, from, of));
    }
    made
}

fn sleepy(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let (share, piece) = (between(random, 0.5, 0.95), between(random, 2.0, 50.0));
    (0..threads).map(|_| Thread::in_pieces(ticks * share, share, piece)).collect()
}

fn with_reader(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let share = between(random, 0.02, 0.3);
    reading(random, threads, ticks, share)
}

fn with_busy_reader(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let share = between(random, 0.3, 0.6);
    reading(random, threads, ticks, share)
}

fn reading(random: &mut Rng, threads: usize, ticks: f64, share: f64) -> Vec<Thread> {
    let piece = between(random, 1.0, 20.0);
    let mut made = even(random, threads, ticks);
    made.push(Thread::in_pieces(ticks * share, share, piece));
    made
}

fn with_callers(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let mut made = sleepy(random, threads, ticks);
    for _ in 0..2 {
        let share = between(random, 0.01, 0.15);
        made.push(Thread::in_pieces(ticks * share, share, between(random, 1.0, 3.0)));
    }
    made
}

fn with_collector(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    collecting(random, threads, ticks, Of::Runtime)
}

fn with_unnamed(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    collecting(random, threads, ticks, Of::Program)
}

/// The threads stop while others, as many as they, collect; one more collects beside them.
fn collecting(random: &mut Rng, threads: usize, ticks: f64, of: Of) -> Vec<Thread> {
    let (period, share) = (random.u64(20..200), between(random, 0.05, 0.4));
    let stop = ((1.0 - share) * period as f64) as u64;
    let mut made = even(random, threads, ticks * (1.0 - share));
    for thread in &mut made {
        thread.phase = Some((period, 0, stop));
    }
    let collector = |work| Thread { of, ..Thread::steady(work) };
    made.extend((0..threads).map(|_| Thread { phase: Some((period, stop, period)), ..collector(ticks * share) }));
    made.push(Thread { of, ..Thread::in_pieces(ticks * share / 2.0, share / 2.0, 5.0) });
    made
}

fn turns(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let piece = between(random, 1.0, 20.0);
    let made = (0..threads).map(|_| Thread::in_pieces(ticks / threads as f64, 0.9, piece));
    made.map(|thread| Thread { locks: true, ..thread }).collect()
}

/// One after the other in as many lanes as there are threads, for example of `make -j`.
fn jobs(random: &mut Rng, threads: usize, ticks: f64) -> Vec<Thread> {
    let each = random.usize(1..6);
    let job = |one: usize, random: &mut Rng| Thread {
        after: one.checked_sub(threads),
        ..Thread::steady(ticks / each as f64 * between(random, 0.5, 1.0))
    };
    (0..threads * each).map(|one| job(one, random)).collect()
}

fn between(random: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * random.f64()
}

/// How many of some runs say what.
#[derive(Default)]
struct Said {
    none: u32,
    more: u32,
    fewer: u32,
    /// The very number that computed.
    right: u32,
}

/// What happens beside a program, and for about how long it computes.
#[derive(Clone, Copy)]
struct Around {
    others: bool,
    ticks: (f64, f64),
}

const SHORT: (f64, f64) = (30.0, 300.0);
const LONG: (f64, f64) = (300.0, 3000.0);
const AROUND: [(&str, Around); 3] = [
    ("", Around { others: false, ticks: LONG }),
    ("; other programs", Around { others: true, ticks: LONG }),
    ("; short", Around { others: false, ticks: SHORT }),
];

/// Programs that are asked for so many threads and compute on `of(asked)`, with a cpu or two for each that was asked for.
fn said(kind: Kind, around: Around, asked: &[usize], of: fn(usize) -> usize, runs: u32) -> Said {
    let (mut random, mut said) = (Rng::with_seed(7), Said::default());
    for _ in 0..runs {
        let asked = asked[random.usize(..asked.len())];
        let cpus = asked * random.usize(1..=2);
        let (low, high) = around.ticks;
        let ticks = low * (high / low).powf(random.f64());
        let mut threads = kind(&mut random, of(asked), ticks);
        if around.others {
            let other = Thread { of: Of::Another, ..Thread::steady(f64::INFINITY) };
            threads.extend(vec![other; random.usize(1..=cpus)]);
        }
        let found = run(&mut random, threads, cpus).computing(asked);
        said.none += u32::from(found.is_none());
        said.more += u32::from(found > Some(asked));
        said.fewer += u32::from(found.is_some_and(|found| found < asked));
        said.right += u32::from(found == Some(of(asked)));
    }
    said
}

#[test]
fn false_alarms_are_rare_and_wrong_counts_are_found() {
    let runs = std::env::var("KNEE_COMPUTING_RUNS").map_or(100, |text| text.parse().expect("a number of runs"));
    let rate = |many: u32| 100.0 * f64::from(many) / f64::from(runs);
    println!("| {runs} runs each, % | false more | false fewer | not told | one more: found, exactly | twice | half |");
    println!("|---|---|---|---|---|---|---|");
    for (name, kind, holds) in KINDS {
        for (beside, around) in AROUND {
            let all = &[1, 2, 4, 8];
            let right = said(kind, around, all, |asked| asked, runs);
            let one_more = said(kind, around, all, |asked| asked + 1, runs);
            let twice = said(kind, around, all, |asked| 2 * asked, runs);
            let half = said(kind, around, &[2, 4, 8], |asked| asked / 2, runs);
            let [more, fewer, none] = [right.more, right.fewer, right.none].map(rate);
            let finds = [(one_more.more, one_more.right), (twice.more, twice.right), (half.fewer, half.right)];
            let finds = finds.map(|(found, right)| format!("{:.1}, {:.1}", rate(found), rate(right)));
            println!("| {name}{beside} | {more:.1} | {fewer:.1} | {none:.1} | {} |", finds.join(" | "));
            assert!(holds == Neither || more <= 3.0 && fewer <= 3.0, "{name}{beside}: {more} {fewer}");
            let least = if holds == Found && around.ticks == LONG { 80.0 } else { 0.0 };
            let [twice, half] = [twice.more, half.fewer].map(rate);
            assert!(twice >= least && half >= least, "{name}{beside}: {twice} {half}");
        }
    }
}
