//! Kyrola's fourth test: time to allocate memory, by number of threads.

use std::time::Instant;

use knee_workload::{Args, Error, Param};

use super::sequential::ARRAY;
use super::{Given, Probe, Row, Step, Trial, node, node_names, sweep};
use crate::arena::{Arena, Found, Page, fits, fits_on};
use crate::context::Context;
use crate::pinned::together;
use crate::size;

pub(crate) struct Allocate;

impl Probe for Allocate {
    fn name(&self) -> &'static str {
        "allocate"
    }

    fn summary(&self) -> &'static str {
        "first touch of 128 MiB per thread, by threads, page size and allocation (Kyrola's fourth test)"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The time until every thread has written each page of its own array, all at once: of a new \
         mapping, of memory that was freed and allocated again (which the C library may have kept), and of the same \
         memory a second time.\n\n\
         **What it stresses.** The kernel: it clears each page, and threads of one process share the lock of its mappings.\n\n\
         **Where it should bend.** New pages cost microseconds each; with many threads the lock and the memory of one node \
         are the limit. Huge pages cause 512 times fewer faults.\n\n\
         **Source.** Kyrola's report on Blacklight (2011), test of parallel allocation: 1 to 15 s for 128 MiB a thread."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            Param::choice("way", "how memory is allocated", "fresh", &["fresh", "freed", "reused"]),
            Param::new("size", "bytes per thread", ARRAY),
            Param::choice("page", "page size; freed memory always has base pages", "base", Page::VALUES),
            Param::new("node", "memory node; local: each thread's own node", "local"),
        ];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        let cpus = context.cpus();
        let bytes = size::parse(given.get("size").map_or(ARRAY, String::as_str))?;
        let doubled = (0..32).map(|power| 1_usize << power).take_while(|count| *count < cpus.len());
        let counts: Vec<usize> = doubled.filter(|count| !context.quick || *count == 1).chain([cpus.len()]).collect();
        let seconds = bytes as f64 * 4e-9 * if context.quick { 4.0 } else { 6.0 };
        let mut steps = Vec::new();
        for page in sweep(given, "page", Page::VALUES) {
            for way in sweep(given, "way", &["fresh", "freed", "reused"]) {
                // Memory that the C library keeps has base pages, on no particular node.
                if way == "freed" && (page == "huge" || given.get("node").is_some_and(|node| node != "local")) {
                    continue;
                }
                for &count in &counts {
                    let more = [("way", way.clone()), ("page", page.clone())];
                    steps.push(Step::new(given, &more, &cpus[..count], seconds));
                }
            }
        }
        if steps.is_empty() {
            let message = "freed memory has base pages, and lies where the C library has it";
            return Err(Error::new(message).hint("leave out --page huge and --node, or give --way fresh"));
        }
        Ok(steps)
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let (page, node) = (Page::named(args.text("page")), node(args)?);
        let bytes = size::of(args, "size")?.next_multiple_of(2 << 20);
        fits(bytes.saturating_mul(cpus.len()))?;
        fits_on(node, bytes.saturating_mul(cpus.len()))?;
        let way = match args.text("way") {
            "fresh" => Way::Fresh,
            "freed" => Way::Freed,
            _ => Way::Reused,
        };
        if way == Way::Freed && node.is_some() {
            return Err(Error::new("freed memory lies where the C library has it: leave --node out"));
        }
        let homes = cpus.iter().map(|&cpu| node.or_else(|| context.node_of(cpu))).collect();
        let at = vec![
            ("way", args.text("way").into()),
            ("threads", cpus.len().to_string()),
            ("memory_node", node_names(context, node, cpus)),
            ("bytes", bytes.to_string()),
            ("page", page.name().into()),
        ];
        let mut touched = Touched { cpus: cpus.to_vec(), bytes, page, node, homes, way, kept: Vec::new(), at };
        if way == Way::Reused {
            touched.kept = touched.fresh()?.1;
        }
        Ok(Box::new(touched))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Fresh,
    Freed,
    Reused,
}

struct Touched {
    cpus: Vec<u32>,
    bytes: usize,
    page: Page,
    /// The node that the memory is bound to; none where first touch decides.
    node: Option<u32>,
    /// The node where each thread's memory should lie.
    homes: Vec<Option<u32>>,
    way: Way,
    /// The memory that was touched last, to check it or write it again.
    kept: Vec<Arena>,
    at: Vec<(&'static str, String)>,
}

impl Touched {
    /// Maps and touches; the time of the last thread, and the memory.
    fn fresh(&self) -> Result<(f64, Vec<Arena>), Error> {
        let results = together(&self.cpus, |thread| {
            thread.meet();
            let begin = Instant::now();
            let arena = Arena::map(self.bytes, self.page, self.node)?;
            touch(arena.start(), self.bytes);
            Ok((begin.elapsed().as_secs_f64(), arena.expected_on(self.homes[thread.index])))
        })?;
        let results: Vec<(f64, Arena)> = results.into_iter().collect::<Result<_, Error>>()?;
        let last = results.iter().map(|(time, _)| *time).fold(0.0, f64::max);
        Ok((last, results.into_iter().map(|(_, arena)| arena).collect()))
    }

    /// The same with memory of the global allocator that was freed just before.
    fn freed(&self) -> Result<f64, Error> {
        let times = together(&self.cpus, |thread| {
            let mut first = Vec::<u8>::with_capacity(self.bytes);
            touch(first.as_mut_ptr(), self.bytes);
            drop(first);
            thread.meet();
            let begin = Instant::now();
            let mut again = Vec::<u8>::with_capacity(self.bytes);
            touch(again.as_mut_ptr(), self.bytes);
            begin.elapsed().as_secs_f64()
        })?;
        Ok(times.into_iter().fold(0.0, f64::max))
    }

    fn again(&self) -> Result<f64, Error> {
        let times = together(&self.cpus, |thread| {
            thread.meet();
            let begin = Instant::now();
            touch(self.kept[thread.index].start(), self.bytes);
            begin.elapsed().as_secs_f64()
        })?;
        Ok(times.into_iter().fold(0.0, f64::max))
    }
}

/// Writes one byte of each base page.
fn touch(start: *mut u8, bytes: usize) {
    for at in (0..bytes).step_by(rustix::param::page_size()) {
        // SAFETY: callers have so many bytes there. Volatile, since they are never read.
        unsafe { start.add(at).write_volatile(1) };
    }
}

impl Trial for Touched {
    fn rows(&self) -> Vec<Row> {
        let row = |measure, unit| Row { measure, unit, at: self.at.clone() };
        vec![row("time", "ms"), row("time a base page", "us")]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        let seconds = match self.way {
            Way::Fresh => {
                self.kept = Vec::new();
                let (seconds, arenas) = self.fresh()?;
                self.kept = arenas;
                seconds
            }
            Way::Freed => self.freed()?,
            Way::Reused => self.again()?,
        };
        let pages = self.bytes / rustix::param::page_size();
        Ok(vec![seconds * 1e3, seconds * 1e6 / pages as f64])
    }

    fn found(&self) -> Option<(Found, bool)> {
        (!self.kept.is_empty()).then(|| (Found::mean(&self.kept), self.page == Page::Huge))
    }

    /// The pages of freed memory are unknown; they may be huge if the kernel gives huge pages without request.
    fn flag(&self) -> Option<String> {
        let state = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
        (self.way == Way::Freed && state.contains("[always]"))
            .then(|| "this kernel uses huge pages without being asked; freed memory may have them".into())
    }
}

#[cfg(test)]
mod tests {
    use knee_machine::Topology;

    use super::*;

    #[test]
    fn freed_memory_has_neither_huge_pages_nor_a_node() {
        let machine = Topology::this_machine().unwrap();
        let context = Context::quick(&machine);
        for (name, value) in [("page", "huge"), ("node", "0")] {
            let given = [("way", "freed"), (name, value)].map(|(name, value)| (name.into(), value.into()));
            assert!(Allocate.plan(&context, &Given::from(given)).is_err(), "{name} {value}");
        }
    }
}
