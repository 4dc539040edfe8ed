//! Reads `/proc` of other processes cheaply: every sampled file stays open and is read again.
//!
//! It parses by itself, because a general reader parses all 52 fields of `stat` and reopens the file each time, which
//! at 100 samples a second exceeds the sampler's budget.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;

/// CPU time of one thread at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    /// CPU time since the thread began.
    pub(crate) cpu_ns: u64,
    /// Time it was ready and waited for a cpu; none if the kernel has no schedstat.
    pub(crate) run_delay_ns: Option<u64>,
}

/// Where one thread is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ThreadSite {
    /// The thread's name.
    pub(crate) name: String,
    /// Cpu it ran on last; of a ready one the cpu for which it waits.
    pub(crate) cpu: u32,
    /// The kernel's letter for its state.
    pub(crate) letter: u8,
}

/// What `schedstat` says of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedstat {
    /// CPU time since the thread began.
    pub cpu_ns: u64,
    /// Time it was ready and waited for a cpu.
    pub run_delay_ns: u64,
}

impl Schedstat {
    /// Of a thread; none where the kernel keeps none, or the thread is gone.
    #[must_use]
    pub fn of(pid: i32, tid: i32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/task/{tid}/schedstat")).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split_ascii_whitespace().map(str::parse);
        Some(Self { cpu_ns: fields.next()?.ok()?, run_delay_ns: fields.next()?.ok()? })
    }
}

/// The open files of one thread.
#[derive(Debug)]
pub(crate) struct Task {
    stat: File,
    schedstat: Option<File>,
    tick_ns: u64,
}

impl Task {
    pub(crate) fn open(pid: i32, tid: i32) -> Option<Self> {
        let dir = format!("/proc/{pid}/task/{tid}");
        let stat = File::open(format!("{dir}/stat")).ok()?;
        let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
        let mut task = Self { stat, schedstat: File::open(format!("{dir}/schedstat")).ok(), tick_ns };
        // A schedstat of zero beside a stat that has ticks is a kernel that does not fill it in.
        let mut buffer = [0; 1024];
        let ticks = read_in_place(&task.stat, &mut buffer).and_then(parse_stat).map_or(0, |(_, ticks, _)| ticks);
        if ticks > 0 && task.times(&mut buffer).is_some_and(|times| times.cpu_ns == 0) {
            task.schedstat = None;
        }
        Some(task)
    }

    /// CPU time, from schedstat to the nanosecond, else from stat in ticks. None once the thread is gone.
    pub(crate) fn times(&self, buffer: &mut [u8; 1024]) -> Option<Times> {
        if let Some(file) = &self.schedstat {
            let Schedstat { cpu_ns, run_delay_ns } = Schedstat::parse(read_in_place(file, buffer)?)?;
            return Some(Times { cpu_ns, run_delay_ns: Some(run_delay_ns) });
        }
        let (_, ticks, _) = parse_stat(&String::from_utf8_lossy(bytes_in_place(&self.stat, buffer)?))?;
        Some(Times { cpu_ns: ticks * self.tick_ns, run_delay_ns: None })
    }

    /// Where it is. None once the thread is gone.
    pub(crate) fn site(&self, buffer: &mut [u8; 1024]) -> Option<ThreadSite> {
        // The kernel cuts a name after 15 bytes, perhaps inside a letter.
        let text = String::from_utf8_lossy(bytes_in_place(&self.stat, buffer)?);
        let (letter, _, cpu) = parse_stat(&text)?;
        let name = text.get(text.find('(')? + 1..text.rfind(')')?).unwrap_or_default().to_owned();
        Some(ThreadSite { name, cpu, letter })
    }
}

fn read_in_place<'a>(file: &File, buffer: &'a mut [u8; 1024]) -> Option<&'a str> {
    std::str::from_utf8(bytes_in_place(file, buffer)?).ok()
}

fn bytes_in_place<'a>(file: &File, buffer: &'a mut [u8; 1024]) -> Option<&'a [u8]> {
    let length = file.read_at(buffer, 0).ok().filter(|&n| n > 0)?;
    Some(&buffer[..length])
}

/// State, utime + stime in ticks, processor. The name in brackets may hold anything, brackets too, so fields are
/// counted from the last closing one.
pub(crate) fn parse_stat(text: &str) -> Option<(u8, u64, u32)> {
    let mut fields = text[text.rfind(')')? + 1..].split_ascii_whitespace();
    let letter = *fields.next()?.as_bytes().first()?;
    let user: u64 = fields.nth(10)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    let cpu = fields.nth(23)?.parse().ok()?;
    Some((letter, user + system, cpu))
}

/// The number of the newest process or thread, from `/proc/loadavg`: as long as it stays, there is none to look for.
#[derive(Debug)]
pub(crate) struct Newest(Option<File>);

impl Newest {
    pub(crate) fn open() -> Self {
        Self(File::open("/proc/loadavg").ok())
    }

    /// None where the kernel does not say; some emulated ones always say 0.
    pub(crate) fn number(&self) -> Option<u32> {
        let mut buffer = [0; 1024];
        let last = read_in_place(self.0.as_ref()?, &mut buffer)?.split_ascii_whitespace().next_back()?;
        last.parse().ok().filter(|number| *number > 0)
    }
}

/// Numbers that name the entries of a folder, like the threads in `/proc/PID/task`.
pub(crate) fn numbered(dir: &str) -> Vec<i32> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Every living process below `ancestor`, parents before children, `ancestor` itself not among them.
#[must_use]
pub fn descendants(ancestor: i32) -> Vec<i32> {
    let mut found = children(ancestor);
    let mut next = 0;
    while next < found.len() {
        found.extend(children(found[next]));
        next += 1;
    }
    found
}

/// Asks the kernel for children thread by thread; where it was built without that file, every process is asked for
/// its parent.
fn children(pid: i32) -> Vec<i32> {
    let mut found = Vec::new();
    for tid in numbered(&format!("/proc/{pid}/task")) {
        let Ok(text) = fs::read_to_string(format!("/proc/{pid}/task/{tid}/children")) else {
            if are_listed() {
                // The thread has ended.
                continue;
            }
            return children_by_parent(pid);
        };
        found.extend(text.split_ascii_whitespace().filter_map(|word| word.parse::<i32>().ok()));
    }
    found
}

/// Whether the kernel lists the children of a thread.
fn are_listed() -> bool {
    static LISTED: OnceLock<bool> = OnceLock::new();
    *LISTED.get_or_init(|| Path::new("/proc/thread-self/children").exists())
}

fn children_by_parent(pid: i32) -> Vec<i32> {
    let parent = |child: &i32| -> Option<i32> {
        let text = fs::read(format!("/proc/{child}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        text[text.rfind(')')? + 1..].split_ascii_whitespace().nth(1)?.parse().ok()
    };
    numbered("/proc").into_iter().filter(|child| parent(child) == Some(pid)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_full_of_brackets_does_not_shift_the_fields() {
        let text =
            "42 (a) R 1 (b)) S 1 42 42 0 -1 4194304 1 0 0 0 7 5 0 0 20 0 1 0 100 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 17 3 0";
        assert_eq!(parse_stat(text), Some((b'S', 12, 3)));
    }

    #[test]
    fn a_new_thread_has_a_new_number() {
        let newest = Newest::open();
        let before = newest.number();
        std::thread::spawn(|| ()).join().unwrap();
        assert!(before.is_none() || newest.number() != before);
    }

    #[test]
    fn this_very_thread_is_seen_running() {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let tid = rustix::thread::gettid().as_raw_nonzero().get();
        let task = Task::open(pid, tid).unwrap();
        let mut buffer = [0; 1024];
        let times = task.times(&mut buffer).unwrap();
        assert_eq!(task.site(&mut buffer).unwrap().letter, b'R');
        let begin = std::time::Instant::now();
        while begin.elapsed() < std::time::Duration::from_millis(30) {}
        assert!(task.times(&mut buffer).unwrap().cpu_ns > times.cpu_ns);
    }
}
