//! One event of a thread, read from the bytes of a kernel record (`perf_event_open(2)`, "MMAP layout").

use perf_event_open_sys::bindings::{
    PERF_RECORD_COMM, PERF_RECORD_EXIT, PERF_RECORD_FORK, PERF_RECORD_LOST, PERF_RECORD_MISC_COMM_EXEC,
    PERF_RECORD_MISC_SWITCH_OUT, PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, PERF_RECORD_SWITCH,
};

use super::merge::Timed;
use crate::perf::bytes::{Truncated, long, number};

/// Every record ends with what `sample_id_all` adds for `TID | TIME | CPU`: pid, tid, time, cpu and a gap.
const TRAILER: usize = 24;

/// What happened to a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// Its process executed a program; it runs.
    Exec,
    /// It was made, and waits for its first cpu.
    Fork,
    /// It got a cpu.
    In,
    /// It lost its cpu although it could go on (it was preempted, or yielded).
    Preempted,
    /// It gave its cpu up: it sleeps, waits for a disk, or was stopped.
    Slept,
    /// It ended.
    Exit,
}

impl What {
    /// Whether it got or lost a cpu.
    pub(crate) fn is_switch(self) -> bool {
        matches!(self, Self::In | Self::Preempted | Self::Slept)
    }
}

/// An event of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    /// On the kernel's monotonic clock.
    pub(crate) t_ns: u64,
    pub(crate) pid: i32,
    pub(crate) tid: i32,
    pub(crate) what: What,
}

impl Timed for Event {
    fn t_ns(&self) -> u64 {
        self.t_ns
    }
}

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// Something happened to a thread.
    Event(Event),
    /// The ring was full, and this many records were lost.
    Lost(u64),
    /// Nothing of interest.
    Nothing,
}

/// Reads one record: its type, its `misc` bits, and the bytes behind its header.
pub(crate) fn read(kind: u32, misc: u16, body: &[u8]) -> Result<Said, Truncated> {
    let misc = u32::from(misc);
    let of_the_trailer = |what| {
        let trailer = body.len().checked_sub(TRAILER).ok_or(Truncated)?;
        Ok(event(number(body, trailer)?, number(body, trailer + 4)?, long(body, trailer + 8)?, what))
    };
    // Process, parent, thread, parent thread, time.
    let of_a_task = |what| Ok(event(number(body, 0)?, number(body, 8)?, long(body, 16)?, what));
    match kind {
        PERF_RECORD_SWITCH if misc & PERF_RECORD_MISC_SWITCH_OUT == 0 => of_the_trailer(What::In),
        PERF_RECORD_SWITCH if misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT != 0 => of_the_trailer(What::Preempted),
        PERF_RECORD_SWITCH => of_the_trailer(What::Slept),
        PERF_RECORD_FORK => of_a_task(What::Fork),
        PERF_RECORD_EXIT => of_a_task(What::Exit),
        PERF_RECORD_COMM if misc & PERF_RECORD_MISC_COMM_EXEC != 0 => of_the_trailer(What::Exec),
        PERF_RECORD_LOST => Ok(Said::Lost(long(body, 8)?)),
        _ => Ok(Said::Nothing),
    }
}

/// The kernel writes 0 or -1 for a task that has no number any more.
fn event(pid: u32, tid: u32, t_ns: u64, what: What) -> Said {
    match (i32::try_from(pid), i32::try_from(tid)) {
        (Ok(pid), Ok(tid)) if tid > 0 => Said::Event(Event { t_ns, pid, tid, what }),
        _ => Said::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUT: u16 = 1 << 13;
    const PREEMPT: u16 = 1 << 14;

    fn trailer(pid: i32, tid: i32, t_ns: u64) -> Vec<u8> {
        let (pid, tid) = (pid.to_ne_bytes(), tid.to_ne_bytes());
        [&pid[..], &tid, &t_ns.to_ne_bytes(), &3_u32.to_ne_bytes(), &0_u32.to_ne_bytes()].concat()
    }

    /// A FORK or EXIT of thread 8 in process 7 at time 5, written by thread 2 of process 1 at time 6.
    fn task() -> Vec<u8> {
        let numbers = [7_u32, 1, 8, 2].map(u32::to_ne_bytes).concat();
        [numbers, 5_u64.to_ne_bytes().to_vec(), trailer(1, 2, 6)].concat()
    }

    fn said(t_ns: u64, what: What) -> Said {
        Said::Event(Event { t_ns, pid: 7, tid: 8, what })
    }

    #[test]
    fn switches_say_who_and_why() {
        let body = trailer(7, 8, 99);
        assert_eq!(read(14, 0, &body), Ok(said(99, What::In)));
        assert_eq!(read(14, OUT, &body), Ok(said(99, What::Slept)));
        assert_eq!(read(14, OUT | PREEMPT, &body), Ok(said(99, What::Preempted)));
    }

    #[test]
    fn threads_that_begin_and_end_are_named_in_the_record_and_not_in_its_trailer() {
        assert_eq!(read(7, 0, &task()), Ok(said(5, What::Fork)));
        assert_eq!(read(4, 0, &task()), Ok(said(5, What::Exit)));
    }

    #[test]
    fn an_exec_is_told_from_a_new_name() {
        let body = [&[0; 8][..], b"program\0", &trailer(7, 8, 4)].concat();
        assert_eq!(read(3, OUT, &body), Ok(said(4, What::Exec)));
        assert_eq!(read(3, 0, &body), Ok(Said::Nothing));
    }

    #[test]
    fn lost_records_are_counted_and_unknown_ones_left_out() {
        let body = [[1_u64, 1234].map(u64::to_ne_bytes).concat(), trailer(7, 8, 4)].concat();
        assert_eq!(read(2, 0, &body), Ok(Said::Lost(1234)));
        assert_eq!(read(9, 0, &body), Ok(Said::Nothing));
        assert_eq!(read(u32::MAX, u16::MAX, &[]), Ok(Said::Nothing));
        assert_eq!(read(14, 0, &trailer(0, 0, 4)), Ok(Said::Nothing));
        assert_eq!(read(14, 0, &trailer(-1, -1, 4)), Ok(Said::Nothing));
    }

    #[test]
    fn a_record_that_is_too_short_is_no_event() {
        for (kind, misc, whole) in
            [(14, 0, trailer(7, 8, 9)), (7, 0, task()), (4, 0, task()), (3, OUT, trailer(7, 8, 9))]
        {
            assert!(read(kind, misc, &whole).is_ok());
            for length in 0..TRAILER {
                assert_eq!(read(kind, misc, &whole[..length]), Err(Truncated), "{length} bytes of kind {kind}");
            }
        }
        assert_eq!(read(2, 0, &[0; 15]), Err(Truncated));
    }
}
