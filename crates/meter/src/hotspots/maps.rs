//! Which file each address of a process is of.

use std::collections::{BTreeMap, HashMap};

/// Processes whose mappings are kept; samples of further ones are of no file.
const MOST_PROCESSES: usize = 1 << 12;

/// A part of a file that is mapped.
#[derive(Debug, Clone, Copy)]
struct Part {
    end: u64,
    offset: u64,
    file: usize,
}

/// What a living process has.
#[derive(Debug, Default, Clone)]
struct Process {
    parts: BTreeMap<u64, Part>,
    /// Its threads beside the first.
    others: u32,
}

/// The mappings of all living processes.
#[derive(Debug, Default)]
pub(super) struct Maps {
    processes: HashMap<i32, Process>,
    files: Vec<String>,
    numbers: HashMap<String, usize>,
}

/// A place in a file, by the file's number.
pub(super) type Found = (usize, u64);

impl Maps {
    pub(super) fn map(&mut self, pid: i32, start: u64, length: u64, offset: u64, file: String) {
        // The kernel names code of no file "//anon", or by what it is for ("[vdso]", "[heap]").
        let known = file.starts_with('/') && !file.starts_with("//") || file == "[vdso]";
        let end = start.saturating_add(length);
        if !self.processes.contains_key(&pid) && self.processes.len() >= MOST_PROCESSES {
            return;
        }
        let parts = &mut self.processes.entry(pid).or_default().parts;
        let covered: Vec<u64> = parts.range(start..end).map(|(&at, _)| at).collect();
        for at in covered {
            parts.remove(&at);
        }
        if known {
            let files = &mut self.files;
            let number = *self.numbers.entry(file).or_insert_with_key(|name| {
                files.push(name.clone());
                files.len() - 1
            });
            parts.insert(start, Part { end, offset, file: number });
        }
    }

    /// A process executes a program: all it had mapped is gone.
    pub(super) fn exec(&mut self, pid: i32) {
        // The ends of its other threads may be told only now.
        if let Some(process) = self.processes.get_mut(&pid) {
            process.parts.clear();
        }
    }

    /// A process has all that the one has which made it.
    pub(super) fn fork(&mut self, pid: i32, parent: i32) {
        // The end of one that had this number may have been lost.
        self.processes.remove(&pid);
        if let Some(Process { parts, .. }) = self.processes.get(&parent).cloned()
            && self.processes.len() < MOST_PROCESSES
        {
            self.processes.insert(pid, Process { parts, others: 0 });
        }
    }

    /// A process starts another thread.
    pub(super) fn thread(&mut self, pid: i32) {
        if let Some(process) = self.processes.get_mut(&pid) {
            process.others += 1;
        }
    }

    /// A thread of a process ends. Whether it was the last one: then all that it had mapped is gone.
    pub(super) fn end(&mut self, pid: i32) -> bool {
        let Some(process) = self.processes.get_mut(&pid) else { return true };
        if process.others == 0 {
            self.processes.remove(&pid);
            return true;
        }
        process.others -= 1;
        false
    }

    /// The place of an address in a file; none in code of no file.
    pub(super) fn find(&self, pid: i32, address: u64) -> Option<Found> {
        let (start, part) = self.processes.get(&pid)?.parts.range(..=address).next_back()?;
        (address < part.end).then(|| (part.file, part.offset + (address - start)))
    }

    /// The path of a file.
    pub(super) fn file(&self, number: usize) -> &str {
        &self.files[number]
    }

    /// Paths of the files, by number.
    pub(super) fn into_files(self) -> Vec<String> {
        self.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_place_in_the_file_that_is_mapped_there_now() {
        let mut maps = Maps::default();
        maps.map(1, 0x1000, 0x1000, 0x400, "/bin/a".into());
        maps.map(1, 0x8000, 0x100, 0, "//anon".into());
        assert_eq!(maps.find(1, 0x1010), Some((0, 0x410)));
        assert_eq!(maps.find(1, 0x2000), None);
        assert_eq!(maps.find(1, 0xfff), None);
        assert_eq!(maps.find(1, 0x8001), None, "code of no file");
        maps.fork(2, 1);
        maps.map(2, 0x1000, 0x10, 0, "/bin/b".into());
        assert_eq!((maps.find(2, 0x1001), maps.find(2, 0x1010)), (Some((1, 1)), None));
        maps.exec(1);
        assert_eq!(maps.find(1, 0x1010), None);
        assert_eq!(maps.into_files(), ["/bin/a", "/bin/b"]);
    }

    #[test]
    fn a_process_is_forgotten_with_its_last_thread() {
        let mut maps = Maps::default();
        maps.map(1, 0x1000, 0x1000, 0, "/bin/sh".into());
        // More than are kept at once, one after the other.
        for pid in 2..2 * i32::try_from(MOST_PROCESSES).unwrap() {
            maps.fork(pid, 1);
            maps.thread(pid);
            assert_eq!(maps.find(pid, 0x1010), Some((0, 0x10)));
            maps.exec(pid);
            maps.map(pid, 0x1000, 0x1000, 0, "/bin/b".into());
            assert!(!maps.end(pid));
            assert_eq!(maps.find(pid, 0x1010), Some((1, 0x10)), "a thread is left");
            assert!(maps.end(pid));
            assert_eq!(maps.find(pid, 0x1010), None);
        }
        assert_eq!(maps.processes.len(), 1);
    }
}
