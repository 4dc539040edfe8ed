//! Kyrola's first test: one reader at a time goes through the array of each owner.

use std::time::Instant;

use knee_workload::{Args, Error, Param};

use super::array::Reading;
use super::rounds::{OWNERS, READERS, Rounds, readers, refuse_readers};
use super::{Given, Probe, Row, Step, Trial, node_name, sweep};
use crate::arena::{Arena, Found, Page};
use crate::context::Context;
use crate::isa::{Isa, Kernel};
use crate::pinned::alone;
use crate::size;

/// Kyrola's array: 32 million numbers of four bytes.
pub(super) const ARRAY: &str = "128M";

/// A warning if an array is no larger than this machine's caches.
pub(super) fn fits_caches(context: &Context<'_>, bytes: usize) -> Option<String> {
    let caches = context.caches();
    (bytes <= caches).then(|| format!("{} fit into the last-level caches of {}", size::text(bytes), size::text(caches)))
}

/// Adds up every `stride`-th number of four bytes, one load each. Volatile, since the compiler would load many at once.
///
/// # Safety
/// So many bytes may be read there.
pub(super) unsafe fn add_up(start: *const u8, bytes: usize, stride: usize) -> u32 {
    let numbers = start.cast::<u32>();
    (0..bytes / 4).step_by(stride).fold(0, |sum: u32, at| {
        // SAFETY: the caller's.
        sum.wrapping_add(unsafe { numbers.add(at).read_volatile() })
    })
}

pub(crate) struct Sequential;

impl Probe for Sequential {
    fn name(&self) -> &'static str {
        "sequential"
    }

    fn summary(&self) -> &'static str {
        "one reader reads each owner's array (Kyrola's first test)"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The time in which one cpu reads an array that another one has touched first, while all others \
         are idle: every number of four bytes (stride 1), or one of each cache line (stride 16, Kyrola's row), by a loop \
         with one load per number; and, as `wide`, with the widest loads of the cpu. Reused: the same array each time. \
         Fresh: newly mapped and touched by its owner before each read. With `owners` `all`, as Kyrola drew it: every \
         thread owns an array, and each reader in turn goes through all of them, over memory that is reused, or freed and \
         allocated again before each reader; figures are the nanoseconds of a cache line of the reader's own array, of \
         those near it (on its node) and of far ones, and the share of pages that lie with their owner, or followed the \
         reader.\n\n\
         **What it stresses.** The path from a node's memory to a reader. The loop with one load per number is bound by \
         the core; the wide one by memory.\n\n\
         **Where it should bend.** Between owners on the reader's node and elsewhere. On one node all are equal.\n\n\
         **Source.** Kyrola's report on Blacklight (2011), test of sequential reads."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            READERS,
            OWNERS,
            Param::new("size", "bytes per array", ARRAY),
            Param::new("stride", "distance between loads in 4-byte numbers", "1"),
            Param::choice("loop", "width of loads", "scalar", &["scalar", "wide"]),
            Param::choice(
                "allocation",
                "whether each round reads the same pages or freshly allocated ones: new from the kernel, or by free and \
                 malloc (with --owners all)",
                "reused",
                &["reused", "fresh", "freed"],
            ),
            Param::choice("page", "page size", "base", Page::VALUES),
        ];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        let cpus = context.cpus();
        let named = readers(given.get("readers").map_or("first", String::as_str), &cpus)?;
        let bytes = size::parse(given.get("size").map_or(ARRAY, String::as_str))?;
        let seconds = bytes as f64 * 8e-9 + if context.quick { 0.2 } else { 0.6 };
        let mut steps = Vec::new();
        if given.get("owners").is_some_and(|owners| owners == "all") {
            let seconds = seconds * (named.len() * cpus.len()) as f64;
            for allocation in sweep(given, "allocation", &["reused", "fresh", "freed"]) {
                steps.push(Step::new(given, &[("allocation", allocation)], &cpus, seconds));
            }
            return Ok(steps);
        }
        // Each step has its own reader.
        let mut given = given.clone();
        given.remove("readers");
        for reader in named {
            for owner in owners(context, &cpus, reader) {
                for (stride, how) in &loops(&given) {
                    let fresh: &[&str] = if stride == "16" { &["reused", "fresh"] } else { &["reused"] };
                    for allocation in sweep(&given, "allocation", fresh) {
                        let more = [("stride", stride.clone()), ("loop", how.clone()), ("allocation", allocation)];
                        steps.push(Step::new(&given, &more, &[reader, owner], seconds));
                    }
                }
            }
        }
        Ok(steps)
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let (reader, owner) = (cpus[0], *cpus.get(1).unwrap_or(&cpus[0]));
        let bytes = size::of(args, "size")?.next_multiple_of(4096);
        let stride = usize::try_from(args.number("stride", 1..=1 << 20)?).unwrap_or(1);
        let page = Page::named(args.text("page"));
        if args.text("loop") == "wide" && stride != 1 {
            return Err(Error::new(format!("bad argument: stride '{stride}': the wide loop reads every number")));
        }
        if args.text("owners") == "all" {
            let reading = if args.text("loop") == "wide" { Reading::Wide } else { Reading::Stride(stride) };
            return Ok(Box::new(Rounds::in_turn(context, args, cpus, reading, args.text("allocation"))?));
        }
        refuse_readers(args)?;
        if args.text("allocation") == "freed" {
            return Err(Error::new("bad argument: allocation 'freed': it goes with --owners all"));
        }
        let home = context.node_of(owner);
        let map = move || alone(owner, || Arena::written(bytes, page, None).map(|arena| arena.expected_on(home)))?;
        let at = vec![
            ("reader", reader.to_string()),
            ("owner", owner.to_string()),
            ("reader_node", node_name(context, None, reader)),
            ("memory_node", node_name(context, None, owner)),
            ("bytes", bytes.to_string()),
            ("stride", stride.to_string()),
            ("loop", args.text("loop").into()),
            ("allocation", args.text("allocation").into()),
        ];
        Ok(Box::new(Read {
            arena: map()?,
            bytes,
            map: Box::new(map),
            fresh: args.text("allocation") == "fresh",
            wide: args.text("loop") == "wide",
            reader,
            stride,
            at,
            page,
            flag: fits_caches(context, bytes),
        }))
    }
}

/// The strides and widths of loads that a sweep measures: of three those that fit the options, or what these say.
fn loops(given: &Given) -> Vec<(String, String)> {
    let kept = |name: &str, value: &str| given.get(name).is_none_or(|given| given == value);
    let usual = [("1", "scalar"), ("16", "scalar"), ("1", "wide")].into_iter();
    let fitting: Vec<_> = usual.filter(|(stride, how)| kept("stride", stride) && kept("loop", how)).collect();
    if fitting.is_empty() {
        let said = |name: &str, otherwise: &str| given.get(name).map_or(otherwise.to_owned(), Clone::clone);
        return vec![(said("stride", "1"), said("loop", "scalar"))];
    }
    fitting.into_iter().map(|(stride, how)| (stride.to_owned(), how.to_owned())).collect()
}

/// The owners whose arrays are read: all, or the first ones of each node if there are many.
fn owners(context: &Context<'_>, cpus: &[u32], reader: u32) -> Vec<u32> {
    const FEW: usize = 16;
    if cpus.len() <= FEW {
        return cpus.to_vec();
    }
    let each = if context.quick { 1 } else { 2 };
    let mut owners = vec![reader];
    for owner in context.readers().iter().flat_map(|(_, cpus)| cpus.iter().copied().take(each)) {
        // The reader is often one of the first on its own node.
        if !owners.contains(&owner) {
            owners.push(owner);
        }
    }
    owners
}

struct Read {
    arena: Arena,
    /// What is read; with huge pages the arena may be longer.
    bytes: usize,
    map: Box<dyn Fn() -> Result<Arena, Error>>,
    fresh: bool,
    wide: bool,
    reader: u32,
    stride: usize,
    at: Vec<(&'static str, String)>,
    page: Page,
    flag: Option<String>,
}

impl Trial for Read {
    fn rows(&self) -> Vec<Row> {
        let row = |measure, unit| Row { measure, unit, at: self.at.clone() };
        vec![row("time", "ms"), row("bandwidth", "GB/s")]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        if self.fresh {
            self.arena = (self.map)()?;
        }
        let (arena, bytes) = (&self.arena, self.bytes);
        let time = alone(self.reader, || {
            let begin = Instant::now();
            // SAFETY: the arena is at least so long, and is not written to.
            unsafe {
                if self.wide {
                    let start = arena.start();
                    Isa::best().run(Kernel::Read, start, start, start, bytes);
                } else {
                    std::hint::black_box(add_up(arena.start(), bytes, self.stride));
                }
            }
            begin.elapsed()
        })?;
        // In whole lines: with a stride below a line, all lines are read.
        let moved = if self.stride <= 16 { bytes } else { bytes / self.stride * 16 };
        Ok(vec![time.as_secs_f64() * 1e3, moved as f64 / time.as_nanos() as f64])
    }

    fn found(&self) -> Option<(Found, bool)> {
        Some((self.arena.found(), self.page == Page::Huge))
    }

    fn flag(&self) -> Option<String> {
        self.flag.clone()
    }
}

#[cfg(test)]
mod tests {
    use knee_machine::Topology;

    use super::{loops, owners};
    use crate::context::Context;
    use crate::probe::Given;

    #[test]
    fn each_owner_is_measured_once() {
        let machine = Topology::from_synthetic("pack:2 [numa] core:16 pu:1").unwrap();
        let context = Context { machine: &machine, monitor: None, quick: false };
        let cpus = context.cpus();
        for reader in [0, 1, 16, 17, 20] {
            let mut found = owners(&context, &cpus, reader);
            assert_eq!(found[0], reader);
            found.sort_unstable();
            let twice = found.windows(2).find(|pair| pair[0] == pair[1]);
            assert_eq!(twice, None, "reader {reader}: {found:?}");
            assert!([0, 1, 16, 17].iter().all(|cpu| found.contains(cpu)), "{found:?}");
        }
    }

    #[test]
    fn a_sweep_measures_the_usual_loops_that_fit_or_what_is_asked_for() {
        let of = |options: &[(&str, &str)]| {
            let given: Given = options.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
            loops(&given).into_iter().map(|(stride, how)| format!("{how} {stride}")).collect::<Vec<_>>()
        };
        assert_eq!(of(&[]), ["scalar 1", "scalar 16", "wide 1"]);
        assert_eq!(of(&[("stride", "1")]), ["scalar 1", "wide 1"]);
        assert_eq!(of(&[("stride", "64")]), ["scalar 64"]);
        assert_eq!(of(&[("stride", "64"), ("loop", "wide")]), ["wide 64"]);
    }
}
