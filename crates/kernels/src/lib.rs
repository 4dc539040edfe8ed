//! Small classics of parallel programming. One file each: what it stresses, a serial version, a parallel one, a check.

mod cg;
mod cilksort;
mod crew;
mod data;
mod fib;
mod heat;
mod hull;
mod mandel;
mod nqueens;
mod parfib;
mod sumeuler;
#[cfg(test)]
mod trial;

use knee_workload::{Param, Workload};

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
];

/// A parameter that is a whole number.
const fn number(name: &'static str, summary: &'static str, default: &'static str) -> Param {
    Param { name, summary, default: Some(default), values: &[], positional: false }
}

/// The random number of an index (splitmix64): inputs are filled in parallel, and equal for any number of workers.
fn random(index: u64) -> u64 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
