//! Small classics of parallel programming. One file each: what it stresses, a serial version, a parallel one, a check.

mod crew;
mod data;
mod fib;
mod mandel;
mod nqueens;
mod parfib;
mod sumeuler;
#[cfg(test)]
mod trial;

use knee_workload::{Param, Workload};

/// Every kernel of this crate.
pub const WORKLOADS: &[&dyn Workload] =
    &[&sumeuler::Sumeuler, &parfib::Parfib, &mandel::Mandel, &fib::Fib, &nqueens::Nqueens];

/// A parameter that is a whole number.
const fn number(name: &'static str, summary: &'static str, default: &'static str) -> Param {
    Param { name, summary, default: Some(default), values: &[], positional: false }
}
