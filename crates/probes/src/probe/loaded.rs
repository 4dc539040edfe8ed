//! Loaded latency: one reader while other threads use memory.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use knee_workload::{Args, Error, Param};

use super::{Given, Probe, Row, Step, Trial, node, node_name, sweep};
use crate::arena::{Arena, Found, Page, fits, fits_on};
use crate::chase::{Chase, Line};
use crate::context::Context;
use crate::isa::{Isa, Kernel};
use crate::pinned::{alone, together};
use crate::size;

/// Bytes that a loading thread moves before it pauses and checks whether to end.
const BLOCK: usize = 16 << 10;
/// Loads of a trial: a few milliseconds.
const LOADS: usize = 30_000;
/// A gap that means no traffic at all.
const NONE: &str = "none";

pub(crate) struct Loaded;

impl Probe for Loaded {
    fn name(&self) -> &'static str {
        "loaded"
    }

    fn summary(&self) -> &'static str {
        "latency of one reader while all other cpus load memory more and more"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The latency of dependent loads on one cpu, and at the same time the bandwidth of all others, \
         which move blocks of 16 KiB with pauses in between: from no traffic to no pause.\n\n\
         **What it stresses.** The queues in front of the memory channels.\n\n\
         **Where it should bend.** Latency grows slowly until most of the bandwidth is used, and then at once: the knee of \
         the channels. A program whose misses wait there gains nothing from more threads.\n\n\
         **Source.** Intel's Memory Latency Checker (`--loaded_latency`); multiload."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            Param::new("gap", "pause of a loading thread between two blocks in ns; none: no traffic", "0"),
            Param::choice("kernel", "kind of access of the other threads", "read", Kernel::NAMES),
            Param::new("size", "total bytes; the reader has half", "256M"),
            Param::choice("page", "page size", "huge", Page::VALUES),
            Param::new("node", "memory node; local: each thread's own node", "local"),
        ];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        let cpus = context.cpus();
        if cpus.len() < 2 {
            return Ok(Vec::new());
        }
        let size = given.get("size").cloned().unwrap_or_else(|| size::text(context.beyond_caches().0));
        let all = [NONE, "20000", "5000", "2000", "1000", "500", "200", "0"];
        let some = [NONE, "2000", "500", "0"];
        let gaps = sweep(given, "gap", if context.quick { &some } else { &all });
        let seconds = size::parse(&size)? as f64 / 1e9 + if context.quick { 0.2 } else { 0.5 };
        let step = |gap: String| Step::new(given, &[("size", size.clone()), ("gap", gap)], &cpus, seconds);
        Ok(gaps.into_iter().map(step).collect())
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let gap = match args.text("gap") {
            NONE => None,
            _ => Some(Duration::from_nanos(args.number("gap", 0..=1_000_000_000)?)),
        };
        let kernel = Kernel::named(args.text("kernel")).expect("one of its values");
        let (page, node) = (Page::named(args.text("page")), node(args)?);
        if cpus.len() < 2 {
            return Err(Error::new("loaded needs two cpus: one reads, the others move data").hint("-n 2 or more"));
        }
        // Half for the reader, for any number of other threads: its array must not fit into a cache.
        let half = size::of(args, "size")? / 2;
        let streams = kernel.streams();
        let bytes_of = |thread: usize| share(thread, half, cpus.len() - 1, streams * BLOCK);
        let (bytes, others) = (bytes_of(0), bytes_of(1).saturating_mul(cpus.len() - 1));
        fits(bytes.saturating_add(others).saturating_add(Chase::order_bytes(bytes, 64)?))?;
        fits_on(node, bytes.saturating_add(others))?;
        // Each thread touches its own arrays first.
        let homes: Vec<_> = cpus.iter().map(|&cpu| node.or_else(|| context.node_of(cpu))).collect();
        let arenas = together(cpus, |thread| {
            let arena = Arena::written(bytes_of(thread.index), page, node)?;
            Ok(arena.expected_on(homes[thread.index]))
        })?;
        let mut arenas = arenas.into_iter().collect::<Result<Vec<_>, Error>>()?;
        let own = arenas.remove(0);
        let chase = alone(cpus[0], || Chase::lay(own, bytes, 64, 1))?;
        let place = chase.starts(1, 2)[0];
        let small = fits_own_cache(context, cpus[0], bytes);
        let at = vec![
            ("reader", cpus[0].to_string()),
            ("memory_node", node_name(context, node, cpus[0])),
            ("gap_ns", args.text("gap").into()),
            ("kernel", kernel.name().into()),
            ("others", (cpus.len() - 1).to_string()),
            ("page", page.name().into()),
        ];
        Ok(Box::new(Busy { chase, arenas, kernel, gap, place, cpus: cpus.to_vec(), isa: Isa::best(), at, page, small }))
    }
}

/// Bytes of a thread's arrays: half of all for the reader, the rest for the others; at least one unit.
fn share(thread: usize, half: usize, others: usize, unit: usize) -> usize {
    let part = if thread == 0 { half } else { half / others };
    part.max(1).next_multiple_of(unit)
}

/// A warning if the reader's array fits into its last-level cache.
fn fits_own_cache(context: &Context<'_>, reader: u32, bytes: usize) -> Option<String> {
    let cache = context.machine.last_level_cache(reader)?;
    let (array, cached) = (size::text(bytes), size::text(usize::try_from(cache.size_bytes).unwrap_or(0)));
    (bytes as u64 <= cache.size_bytes)
        .then(|| format!("the reader's {array} fit into its last-level cache of {cached}"))
}

struct Busy {
    chase: Chase,
    /// The other threads' memory.
    arenas: Vec<Arena>,
    kernel: Kernel,
    gap: Option<Duration>,
    place: Line,
    cpus: Vec<u32>,
    isa: Isa,
    at: Vec<(&'static str, String)>,
    page: Page,
    /// The warning that the reader's array fits into its cache.
    small: Option<String>,
}

impl Busy {
    /// Moves data until `enough` is set; returns the bytes.
    fn move_data(&self, arena: &Arena, gap: Duration, enough: &AtomicBool) -> u64 {
        let (streams, mut at, mut moved) = (self.kernel.streams(), 0, 0);
        let array = arena.bytes() / streams / BLOCK * BLOCK;
        while !enough.load(Ordering::Relaxed) {
            let part = |number: usize| arena.start().wrapping_add(number.min(streams - 1) * array + at);
            // SAFETY: as many arrays of this size fit into the arena as the kernel has streams, and blocks into an array;
            // only this thread uses it.
            unsafe { self.isa.run(self.kernel, part(0), part(1), part(2), BLOCK) };
            moved += (BLOCK * streams) as u64;
            at = (at + BLOCK) % array;
            if !gap.is_zero() {
                let begin = Instant::now();
                while begin.elapsed() < gap {
                    std::hint::spin_loop();
                }
            }
        }
        moved
    }
}

impl Trial for Busy {
    fn rows(&self) -> Vec<Row> {
        let row = |measure, unit| Row { measure, unit, at: self.at.clone() };
        vec![row("latency", "ns"), row("traffic", "GB/s")]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        let (enough, moved) = (AtomicBool::new(false), AtomicU64::new(0));
        let results = together(&self.cpus, |thread| {
            thread.meet();
            if thread.index > 0 {
                if let Some(gap) = self.gap {
                    moved.fetch_add(self.move_data(&self.arenas[thread.index - 1], gap, &enough), Ordering::Relaxed);
                }
                return None;
            }
            let begin = Instant::now();
            let [place] = self.chase.follow([self.place], LOADS);
            let time = begin.elapsed();
            enough.store(true, Ordering::Relaxed);
            Some((place, time))
        })?;
        let (place, time) = results[0].expect("the first one reads");
        self.place = place;
        let nanoseconds = time.as_nanos() as f64;
        Ok(vec![nanoseconds / Chase::loads(LOADS) as f64, moved.into_inner() as f64 / nanoseconds])
    }

    fn found(&self) -> Option<(Found, bool)> {
        Some((Found::mean(self.arenas.iter().chain([self.chase.arena()])), self.page == Page::Huge))
    }

    fn flag(&self) -> Option<String> {
        self.small.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, share};

    #[test]
    fn each_thread_has_a_block_however_small_the_size_is() {
        assert_eq!([0, 1, 2].map(|thread| share(thread, 1, 2, BLOCK)), [BLOCK; 3]);
        assert_eq!([0, 1].map(|thread| share(thread, 8 * BLOCK, 2, BLOCK)), [8 * BLOCK, 4 * BLOCK]);
    }
}
