//! The list of built-in workloads.

use std::collections::BTreeMap;

use knee_workload::{Args, Workload};

use crate::error::Failure;
use crate::nearest::nearest;

/// Every workload, crate by crate.
pub(crate) fn workloads() -> impl Iterator<Item = &'static dyn Workload> {
    [knee_mining::WORKLOADS, knee_kernels::WORKLOADS, knee_query::WORKLOADS, knee_probes::WORKLOADS]
        .into_iter()
        .flatten()
        .copied()
}

/// The workload of that name.
pub(crate) fn find(name: &str) -> Result<&'static dyn Workload, Failure> {
    workloads().find(|workload| workload.name() == name).ok_or_else(|| unknown(name))
}

/// Why there is no workload of this name.
pub(crate) fn unknown(name: &str) -> Failure {
    let failure = Failure::new(format!("unknown workload '{name}'"));
    match nearest(name, workloads().map(knee_workload::Workload::name)) {
        Some(near) => failure.hint(format!("did you mean {near}?")),
        None => failure.hint("`knee workloads` lists them; put -- before a program"),
    }
}

/// A workload's name and arguments from words, every argument given.
pub(crate) fn resolve(words: &[String]) -> Result<(String, BTreeMap<String, String>), Failure> {
    let (name, rest) = words.split_first().ok_or_else(|| Failure::new("no workload given"))?;
    let params = find(name)?.params();
    let args = Args::complete(params, &Args::named(params, rest)?)?;
    Ok((name.clone(), args.all().clone()))
}

#[cfg(test)]
mod tests {
    use knee_workload::Layout;

    use super::*;

    #[test]
    fn layouts_are_words_of_the_one_list() {
        let params =
            |workload: &'static dyn Workload| workload.params().iter().map(move |param| (workload.name(), param));
        let layouts: Vec<_> = workloads().flat_map(params).filter(|(_, param)| param.name == "layout").collect();
        assert!(!layouts.is_empty());
        for (workload, param) in layouts {
            assert!(!param.values.is_empty(), "{workload}: it takes any word");
            let unknown: Vec<_> = param.values.iter().filter(|word| Layout::named(word).is_none()).collect();
            assert!(unknown.is_empty(), "{workload}: {unknown:?}");
        }
    }
}
