//! One cpu's ring of records: opened for the program that the calling thread starts next, and read.

use std::os::fd::BorrowedFd;

use perf_event::events::Software;
use perf_event::{Builder, Clock, SampleFlag, Sampler};

use super::event::{Said, read};
use super::refused::Refused;
use crate::perf::bytes::Truncated;
use crate::perf::sys;

/// Bytes of a ring: 8192 switches. Without privileges a user may map 516 KiB a cpu (`kernel.perf_event_mlock_kb`), which
/// leaves room for a second measurement.
const BYTES: usize = 256 << 10;
/// A ring with less room than this may have been too full for a record.
const ROOM: usize = 64;
/// Bytes of a record's header, which [`Sampler`] takes off.
const HEADER: usize = 8;

/// The ring of one cpu.
pub(super) struct Ring {
    sampler: Sampler,
    bytes: usize,
}

/// How a reading went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Read {
    /// Records that were shorter than their kind.
    pub(super) truncated: u64,
    /// Whether the ring was full: whatever came next was lost.
    pub(super) full: bool,
}

impl Ring {
    pub(super) fn open(cpu: u32) -> Result<Self, Refused> {
        Self::with(cpu, BYTES)
    }

    /// Its event belongs to the calling thread and is off; programs that it starts inherit it, and their exec switches it
    /// on, so the caller's own switches are never recorded.
    fn with(cpu: u32, bytes: usize) -> Result<Self, Refused> {
        let mut builder = Builder::new(Software::DUMMY);
        builder.observe_self().one_cpu(cpu as usize).inherit(true).enabled(false).enable_on_exec(true);
        // Records of switches need no permission to watch the kernel.
        builder.exclude_kernel(true).exclude_hv(true);
        builder.context_switch(true).task(true).comm(true).comm_exec(true);
        builder.sample_id_all(true).sample(SampleFlag::TID | SampleFlag::TIME | SampleFlag::CPU);
        builder.clockid(Clock::MONOTONIC).wakeup_watermark(bytes / 4);
        let counter = builder.build().map_err(Refused::Open)?;
        Ok(Self { sampler: counter.sampled(bytes).map_err(Refused::Map)?, bytes })
    }

    /// Reads what is there, and not what comes meanwhile beyond a whole ring.
    pub(super) fn drain(&mut self, mut take: impl FnMut(Said)) -> Read {
        let (mut done, mut found) = (0, Read::default());
        while done < self.bytes {
            let Some(record) = self.sampler.next_record() else { break };
            done += record.len() + HEADER;
            match read(record.ty(), record.misc(), &record.to_contiguous()) {
                Ok(said) => take(said),
                Err(Truncated) => found.truncated += 1,
            }
        }
        found.full = done + ROOM > self.bytes;
        found
    }

    /// Readable when a quarter of it is full.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        sys::descriptor(&self.sampler)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

    use super::super::accounts::Accounts;
    use super::super::event::{Event, What};
    use super::super::merge::Merge;
    use super::*;

    /// Rings of this size on all cpus that are allowed; none where the kernel refuses them.
    fn rings(bytes: usize) -> Option<Vec<Ring>> {
        knee_machine::sys::affinity().iter().map(|cpu| Ring::with(cpu, bytes).ok()).collect()
    }

    /// A process that sleeps a hundred times for a fifth of a millisecond when it is told to, and says when it has. So
    /// what is in a ring does not depend on how long this process or that one is delayed.
    struct Napping {
        child: Child,
        tell: ChildStdin,
        told: ChildStdout,
    }

    impl Napping {
        /// Starts it, and returns when it waits to be told.
        fn start() -> Self {
            let code = "import posix, time\n\
                        while posix.write(1, b'.') and posix.read(0, 1):\n    for _ in range(100): time.sleep(2e-4)";
            let mut command = Command::new("python3");
            // Without the modules of `site` it hardly waits while it starts.
            command.args(["-I", "-S", "-c", code]).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let (tell, told) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
            let mut napping = Self { child, tell, told };
            napping.told.read_exact(&mut [0]).unwrap();
            napping
        }

        fn nap(&mut self) {
            self.tell.write_all(b".").unwrap();
            self.told.read_exact(&mut [0]).unwrap();
        }

        fn end(self) {
            let Self { mut child, tell, told: _told } = self;
            drop(tell);
            assert!(child.wait().unwrap().success());
        }
    }

    #[test]
    fn a_small_ring_is_read_across_its_end() {
        let Some(mut rings) = rings(16 << 10) else { return };
        let mut child = Napping::start();
        let (mut events, mut merge, mut lost): (Vec<Event>, _, u64) = (Vec::new(), Merge::default(), 0);
        let mut drain = |rings: &mut Vec<Ring>| {
            for ring in rings {
                let read = ring.drain(|said| match said {
                    Said::Event(event) => events.push(event),
                    Said::Lost(count) => lost += count,
                    Said::Nothing => {}
                });
                assert_eq!(read.truncated, 0);
            }
        };
        for _ in 0..15 {
            drain(&mut rings);
            child.nap();
        }
        drain(&mut rings);
        child.end();
        drain(&mut rings);
        assert_eq!(lost, 0);
        let mut accounts = Accounts::default();
        for event in events {
            merge.push(event);
        }
        let events = merge.before(u64::MAX);
        for event in &events {
            accounts.note(event);
        }
        let ins = events.iter().filter(|event| event.what == What::In).count();
        // A ring has room for 512.
        assert!(ins > 1400, "{ins} in");
        assert_eq!(accounts.finish(0).map(|found| found.odd), Some(0));
        assert_eq!(events.first().map(|event| event.what), Some(What::Exec));
        assert_eq!(events.last().map(|event| event.what), Some(What::Exit));
    }

    #[test]
    fn a_full_ring_says_so_and_then_how_many_records_were_lost() {
        let Some(mut rings) = rings(4096) else { return };
        // The kernel says how many were lost with the next record of the same cpu, so the child stays on one.
        let one = knee_machine::sys::affinity().iter().next().expect("this thread runs somewhere");
        knee_machine::sys::pin(&[one]).unwrap();
        let mut child = Napping::start();
        let mut lost = 0;
        let mut drain = |rings: &mut Vec<Ring>| {
            let mut read =
                |ring: &mut Ring| ring.drain(|said| lost += if let Said::Lost(count) = said { count } else { 0 }).full;
            rings.iter_mut().map(|ring| u32::from(read(ring))).sum::<u32>()
        };
        // These are 200 records, and a ring has room for 128.
        child.nap();
        assert!(drain(&mut rings) > 0);
        // The next record says how many were lost.
        child.nap();
        child.end();
        drain(&mut rings);
        assert!(lost > 0);
    }
}
