//! Walks through tables by dependent reads at random places: what memory's latency costs, and what a sibling's table does.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload, size};

use crate::data::fits;
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};
use crate::{number, random};

/// Numbers of eight bytes in a cache line; a place of a walk has a line of its own.
const LINE: usize = 8;

pub(crate) struct Walk;

impl Workload for Walk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn summary(&self) -> &'static str {
        "dependent reads at random places of a table for each task"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** Where `steps` steps of a walk end in each of `tables` tables of `size` bytes: every cache line \
         of a table names the next one, in one random cycle through all of them. A table is one task.\n\n\
         **What it stresses.** The latency of whatever holds a table: a cache, or memory. A thread waits for each read \
         before it can begin the next one, and computes nothing.\n\n\
         **Where it should bend.** With tables far beyond the caches siblings of a core gain almost twice, since each waits \
         while the other does. With a table that fits a core's own cache once but not twice siblings evict each other's, \
         and two threads of a core may be slower than one. Across sockets when tables lie on one node.\n\n\
         **Source.** Pointer chasing as in lmbench (`McVoy` & Staelin, USENIX 1996); the cycle by Sattolo's algorithm (1986)."
    }

    fn phase(&self) -> &'static str {
        "walk"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            number("tables", "tables, a task each", "16"),
            Param::new("size", "bytes of each table, such as 256K or 64M", "16M"),
            number("steps", "reads in each table", "1000000"),
            RUNTIME,
            REHEARSE,
            SEED,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let tables = usize::try_from(args.number("tables", 1..=1 << 16)?).expect("inside the range");
        let steps = args.number("steps", 0..=1 << 40)?;
        let lines = size::of(args, "size")? / (8 * LINE);
        if lines < 2 {
            let error =
                Error::new(format!("bad argument: size '{}'; a table has at least two lines", args.text("size")));
            return Err(error.hint("use 128 or more"));
        }
        fits((8 * LINE * lines).saturating_mul(tables))?;
        let scheduler = Scheduler::start(args, team)?;
        let mut all: Vec<Vec<u64>> = vec![Vec::new(); tables];
        on!(scheduler, phases, "fill", F => each::<F, _>(&mut all, 0, &|number, table| *table = cycle(lines, number as u64)));
        Ok(Box::new(Prepared { tables: all, steps, scheduler }))
    }
}

struct Prepared {
    tables: Vec<Vec<u64>>,
    steps: u64,
    scheduler: Scheduler,
}

impl Run for Prepared {
    /// The answer is the sum of the lines in which walks end.
    fn run(&mut self, phases: &mut Phases) -> String {
        let Self { tables, steps, scheduler } = self;
        let mut ends = vec![0; tables.len()];
        on!(*scheduler, phases, "walk", F => {
            each::<F, _>(&mut ends, 0, &|number, end| {
                F::touch(&tables[number]);
                *end = walk(&tables[number], *steps);
            });
        });
        ends.iter().sum::<u64>().to_string()
    }

    /// A cycle through all lines is back after as many steps as there are lines, so only the rest matters.
    fn check(&self, answer: &str) -> Check {
        let end = |table: &Vec<u64>| walk(table, self.steps % (table.len() / LINE) as u64);
        let expected = self.tables.iter().map(end).sum::<u64>().to_string();
        if answer == expected { Check::Right } else { Check::Wrong(expected) }
    }
}

/// Calls `work` with each thing and its number, one task each.
fn each<F: Fork, T: Send>(things: &mut [T], first: usize, work: &(impl Fn(usize, &mut T) + Sync)) {
    if let [only] = things {
        return work(first, only);
    }
    let (low, high) = things.split_at_mut(things.len() / 2);
    let middle = first + low.len();
    F::join(|| each::<F, T>(low, first, work), || each::<F, T>(high, middle, work));
}

/// A table whose lines name each other in one random cycle (Sattolo).
fn cycle(lines: usize, seed: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..lines as u64).collect();
    for last in (1..lines).rev() {
        let draw = random(seed << 40 ^ last as u64);
        let other = usize::try_from(draw % last as u64).expect("it is below the last one");
        order.swap(last, other);
    }
    let mut table = vec![0; lines * LINE];
    order.iter().enumerate().for_each(|(line, next)| table[line * LINE] = *next);
    table
}

/// Where a walk from the first line ends.
fn walk(table: &[u64], steps: u64) -> u64 {
    (0..steps).fold(0, |line, _| table[usize::try_from(line).expect("lines are in memory") * LINE])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn every_scheduler_ends_in_the_same_lines() {
        trial::answer(&Walk, "--tables 5 --size 8K --steps 1000");
        trial::answer(&Walk, "--tables 1 --size 128 --steps 3");
    }

    #[test]
    fn a_walk_sees_every_line_before_it_is_back() {
        for lines in [2, 3, 64, 1000] {
            let table = cycle(lines, 7);
            let seen: std::collections::BTreeSet<u64> = (0..lines as u64).map(|steps| walk(&table, steps)).collect();
            assert_eq!((seen.len(), walk(&table, lines as u64)), (lines, 0));
        }
        assert_ne!(cycle(64, 1), cycle(64, 2));
    }

    #[test]
    fn a_table_of_one_line_is_refused() {
        let (args, team) = trial::arguments(&Walk, "--size 100");
        let refused = Walk.prepare(&args, &team, &mut Phases::default()).err().expect("it leads nowhere");
        assert_eq!(refused.to_string(), "bad argument: size '100'; a table has at least two lines");
    }
}
