//! Kyrola's third test in parts: random reads that are independent, in a few chains, or in one chain.

use std::hint::black_box;
use std::time::Instant;

use knee_workload::{Args, Error, Param};

use super::array::Reading;
use super::rounds::{OWNERS, READERS, Rounds, refuse_readers};
use super::sequential::{ARRAY, fits_caches};
use super::{Given, Probe, Row, Step, Trial, node, node_name, sweep};
use crate::arena::{Arena, Found, Page, fits};
use crate::chase::{Chase, Draw, Line};
use crate::context::Context;
use crate::pinned::alone;
use crate::size;

/// Reads of a trial.
const READS: usize = 1 << 18;
/// Chains that are followed at the same time.
const CHAINS: usize = 8;

pub(crate) struct Random;

impl Probe for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn summary(&self) -> &'static str {
        "random reads: independent, eight chains, one chain (Kyrola's third test, in parts)"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** Nanoseconds of a read at a random place of an array: with places known in advance, so that as \
         many misses are in flight as the core can have (independent); with eight chains followed at once (parallel); and \
         with each read giving the place of the next one (dependent). With `owners` `all`, as Kyrola did: independent reads \
         of every thread's array, by each reader in turn; figures are those of `sequential`.\n\n\
         **What it stresses.** How many misses a core can have at once, and the TLB.\n\n\
         **Where it should bend.** Independent reads stop gaining when the line fill buffers are full; dependent ones are \
         pure latency. Kyrola's `twice as slow as sequential` mixed the three.\n\n\
         **Source.** Kyrola's report on Blacklight (2011), test of random reads."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            Param::choice(
                "reads",
                "dependency between reads",
                "independent",
                &["independent", "parallel", "dependent"],
            ),
            Param::new("size", "bytes of the array", ARRAY),
            Param::choice("page", "page size", "base", Page::VALUES),
            Param::new("node", "memory node; local: the reader's own node", "local"),
            READERS,
            OWNERS,
        ];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        let bytes = size::parse(given.get("size").map_or(ARRAY, String::as_str))?;
        let seconds = bytes as f64 / 64.0 * 25e-9 + if context.quick { 0.2 } else { 0.5 };
        let cpus = context.cpus();
        if given.get("owners").is_some_and(|owners| owners == "all") {
            return Ok(vec![Step::new(given, &[], &cpus, seconds * cpus.len() as f64)]);
        }
        let reader = cpus[0];
        let mut steps = Vec::new();
        for page in sweep(given, "page", Page::VALUES) {
            for reads in sweep(given, "reads", &["independent", "parallel", "dependent"]) {
                steps.push(Step::new(given, &[("reads", reads), ("page", page.clone())], &[reader], seconds));
            }
        }
        Ok(steps)
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let (cpu, bytes) = (cpus[0], size::of(args, "size")?.next_multiple_of(4096));
        let (page, node) = (Page::named(args.text("page")), node(args)?);
        if args.text("owners") == "all" {
            if node.is_some() || args.text("reads") != "independent" {
                return Err(Error::new("bad argument: owners 'all': it takes independent reads, and no node"));
            }
            return Ok(Box::new(Rounds::in_turn(context, args, cpus, Reading::Random, "reused")?));
        }
        refuse_readers(args)?;
        let home = node.or_else(|| context.node_of(cpu));
        let order = Chase::order_bytes(bytes, 64)?;
        fits(bytes.saturating_add(order))?;
        let arena = alone(cpu, || Arena::written(bytes, page, node).map(|arena| arena.expected_on(home)))??;
        let chase = alone(cpu, || Chase::lay(arena, bytes, 64, 1))?;
        let order = match args.text("reads") {
            "independent" => {
                let (mut draw, lines) = (Draw::new(3), (bytes / 64) as u64);
                #[expect(clippy::cast_possible_truncation, reason = "arrays of less than 256 GiB")]
                Order::Known((0..READS).map(|_| draw.below(lines) as u32).collect())
            }
            reads => Order::Told(chase.starts(CHAINS, 2), reads == "dependent"),
        };
        let at = vec![
            ("reads", args.text("reads").into()),
            ("reader", cpu.to_string()),
            ("memory_node", node_name(context, node, cpu)),
            ("bytes", bytes.to_string()),
            ("page", page.name().into()),
        ];
        Ok(Box::new(Reads { chase, cpu, order, at, page, flag: fits_caches(context, bytes) }))
    }
}

/// How a read gets its place.
enum Order {
    /// From a list.
    Known(Vec<u32>),
    /// From the read before: chains, and whether only one of them is followed.
    Told(Vec<Line>, bool),
}

struct Reads {
    chase: Chase,
    cpu: u32,
    order: Order,
    at: Vec<(&'static str, String)>,
    page: Page,
    flag: Option<String>,
}

impl Trial for Reads {
    fn rows(&self) -> Vec<Row> {
        vec![Row { measure: "time a read", unit: "ns", at: self.at.clone() }]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        let (chase, order) = (&self.chase, &mut self.order);
        let arena = chase.arena();
        let nanoseconds = alone(self.cpu, || {
            let begin = Instant::now();
            let reads = match order {
                Order::Known(lines) => {
                    let sum = lines.iter().fold(0_u64, |sum, line| {
                        // SAFETY: the line is inside the arena, which is not written to.
                        sum.wrapping_add(unsafe {
                            arena.start().add(*line as usize * 64).cast::<u64>().read_volatile()
                        })
                    });
                    black_box(sum);
                    READS
                }
                Order::Told(places, true) => {
                    let [end] = chase.follow([places[0]], READS / CHAINS);
                    places[0] = end;
                    Chase::loads(READS / CHAINS)
                }
                Order::Told(places, false) => {
                    let starts: [Line; CHAINS] = std::array::from_fn(|chain| places[chain]);
                    *places = chase.follow(starts, READS / CHAINS).to_vec();
                    CHAINS * Chase::loads(READS / CHAINS)
                }
            };
            begin.elapsed().as_nanos() as f64 / reads as f64
        })?;
        // Other lines the next time: these are in the caches.
        if let Order::Known(lines) = order {
            let all = (arena.bytes() / 64) as u64;
            for line in lines {
                #[expect(clippy::cast_possible_truncation, reason = "arrays of less than 256 GiB")]
                let next = ((u64::from(*line) + all / 3) % all) as u32;
                *line = next;
            }
        }
        Ok(vec![nanoseconds])
    }

    fn found(&self) -> Option<(Found, bool)> {
        Some((self.chase.arena().found(), self.page == Page::Huge))
    }

    fn flag(&self) -> Option<String> {
        self.flag.clone()
    }
}
