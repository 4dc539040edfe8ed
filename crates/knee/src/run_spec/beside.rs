//! Programs beside a run, as a run spec asks for them.

use std::collections::BTreeSet;

use knee_workload::MOST_THREADS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Least and most memory of a program beside the measured one.
const LEAST_BESIDE: u64 = 4 << 10;
const MOST_BESIDE: u64 = 1 << 46;

/// A program of knee's own that runs beside the measured one and is not counted with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beside {
    /// Which one.
    pub(crate) workload: BesideWorkload,
    /// Its cpus: one thread is pinned to each.
    pub(crate) cpus: Vec<u32>,
    /// Memory that all its threads together go through, a part each; absent for four times the last-level cache (stream)
    /// or half of it (pirate). `spin` touches none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
}

/// What a program beside the measured one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BesideWorkload {
    /// Computes in registers.
    Spin,
    /// Streams through memory: reads one half of it and writes the other.
    Stream,
    /// Reads one word of every cache line of its memory, over and over, to hold it in the cache.
    Pirate,
}

impl Beside {
    /// Checks its cpus and its memory.
    pub(super) fn check(&self) -> Result<(), String> {
        let distinct: BTreeSet<u32> = self.cpus.iter().copied().collect();
        if distinct.is_empty() || distinct.len() < self.cpus.len() || distinct.len() > MOST_THREADS {
            return Err(format!("a program beside it needs between 1 and {MOST_THREADS} cpus, each of them once"));
        }
        match (self.workload, self.bytes) {
            (BesideWorkload::Spin, Some(_)) => Err("spin beside it touches no memory, so it takes no bytes".into()),
            (_, Some(bytes)) if !(LEAST_BESIDE..=MOST_BESIDE).contains(&bytes) => {
                Err(format!("a program beside it takes between {LEAST_BESIDE} and {MOST_BESIDE} bytes, not {bytes}"))
            }
            _ => Ok(()),
        }
    }
}
