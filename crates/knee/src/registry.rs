//! The list of built-in workloads.

use std::collections::BTreeMap;

use knee_workload::{Args, Workload};

use crate::error::Failure;

/// Every workload, crate by crate.
pub(crate) fn workloads() -> impl Iterator<Item = &'static dyn Workload> {
    [knee_mining::WORKLOADS, knee_kernels::WORKLOADS, knee_probes::WORKLOADS].into_iter().flatten().copied()
}

/// The workload of that name.
pub(crate) fn find(name: &str) -> Result<&'static dyn Workload, Failure> {
    workloads().find(|workload| workload.name() == name).ok_or_else(|| {
        Failure::new(format!("unknown workload: {name:?}: `knee workloads` lists those that there are"))
            .hint(format!("to run a program of that name, put -- before it: -- {name}"))
    })
}

/// A workload's name and arguments from words, every argument given.
pub(crate) fn resolve(words: &[String]) -> Result<(String, BTreeMap<String, String>), Failure> {
    let (name, rest) = words.split_first().ok_or_else(|| Failure::new("no workload named"))?;
    let params = find(name)?.params();
    let args = Args::complete(params, &Args::named(params, rest)?)?;
    Ok((name.clone(), args.all().clone()))
}
