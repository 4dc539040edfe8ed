//! Queens on a board: a search whose branches differ in length, in registers.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::number;
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};

pub(crate) struct Nqueens;

impl Workload for Nqueens {
    fn name(&self) -> &'static str {
        "nqueens"
    }

    fn summary(&self) -> &'static str {
        "place n queens so that none attacks another; count all solutions"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The number of ways to put n queens on an n × n board, none attacking another, row by \
         row with one bit per attacked column and diagonal. In the upper `depth` rows each free square is a task.\n\n\
         **What it stresses.** Integer operations and hard-to-predict branches, in registers. Branches of the search \
         differ in length: idle workers must find work again and again.\n\n\
         **Where it should bend.** At the number of cores, later with SMT: a wrongly predicted branch leaves slots to \
         a sibling. A small `depth` makes too few tasks, a large one pays for forks.\n\n\
         **Source.** `nqueens` of the Cilk-5 examples, with the bit board of Richards (1997). Counts: OEIS A000170."
    }

    fn phase(&self) -> &'static str {
        "search"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            number("n", "queens", "15"),
            number("depth", "upper rows split into tasks", "4"),
            RUNTIME,
            REHEARSE,
            SEED,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let (n, depth) = (args.number("n", 1..=KNOWN.len() as u64)?, args.number("depth", 0..=32)?);
        Ok(Box::new(Prepared { n, depth, scheduler: Scheduler::start(args, team)? }))
    }
}

struct Prepared {
    n: u64,
    depth: u64,
    scheduler: Scheduler,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let depth = if self.scheduler.is_serial() { 0 } else { self.depth };
        on!(self.scheduler, phases, "search", F => Board::empty(self.n).forked::<F>(depth)).to_string()
    }

    fn check(&self, answer: &str) -> Check {
        let expected = known(self.n).to_string();
        if answer == expected { Check::Right } else { Check::Wrong(expected) }
    }
}

/// The next row to fill: a bit for every column, and for those that a queen above attacks.
#[derive(Clone, Copy)]
struct Board {
    all: u32,
    columns: u32,
    falling: u32,
    rising: u32,
}

impl Board {
    fn empty(n: u64) -> Self {
        Self { all: (1 << n) - 1, columns: 0, falling: 0, rising: 0 }
    }

    fn is_full(self) -> bool {
        self.columns == self.all
    }

    fn free(self) -> u32 {
        self.all & !(self.columns | self.falling | self.rising)
    }

    /// The row below one with this queen.
    fn with(self, queen: u32) -> Self {
        Self {
            columns: self.columns | queen,
            falling: (self.falling | queen) >> 1,
            rising: (self.rising | queen) << 1,
            ..self
        }
    }

    /// Solutions below this row, whose squares are tasks.
    fn forked<F: Fork>(self, depth: u64) -> u64 {
        if depth == 0 { self.solutions() } else { self.forked_among::<F>(self.free(), depth) }
    }

    /// Solutions with the queen of this row on one of some free squares: the first square, and beside it the others.
    fn forked_among<F: Fork>(self, free: u32, depth: u64) -> u64 {
        if free == 0 {
            return u64::from(self.is_full());
        }
        let (queen, others) = first(free);
        if others == 0 {
            return self.with(queen).forked::<F>(depth - 1);
        }
        let below = || self.with(queen).forked::<F>(depth - 1);
        let (one, rest) = F::join(below, || self.forked_among::<F>(others, depth));
        one + rest
    }

    fn solutions(self) -> u64 {
        let (mut count, mut free) = (u64::from(self.is_full()), self.free());
        while free != 0 {
            let (queen, others) = first(free);
            count += self.with(queen).solutions();
            free = others;
        }
        count
    }
}

/// The lowest square, and the others.
fn first(free: u32) -> (u32, u32) {
    let queen = free & free.wrapping_neg();
    (queen, free ^ queen)
}

/// Published counts for 1, 2, 3, … queens: OEIS A000170.
const KNOWN: [u64; 20] = [
    1,
    0,
    0,
    2,
    10,
    4,
    40,
    92,
    352,
    724,
    2680,
    14_200,
    73_712,
    365_596,
    2_279_184,
    14_772_512,
    95_815_104,
    666_090_624,
    4_968_057_848,
    39_029_188_884,
];

fn known(n: u64) -> u64 {
    usize::try_from(n - 1).ok().and_then(|index| KNOWN.get(index).copied()).expect("n is in the table")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    /// Columns of queens in rows from the top: every board is looked at, square against square.
    fn brute_force(n: usize, above: &mut Vec<usize>) -> u64 {
        let attacks = |row: usize, column: usize, other: usize| {
            above[row] == column || above[row].abs_diff(column) == other - row
        };
        let row = above.len();
        if row == n {
            return 1;
        }
        let safe: Vec<_> = (0..n).filter(|&column| (0..row).all(|other| !attacks(other, column, row))).collect();
        let mut count = 0;
        for column in safe {
            above.push(column);
            count += brute_force(n, above);
            above.pop();
        }
        count
    }

    #[test]
    fn every_scheduler_agrees_with_brute_force() {
        for n in 1..=9 {
            let expected = brute_force(n, &mut Vec::new()).to_string();
            for depth in [0, 2, 12] {
                assert_eq!(trial::answer(&Nqueens, &format!("--n {n} --depth {depth}")), expected);
            }
        }
    }

    #[test]
    fn the_table_holds_for_customary_boards() {
        assert_eq!([known(12), known(13)], [14_200, 73_712]);
        assert_eq!(brute_force(11, &mut Vec::new()), known(11));
        for n in 10..=13 {
            assert_eq!(trial::answer(&Nqueens, &format!("--n {n}")), known(n).to_string());
        }
    }
}
