//! Kyrola's second test: all cpus read at once, each the array of the cpu k further on.

use std::time::Instant;

use knee_workload::{Args, Error, Param};

use super::rounds::Rounds;
use super::sequential::{ARRAY, fits_caches};
use super::{Given, Probe, Row, Step, Trial};
use crate::arena::{Arena, Found, Page, fits};
use crate::context::Context;
use crate::isa::{Isa, Kernel};
use crate::pinned::together;
use crate::size;

pub(crate) struct Lockstep;

impl Probe for Lockstep {
    fn name(&self) -> &'static str {
        "lockstep"
    }

    fn summary(&self) -> &'static str {
        "all cpus read at once; cpu i reads the array of cpu (i + k) mod P (Kyrola's second test)"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** Every cpu first touches an array of its own. Then all read at once, cpu i the array of cpu \
         (i + k) mod P, and meet at a barrier; figures are the time of the last cpu, for which all wait, and the bandwidth \
         of all. With `shift` `all`, as Kyrola drew it: step by step each k from 0 to P - 1, on the same arrays; figures are \
         the nanoseconds of a cache line by where its owner is: the thread's own array, near (on its node) or far.\n\n\
         **What it stresses.** All memory and all links at the same time, in a pattern in which each array has one reader.\n\n\
         **Where it should bend.** At k = 0 every cpu reads its own node. With k as large as a node has cpus, every \
         cpu reads from the next node, and the links are the limit.\n\n\
         **Source.** Kyrola's report on Blacklight (2011), test of reading in lockstep."
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            Param::new("shift", "k, the distance between reader and owner; all: from 0 to P - 1, step by step", "1"),
            Param::new("size", "bytes per array", ARRAY),
            Param::choice("page", "page size", "base", Page::VALUES),
        ];
        PARAMS
    }

    fn plan(&self, context: &Context<'_>, given: &Given) -> Result<Vec<Step>, Error> {
        let cpus = context.cpus();
        let bytes = size::parse(given.get("size").map_or(ARRAY, String::as_str))?;
        // All shifts of a few cpus; with many, the powers of two and half of the cpus.
        let all: Vec<usize> = if cpus.len() <= 8 {
            (0..cpus.len()).collect()
        } else {
            let half = cpus.len() / 2;
            let doubled = (0..32).map(|power| 1 << power).take_while(|shift| *shift < half);
            [0].into_iter().chain(doubled).chain([half]).collect()
        };
        let shifts =
            given.get("shift").map_or_else(|| all.iter().map(ToString::to_string).collect(), |k| vec![k.clone()]);
        let seconds = (bytes * cpus.len()) as f64 * 2e-9 + if context.quick { 0.2 } else { 0.6 };
        let step = |shift: String| Step::new(given, &[("shift", shift)], &cpus, seconds);
        Ok(shifts.into_iter().map(step).collect())
    }

    fn prepare(&self, context: &Context<'_>, args: &Args, cpus: &[u32]) -> Result<Box<dyn Trial>, Error> {
        let bytes = size::of(args, "size")?.next_multiple_of(4096);
        let page = Page::named(args.text("page"));
        if args.text("shift") == "all" {
            return Ok(Box::new(Rounds::in_lockstep(context, args, cpus)?));
        }
        let shift = usize::try_from(args.number("shift", 0..=1 << 16)?).unwrap_or(0) % cpus.len();
        let home = |cpu: u32| context.node_of(cpu);
        let homes: Vec<_> = cpus.iter().map(|&cpu| home(cpu)).collect();
        // Each thread checks its own array only; here all of them count together.
        fits(bytes.saturating_mul(cpus.len()))?;
        let arenas = together(cpus, |thread| {
            Arena::written(bytes, page, None).map(|arena| arena.expected_on(homes[thread.index]))
        })?;
        let arenas = arenas.into_iter().collect::<Result<Vec<_>, _>>()?;
        let at = vec![("shift", shift.to_string()), ("threads", cpus.len().to_string()), ("bytes", bytes.to_string())];
        Ok(Box::new(Ring {
            arenas,
            bytes,
            cpus: cpus.to_vec(),
            shift,
            at,
            page,
            flag: fits_caches(context, bytes * cpus.len()),
        }))
    }
}

struct Ring {
    arenas: Vec<Arena>,
    /// What is read of each; with huge pages the arena may be longer.
    bytes: usize,
    cpus: Vec<u32>,
    shift: usize,
    at: Vec<(&'static str, String)>,
    page: Page,
    flag: Option<String>,
}

impl Trial for Ring {
    fn rows(&self) -> Vec<Row> {
        let row = |measure, unit| Row { measure, unit, at: self.at.clone() };
        vec![row("time of the last", "ms"), row("bandwidth", "GB/s"), row("last over first", "ratio")]
    }

    fn go(&mut self) -> Result<Vec<f64>, Error> {
        let times = together(&self.cpus, |thread| {
            let arena = &self.arenas[(thread.index + self.shift) % self.arenas.len()];
            thread.meet();
            let begin = Instant::now();
            // SAFETY: the arena is at least so long, a multiple of a step, and all threads only read.
            unsafe { Isa::best().run(Kernel::Read, arena.start(), arena.start(), arena.start(), self.bytes) };
            let time = begin.elapsed();
            thread.meet();
            time
        })?;
        let last = times.iter().max().expect("there is a thread").as_secs_f64();
        let first = times.iter().min().expect("there is a thread").as_secs_f64();
        let bytes = self.bytes * self.arenas.len();
        Ok(vec![last * 1e3, bytes as f64 / last / 1e9, last / first.max(1e-9)])
    }

    fn found(&self) -> Option<(Found, bool)> {
        Some((Found::mean(&self.arenas), self.page == Page::Huge))
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
    fn half_of_the_cpus_is_a_shift_though_no_power_of_two() {
        let machine = Topology::from_synthetic("pack:2 [numa] core:12 pu:1").unwrap();
        let context = Context::quick(&machine);
        let steps = Lockstep.plan(&context, &Given::new()).unwrap();
        let shifts: Vec<_> = steps.iter().map(|step| step.args["shift"].as_str()).collect();
        assert_eq!(shifts, ["0", "1", "2", "4", "8", "12"]);
    }
}
