//! Memory bandwidth by thread count.

use std::time::{Duration, Instant};

use knee_workload::{Args, Error, Param};

use super::{Given, Probe, Row, Step, Trial, matrix_mark, node, node_names, sweep};
use crate::arena::{Arena, Found, Page, fits, fits_on};
use crate::context::Context;
use crate::isa::{Isa, Kernel, STEP};
use crate::pinned::together;
use crate::size;

pub(crate) struct Bandwidth;

impl Probe for Bandwidth {
    fn name(&self) -> &'static str {
        "bandwidth"
    }

    fn summary(&self) -> &'static str {
        "bandwidth of reads, writes, copies and triads by thread count, cached and non-temporal"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** Gigabytes (10^9) a second that a loop moves: read, write, copy (a to b), triad (a + s b to c), \
         and with stores that bypass the caches. Counted as in STREAM: the bytes that a loop reads and writes, without the \
         lines that are read only to be written.\n\n\
         **What it stresses.** Beyond the caches, memory channels and links; within them, the path \
         between cache and core.\n\n\
         **Where it should bend.** With threads: where the channels of a node are full. From node to node: at the links.\n\n\
         **Source.** STREAM (McCalpin 1995); likwid-bench (Treibig, Hager, Wellein, 2012)."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            Param::choice("kernel", "kind of access", "read", Kernel::NAMES),
            Param::new("size", "total bytes, all arrays and threads", "256M"),
            Param::choice("page", "page size", "huge", Page::VALUES),
            Param::new("node", "memory node; local: each thread's own node", "local"),
            Param::choice(
                "isa",
                "instruction set of the loop",
                "best",
                &["best", "SSE2", "AVX2", "AVX-512", "NEON", "portable"],
            ),
            Param::choice("matrix", "sweep: readers on each node, memory on each node", "no", &["no", "yes"]),
        ];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        let (bytes, _) = context.beyond_caches();
        let size = given.get("size").cloned().unwrap_or_else(|| size::text(bytes));
        let seconds = size::parse(&size)? as f64 / 1.5e9 + if context.quick { 0.15 } else { 0.5 };
        let mut steps = Vec::new();
        if given.get("matrix").is_some_and(|matrix| matrix == "yes") {
            for (_, cpus) in context.readers() {
                for memory in context.memories() {
                    let more = [("size", size.clone()), ("node", memory.to_string()), ("matrix", "yes".into())];
                    steps.push(Step::new(given, &more, &cpus, seconds));
                }
            }
            return Ok(steps);
        }
        let cpus = context.cpus();
        for kernel in sweep(given, "kernel", Kernel::NAMES) {
            for threads in counts(cpus.len(), context.quick) {
                let more = [("size", size.clone()), ("kernel", kernel.clone())];
                steps.push(Step::new(given, &more, &cpus[..threads], seconds));
            }
        }
        Ok(steps)
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let kernel = Kernel::named(args.text("kernel")).expect("one of its values");
        let isa = Isa::named(args.text("isa")).ok_or_else(|| {
            let known: Vec<_> = Isa::all().iter().map(|isa| isa.name).collect();
            Error::new(format!("no {} on this cpu: it has {}", args.text("isa"), known.join(", ")))
        })?;
        let (page, node, bytes) = (Page::named(args.text("page")), node(args)?, size::of(args, "size")?);
        let array = bytes / cpus.len() / kernel.streams() / STEP * STEP;
        if array == 0 {
            return Err(Error::new(format!("bad argument: size {bytes}: each array needs {STEP} bytes")));
        }
        fits(kernel.streams() * array * cpus.len())?;
        fits_on(node, kernel.streams() * array * cpus.len())?;
        // Each thread touches its own arrays first.
        let homes: Vec<_> = cpus.iter().map(|&cpu| node.or_else(|| context.node_of(cpu))).collect();
        let arenas = together(cpus, |thread| {
            let arena = Arena::written(kernel.streams() * array, page, node)?;
            Ok(arena.expected_on(homes[thread.index]))
        })?;
        let arenas = arenas.into_iter().collect::<Result<Vec<_>, Error>>()?;
        let at = vec![
            ("kernel", kernel.name().into()),
            ("threads", cpus.len().to_string()),
            ("reader_node", node_names(context, None, cpus)),
            ("memory_node", node_names(context, node, cpus)),
            ("bytes", bytes.to_string()),
            ("page", page.name().into()),
            ("isa", isa.name.into()),
        ];
        let at = [at, matrix_mark(args)].concat();
        let mut streamed = Streamed { kernel, isa, array, arenas, cpus: cpus.to_vec(), passes: 1, at, page };
        // At least some milliseconds a trial, so that the barriers at its ends do not matter.
        let passes = size::count(5e-3 / streamed.span()?.as_secs_f64().max(1e-9));
        streamed.passes = passes.max(1);
        if passes > 1 {
            // A short pass mostly measures how far apart its threads begin.
            let more = (8e-3 / streamed.span()?.as_secs_f64().max(1e-9)).max(1.0);
            streamed.passes = size::count(streamed.passes as f64 * more);
        }
        Ok(Box::new(streamed))
    }
}

/// About how many bytes a trial moves where all trials do the same work.
const FIXED: usize = 1 << 30;

/// Passes over so many bytes where all trials do the same work: enough that barriers do not matter, also within caches.
fn fixed_passes(bytes: usize) -> usize {
    (FIXED / bytes).max(1)
}

/// One thread, two, four and so on, and all.
fn counts(most: usize, quick: bool) -> Vec<usize> {
    let doubled = (0..32).map(|power| 1_usize << power).take_while(|count| *count < most);
    doubled.filter(|count| !quick || *count == 1).chain([most]).collect()
}

struct Streamed {
    kernel: Kernel,
    isa: Isa,
    array: usize,
    arenas: Vec<Arena>,
    cpus: Vec<u32>,
    passes: usize,
    at: Vec<(&'static str, String)>,
    page: Page,
}

impl Streamed {
    /// Bytes of a pass, of all threads.
    fn bytes(&self) -> usize {
        self.array * self.kernel.streams() * self.cpus.len()
    }

    /// Makes all passes; the time from the first thread's begin to the last one's end.
    fn span(&self) -> Result<Duration, Error> {
        let times = together(&self.cpus, |thread| {
            let start = self.arenas[thread.index].start();
            // Reads come first, so that what has one array has it at the start.
            let part = |number: usize| start.wrapping_add(number * self.array);
            let (a, b, to) = match self.kernel.streams() {
                1 => (part(0), part(0), part(0)),
                2 => (part(0), part(0), part(1)),
                _ => (part(0), part(1), part(2)),
            };
            thread.meet();
            let begin = Instant::now();
            for _ in 0..self.passes {
                // SAFETY: the arena holds as many arrays as the kernel touches, each a multiple of a step; it begins at a
                // page, and only this thread uses it now.
                unsafe { self.isa.run(self.kernel, to, a, b, self.array) };
            }
            (begin, Instant::now())
        })?;
        let begin = times.iter().map(|(begin, _)| *begin).min().expect("there is a thread");
        let end = times.iter().map(|(_, end)| *end).max().expect("there is a thread");
        Ok(end - begin)
    }
}

impl Trial for Streamed {
    fn rows(&self) -> Vec<Row> {
        vec![Row { measure: "bandwidth", unit: "GB/s", at: self.at.clone() }]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        let span = self.span()?;
        Ok(vec![(self.bytes() * self.passes) as f64 / span.as_nanos() as f64])
    }

    fn fix(&mut self) {
        self.passes = fixed_passes(self.bytes());
    }

    fn found(&self) -> Option<(Found, bool)> {
        Some((Found::mean(&self.arenas), self.page == Page::Huge))
    }
}

#[cfg(test)]
mod tests {
    use super::fixed_passes;

    #[test]
    fn trials_of_the_same_work_are_long_within_caches_too() {
        for bytes in [1 << 10, 3 << 20, 256 << 20, 700 << 20, 1 << 30, 5 << 30] {
            let moved = fixed_passes(bytes) * bytes;
            assert!(moved >= (1 << 30) / 2 && moved <= bytes.max(1 << 30), "{bytes}: {moved}");
        }
        assert_eq!([1 << 20, 256 << 20, 2 << 30].map(fixed_passes), [1024, 4, 1]);
    }
}
