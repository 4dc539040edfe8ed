//! One cpu's ring of samples: opened for the program that the calling thread starts next, and read.

use std::os::fd::BorrowedFd;

use perf_event::events::Software;
use perf_event::{Builder, Clock, SampleFlag, Sampler};

use super::event::{Said, read};
use crate::perf::sys;
use crate::switches::Refused;

/// Bytes of a ring: 700 samples. Beside a ring of context switches it is within what a user may map.
const BYTES: usize = 128 << 10;
/// The general registers of a processor of this kind, without its flags and segments.
const REGISTERS: u64 = if cfg!(target_arch = "x86_64") { 0x00ff_00ff } else { 0 };
/// Bytes of a record's header, which [`Sampler`] takes off.
const HEADER: usize = 8;

/// The ring of one cpu.
pub(super) struct Ring(Sampler);

impl Ring {
    /// Its event belongs to the calling thread and is off, as that of context switches.
    pub(super) fn open(cpu: u32, period_ns: u64) -> Result<Self, Refused> {
        let mut builder = Builder::new(Software::TASK_CLOCK);
        builder.observe_self().one_cpu(cpu as usize).inherit(true).enabled(false).enable_on_exec(true);
        // Samples of the own program need no permission to watch the kernel.
        builder.exclude_kernel(true).exclude_hv(true);
        builder.sample_period(period_ns).mmap(true).task(true).comm(true).comm_exec(true);
        builder.sample_id_all(true);
        builder.sample(SampleFlag::IP | SampleFlag::TID | SampleFlag::TIME | SampleFlag::CPU);
        if REGISTERS != 0 {
            builder.sample(SampleFlag::REGS_USER).sample_regs_user(REGISTERS);
        }
        builder.clockid(Clock::MONOTONIC).wakeup_watermark(BYTES / 4);
        let counter = builder.build().map_err(Refused::Open)?;
        Ok(Self(counter.sampled(BYTES).map_err(Refused::Map)?))
    }

    /// Reads what is there, and not what comes meanwhile beyond a whole ring. Returns how many records were shorter than
    /// their kind.
    pub(super) fn drain(&mut self, mut take: impl FnMut(Said)) -> u64 {
        let (mut done, mut truncated) = (0, 0);
        while done < BYTES {
            let Some(record) = self.0.next_record() else { break };
            done += record.len() + HEADER;
            match read(record.ty(), record.misc(), &record.to_contiguous()) {
                Ok(said) => take(said),
                Err(_) => truncated += 1,
            }
        }
        truncated
    }

    /// Readable when a quarter of it is full.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        sys::descriptor(&self.0)
    }
}
