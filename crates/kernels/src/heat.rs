//! Heat diffusion on a plate (Jacobi): each step reads one array and writes the other.

use std::f64::consts::FRAC_PI_2;

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::data::{Data, LAYOUT, Layout};
use crate::number;
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};

pub(crate) struct Heat;

impl Workload for Heat {
    fn name(&self) -> &'static str {
        "heat"
    }

    fn summary(&self) -> &'static str {
        "heat diffusion on a plate, explicit time steps"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The heat equation u_t = u_xx + u_yy on the square of side pi/2, by `steps` explicit \
         steps on `rows` × `columns` points. Each step reads one array and writes the other (Jacobi); rows are halved \
         down to `leaf` rows in a task. Values on the edge come from the solution exp(-2t) sin x sin y. The answer is \
         the sum over the middle row. Phases: `fill`, `steps`.\n\n\
         **What it stresses.** Memory bandwidth: few operations for each value read and written, all in order.\n\n\
         **Where it should bend.** Where memory channels are full, or at the cores when both arrays fit the caches. \
         Across sockets when the arrays lie on one node, or when a task runs away from where its rows were filled.\n\n\
         **Source.** `heat` of the Cilk-5 examples; a benchmark of NUMA-WS (Deters et al., IISWC 2018)."
    }

    fn phase(&self) -> &'static str {
        "steps"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            number("rows", "rows of points", "4096"),
            number("columns", "columns of points", "1024"),
            number("steps", "time steps", "100"),
            number("leaf", "rows per task", "10"),
            LAYOUT,
            RUNTIME,
            REHEARSE,
            SEED,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error> {
        Ok(Box::new(Prepared::new(args, team, phases)?))
    }
}

struct Prepared {
    plate: Plate,
    steps: usize,
    now: Data<f64>,
    next: Data<f64>,
    scheduler: Scheduler,
}

impl Prepared {
    fn new(args: &Args, team: &Team, phases: &mut Phases) -> Result<Self, Error> {
        let count = |name, least| {
            args.number(name, least..=1 << 20).map(|count| usize::try_from(count).expect("inside the range"))
        };
        let (rows, columns) = (count("rows", 3)?, count("columns", 3)?);
        let (steps, leaf) = (count("steps", 0)?, count("leaf", 1)?);
        let (layout, scheduler) = (Layout::of(args, team)?, Scheduler::start(args, team)?);
        let plate = Plate::new(rows, columns, if scheduler.is_serial() { rows } else { leaf });
        let start = |index| plate.solution(index / columns, index % columns, 1.0);
        let (now, next) = on!(scheduler, phases, "fill", F => {
            let array = || layout.array::<F, _>(rows * columns, start);
            (array(), array())
        });
        Ok(Self { plate, steps, now, next, scheduler })
    }

    fn sum_of_middle_row(&self) -> String {
        let columns = self.plate.columns();
        let middle = self.plate.rows() / 2 * columns;
        self.now[middle..][..columns].iter().sum::<f64>().to_string()
    }
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let Self { plate, steps, now, next, scheduler } = self;
        on!(*scheduler, phases, "steps", F => {
            for step in 1..=*steps {
                plate.step::<F>(now, next, 0, step);
                std::mem::swap(now, next);
            }
        });
        self.sum_of_middle_row()
    }

    fn check(&self, answer: &str) -> Check {
        let (worst, bound) = (self.plate.worst_error(&self.now, self.steps), self.plate.error_bound(self.steps));
        if worst.is_nan() || worst > bound {
            return Check::Wrong(format!("an error of {worst:e} where at most {bound:e} is possible"));
        }
        let expected = self.sum_of_middle_row();
        if answer == expected { Check::Right } else { Check::Wrong(expected) }
    }
}

/// The plate and its points. The solution is a product: decay in time, a sine down the rows, a sine along the columns.
pub(crate) struct Plate {
    down: Vec<f64>,
    along: Vec<f64>,
    time_step: f64,
    leaf: usize,
}

impl Plate {
    pub(crate) fn new(rows: usize, columns: usize, leaf: usize) -> Self {
        let sines = |points: usize| (0..points).map(|i| (i as f64 * spacing(points)).sin()).collect();
        let curvature = spacing(rows).powi(-2) + spacing(columns).powi(-2);
        // Half of the longest step that is stable.
        Self { down: sines(rows), along: sines(columns), time_step: 0.25 / curvature, leaf }
    }

    fn rows(&self) -> usize {
        self.down.len()
    }

    fn columns(&self) -> usize {
        self.along.len()
    }

    fn decay(&self, step: usize) -> f64 {
        (-2.0 * self.time_step * step as f64).exp()
    }

    fn solution(&self, row: usize, column: usize, decay: f64) -> f64 {
        decay * self.down[row] * self.along[column]
    }

    /// Writes the rows from `first` on as they are at `step`.
    pub(crate) fn step<F: Fork>(&self, now: &[f64], next: &mut [f64], first: usize, step: usize) {
        let rows = next.len() / self.columns();
        if rows <= self.leaf {
            F::touch(next);
            let (decay, rows) = (self.decay(step), next.chunks_exact_mut(self.columns()));
            return rows.zip(first..).for_each(|(next, row)| self.step_row(now, next, row, decay));
        }
        let (top, bottom) = next.split_at_mut(rows / 2 * self.columns());
        F::join_near(
            top.as_ptr(),
            || self.step::<F>(now, top, first, step),
            bottom.as_ptr(),
            || self.step::<F>(now, bottom, first + rows / 2, step),
        );
    }

    fn step_row(&self, now: &[f64], next: &mut [f64], row: usize, decay: f64) {
        let edge = |column| self.solution(row, column, decay);
        let last = self.columns() - 1;
        if row == 0 || row == self.rows() - 1 {
            return next.iter_mut().zip(0..).for_each(|(next, column)| *next = edge(column));
        }
        (next[0], next[last]) = (edge(0), edge(last));
        let of = |row: usize| &now[row * self.columns()..][..self.columns()];
        let (above, here, below) = (of(row - 1), of(row), of(row + 1));
        let vertical = self.time_step * spacing(self.rows()).powi(-2);
        let horizontal = self.time_step * spacing(self.columns()).powi(-2);
        for (((next, near), above), below) in
            next[1..last].iter_mut().zip(here.windows(3)).zip(&above[1..]).zip(&below[1..])
        {
            let twice = 2.0 * near[1];
            *next = near[1] + vertical * (above + below - twice) + horizontal * (near[0] + near[2] - twice);
        }
    }

    fn worst_error(&self, values: &[f64], step: usize) -> f64 {
        let (columns, decay) = (self.columns(), self.decay(step));
        let error = |(index, value)| f64::abs(value - self.solution(index / columns, index % columns, decay));
        values.iter().copied().enumerate().map(error).fold(0.0, worse)
    }

    /// Each step adds at most its truncation error, since a stable step lets no error grow. In time that is half a step
    /// times the second derivative, at most 4; in space a twelfth of the spacing squared times the fourth, at most 1.
    /// Rounding adds a few units in the last place.
    fn error_bound(&self, steps: usize) -> f64 {
        let squares = spacing(self.rows()).powi(2) + spacing(self.columns()).powi(2);
        let truncation = self.time_step * (2.0 * self.time_step + squares / 12.0);
        truncation * steps as f64 + 8.0 * f64::EPSILON * (steps + 1) as f64
    }
}

/// The distance of two neighbours among points from 0 to pi/2.
fn spacing(points: usize) -> f64 {
    FRAC_PI_2 / (points - 1) as f64
}

/// The larger one; not a number if any is.
fn worse(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    fn after_run(words: &str) -> Prepared {
        let (args, team) = trial::arguments(&Heat, words);
        let mut run = Prepared::new(&args, &team, &mut Phases::default()).unwrap();
        run.run(&mut Phases::default());
        run
    }

    #[test]
    fn every_scheduler_comes_close_to_the_solution() {
        for words in ["--rows 3 --columns 3", "--rows 37 --columns 50 --leaf 1", "--rows 100 --columns 9 --steps 0"] {
            trial::answer(&Heat, words);
        }
    }

    #[test]
    fn every_scheduler_computes_the_same_bits() {
        let bits = |runtime: &&str| {
            let run = after_run(&format!("--rows 64 --columns 33 --leaf 3 --steps 7 --runtime {runtime}"));
            run.now.iter().map(|value| value.to_bits()).collect::<Vec<_>>()
        };
        let all: Vec<_> = RUNTIME.values.iter().map(bits).collect();
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn a_task_that_missed_a_step_is_seen() {
        let mut run = after_run("--rows 200 --columns 100 --steps 20");
        let answer = run.sum_of_middle_row();
        assert_eq!(run.check(&answer), Check::Right);
        let row = 150 * 100..151 * 100;
        run.now[row.clone()].copy_from_slice(&run.next[row]);
        assert!(matches!(run.check(&answer), Check::Wrong(_)));
        run.now[100] = f64::NAN;
        assert!(matches!(run.check(&answer), Check::Wrong(_)));
    }
}
