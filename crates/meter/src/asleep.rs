//! What sleeping threads wait for, in samples: which futexes, and whether with a time limit; and locks on files.
//!
//! `/proc/PID/task/TID/syscall` shows the system call in which a thread is, with its arguments. Most sleeping locks have
//! one futex for all that wait, and their waits have no time limit. The interpreter lock of `CPython` is one whose waits
//! have: they end after a few milliseconds, to ask for the lock. A wait alone says nothing of its kind: an idle pool
//! waits at one futex, too. A lock on a file is never that: somebody has it while another one waits.
//!
//! The kernel holds a lock of the thread's cpu while it answers, so the questions have a budget of their own: a quarter of
//! the sampler's, or a tenth of what it takes to read all threads where that is more. Where they do not fit, the next
//! sample goes on with the next threads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use knee_machine::clock::thread_cpu;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Threads that are asked at one sample.
const MOST_ASKED: u32 = 64;
/// Files that stay open: opening one takes longer than reading it.
const MOST_OPEN: usize = 64;
/// Questions may take this part of the sampler's period, or this part of the CPU time for reading all threads.
const SHARE: u32 = 400;
const SHARE_OF_READING: u32 = 10;
/// CPU time of a question, before any was asked.
const USUAL_COST: Duration = Duration::from_micros(4);
/// Futexes that are told apart. Where there are more, those with fewest waits are only in the totals: most are of
/// processes or threads that have ended.
const MOST_KNOWN: usize = 4096;
/// Futexes in the record.
const MOST_TOLD: usize = 8;

/// Waits without their flags (`FUTEX_PRIVATE_FLAG`, `FUTEX_CLOCK_REALTIME`).
const WAITS: [u64; 5] = [
    libc::FUTEX_WAIT as u64,
    libc::FUTEX_WAIT_BITSET as u64,
    libc::FUTEX_LOCK_PI as u64,
    libc::FUTEX_WAIT_REQUEUE_PI as u64,
    13, // FUTEX_LOCK_PI2
];
const FLAGS: u64 = 128 | 256;
/// Who denies it.
const DENIES: &str = "kernel.yama.ptrace_scope is above 1, or a program has other rights";
/// Operations of `fcntl` that wait until a lock is free.
const FILE_LOCKS: [u64; 2] = [libc::F_SETLKW as u64, libc::F_OFD_SETLKW as u64];

/// What sleeping threads waited for, in samples, or why it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FutexWaits {
    /// Counts of samples. Helpers of runtimes are left out.
    Known {
        /// Times that a sleeping thread was asked what it waits for: not every sleeping thread is asked at every sample.
        /// Those that wait for a child to end, such as a shell around the program, are left out.
        asleep: u64,
        /// Times that it waited for a futex.
        waits: u64,
        /// Times that this wait had a time limit.
        timed: u64,
        /// Times that it waited for a lock on a file (`flock`, `fcntl`, or `lockf`, which calls that).
        #[serde(default)]
        file_locks: u64,
        /// Times that a sleeping thread could not be asked, because its process denies it to this user. They are in none
        /// of the other counts.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        denied: Option<Denied>,
        /// The futexes at which most of these waits were, at most 8.
        hottest: Vec<Futex>,
    },
    /// There are no counts.
    Unavailable {
        /// The reason.
        unavailable: String,
    },
}

/// Sleeping threads that could not be asked, in samples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Denied {
    /// How many times.
    pub times: u64,
    /// Why.
    pub reason: String,
}

/// Waits for one futex, in samples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Futex {
    /// The process whose threads waited.
    pub pid: i32,
    /// Where it is in the memory of that process, in hexadecimal; of two neighbouring ones in the same eight bytes the
    /// first: a condition variable of glibc waits at two in turn.
    pub address: String,
    /// Times that a thread was found waiting for it.
    pub waits: u64,
    /// Times that this wait had a time limit.
    pub timed: u64,
    /// How many threads were found waiting for it, now or then.
    pub threads: u64,
}

/// Asks sleeping threads what they wait for.
#[derive(Debug, Default)]
pub(crate) struct Sleepers {
    /// Waits by process and address.
    futexes: BTreeMap<(i32, u64), Seen>,
    asleep: u64,
    waits: u64,
    timed: u64,
    file_locks: u64,
    /// The thread that was asked last.
    last: i32,
    /// Open files by process and thread.
    files: BTreeMap<(i32, i32), File>,
    /// Running mean of a question.
    cost: Option<Duration>,
    /// Why no thread can be asked.
    refused: Option<String>,
    /// Times that one could not, and why the last one could not.
    denied: Option<Denied>,
}

#[derive(Debug, Default)]
struct Seen {
    waits: u64,
    timed: u64,
    threads: BTreeSet<i32>,
}

impl Sleepers {
    /// Asks as many of these threads as fit, each a process and a thread, sorted by thread;
    /// `reading` is the CPU time for reading all threads.
    pub(crate) fn ask(&mut self, sleeping: &[(i32, i32)], period: Duration, reading: Duration) {
        let most = self.most(period, reading).min(sleeping.len());
        if most == 0 || self.refused.is_some() {
            return;
        }
        let next = sleeping.partition_point(|(_, tid)| *tid <= self.last);
        let before = thread_cpu();
        for &(pid, tid) in sleeping.iter().cycle().skip(next).take(most) {
            self.last = tid;
            let answer = self.read(pid, tid);
            self.hear(pid, tid, answer);
            if self.refused.is_some() {
                return;
            }
        }
        let cost = thread_cpu().saturating_sub(before) / u32::try_from(most).unwrap_or(u32::MAX);
        self.cost = Some((self.cost.unwrap_or(cost) * 3 + cost) / 4);
    }

    fn read(&mut self, pid: i32, tid: i32) -> io::Result<Call> {
        if let Some(file) = self.files.get(&(pid, tid)) {
            let call = read(file);
            if call.is_err() {
                self.files.remove(&(pid, tid));
            }
            return call;
        }
        let file = open(pid, tid)?;
        let call = read(&file)?;
        if self.files.len() >= MOST_OPEN {
            // Most of them may be of threads that have ended.
            self.files.clear();
        }
        self.files.insert((pid, tid), file);
        Ok(call)
    }

    /// Takes an answer, or why there is none.
    fn hear(&mut self, pid: i32, tid: i32, answer: io::Result<Call>) {
        match answer {
            Ok(call) => self.note(pid, tid, call),
            // Its process has other rights; those of others may have none.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let times = self.denied.take().map_or(0, |denied| denied.times) + 1;
                self.denied = Some(Denied { times, reason: format!("/proc/PID/task/TID/syscall: {error}: {DENIES}") });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !Path::new("/proc/self/syscall").exists() => {
                self.refused = Some("this kernel has no /proc/PID/task/TID/syscall".into());
            }
            // It has ended.
            Err(_) => {}
        }
    }

    /// How many questions fit, at least one.
    fn most(&self, period: Duration, reading: Duration) -> usize {
        let cost = self.cost.unwrap_or(USUAL_COST).as_nanos().max(1);
        let fitting = (period / SHARE).max(reading / SHARE_OF_READING).as_nanos() / cost;
        fitting.clamp(1, u128::from(MOST_ASKED)).try_into().unwrap_or(1)
    }

    fn note(&mut self, pid: i32, tid: i32, call: Call) {
        let Call::Futex { address, timed } = call else {
            self.asleep += u64::from(!matches!(call, Call::Running | Call::Child));
            self.file_locks += u64::from(call == Call::FileLock);
            return;
        };
        let timed = u64::from(timed);
        self.asleep += 1;
        self.waits += 1;
        self.timed += timed;
        let key = (pid, address & !7);
        if self.futexes.len() >= MOST_KNOWN && !self.futexes.contains_key(&key) {
            self.make_room();
        }
        let seen = self.futexes.entry(key).or_default();
        seen.waits += 1;
        seen.timed += timed;
        seen.threads.insert(tid);
    }

    /// Keeps the half with most waits.
    fn make_room(&mut self) {
        let mut known: Vec<_> = std::mem::take(&mut self.futexes).into_iter().collect();
        known.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.waits));
        known.truncate(MOST_KNOWN / 2);
        self.futexes.extend(known);
    }

    /// All that was found.
    pub(crate) fn finish(self) -> FutexWaits {
        // Where every thread denied it, nothing is known.
        let denied = || self.denied.as_ref().filter(|_| self.asleep == 0).map(|denied| denied.reason.clone());
        if let Some(unavailable) = self.refused.clone().or_else(denied) {
            return FutexWaits::Unavailable { unavailable };
        }
        let told = |((pid, address), seen): ((i32, u64), Seen)| Futex {
            pid,
            address: format!("{address:#x}"),
            waits: seen.waits,
            timed: seen.timed,
            threads: seen.threads.len() as u64,
        };
        let mut hottest: Vec<Futex> = self.futexes.into_iter().map(told).collect();
        hottest.sort_by_key(|futex| std::cmp::Reverse(futex.waits));
        hottest.truncate(MOST_TOLD);
        let Self { asleep, waits, timed, file_locks, denied, .. } = self;
        FutexWaits::Known { asleep, waits, timed, file_locks, denied, hottest }
    }
}

/// The system call in which a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    /// It runs, or is about to.
    Running,
    /// A wait for the futex at this address, with a time limit or without.
    Futex { address: u64, timed: bool },
    /// A wait for a lock on a file.
    FileLock,
    /// A wait for a child to end, as of a shell around the program: no part of the work.
    Child,
    /// Another one, or none: a page fault.
    Other,
}

fn open(pid: i32, tid: i32) -> io::Result<File> {
    File::open(format!("/proc/{pid}/task/{tid}/syscall"))
}

fn read(file: &File) -> io::Result<Call> {
    let mut buffer = [0; 256];
    let length = file.read_at(&mut buffer, 0)?;
    let call = std::str::from_utf8(&buffer[..length]).ok().and_then(parse);
    call.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// The number of the call in decimal, its six arguments, the stack and the code in hexadecimal; `-1` and the last two
/// outside of any call; or `running`.
fn parse(line: &str) -> Option<Call> {
    let mut words = line.split_ascii_whitespace();
    let first = words.next()?;
    if first == "running" {
        return Some(Call::Running);
    }
    let number: libc::c_long = first.parse().ok()?;
    let mut arguments = words.map(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    if number == libc::SYS_flock || number == libc::SYS_fcntl {
        let operation = arguments.nth(1)??;
        // Of flock, every operation that sleeps waits for the lock.
        let waits = number == libc::SYS_flock || FILE_LOCKS.contains(&operation);
        return Some(if waits { Call::FileLock } else { Call::Other });
    }
    if number == libc::SYS_wait4 || number == libc::SYS_waitid {
        return Some(Call::Child);
    }
    if number != libc::SYS_futex && number != libc::SYS_futex_waitv {
        return Some(Call::Other);
    }
    let address = arguments.next()??;
    let operation = arguments.next()??;
    let timed = arguments.nth(1)?? != 0;
    // The second argument of futex_waitv is how many futexes there are, and its address that of their list.
    let waits = number == libc::SYS_futex_waitv || WAITS.contains(&(operation & !FLAGS));
    Some(if waits { Call::Futex { address, timed } } else { Call::Other })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(number: libc::c_long, arguments: &str) -> String {
        format!("{number} {arguments} 0x0 0x7ffc3892 0x7f4563\n")
    }

    #[test]
    fn waits_for_a_futex_are_told_from_other_calls() {
        let futex = |arguments| parse(&line(libc::SYS_futex, arguments));
        let wait = |address, timed| Some(Call::Futex { address, timed });
        assert_eq!(futex("0x5560c31c1c60 0x80 0x2 0x0 0x0"), wait(0x5560_c31c_1c60, false), "a mutex");
        assert_eq!(futex("0x7f4563f4e6f4 0x89 0x0 0x7ffc38924f20 0x0"), wait(0x7f45_63f4_e6f4, true));
        assert_eq!(futex("0x10 0x189 0x0 0x0 0x0"), wait(0x10, false), "against the clock of the day");
        assert_eq!(futex("0x10 0x86 0x0 0x20 0x0"), wait(0x10, true), "with priority inheritance");
        assert_eq!(futex("0x10 0x81 0x1 0x20 0x0"), Some(Call::Other), "a wake");
        assert_eq!(parse(&line(libc::SYS_futex_waitv, "0x40 0x2 0x0 0x80 0x1")), wait(0x40, true));
        assert_eq!(parse(&line(libc::SYS_clock_nanosleep, "0x0 0x0 0x7ffc 0x7ffd 0x0")), Some(Call::Other));
        assert_eq!(parse("-1 0x7ffc3892 0x7f4563\n"), Some(Call::Other), "a page fault");
        assert_eq!(parse("running\n"), Some(Call::Running));
        assert_eq!(parse(&line(libc::SYS_wait4, "0xffffffff 0x7ffc 0x0 0x0 0x0")), Some(Call::Child));
        assert_eq!(parse(&line(libc::SYS_waitid, "0x1 0x8 0x7ffc 0x5 0x0")), Some(Call::Child));
        assert_eq!(parse(&line(libc::SYS_flock, "0x3 0x2 0x0 0x0 0x0")), Some(Call::FileLock));
        assert_eq!(parse(&line(libc::SYS_fcntl, "0x3 0x7 0x7ffc38924f20 0x0 0x0")), Some(Call::FileLock), "F_SETLKW");
        assert_eq!(parse(&line(libc::SYS_fcntl, "0x3 0x6 0x7ffc38924f20 0x0 0x0")), Some(Call::Other), "F_SETLK");
        assert_eq!(parse(&format!("{} 0x3\n", libc::SYS_flock)), None);
        for text in ["", "runs", "202", "202 0x1 0x0 0x0", "202 1 0x0 0x0 0x0", "202 0x1 0x0 0x0 0x10000000000000000"] {
            let text = text.replace("202", &libc::SYS_futex.to_string());
            assert_eq!(parse(&text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,80}", number: i64, words in "( 0x[0-9a-f]{0,20}){0,8}") {
            let _ = parse(&text);
            let _ = parse(&format!("{number}{words}"));
            let _ = parse(&format!("{}{words}", libc::SYS_futex));
        }
    }

    #[test]
    fn the_hottest_futexes_are_told_with_their_threads() {
        let mut sleepers = Sleepers::default();
        for tid in 0..30 {
            let at = |address, timed| Call::Futex { address, timed };
            // Two words of a condition variable are one futex, the same address in another process is not.
            sleepers.note(1, tid % 3, at(0x1000 + 4 * u64::from(tid % 2 == 0), true));
            sleepers.note(2, tid, at(0x1000, tid < 10));
            sleepers.note(2, 99, at(0x2000 + 8 * u64::from(tid.unsigned_abs()), false));
            sleepers.note(2, tid, Call::Other);
            sleepers.note(2, tid, Call::Running);
            sleepers.note(2, tid, Call::Child);
            sleepers.note(2, tid, if tid < 5 { Call::FileLock } else { Call::Running });
        }
        let FutexWaits::Known { asleep, waits, timed, file_locks, denied, hottest } = sleepers.finish() else {
            panic!()
        };
        assert_eq!((asleep, waits, timed, file_locks, hottest.len()), (125, 90, 40, 5, MOST_TOLD));
        assert_eq!(denied, None);
        let futex = |pid, timed, threads| Futex { pid, address: "0x1000".into(), waits: 30, timed, threads };
        assert_eq!(hottest[..2], [futex(1, 30, 3), futex(2, 10, 30)]);
        assert_eq!(hottest[2].waits, 1);
    }

    #[test]
    fn the_hottest_futex_is_told_however_many_processes_have_ended_before() {
        let mut sleepers = Sleepers::default();
        let wait = Call::Futex { address: 0x1000, timed: false };
        for _ in 0..3 {
            sleepers.note(1, 1, wait);
        }
        let many = 3 * i32::try_from(MOST_KNOWN).unwrap();
        for pid in 2..many {
            sleepers.note(pid, pid, wait);
            assert!(sleepers.futexes.len() <= MOST_KNOWN);
        }
        for _ in 0..5 {
            sleepers.note(many, many, wait);
        }
        let FutexWaits::Known { waits, hottest, .. } = sleepers.finish() else { panic!() };
        let told: Vec<_> = hottest.iter().map(|futex| (futex.pid, futex.waits)).collect();
        assert_eq!((waits, &told[..2]), (u64::from(many.unsigned_abs()) + 6, &[(many, 5), (1, 3)][..]));
    }

    #[test]
    fn the_next_sample_goes_on_with_the_next_threads() {
        // Nobody has these numbers, so each question fails alone.
        let sleeping: Vec<_> = (0..100).map(|n| (i32::MAX, i32::MAX - 100 + n)).collect();
        let cost = Some(Duration::from_micros(1));
        let mut sleepers = Sleepers { cost, last: i32::MAX - 50, ..Sleepers::default() };
        let asked = i32::try_from(sleepers.most(Duration::from_millis(10), Duration::ZERO)).unwrap();
        assert_eq!(asked, 25, "a quarter of a percent of ten milliseconds");
        sleepers.ask(&sleeping, Duration::from_millis(10), Duration::ZERO);
        assert_eq!(sleepers.last, i32::MAX - 50 + asked);
        sleepers.last = i32::MAX - 1;
        sleepers.cost = cost;
        sleepers.ask(&sleeping, Duration::from_millis(10), Duration::ZERO);
        assert_eq!(sleepers.last, i32::MAX - 100 + asked - 1, "it begins again");
        let most = |period, reading| Sleepers { cost, ..Sleepers::default() }.most(period, reading);
        assert_eq!(most(Duration::from_secs(1 << 32), Duration::ZERO), 64);
        assert_eq!(most(Duration::from_micros(1), Duration::ZERO), 1);
        assert_eq!(most(Duration::from_millis(10), Duration::from_micros(300)), 30, "a tenth of reading all");
        assert_eq!(
            sleepers.finish(),
            FutexWaits::Known { asleep: 0, waits: 0, timed: 0, file_locks: 0, denied: None, hottest: Vec::new() }
        );
    }

    #[test]
    fn a_process_that_denies_it_loses_only_its_own_waits() {
        let mut sleepers = Sleepers::default();
        for tid in 0..3 {
            sleepers.hear(1, 1, Err(io::Error::from_raw_os_error(libc::EPERM)));
            sleepers.hear(2, tid, Ok(Call::Futex { address: 0x1000, timed: false }));
            for gone in [libc::ESRCH, libc::EMFILE, libc::EINTR] {
                sleepers.hear(2, tid, Err(io::Error::from_raw_os_error(gone)));
            }
        }
        let FutexWaits::Known { asleep, waits, denied: Some(denied), .. } = sleepers.finish() else { panic!() };
        assert_eq!((asleep, waits, denied.times), (3, 3, 3));
        assert!(denied.reason.contains("ptrace_scope"), "{denied:?}");
    }

    #[test]
    fn where_every_process_denies_it_nothing_is_known() {
        let mut sleepers = Sleepers::default();
        sleepers.hear(1, 1, Err(io::Error::from_raw_os_error(libc::EACCES)));
        let FutexWaits::Unavailable { unavailable } = sleepers.finish() else { panic!() };
        assert!(unavailable.contains("ptrace_scope"), "{unavailable}");
    }

    #[test]
    fn after_a_refusal_nobody_is_asked() {
        let mut sleepers = Sleepers { refused: Some("there is none".into()), ..Sleepers::default() };
        sleepers.ask(&[(1, 1)], Duration::from_millis(10), Duration::ZERO);
        assert_eq!(sleepers.last, 0);
        assert!(matches!(sleepers.finish(), FutexWaits::Unavailable { .. }));
    }

    #[test]
    fn a_thread_that_waits_for_another_waits_for_a_futex() {
        let (begin, wait) = std::sync::mpsc::channel();
        let lock = std::sync::Mutex::new(());
        let kept = lock.lock();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                begin.send(rustix::thread::gettid().as_raw_nonzero().get()).unwrap();
                drop(lock.lock());
            });
            let (pid, tid) = (rustix::process::getpid().as_raw_nonzero().get(), wait.recv().unwrap());
            let mut sleepers = Sleepers::default();
            // It goes to sleep as soon as it gets a cpu.
            let (since, most) = (std::time::Instant::now(), std::time::Duration::from_mins(1));
            let found = std::iter::repeat_with(|| sleepers.read(pid, tid)).take_while(|_| since.elapsed() < most);
            let asleep = found.map_while(Result::ok).find(|call| matches!(call, Call::Futex { .. }));
            drop(kept);
            let first = std::ptr::from_ref(&lock).addr() as u64;
            let inside = first..first + size_of_val(&lock) as u64;
            let there = |call| matches!(call, Call::Futex { address, timed: false } if inside.contains(&address));
            let refused = open(pid, tid)
                .and_then(|file| read(&file))
                .is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
            assert!(refused || sleepers.files.len() == 1, "its file stays open");
            assert!(refused || asleep.is_some_and(there), "{asleep:?}, the lock is at {first:#x}");
        });
    }
}
