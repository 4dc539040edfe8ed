//! Latency of dependent loads, by size of the data.

use std::time::Instant;

use knee_workload::{Args, Error, Param};

use super::{Given, Probe, Row, Step, Trial, matrix_mark, node, node_name, sweep};
use crate::arena::{Arena, Found, Page, fits};
use crate::chase::{Chase, Line};
use crate::context::Context;
use crate::pinned::alone;
use crate::size;

pub(crate) struct Latency;

impl Probe for Latency {
    fn name(&self) -> &'static str {
        "latency"
    }

    fn summary(&self) -> &'static str {
        "latency of dependent loads in random order, by size, page size and node"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** Nanoseconds of a load whose address is the result of the load before it. Each cache line \
         holds the address of the next one; together they are one cycle in random order (Sattolo), so that no \
         prefetcher guesses it and every line of the size is visited.\n\n\
         **What it stresses.** The caches and memory one access at a time, and the TLB: with base pages a large size \
         misses that, too; the difference to huge pages is the cost.\n\n\
         **Where it should bend.** At the size of each cache that the reader really has, which may not be the claimed \
         one; and from node to node by the distance of their memory.\n\n\
         **Source.** `lat_mem_rd` (McVoy & Staelin, lmbench, USENIX ATC 1996); multichase."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            Param::new("size", "bytes to visit", "256M"),
            Param::choice("page", "page size", "huge", Page::VALUES),
            Param::new("node", "memory node; local: the reader's own node", "local"),
            Param::new("stride", "bytes between accesses", "64"),
            Param::choice("matrix", "sweep: a reader on each node, memory on each node", "no", &["no", "yes"]),
        ];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        if given.get("matrix").is_some_and(|matrix| matrix == "yes") {
            return matrix(context, given);
        }
        let (largest, _) = context.beyond_caches();
        let reader = context.cpus()[0];
        let stride = size::parse(given.get("stride").map_or("64", String::as_str))?;
        let mut steps = Vec::new();
        for page in sweep(given, "page", Page::VALUES) {
            let sizes = sizes(largest.max(stride.saturating_mul(2)), context.quick).into_iter();
            let sizes = sizes.filter(|size| *size / 2 >= stride);
            // What fits into one huge page misses no TLB in base pages either.
            let sizes = sizes.filter(|size| page == "base" || *size >= 1 << 20);
            let sizes = given.get("size").map_or_else(|| sizes.map(size::text).collect(), |size| vec![size.clone()]);
            for size in sizes {
                let seconds = seconds(size::parse(&size)?, context);
                steps.push(Step::new(given, &[("size", size), ("page", page.clone())], &[reader], seconds));
            }
        }
        if steps.is_empty() { Err(bad_stride(stride)) } else { Ok(steps) }
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let (bytes, stride) = (size::of(args, "size")?, size::of(args, "stride")?);
        if stride < 8 || !stride.is_multiple_of(8) || bytes < 2 * stride {
            return Err(bad_stride(stride));
        }
        let (page, node) = (Page::named(args.text("page")), node(args)?);
        let cpu = cpus[0];
        let at = vec![
            ("reader", cpu.to_string()),
            ("reader_node", node_name(context, None, cpu)),
            ("memory_node", node_name(context, node, cpu)),
            ("bytes", bytes.to_string()),
            ("page", page.name().into()),
        ];
        let at = [at, matrix_mark(args)].concat();
        let home = node.or_else(|| context.node_of(cpu));
        let order = Chase::order_bytes(bytes, stride)?;
        fits(bytes.saturating_add(order))?;
        // Without a node first touch decides, by the thread that is pinned to the reader's cpu.
        let arena = alone(cpu, || Arena::written(bytes, page, node).map(|arena| arena.expected_on(home)))??;
        let chase = alone(cpu, || Chase::lay(arena, bytes, stride, 1))?;
        let place = chase.starts(1, 2)[0];
        let mut chased = Chased { chase, place, cpu, loads: 4096, at };
        // Enough loads that reading the clock does not matter.
        let nanoseconds = chased.go()?[0];
        chased.loads = size::count(2e6 / nanoseconds.max(0.1)).max(4096);
        Ok(Box::new(chased))
    }
}

fn bad_stride(stride: usize) -> Error {
    Error::new(format!("bad argument: stride {stride}; expected a multiple of 8, at most half of the size"))
}

/// From half a first-level cache to `largest`: doubled each time, or more finely.
fn sizes(largest: usize, quick: bool) -> Vec<usize> {
    let doubled = (13..48).map(|power| 1_usize << power);
    let all =
        doubled.flat_map(|size| if quick { vec![size] } else { vec![size, size / 4 * 5, size / 2 * 3, size / 4 * 7] });
    all.take_while(|size| *size <= largest).collect()
}

/// Creating a large cycle takes about 20 ns a line.
fn seconds(bytes: usize, context: &Context<'_>) -> f64 {
    bytes as f64 / 64.0 * 25e-9 + if context.quick { 0.12 } else { 0.4 }
}

fn matrix(context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
    let size = given.get("size").cloned().unwrap_or_else(|| size::text(context.beyond_caches().0));
    let bytes = size::parse(&size)?;
    let mut steps = Vec::new();
    for (_, cpus) in context.readers() {
        for memory in context.memories() {
            let more = [("size", size.clone()), ("node", memory.to_string()), ("matrix", "yes".into())];
            steps.push(Step::new(given, &more, &cpus[..1], seconds(bytes, context)));
        }
    }
    Ok(steps)
}

struct Chased {
    chase: Chase,
    place: Line,
    cpu: u32,
    loads: usize,
    at: Vec<(&'static str, String)>,
}

impl Trial for Chased {
    fn rows(&self) -> Vec<Row> {
        vec![Row { measure: "latency", unit: "ns", at: self.at.clone() }]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        let (chase, mut place, loads) = (&self.chase, self.place, self.loads);
        let (end, time) = alone(self.cpu, || {
            // Another program may have used this cpu's caches between two trials: go around once first, if that is the
            // smaller part of a trial.
            if chase.lines() < loads {
                [place] = chase.follow([place], chase.lines());
            }
            let begin = Instant::now();
            let [end] = chase.follow([place], loads);
            (end, begin.elapsed())
        })?;
        self.place = end;
        Ok(vec![time.as_nanos() as f64 / Chase::loads(loads) as f64])
    }

    fn fix(&mut self) {
        self.loads = 1 << 20;
    }

    fn found(&self) -> Option<(Found, bool)> {
        Some((self.chase.arena().found(), self.at.iter().any(|(name, value)| *name == "page" && value == "huge")))
    }
}

#[cfg(test)]
mod tests {
    use knee_machine::Topology;

    use super::*;

    #[test]
    fn a_large_stride_has_sizes_that_hold_it_twice() {
        let machine = Topology::this_machine().unwrap();
        let context = Context::quick(&machine);
        let plan = |stride: &str| Latency.plan(&context, &Given::from([("stride".into(), stride.into())]));
        for step in plan("64K").unwrap() {
            assert!(size::parse(&step.args["size"]).unwrap() >= 128 << 10);
        }
        assert!(!plan("64K").unwrap().is_empty());
    }

    #[test]
    fn a_matrix_is_expected_to_take_as_long_as_its_size() {
        let machine = Topology::this_machine().unwrap();
        let context = Context::quick(&machine);
        let seconds = |size: &str| {
            let given = [("matrix", "yes"), ("size", size)].map(|(name, value)| (name.into(), value.into()));
            Latency.plan(&context, &Given::from(given)).map(|steps| steps[0].seconds)
        };
        assert!(seconds("4G").unwrap() > 2.0 * seconds("1G").unwrap());
        assert!(seconds("much").is_err());
    }
}
