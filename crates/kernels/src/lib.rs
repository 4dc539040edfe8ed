//! Classic parallel kernels, one file each: description, serial and parallel version, check.
//!
//! To add one, copy `fib.rs`, which is the shortest: a file that implements `Workload` and runs over `Fork`, so that every
//! scheduler can run it (`scheduler`). Its `mod` line and a line in [`WORKLOADS`] make it known; `docs/contributing/kernel.md`
//! shows all of it. Arrays are laid out by `data`, inputs are drawn by `random`, `trial` tests it with every scheduler.

mod cg;
mod cilksort;
mod data;
mod fft;
mod fib;
mod heat;
mod hull;
mod lu;
mod mandel;
mod matmul;
mod matmul_z;
mod matrix;
mod nqueens;
mod numbers;
mod parfib;
#[cfg(test)]
mod rehearsals;
mod rehearse;
mod scheduler;
mod strassen;
mod sumeuler;
#[cfg(test)]
mod trial;
mod walk;

use knee_workload::Workload;

pub(crate) use self::numbers::{number, power_of_two, random, signed_unit};

/// Every kernel of this crate.
pub const WORKLOADS: &[&dyn Workload] = &[
    &sumeuler::Sumeuler,
    &parfib::Parfib,
    &mandel::Mandel,
    &fib::Fib,
    &nqueens::Nqueens,
    &cilksort::Cilksort,
    &heat::Heat,
    &hull::Hull,
    &cg::Cg,
    &matmul::Matmul,
    &matmul_z::MatmulZ,
    &strassen::Strassen,
    &fft::Fft,
    &lu::Lu,
    &walk::Walk,
];
