//! The fast Fourier transform of complex numbers.

mod complex;
mod transform;

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use self::complex::{Complex, direct};
use self::transform::Plan;
use crate::data::{Data, LAYOUT, Layout, fits};
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{RUNTIME, Scheduler, Serial, on};
use crate::signed_unit;
use crate::{number, power_of_two};

/// Bytes a number needs while the result is checked, which is more than the transform does: its frequency, the roots, the
/// signal, and both arrays of the transform back, with two f64 each.
const BYTES: usize = 5 * size_of::<Complex>();

/// Largest relative error.
const TOLERANCE: f64 = 1e-9;

pub(crate) struct Fft;

impl Workload for Fft {
    fn name(&self) -> &'static str {
        "fft"
    }

    fn summary(&self) -> &'static str {
        "fast Fourier transform of complex numbers"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The discrete Fourier transform of n complex numbers of two f64. A level deals the numbers \
         to four hands, transforms each, and combines them; parts of more than 4096 numbers are forked. The roots of \
         unity are made in the phase `fill`.\n\n\
         **What it stresses.** Memory: two passes over both arrays at each level that does not fit into a cache, with \
         little arithmetic. The first and the last pass read or write four distant places at the same time.\n\n\
         **Where it should bend.** Where the memory of a socket is busy, which is before its cores are; a length that \
         fits into the caches goes on to the number of cores.\n\n\
         **Source.** Cooley & Tukey 1965; `fft` of the Cilk-5 distribution, as in cilkbench, with radix 4 alone above \
         the last level."
    }

    fn phase(&self) -> &'static str {
        "transform"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] =
            &[number("n", "complex numbers, a power of two", "4194304"), RUNTIME, REHEARSE, SEED, LAYOUT];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let n = power_of_two(args, "n", 1..=1 << 32)?;
        fits(n.saturating_mul(BYTES))?;
        Ok(Box::new(Prepared {
            n,
            layout: Layout::of(args, team)?,
            scheduler: Scheduler::start(args, team)?,
            done: None,
        }))
    }
}

struct Prepared {
    n: usize,
    layout: Layout,
    scheduler: Scheduler,
    done: Option<(Plan, Data<Complex>)>,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let (n, layout) = (self.n, self.layout);
        let (plan, mut data, mut scratch) = on!(self.scheduler, phases, "fill", F => {
            let zeros = layout.array::<F, _>(n, |_| Complex::default());
            (Plan::new::<F>(n, layout), layout.array::<F, _>(n, input), zeros)
        });
        on!(self.scheduler, phases, "transform", F => plan.transform::<F>(&mut data, &mut scratch));
        let (_, spectrum) = self.done.insert((plan, data));
        answer(spectrum)
    }

    /// The energy is the input's (Parseval), the transform back gives the input, and some frequencies are what their
    /// definition says.
    fn check(&self, given: &str) -> Check {
        let Some((plan, spectrum)) = &self.done else { return Check::Unknown };
        let signal: Vec<Complex> = (0..self.n).map(input).collect();
        let (expected, found) = (energy(&signal), energy(spectrum) / self.n as f64);
        let conserved = (found - expected).abs() <= TOLERANCE * expected;
        if !conserved || given != answer(spectrum) {
            return Check::Wrong(format!("{expected:.9}"));
        }
        if !near(&back(plan, spectrum), &signal) {
            return Check::Wrong("another transform: back it does not give the input".into());
        }
        let frequencies: Vec<usize> = (0..4).map(|quarter| (quarter * self.n / 4 + quarter) % self.n).collect();
        let found: Vec<_> = frequencies.iter().map(|&frequency| spectrum[frequency]).collect();
        let defined: Vec<_> = frequencies.iter().map(|&frequency| direct(&signal, frequency)).collect();
        if near(&found, &defined) { Check::Right } else { Check::Wrong(format!("{defined:?} at {frequencies:?}")) }
    }
}

/// What is transformed.
fn input(index: usize) -> Complex {
    Complex { re: signed_unit(1, index), im: signed_unit(2, index) }
}

/// The energy of the signal that has this spectrum.
fn answer(spectrum: &[Complex]) -> String {
    format!("{:.9}", energy(spectrum) / spectrum.len() as f64)
}

fn energy(data: &[Complex]) -> f64 {
    data.iter().map(|value| value.energy()).sum()
}

/// Whether the largest difference is small beside the root of the mean energy.
fn near(found: &[Complex], expected: &[Complex]) -> bool {
    let bound = TOLERANCE * TOLERANCE * energy(expected) / expected.len() as f64;
    found.iter().zip(expected).all(|(&found, &expected)| (found - expected).energy() <= bound)
}

/// The inverse transform, which is the transform between two conjugations.
fn back(plan: &Plan, spectrum: &[Complex]) -> Vec<Complex> {
    let mut data: Vec<_> = spectrum.iter().map(|value| value.conjugate()).collect();
    plan.transform::<Serial>(&mut data, &mut vec![Complex::default(); spectrum.len()]);
    let scale = Complex { re: 1.0 / spectrum.len() as f64, im: 0.0 };
    data.into_iter().map(|value| value.conjugate() * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn all_short_lengths_are_as_defined() {
        for n in (0..=11).map(|exponent| 1 << exponent) {
            let signal: Vec<_> = (0..n).map(input).collect();
            let (mut data, mut scratch) = (signal.clone(), signal.clone());
            Plan::new::<Serial>(n, Layout::CONTIGUOUS).transform::<Serial>(&mut data, &mut scratch);
            let defined: Vec<_> = (0..n).map(|frequency| direct(&signal, frequency)).collect();
            assert!(near(&data, &defined), "{n}");
        }
    }

    #[test]
    fn the_memory_of_the_check_counts_before_anything_is_filled() {
        if knee_machine::room::too_little_for(BYTES << 32).is_some() {
            let (args, team) = trial::arguments(&Fft, "--n 4294967296");
            let refused = Fft.prepare(&args, &team, &mut Phases::default()).err().expect("there is no memory");
            assert!(refused.to_string().starts_with("cannot fill 327680 MiB of memory: "), "{refused}");
        }
    }

    #[test]
    fn any_scheduler_gives_the_same_transform() {
        trial::answer(&Fft, "--n 131072");
        trial::answer(&Fft, "--n 65536");
        trial::answer(&Fft, "--n 2");
    }

    #[test]
    fn two_frequencies_that_changed_places_are_found() {
        let plan = Plan::new::<Serial>(64, Layout::CONTIGUOUS);
        let mut run = Prepared { n: 64, layout: Layout::CONTIGUOUS, scheduler: Scheduler::Serial, done: None };
        let answer = run.run(&mut Phases::default());
        assert_eq!(run.check(&answer), Check::Right);
        let (_, mut spectrum) = run.done.take().unwrap();
        spectrum.swap(9, 12);
        run.done = Some((plan, spectrum));
        assert!(matches!(run.check(&answer), Check::Wrong(_)));
    }
}
