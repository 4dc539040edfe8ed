//! What a kernel record says of addresses (`perf_event_open(2)`, "MMAP layout").

use perf_event_open_sys::bindings::{
    PERF_RECORD_COMM, PERF_RECORD_EXIT, PERF_RECORD_FORK, PERF_RECORD_LOST, PERF_RECORD_MISC_COMM_EXEC,
    PERF_RECORD_MMAP, PERF_RECORD_SAMPLE, PERF_SAMPLE_REGS_ABI_64,
};

use crate::perf::bytes::{Truncated, long, number};

/// Every record but a sample ends with what `sample_id_all` adds for `TID | TIME | CPU`: pid, tid, time, cpu and a gap.
const TRAILER: usize = 24;

/// The general registers of a thread, in the kernel's order.
pub(super) type Registers = Box<[u64; REGISTERS]>;
pub(super) const REGISTERS: usize = 16;

/// What happened in a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// A thread computed, and goes on at this address.
    Sample { tid: i32, address: u64, registers: Option<Registers> },
    /// A file was mapped to be executed: where, how many bytes, from which place of the file.
    Map { start: u64, length: u64, offset: u64, file: String },
    /// It executed a program: what was mapped before is gone.
    Exec,
    /// It was made by another process, of which it has all mappings.
    Fork { parent: i32 },
    /// This thread of it made another one.
    Thread { starter: i32 },
    /// One of its threads ended.
    End,
}

/// An event of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// On the kernel's monotonic clock.
    pub(super) t_ns: u64,
    pub(super) pid: i32,
    pub(super) what: What,
}

/// What a record says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    Event(Event),
    /// The ring was full, and this many records were lost.
    Lost(u64),
    Nothing,
}

/// Reads one record: its type, its `misc` bits, and the bytes behind its header.
pub(super) fn read(kind: u32, misc: u16, body: &[u8]) -> Result<Said, Truncated> {
    let event = |pid: u32, t_ns, what| match i32::try_from(pid) {
        Ok(pid) if pid > 0 => Said::Event(Event { t_ns, pid, what }),
        _ => Said::Nothing,
    };
    let trailer = || body.len().checked_sub(TRAILER).ok_or(Truncated);
    match kind {
        // Address, process, thread, time, cpu, and registers.
        PERF_RECORD_SAMPLE => {
            let tid = i32::try_from(number(body, 12)?).unwrap_or_default();
            let sample = What::Sample { tid, address: long(body, 0)?, registers: registers(body)? };
            Ok(event(number(body, 8)?, long(body, 16)?, sample))
        }
        // Process, thread, address, length, offset, and the name, which ends with zeros.
        PERF_RECORD_MMAP => {
            let trailer = trailer()?;
            let name = body.get(32..trailer).ok_or(Truncated)?;
            let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
            let file = String::from_utf8_lossy(&name[..end]).into_owned();
            let map = What::Map { start: long(body, 8)?, length: long(body, 16)?, offset: long(body, 24)?, file };
            Ok(event(number(body, 0)?, long(body, trailer + 8)?, map))
        }
        // Process, parent, thread, parent thread, time. A new thread has its process's mappings.
        PERF_RECORD_FORK => {
            let (pid, parent) = (number(body, 0)?, number(body, 4)?);
            let (parent, starter) = [parent, number(body, 12)?].map(|id| i32::try_from(id).unwrap_or_default()).into();
            let same = i32::try_from(pid) == Ok(parent);
            let what = if same { What::Thread { starter } } else { What::Fork { parent } };
            Ok(event(pid, long(body, 16)?, what))
        }
        // Process, parent, thread, parent thread, time.
        PERF_RECORD_EXIT => Ok(event(number(body, 0)?, long(body, 16)?, What::End)),
        PERF_RECORD_COMM if u32::from(misc) & PERF_RECORD_MISC_COMM_EXEC != 0 => {
            Ok(event(number(body, 0)?, long(body, trailer()? + 8)?, What::Exec))
        }
        PERF_RECORD_LOST => Ok(Said::Lost(long(body, 8)?)),
        _ => Ok(Said::Nothing),
    }
}

/// The registers of a sample; none of a program of 32 bits, or where none were asked for.
fn registers(sample: &[u8]) -> Result<Option<Registers>, Truncated> {
    if sample.len() < 40 || long(sample, 32)? != u64::from(PERF_SAMPLE_REGS_ABI_64) {
        return Ok(None);
    }
    let mut registers = Box::new([0; REGISTERS]);
    for (number, register) in registers.iter_mut().enumerate() {
        *register = long(sample, 40 + 8 * number)?;
    }
    Ok(Some(registers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trailer(pid: i32, t_ns: u64) -> Vec<u8> {
        let (pid, tid) = (pid.to_ne_bytes(), (pid + 1).to_ne_bytes());
        [&pid[..], &tid, &t_ns.to_ne_bytes(), &3_u32.to_ne_bytes(), &0_u32.to_ne_bytes()].concat()
    }

    fn said(t_ns: u64, what: What) -> Said {
        Said::Event(Event { t_ns, pid: 7, what })
    }

    fn mapped() -> Vec<u8> {
        let numbers = [0x1000_u64, 0x200, 0x40].map(u64::to_ne_bytes).concat();
        [&7_i32.to_ne_bytes()[..], &8_i32.to_ne_bytes(), &numbers, b"/bin/a\0\0", &trailer(7, 5)].concat()
    }

    #[test]
    fn samples_have_an_address_and_their_process() {
        let body = [&0xabcd_u64.to_ne_bytes()[..], &trailer(7, 99)].concat();
        let sample = |registers| said(99, What::Sample { tid: 8, address: 0xabcd, registers });
        assert_eq!(read(9, 2, &body), Ok(sample(None)));
        for length in 0..24 {
            assert_eq!(read(9, 2, &body[..length]), Err(Truncated));
        }
        let numbers = |abi: u64| {
            (0..16).fold(abi.to_ne_bytes().to_vec(), |all, one: u64| [all, one.to_ne_bytes().to_vec()].concat())
        };
        let all = [body.clone(), numbers(2)].concat();
        assert_eq!(read(9, 2, &all), Ok(sample(Some(Box::new(std::array::from_fn(|at| at as u64))))));
        assert_eq!(read(9, 2, &all[..all.len() - 1]), Err(Truncated));
        assert_eq!(read(9, 2, &[body, numbers(0)].concat()), Ok(sample(None)), "of the kernel alone");
    }

    #[test]
    fn mappings_say_where_which_part_of_a_file_is() {
        let map = What::Map { start: 0x1000, length: 0x200, offset: 0x40, file: "/bin/a".into() };
        assert_eq!(read(1, 2, &mapped()), Ok(said(5, map)));
        for length in 0..56 {
            assert_eq!(read(1, 2, &mapped()[..length]), Err(Truncated), "{length}");
        }
    }

    #[test]
    fn processes_begin_with_the_mappings_of_another_and_lose_them_when_they_execute() {
        let task = |pid: u32| [[pid, 1, pid, 1].map(u32::to_ne_bytes).concat(), 5_u64.to_ne_bytes().to_vec()].concat();
        assert_eq!(read(7, 0, &task(7)), Ok(said(5, What::Fork { parent: 1 })));
        let thread = Said::Event(Event { t_ns: 5, pid: 1, what: What::Thread { starter: 1 } });
        assert_eq!(read(7, 0, &task(1)), Ok(thread));
        assert_eq!(read(4, 0, &task(7)), Ok(said(5, What::End)));
        let comm = [&7_i32.to_ne_bytes()[..], &[0; 12], &trailer(7, 4)].concat();
        assert_eq!(read(3, 1 << 13, &comm), Ok(said(4, What::Exec)));
        assert_eq!(read(3, 0, &comm), Ok(Said::Nothing), "a new name");
        assert_eq!(read(2, 0, &[1_u64, 6].map(u64::to_ne_bytes).concat()), Ok(Said::Lost(6)));
    }
}
