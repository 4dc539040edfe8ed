//! Regions that a program marks itself (`knee-region`): the file in which its threads store them, and its part of the
//! record.
//!
//! The file is anonymous memory, reached through `/proc`: it disappears with the launcher, however that ends. It is
//! sealed against shrinking, so no program can break the mappings of another one in its tree.

mod counts;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::time::Duration;

use knee_machine::clock::nanoseconds;
use knee_meter::perf::Marks;
use knee_region::format::{FILE_BYTES, LOCKED_COUNTERS, LOCKED_SLOTS, NATIVE_COUNTERS, NATIVE_SLOTS};
use knee_region::{Contents, Totals, Use, blank};
use knee_workload::Phase;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// Lines about mistakes that go into a record.
const MOST_FAULTS: usize = 20;

/// The file in which a program stores its regions.
pub(super) struct Regions {
    file: File,
    /// What its threads count in them.
    marks: Marks,
    /// The launch, on the regions' clock.
    launch_ns: u64,
}

/// When a thread was in a region: from its first begin to its last end, since the launch.
pub(super) struct Span {
    pub(super) source: String,
    pub(super) tid: u64,
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
}

/// The regions of a run.
#[derive(Default)]
pub(super) struct Marked {
    /// One for each region, in the order of their first begins.
    pub(super) phases: Vec<Phase>,
    /// One for each region of each thread.
    pub(super) spans: Vec<Span>,
    /// Mistakes in the marks.
    pub(super) faults: Vec<String>,
}

impl Regions {
    /// A file for a program with this launch time of the monotonic clock.
    pub(super) fn create(launch: Duration, marks: Marks) -> io::Result<Self> {
        let mut file = File::from(memfd_create("knee-regions", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
        file.write_all(&blank(&marks.attributes()))?;
        file.set_len(FILE_BYTES)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(Self { file, marks, launch_ns: nanoseconds(launch) })
    }

    /// The running counters' values while the program runs; none if there is no memory to map.
    pub(crate) fn totals(&self) -> Option<Totals> {
        Totals::of(&self.file).ok()
    }

    /// The path under which every process below us can open it.
    pub(super) fn path(&self) -> String {
        format!("/proc/{}/fd/{}", rustix::process::getpid().as_raw_nonzero(), self.file.as_raw_fd())
    }

    /// Reads it; call this when no process writes any more.
    pub(super) fn read(&self) -> Marked {
        match knee_region::read(&self.file) {
            Ok(contents) => Marked::new(&contents, &self.marks, self.launch_ns),
            Err(error) => Marked { faults: vec![error.to_string()], ..Marked::default() },
        }
    }
}

impl Marked {
    /// Nothing, because there was no file.
    pub(super) fn none(error: &io::Error) -> Self {
        Self { faults: vec![format!("regions cannot be recorded: no memory for them: {error}")], ..Self::default() }
    }

    fn new(contents: &Contents, marks: &Marks, launch_ns: u64) -> Self {
        let mut regions: BTreeMap<&str, Vec<&Use>> = BTreeMap::new();
        for one in &contents.uses {
            regions.entry(&one.name).or_default().push(one);
        }
        let mut faults: Vec<String> = regions.iter().flat_map(|(name, uses)| mistakes(name, uses)).collect();
        faults.extend(losses(contents));
        let no_room = marks.left_out().join(", ");
        faults.extend((!no_room.is_empty()).then(|| format!("regions: no space to count {no_room} in them")));
        let mut phases = Vec::new();
        for (name, uses) in &regions {
            let Some(mut phase) = phase(name, uses, launch_ns) else { continue };
            let (counts, unsure) = counts::counted(name, uses, marks);
            phase.counters.extend(counts);
            faults.extend(unsure);
            phases.push(phase);
        }
        phases.sort_by_key(|phase| phase.begin_ns);
        let more = faults.len().saturating_sub(MOST_FAULTS);
        faults.truncate(MOST_FAULTS);
        faults.extend((more > 0).then(|| format!("and {more} more like this")));
        let called = contents.uses.iter().filter(|one| one.calls > 0);
        let spans = called.map(|one| Span {
            source: format!("region:{}", one.name),
            tid: u64::try_from(one.tid).unwrap_or(0),
            begin_ns: one.first_begin_ns.saturating_sub(launch_ns),
            end_ns: one.last_end_ns.saturating_sub(launch_ns),
        });
        Self { phases, spans: spans.collect(), faults }
    }
}

/// A region as a phase; none when no call of it has ended.
fn phase(name: &str, uses: &[&Use], launch_ns: u64) -> Option<Phase> {
    let called: Vec<&Use> = uses.iter().copied().filter(|one| one.calls > 0).collect();
    let sum = |number: fn(&Use) -> u64| called.iter().fold(0_u64, |sum, one| sum.saturating_add(number(one)));
    let begin = called.iter().map(|one| one.first_begin_ns).min()?;
    let end = called.iter().map(|one| one.last_end_ns).max()?;
    let counters = [
        ("calls", sum(|one| one.calls)),
        ("threads", called.len() as u64),
        ("thread_wall_ns", sum(|one| one.wall_ns)),
        ("thread_cpu_ns", sum(|one| one.cpu_ns)),
    ];
    Some(Phase {
        name: name.to_owned(),
        wall_ns: called.iter().map(|one| one.wall_ns).max()?,
        cpu_ns: cpu_ns(&called),
        begin_ns: begin.saturating_sub(launch_ns),
        end_ns: end.saturating_sub(launch_ns),
        counters: counters.map(|(name, value)| (name.to_owned(), value)).into(),
        kernel: None,
    })
}

/// CPU time in a region. If only the main thread of a process marks it, it stands for the whole process, for instance a
/// parallel loop: then the process's CPU time counts. Otherwise the sum over the threads that mark it.
fn cpu_ns(called: &[&Use]) -> u64 {
    let mut processes: BTreeMap<i32, Vec<&Use>> = BTreeMap::new();
    for one in called {
        processes.entry(one.pid).or_default().push(one);
    }
    let of_process = |uses: &Vec<&Use>| match uses[..] {
        [Use { process_cpu_ns: Some(whole), .. }] => *whole,
        _ => uses.iter().fold(0_u64, |sum, one| sum.saturating_add(one.cpu_ns)),
    };
    processes.values().map(of_process).fold(0, u64::saturating_add)
}

/// What the program did wrong with a region.
fn mistakes(name: &str, uses: &[&Use]) -> impl Iterator<Item = String> {
    let sum = |number: fn(&Use) -> u32| uses.iter().map(|one| u64::from(number(one))).sum::<u64>();
    let open = uses.iter().filter(|one| one.open).count() as u64;
    let found = [
        (sum(|one| one.unmatched_ends), "ends without a beginning"),
        (sum(|one| one.crossed_ends), "ends while a later region was still open"),
        (open, "calls that never ended (not in its times)"),
    ];
    found
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(move |(count, what)| format!("region {name}: {what}: {count}"))
}

/// What could not be stored.
fn losses(contents: &Contents) -> impl Iterator<Item = String> {
    let room = format!("{NATIVE_SLOTS} threads × regions, {LOCKED_SLOTS} in Python, 1024 names a process");
    let counters = format!("{NATIVE_COUNTERS} threads × counters, {LOCKED_COUNTERS} in Python, 1024 names a process");
    let additions = format!(
        "additions to running counters dropped for lack of space ({counters}), or because they were not numbers"
    );
    let found = [
        (contents.lost, format!("calls dropped for lack of space ({room})")),
        (contents.additions_lost, additions),
        (contents.refused.into(), "processes with another version of knee-region (their calls are lost)".into()),
        (contents.reentered, "calls from inside another call (signal handler) or from a finished thread".into()),
        (contents.uncounted, "counters that a thread could not open".into()),
        (contents.senseless as u64, "threads with inconsistent numbers (left out)".into()),
    ];
    found.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("regions: {what}: {count}"))
}

#[cfg(test)]
mod tests {
    use knee_region::Reading;
    use knee_region::format::EVENTS;

    use super::*;

    fn one(name: &str, [pid, tid]: [i32; 2], [calls, wall_ns, cpu_ns]: [u64; 3], first_begin_ns: u64) -> Use {
        let process_cpu_ns = (pid == tid).then_some(4 * cpu_ns);
        let (name, last_end_ns) = (name.to_owned(), first_begin_ns + 2 * wall_ns);
        Use {
            name,
            pid,
            tid,
            calls,
            wall_ns,
            cpu_ns,
            process_cpu_ns,
            first_begin_ns,
            last_end_ns,
            open: false,
            unmatched_ends: 0,
            crossed_ends: 0,
            counts: [Reading::default(); EVENTS],
        }
    }

    #[test]
    fn threads_of_a_region_make_one_phase_and_phases_stand_in_order() {
        let uses = vec![
            one("solve", [7, 7], [2, 100, 90], 2000),
            one("solve", [7, 8], [3, 150, 80], 2100),
            one("load", [7, 7], [1, 50, 10], 1500),
        ];
        let marked = Marked::new(&Contents { uses, ..Contents::default() }, &Marks::default(), 1000);
        let [load, solve] = &marked.phases[..] else { panic!("{:?}", marked.phases) };
        assert_eq!((load.name.as_str(), load.wall_ns, load.begin_ns, load.end_ns), ("load", 50, 500, 600));
        assert_eq!(load.cpu_ns, 40, "the main thread alone: the whole process counts");
        assert_eq!((solve.wall_ns, solve.cpu_ns), (150, 170), "several threads: each counts for itself");
        let counted: Vec<_> = solve.counters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        assert_eq!(counted, [("calls", 5), ("thread_cpu_ns", 170), ("thread_wall_ns", 250), ("threads", 2)]);
        assert!(marked.faults.is_empty() && marked.spans.len() == 3);
    }

    #[test]
    fn every_kind_of_mistake_and_loss_is_said_and_a_flood_is_cut() {
        let mut wrong = one("a", [1, 1], [0, 0, 0], 0);
        (wrong.unmatched_ends, wrong.crossed_ends, wrong.open) = (2, 1, true);
        let contents = Contents {
            uses: vec![wrong.clone()],
            lost: 5,
            refused: 1,
            reentered: 3,
            uncounted: 2,
            senseless: 1,
            additions_lost: 6,
        };
        let marked = Marked::new(&contents, &Marks::default(), 0);
        assert_eq!((marked.faults.len(), marked.phases.len(), marked.spans.len()), (9, 0, 0), "{:?}", marked.faults);
        assert_eq!(marked.faults[0], "region a: ends without a beginning: 2");
        let many = (0..50).map(|number| Use { name: format!("{number}"), ..wrong.clone() }).collect();
        let marked = Marked::new(&Contents { uses: many, ..Contents::default() }, &Marks::default(), 0);
        assert_eq!((marked.faults.len(), marked.faults[20].as_str()), (21, "and 130 more like this"));
    }

    #[test]
    fn numbers_at_the_end_of_their_range_do_not_overflow() {
        let mut huge = one("a", [1, 1], [u64::MAX, 1, u64::MAX / 4], u64::MAX - 2);
        huge.process_cpu_ns = Some(u64::MAX);
        let uses = vec![huge.clone(), Use { pid: 2, tid: 2, ..huge.clone() }, Use { tid: -1, ..huge }];
        let marked = Marked::new(&Contents { uses, ..Contents::default() }, &Marks::default(), u64::MAX);
        assert_eq!((marked.phases[0].counters["calls"], marked.phases[0].begin_ns), (u64::MAX, 0));
    }
}
