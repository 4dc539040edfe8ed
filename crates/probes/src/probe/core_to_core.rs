//! Round-trip time of a cache line between two cpus.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use knee_workload::{Args, Error, Param};

use super::{Given, Probe, Row, Step, Trial, node_name, sweep};
use crate::arena::{Arena, Found, Page};
use crate::context::Context;
use crate::pinned::{alone, together};

/// Exchanges of a trial.
const TURNS: u64 = 5000;
/// Cpus beyond which a quick sweep measures only some pairs.
const FEW: usize = 8;

pub(crate) struct CoreToCore;

impl Probe for CoreToCore {
    fn name(&self) -> &'static str {
        "core-to-core"
    }

    fn summary(&self) -> &'static str {
        "round trip of a cache line between two cpus, for every pair"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** Half the time of a round in which two cpus change one cache line in turn by \
         compare-and-exchange: the cost of handing over a lock, a flag or a queue's index. Each pair has a page of its own, on \
         the node of one of the two.\n\n\
         **What it stresses.** Cache coherence and the path between two cores.\n\n\
         **Where it should bend.** Between siblings it is a few nanoseconds, inside a last-level cache some tens, between \
         sockets hundreds: threads that share data across such a border pay it at each exchange.\n\n\
         **Source.** core-to-core-latency; multichase's `pingpong`."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[Param::choice(
            "line-on",
            "node of the line: that of the first or the second cpu",
            "first",
            &["first", "second"],
        )];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        let mut cpus = context.cpus();
        if context.quick && cpus.len() > FEW {
            let distance = cpus.len().div_ceil(FEW);
            cpus = cpus.into_iter().step_by(distance).collect();
        }
        let mut steps = Vec::new();
        for (index, &first) in cpus.iter().enumerate() {
            for &second in &cpus[index + 1..] {
                let apart = context.node_of(first) != context.node_of(second);
                let homes: &[&str] = if apart { &["first", "second"] } else { &["first"] };
                for home in sweep(given, "line-on", homes) {
                    steps.push(Step::new(given, &[("line-on", home)], &[first, second], 0.1));
                }
            }
        }
        Ok(steps)
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let [first, second] = *cpus else {
            let message = format!("core-to-core needs two cpus, and {} were given", cpus.len());
            return Err(Error::new(message).hint("-n 2; in a study: --factor threads=2"));
        };
        // Named by the cpu on whose node the line is, so that each direction of a pair is a figure of its own.
        let (home, other) = if args.text("line-on") == "first" { (first, second) } else { (second, first) };
        let node = context.node_of(home);
        // Its thread is pinned to that cpu, so that the line is on its node.
        let line = alone(home, || Arena::written(1, Page::Base, None).map(|line| line.expected_on(node)))??;
        // SAFETY: the page is ours and zero is a number.
        unsafe { line.start().cast::<u64>().write(0) };
        let at = vec![
            ("first", home.to_string()),
            ("second", other.to_string()),
            ("memory_node", node_name(context, node, home)),
        ];
        Ok(Box::new(Pair { line, cpus: [first, second], at }))
    }
}

struct Pair {
    line: Arena,
    cpus: [u32; 2],
    at: Vec<(&'static str, String)>,
}

impl Trial for Pair {
    fn rows(&self) -> Vec<Row> {
        vec![Row { measure: "one way", unit: "ns", at: self.at.clone() }]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        let times = together(&self.cpus, |thread| {
            // SAFETY: the page is aligned, and both threads use it as this atomic only.
            let line = unsafe { AtomicU64::from_ptr(self.line.start().cast()) };
            let (mine, yours) = (thread.index as u64, 1 - thread.index as u64);
            // Relaxed: the threads share nothing but this line.
            let turn = || while line.compare_exchange(mine, yours, Ordering::Relaxed, Ordering::Relaxed).is_err() {};
            thread.meet();
            (0..TURNS / 10).for_each(|_| turn());
            let begin = Instant::now();
            (0..TURNS).for_each(|_| turn());
            begin.elapsed()
        })?;
        Ok(vec![times[0].as_nanos() as f64 / TURNS as f64 / 2.0])
    }

    fn found(&self) -> Option<(Found, bool)> {
        Some((self.line.found(), false))
    }
}
