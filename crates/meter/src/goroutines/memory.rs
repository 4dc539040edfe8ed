//! Reads goroutines from the memory of a running Go program.

use std::io;

use knee_machine::sys::read_process;

use super::layout::Layout;

/// Goroutines that one system call reads.
const PIECE: usize = 256;
/// Of a program that has started more, those that are read would not stand for the others. The runtime's list keeps
/// those that have ended, for others to come.
pub(super) const MOST: usize = 4096;
/// A garbage collector's scan sets this bit of a status.
const SCANNED: u32 = 0x1000;
/// Bytes of a stack that are read, and calls in it that are followed.
const STACK: usize = 512;
const MOST_CALLS: usize = 8;
/// On the way to sleep for a lock, Go releases before 1.20 call this; they say no more than "semacquire" otherwise.
const LOCKS: &str = "sync.runtime_SemacquireMutex";
/// Reasons to wait for a lock, and the one that may be another.
const AT_LOCKS: [&str; 3] = ["sync.Mutex.Lock", "sync.RWMutex.RLock", "sync.RWMutex.Lock"];
const UNTOLD: &str = "semacquire";
/// Goroutines that wait for one of these do not: their processor does that work, outside of any goroutine.
const COLLECTING: [&str; 5] =
    ["GC assist marking", "GC worker (active)", "garbage collection", "garbage collection scan", "stopping the world"];

/// What a goroutine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// It runs, or could run.
    Ready,
    /// It is in a system call.
    Calling,
    /// Its processor collects garbage meanwhile.
    Collecting,
    /// It waits, for the reason of this number.
    Waiting { reason: usize, lock: bool },
}

/// A living goroutine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Goroutine {
    pub(super) number: u64,
    /// Where its first function begins, as an address of the file.
    pub(super) start: u64,
    pub(super) status: Status,
}

/// The memory of a running program.
#[derive(Debug)]
pub(super) struct Memory {
    pid: i32,
    /// How far the program was loaded from where its file says.
    moved: u64,
    /// Addresses of the goroutines, as far as they were read.
    known: Vec<u64>,
    buffer: Vec<u8>,
}

impl Memory {
    pub(super) fn open(pid: i32, layout: &Layout) -> io::Result<Self> {
        let moved = match layout.moves_from {
            None => 0,
            Some(lowest) => loaded_at(pid)?.wrapping_sub(lowest & !0xfff),
        };
        let memory = Self { pid, moved, known: Vec::new(), buffer: vec![0; PIECE * layout.fields.span()] };
        memory.processors(layout).map(|_| memory)
    }

    /// How many goroutines may run at the same time.
    pub(super) fn processors(&self, layout: &Layout) -> io::Result<u64> {
        let mut bytes = [0; 4];
        self.read(layout.processors, &mut bytes)?;
        Ok(u64::from(u32::from_le_bytes(bytes)))
    }

    /// All living goroutines; none where the list is longer than [`MOST`]. The program goes on meanwhile, so two of them
    /// may have been read a moment apart.
    pub(super) fn goroutines(&mut self, layout: &Layout) -> io::Result<Option<Vec<Goroutine>>> {
        let mut slice = [0; 16];
        self.read(layout.all, &mut slice)?;
        let (at, many) = (word(&slice, 0), usize::try_from(word(&slice, 8)).unwrap_or(usize::MAX));
        if many > MOST {
            return Ok(None);
        }
        if many > self.known.len() {
            // The list only grows: a goroutine that has ended is used again.
            let mut bytes = vec![0; 8 * many];
            all(read_process(self.pid, &[at], 8 * many, &mut bytes)?, bytes.len())?;
            self.known = bytes.chunks_exact(8).map(|address| word(address, 0)).collect();
        }
        let size = layout.fields.span();
        let mut found = Vec::new();
        for piece in self.known.chunks(PIECE) {
            let read = read_process(self.pid, piece, size, &mut self.buffer)?;
            found.extend(self.buffer[..read].chunks_exact(size).filter_map(|bytes| self.goroutine(bytes, layout)));
        }
        Ok(Some(found))
    }

    fn goroutine(&self, bytes: &[u8], layout: &Layout) -> Option<Goroutine> {
        let field = |at: u64| word(bytes, usize::try_from(at).unwrap_or(usize::MAX));
        let status = u32::try_from(field(layout.fields.status) & 0xffff_ffff).unwrap_or(0) & !SCANNED;
        let status = match status {
            // Runnable, running, a stack that is being copied, and preempted.
            1 | 2 | 8 | 9 => Status::Ready,
            3 => Status::Calling,
            4 => {
                let reason = usize::try_from(field(layout.fields.reason) & 0xff).unwrap_or(0);
                let told = layout.reasons.get(reason).map_or("", String::as_str);
                let lock = AT_LOCKS.contains(&told)
                    || (told == UNTOLD && self.comes_from_a_lock(field(layout.fields.frame), layout));
                if COLLECTING.contains(&told) { Status::Collecting } else { Status::Waiting { reason, lock } }
            }
            _ => return None,
        };
        let start = field(layout.fields.start).wrapping_sub(self.moved);
        Some(Goroutine { number: field(layout.fields.number), start, status })
    }

    /// Whether one of the calls that led to this frame is that of a lock.
    fn comes_from_a_lock(&self, frame: u64, layout: &Layout) -> bool {
        let mut stack = [0; STACK];
        // The stack may end before so many bytes.
        let words: Vec<u64> = (0..STACK as u64).step_by(8).map(|at| frame.wrapping_add(at)).collect();
        let Ok(read) = read_process(self.pid, &words, 8, &mut stack) else { return false };
        let mut at = 0;
        for _ in 0..MOST_CALLS {
            if at + 16 > read {
                return false;
            }
            let (next, back) = (word(&stack, at), word(&stack, at + 8).wrapping_sub(self.moved));
            if layout.function(back) == Some(LOCKS) {
                return true;
            }
            // Frames of callers are at higher addresses.
            match usize::try_from(next.wrapping_sub(frame)) {
                Ok(further) if further > at && further < STACK => at = further,
                _ => return false,
            }
        }
        false
    }

    /// Reads at an address of the file.
    fn read(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        all(read_process(self.pid, &[at.wrapping_add(self.moved)], bytes.len(), bytes)?, bytes.len())
    }
}

fn all(read: usize, wanted: usize) -> io::Result<()> {
    if read == wanted { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Eight bytes as a number; zero beyond the end.
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at.saturating_add(8)).and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Where the program was loaded: the first of its mappings.
fn loaded_at(pid: i32) -> io::Result<u64> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps"))?;
    let program = std::fs::read_link(format!("/proc/{pid}/exe"))?;
    let program = program.to_string_lossy();
    let first = maps.lines().find(|line| line.ends_with(&*program)).and_then(|line| line.split('-').next());
    first.and_then(|start| u64::from_str_radix(start, 16).ok()).ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::super::layout::Fields;
    use super::*;

    /// A runtime's list in this very process: goroutines of six words, of which only the last one can run.
    fn goroutines(many: usize) -> Option<Vec<Goroutine>> {
        let one = |number: usize| [number as u64, if number + 1 == many { 1 } else { 4 }, 0, 20, 0, 0];
        let all: Vec<[u64; 6]> = (0..many).map(one).collect();
        let list: Vec<u64> = all.iter().map(|one| one.as_ptr().addr() as u64).collect();
        let slice = [list.as_ptr().addr() as u64, many as u64];
        let processors = [4_u32];
        let layout = Layout {
            all: slice.as_ptr().addr() as u64,
            processors: processors.as_ptr().addr() as u64,
            fields: Fields { number: 0, status: 8, reason: 16, start: 24, frame: 32 },
            reasons: Vec::new(),
            functions: Vec::new(),
            moves_from: None,
        };
        let mut memory = Memory::open(std::process::id().cast_signed(), &layout).unwrap();
        assert_eq!(memory.processors(&layout).unwrap(), 4);
        memory.goroutines(&layout).unwrap()
    }

    #[test]
    fn all_goroutines_are_read_or_none() {
        for many in [0, 1, PIECE, PIECE + 1, MOST] {
            let found = goroutines(many).unwrap();
            assert!(found.iter().map(|one| one.number).eq(0..many as u64), "{many}");
            assert!(found.iter().rev().skip(1).all(|one| one.status == Status::Waiting { reason: 0, lock: false }));
            assert!(found.last().is_none_or(|one| one.status == Status::Ready), "the newest of {many}");
        }
        assert_eq!(goroutines(MOST + 1), None);
    }
}
