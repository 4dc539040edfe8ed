//! Memory policies, in numactl's terms.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CpuSet, Error};

/// How the kernel picks the node of a new page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// The node of the cpu that touches the page first.
    Local,
    /// These nodes and no others.
    Bind,
    /// These nodes in turn.
    Interleave,
    /// These nodes in turn, each as often as its weight says (Linux 6.9).
    #[serde(rename = "weighted-interleave")]
    WeightedInterleave,
    /// This node while it has room.
    Preferred,
}

/// A policy with its nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryPolicy {
    /// How.
    pub policy: Policy,
    /// Where; empty for `local`.
    #[serde(default)]
    pub nodes: CpuSet,
}

impl FromStr for MemoryPolicy {
    type Err = Error;

    /// `local`, `bind:0-1`, `interleave:0,1`, `weighted-interleave:0,1` or `preferred:0`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || Error::UnknownMemory(text.into());
        let (name, nodes) = text.split_once(':').unwrap_or((text, ""));
        let policy = match name {
            "local" => Policy::Local,
            "bind" => Policy::Bind,
            "interleave" => Policy::Interleave,
            "weighted-interleave" => Policy::WeightedInterleave,
            "preferred" => Policy::Preferred,
            _ => return Err(unknown()),
        };
        let nodes: CpuSet = nodes.parse().map_err(|_| unknown())?;
        if policy == Policy::Preferred && nodes.len() > 1 {
            return Err(unknown());
        }
        if nodes.is_empty() == (policy == Policy::Local) { Ok(Self { policy, nodes }) } else { Err(unknown()) }
    }
}

impl fmt::Display for MemoryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.policy {
            Policy::Local => return f.write_str("local"),
            Policy::Bind => "bind",
            Policy::Interleave => "interleave",
            Policy::WeightedInterleave => "weighted-interleave",
            Policy::Preferred => "preferred",
        };
        write!(f, "{name}:{}", self.nodes)
    }
}
