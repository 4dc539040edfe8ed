//! NPB CG: the smallest eigenvalue of a large sparse matrix, by conjugate gradients.

mod generate;
mod solve;

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use self::generate::Matrix;
use self::solve::{Found, Vectors, iterate};
use crate::data::{LAYOUT, Layout};
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{RUNTIME, Scheduler, on};

pub(crate) struct Cg;

impl Workload for Cg {
    fn name(&self) -> &'static str {
        "cg"
    }

    fn summary(&self) -> &'static str {
        "conjugate gradients on a random sparse matrix"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** An estimate of the smallest eigenvalue of a sparse symmetric matrix with a random pattern, \
         by inverse power iteration; each iteration solves a system by 25 steps of conjugate gradients. A `class` sets \
         the size: S has 1400 rows, W 7000, A 14000, B 75000 and C 150000. Halves of the rows are forked, down to 64.\n\n\
         **What it stresses.** Loads: of the matrix in order, and of a vector at unpredictable places. Every step \
         has two sums that all workers wait for.\n\n\
         **Where it should bend.** While matrix and vectors are in caches, where the waiting outweighs a small class; \
         beyond them (from B on) where the memory of a socket is busy. More sockets then help if each reads its own rows.\n\n\
         **Source.** CG of the NAS Parallel Benchmarks (Bailey et al. 1991), version 3, with its generator, its iteration \
         counts and its published results. Left out is its iteration before the clock starts."
    }

    fn phase(&self) -> &'static str {
        "iterate"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[CLASS, RUNTIME, REHEARSE, SEED, LAYOUT];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let class = Class::named(args.text("class"));
        let layout = Layout::of(args, team)?;
        let scheduler = Scheduler::start(args, team)?;
        let rows = on!(scheduler, phases, "generate", F => generate::rows::<F>(&class));
        let (matrix, vectors) = on!(scheduler, phases, "fill", F => {
            (Matrix::new::<F>(&rows, layout), Vectors::new::<F>(rows.len(), layout))
        });
        Ok(Box::new(Prepared { class, scheduler, matrix, vectors, found: None }))
    }
}

const CLASS: Param = Param::choice("class", "NPB problem class", "A", &["S", "W", "A", "B", "C"]);

/// A problem of NPB, and what it comes out as.
struct Class {
    n: u32,
    nonzero: usize,
    iterations: usize,
    shift: f64,
    zeta: f64,
}

impl Class {
    fn named(name: &str) -> Self {
        let (n, nonzero, iterations, shift, zeta) = match name {
            "S" => (1400, 7, 15, 10.0, 8.597_177_507_864_8),
            "W" => (7000, 8, 15, 12.0, 10.362_595_087_124),
            "A" => (14_000, 11, 15, 20.0, 17.130_235_054_029),
            "B" => (75_000, 13, 75, 60.0, 22.712_745_482_631),
            _ => (150_000, 15, 75, 110.0, 28.973_605_592_845),
        };
        Self { n, nonzero, iterations, shift, zeta }
    }
}

struct Prepared {
    class: Class,
    scheduler: Scheduler,
    matrix: Matrix,
    vectors: Vectors,
    found: Option<Found>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let (iterations, shift) = (self.class.iterations, self.class.shift);
        let (matrix, vectors) = (&self.matrix, &mut self.vectors);
        let found = on!(self.scheduler, phases, "iterate", F => iterate::<F>(matrix, vectors, iterations, shift));
        self.found.insert(found).answer()
    }

    /// NPB's own check, the published value to ten digits, and one that the last system was solved at all.
    fn check(&self, answer: &str) -> Check {
        let expected = self.class.zeta;
        let right = self.found.is_some_and(|found| {
            let near = (found.zeta - expected).abs() <= 1e-10 * expected;
            near && found.residual < 1e-8 && found.answer() == answer
        });
        if right { Check::Right } else { Check::Wrong(format!("{expected:.13}")) }
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![("nonzeros".into(), self.matrix.values.len().to_string())]
    }
}

/// One iteration of class S, for rehearsals.
#[cfg(test)]
pub(crate) fn solve_small<F: crate::scheduler::Fork>(layout: Layout) {
    let rows = generate::rows::<crate::scheduler::Serial>(&Class::named("S"));
    let (matrix, mut vectors) = (Matrix::new::<F>(&rows, layout), Vectors::new::<F>(rows.len(), layout));
    iterate::<F>(&matrix, &mut vectors, 1, 10.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Serial;
    use crate::trial;

    #[test]
    fn class_s_comes_out_as_published() {
        assert_eq!(&trial::answer(&Cg, "--class S")[..12], "8.5971775078");
    }

    fn prepared(words: &str) -> Box<dyn Run> {
        let (args, team) = trial::arguments(&Cg, words);
        Cg.prepare(&args, &team, &mut Phases::default()).unwrap()
    }

    #[test]
    fn class_w_comes_out_as_published_again_and_again() {
        let mut run = prepared("--class W");
        let answers = [(); 2].map(|()| run.run(&mut Phases::default()));
        assert_eq!(run.check(&answers[0]), Check::Right);
        assert_eq!(answers[0], answers[1]);
    }

    #[test]
    fn an_answer_without_a_run_is_wrong() {
        assert!(matches!(prepared("--class S").check("8.5971775078648"), Check::Wrong(_)));
    }

    #[test]
    fn another_class_and_an_unsolved_system_are_wrong() {
        let (args, team) = trial::arguments(&Cg, "--class S --runtime serial");
        let scheduler = Scheduler::start(&args, &team).unwrap();
        let rows = generate::rows::<Serial>(&Class::named("S"));
        let matrix = Matrix::new::<Serial>(&rows, Layout::CONTIGUOUS);
        let vectors = Vectors::new::<Serial>(rows.len(), Layout::CONTIGUOUS);
        let mut run = Prepared { class: Class::named("S"), scheduler, matrix, vectors, found: None };
        let answer = run.run(&mut Phases::default());
        assert_eq!(run.check(&answer), Check::Right);
        run.found.as_mut().unwrap().residual = 1e-3;
        assert!(matches!(run.check(&answer), Check::Wrong(_)));
        run.matrix.values[1000] *= 1.01;
        let answer = run.run(&mut Phases::default());
        assert!(matches!(run.check(&answer), Check::Wrong(_)), "{answer}");
    }
}
