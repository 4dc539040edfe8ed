//! Kyrola's fifth test: do pages move to the node of their reader?

use std::time::Instant;

use knee_machine::{Fact, sys};
use knee_workload::{Args, Error, Param};

use super::sequential::fits_caches;
use super::{Given, Probe, Row, Step, Trial, node_name};
use crate::arena::{Arena, Found, Page};
use crate::context::Context;
use crate::isa::{Isa, Kernel};
use crate::pinned::alone;
use crate::size;

/// The order of readers: the owner, the other twice, the owner twice.
const STEPS: [(&str, usize); 5] = [("1 A", 0), ("2 B", 1), ("3 B", 1), ("4 A", 0), ("5 A", 0)];

pub(crate) struct Ownership;

impl Probe for Ownership {
    fn name(&self) -> &'static str {
        "ownership"
    }

    fn summary(&self) -> &'static str {
        "A owns an array; A, B, B, A, A read it (Kyrola's fifth test)"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** Reader A touches an array first. Then A reads it, B reads it twice, A reads it twice; the time of \
         each step, and after each the share of pages on the last reader's node. Every trial begins with a new array.\n\n\
         **What it stresses.** Whether pages move to their reader's node (NUMA balancing, or on request), and whose cache a \
         line is in.\n\n\
         **Where it should bend.** If pages move, B's second read is as fast as A's first, and A's next one slow. If they \
         do not, and A's fourth step is still slow, the caches are the cause: this happens with the small array and not \
         with the large one.\n\n\
         **Source.** Kyrola's report on Blacklight (2011): 0.384, 2.366, 2.38, 2.2, 0.39 s."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            Param::new("reader", "cpu A; first: first cpu of the placement", "first"),
            Param::new("other", "cpu B; far: the cpu farthest from A", "far"),
            Param::new("size", "bytes of the array", "128M"),
            Param::choice(
                "pages",
                "whether pages are moved to the reader's node before each step",
                "stay",
                &["stay", "move"],
            ),
            Param::choice(
                "balancing",
                "whether the kernel's NUMA balancing may move pages; off binds them to A's node, which keeps it away",
                "kernel",
                &["kernel", "off"],
            ),
            Param::choice("page", "page size", "base", Page::VALUES),
        ];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        let cpus = context.cpus();
        let text = |name: &str, default: &'static str| given.get(name).map_or(default, String::as_str).to_owned();
        let [reader, other] = pair(context, &cpus, &text("reader", "first"), &text("other", "far"))?;
        let (large, _) = context.beyond_caches();
        let sizes: Vec<String> = match given.get("size") {
            Some(text) => text.split(',').map(str::to_owned).collect(),
            None => vec![size::text(large), "128M".into()],
        };
        let mut steps = Vec::new();
        for size in sizes {
            let bytes = size::parse(&size)?;
            let seconds = bytes as f64 * 1e-9 * if context.quick { 8.0 } else { 14.0 };
            let nodes = context.node_of(reader) != context.node_of(other);
            let all: &[&str] = if nodes { &["stay", "move"] } else { &["stay"] };
            let both: &[&str] = if nodes && balances(context) { &["kernel", "off"] } else { &["kernel"] };
            for pages in super::sweep(given, "pages", all) {
                for balancing in super::sweep(given, "balancing", both) {
                    let more = [("size", size.clone()), ("pages", pages.clone()), ("balancing", balancing)];
                    steps.push(Step::new(given, &more, &[reader, other], seconds));
                }
            }
        }
        Ok(steps)
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let cpus = pair(context, cpus, args.text("reader"), args.text("other"))?;
        let bytes = size::of(args, "size")?.next_multiple_of(4096);
        let nodes = cpus.map(|cpu| context.node_of(cpu));
        let bound = args.text("balancing") == "off";
        let at = vec![
            ("reader", cpus[0].to_string()),
            ("other", cpus[1].to_string()),
            ("reader_node", node_name(context, None, cpus[0])),
            ("other_node", node_name(context, None, cpus[1])),
            ("bytes", bytes.to_string()),
            ("pages", args.text("pages").into()),
            (
                "numa_balancing",
                if bound { "kept away".into() } else { known_balancing(context).unwrap_or("unknown").into() },
            ),
        ];
        Ok(Box::new(Owned {
            cpus,
            nodes,
            bound: nodes[0].filter(|_| bound),
            bytes,
            page: Page::named(args.text("page")),
            moves: args.text("pages") == "move",
            last: None,
            at,
            flag: fits_caches(context, bytes),
        }))
    }
}

/// What the kernel says of its NUMA balancing.
fn known_balancing<'a>(context: &Context<'a>) -> Option<&'a str> {
    match context.machine.facts.get("numa_balancing") {
        Some(Fact::Known(text)) => Some(text),
        _ => None,
    }
}

fn balances(context: &Context<'_>) -> bool {
    known_balancing(context).is_some_and(|mode| mode != "0")
}

/// Cpus A and B, as the options name them.
fn pair(context: &Context<'_>, cpus: &[u32], reader: &str, other: &str) -> Result<[u32; 2], Error> {
    let number = |name: &str, text: &str| {
        text.parse().map_err(|_| Error::new(format!("bad argument: {name} '{text}'; expected a cpu number")))
    };
    let reader = if reader == "first" { cpus[0] } else { number("reader", reader)? };
    let other = if other == "far" { farthest(context, cpus, reader) } else { number("other", other)? };
    Ok([reader, other])
}

/// By the firmware's distances; where there are none, the last cpu.
fn farthest(context: &Context<'_>, cpus: &[u32], from: u32) -> u32 {
    let nodes = &context.machine.nodes;
    let at = |cpu: u32| nodes.iter().position(|node| node.cpus.contains(cpu));
    let distance = |cpu: u32| at(from).zip(at(cpu)).and_then(|(from, to)| nodes[from].distances.get(to)).copied();
    cpus.iter().copied().max_by_key(|&cpu| (distance(cpu).unwrap_or(0), cpu != from, cpu)).unwrap_or(from)
}

struct Owned {
    cpus: [u32; 2],
    nodes: [Option<u32>; 2],
    /// The node that the memory is bound to.
    bound: Option<u32>,
    bytes: usize,
    page: Page,
    moves: bool,
    last: Option<Found>,
    at: Vec<(&'static str, String)>,
    flag: Option<String>,
}

impl Owned {
    fn read(&self, arena: &Arena, who: usize) -> Result<f64, Error> {
        alone(self.cpus[who], || {
            let begin = Instant::now();
            // SAFETY: the arena is at least so long, a multiple of a step, and is not written to.
            unsafe { Isa::best().run(Kernel::Read, arena.start(), arena.start(), arena.start(), self.bytes) };
            begin.elapsed().as_secs_f64() * 1e3
        })
    }
}

impl Trial for Owned {
    fn rows(&self) -> Vec<Row> {
        let row = |step: &str, measure, unit| {
            let at = self.at.iter().cloned().chain([("step", step.to_owned())]).collect();
            Row { measure, unit, at }
        };
        STEPS
            .iter()
            .flat_map(|(step, _)| [row(step, "time", "ms"), row(step, "pages with the reader", "share")])
            .collect()
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        let arena = alone(self.cpus[0], || Arena::written(self.bytes, self.page, self.bound))??;
        let mut numbers = Vec::new();
        for (_, who) in STEPS {
            if let Some(node) = self.nodes[who].filter(|_| self.moves) {
                sys::move_region(arena.start() as usize, arena.bytes(), node)
                    .map_err(|error| Error::new(format!("cannot move pages: to node {node}: {error}")))?;
            }
            numbers.push(self.read(&arena, who)?);
            numbers.push(self.nodes[who].and_then(|node| arena.share_on(node)).unwrap_or(f64::NAN));
        }
        self.last = Some(arena.found());
        Ok(numbers)
    }

    fn found(&self) -> Option<(Found, bool)> {
        self.last.map(|found| (found, self.page == Page::Huge))
    }

    fn flag(&self) -> Option<String> {
        self.flag.clone()
    }
}

#[cfg(test)]
mod tests {
    use knee_machine::Topology;

    use super::*;

    #[test]
    fn a_and_b_are_the_first_and_the_farthest_or_those_that_are_named() {
        let machine = Topology::this_machine().unwrap();
        let context = Context::quick(&machine);
        let cpus = context.cpus();
        let of = |reader, other| pair(&context, &cpus, reader, other);
        let [reader, other] = of("first", "far").unwrap();
        assert_eq!((reader, other == reader), (cpus[0], cpus.len() == 1));
        assert_eq!(of("54", "4").unwrap(), [54, 4]);
        let error = of("first", "near").unwrap_err().to_string();
        assert_eq!(error, "bad argument: other 'near'; expected a cpu number");
    }
}
