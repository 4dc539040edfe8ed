//! Memory traffic and cache occupancy by the kernel's resource control (`/sys/fs/resctrl`).
//!
//! The run gets its own monitoring group if that is permitted. The launcher moves into it before it starts the program
//! and out of it right after: a new process starts in its parent's group, so the whole tree is counted and nothing
//! else. Without a group, the totals of knee's own group are read, and the record says so.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::refuse;
use super::source::Source;
use super::tally::Kind;
use crate::perf::CounterRefusal;

/// What it counts.
pub(crate) const NAMES: [&str; 3] = ["mbm_total_bytes", "mbm_local_bytes", "llc_occupancy"];

/// A monitoring group of one run; removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Group {
    /// Its folder.
    pub(crate) path: PathBuf,
    /// The file that moves the launcher back; none when it is back.
    back: Option<PathBuf>,
}

impl Group {
    pub(crate) fn step_out(&mut self) {
        if let Some(tasks) = self.back.take() {
            // If this fails, the launcher is counted, too; it sleeps most of the time.
            let _ = fs::write(tasks, thread_id());
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.step_out();
        // Processes that are still in it move to the group above.
        let _ = fs::remove_dir(&self.path);
    }
}

fn thread_id() -> String {
    rustix::thread::gettid().as_raw_nonzero().to_string()
}

/// The folder of the control group that this process is in, and its `tasks` file (of its monitoring group, if it is in
/// one).
fn own_group(root: &Path) -> (PathBuf, PathBuf) {
    let mounted = root.join("sys/fs/resctrl");
    let text = fs::read_to_string(root.join("proc/self/cpu_resctrl_groups")).unwrap_or_default();
    let field = |name: &str| {
        let path = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        path.trim().trim_matches('/').to_owned()
    };
    let (control, monitor) = (field("res:"), field("mon:"));
    let control = if control.is_empty() { mounted } else { mounted.join(control) };
    let tasks =
        if monitor.is_empty() { control.join("tasks") } else { control.join("mon_groups").join(monitor).join("tasks") };
    (control, tasks)
}

/// Moves into a new monitoring group, if possible, and returns what the counts then cover.
pub(crate) fn enter(root: &Path) -> (Option<Group>, String) {
    if examine(root).is_err() {
        return (None, String::new());
    }
    let (control, back) = own_group(root);
    let prefix = prefix(root);
    sweep(root, &control, &prefix);
    let path = control.join("mon_groups").join(format!("{prefix}{}", rustix::process::getpid().as_raw_nonzero()));
    let made = match fs::create_dir(&path) {
        // Left by a killed launcher with the same process id.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made,
    };
    let group = made.map(|()| Group { path, back: Some(back) });
    let entered = group.and_then(|group| fs::write(group.path.join("tasks"), thread_id()).map(|()| group));
    match entered {
        Ok(group) => (Some(group), String::new()),
        Err(error) => {
            let whose =
                if control == root.join("sys/fs/resctrl") { "the root group" } else { "the control group knee is in" };
            (None, format!("everything in {whose} of resctrl, because the program has no monitoring group ({error})"))
        }
    }
}

/// What names of our groups begin with; the process id follows. Containers see the same groups, but each has its own
/// process ids, so their namespace is a part of the name.
fn prefix(root: &Path) -> String {
    let link = fs::read_link(root.join("proc/self/ns/pid")).unwrap_or_default();
    let number: String = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    if number.is_empty() { "knee-".into() } else { format!("knee-{number}-") }
}

/// Removes groups of launchers that are gone: a killed one cannot do so itself.
fn sweep(root: &Path, control: &Path, prefix: &str) {
    for entry in fs::read_dir(control.join("mon_groups")).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let Some(pid) = name.strip_prefix(prefix).and_then(|pid| pid.parse::<u32>().ok()) else { continue };
        if !root.join(format!("proc/{pid}")).exists() {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// A quantity in every L3 of the group, or of the one that knee is in.
pub(crate) fn sources(root: &Path, group: Option<&Path>, name: &str) -> Result<Vec<Source>, CounterRefusal> {
    examine(root)?;
    let folder = group.map_or_else(|| own_group(root).0, Path::to_owned).join("mon_data");
    let kind = if name == "llc_occupancy" { Kind::Level } else { Kind::Grows };
    let mut caches: Vec<String> = caches(&folder);
    caches.sort();
    let sources = caches.into_iter().filter_map(|cache| {
        let file = folder.join(format!("mon_{cache}")).join(name);
        file.exists().then(|| Source::new(format!("resctrl:{}", part(&cache)), file, None, kind))
    });
    let sources: Vec<Source> = sources.collect();
    if sources.is_empty() {
        return refuse(format!("this cpu's resctrl does not count {name}"), "");
    }
    Ok(sources)
}

/// `L3_00` of every `mon_L3_00`.
fn caches(mon_data: &Path) -> Vec<String> {
    let entries = fs::read_dir(mon_data).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_prefix("mon_")?.to_owned())).collect()
}

/// `L3_00` is cache 0 of level 3: `L3:0`.
fn part(cache: &str) -> String {
    let Some((level, number)) = cache.split_once('_') else { return cache.to_owned() };
    let number = number.parse::<u32>().map_or_else(|_| number.to_owned(), |number| number.to_string());
    format!("{level}:{number}")
}

/// What resctrl can count, or why it cannot.
pub(crate) fn examine(root: &Path) -> Result<String, CounterRefusal> {
    let mounted = root.join("sys/fs/resctrl");
    if !mounted.join("info").exists() {
        let known = fs::read_to_string(root.join("proc/filesystems")).unwrap_or_default();
        return if known.lines().any(|line| line.split_whitespace().any(|word| word == "resctrl")) {
            refuse("resctrl is not mounted", "mount -t resctrl resctrl /sys/fs/resctrl")
        } else {
            refuse(
                "the kernel has no resctrl: this cpu has no memory monitoring, or a hypervisor hides it",
                "bare metal with Intel RDT, AMD QoS or Arm MPAM, and a kernel with CONFIG_X86_CPU_RESCTRL",
            )
        };
    }
    match fs::read_to_string(mounted.join("info/L3_MON/mon_features")) {
        Ok(features) if !features.trim().is_empty() => Ok(features.split_whitespace().collect::<Vec<_>>().join(" ")),
        _ => refuse("resctrl is mounted, and this cpu only controls with it: it monitors nothing", ""),
    }
}
