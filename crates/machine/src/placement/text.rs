//! Parses placements, and prints them in the syntax of other tools.

use std::fmt;
use std::str::FromStr;

use super::{Named, PLACE_KINDS, PlaceKind, Placement, Spacing, Within, cpuset};
use crate::{CpuSet, Error};

impl FromStr for Placement {
    type Err = Error;

    /// `cores-close`, with qualifiers `cores-close+per-core:2+within:socket:0+leave-one+compact`, a cpu list, `none`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut parts = text.split('+');
        let name = parts.next().unwrap_or_default();
        let qualifiers: Vec<&str> = parts.collect();
        let plain = if name == "none" {
            Some(Self::None)
        } else if name.starts_with(|c: char| c.is_ascii_digit()) {
            Some(Self::Explicit(cpuset::parse_ordered(name)?))
        } else {
            None
        };
        match (plain, &qualifiers[..]) {
            (Some(plain), []) => Ok(plain),
            (Some(_), [first, ..]) => {
                Err(bad(text, format!("'{first}' goes with named placements, not with '{name}'")))
            }
            (None, _) => named(text, name, &qualifiers).map(Self::Named),
        }
    }
}

fn bad(text: &str, reason: String) -> Error {
    Error::Placement { text: text.into(), reason }
}

fn named(text: &str, name: &str, qualifiers: &[&str]) -> Result<Named, Error> {
    let known = |kind: &PlaceKind| {
        let spacing = [(kind.close, Spacing::Close), (kind.spread, Spacing::Spread)];
        spacing.into_iter().find(|((known, _), _)| *known == name).map(|(_, spacing)| (*kind, spacing))
    };
    let found = PLACE_KINDS.iter().find_map(known);
    let (places, spacing) = found.ok_or_else(|| Error::UnknownPlacement(name.into()))?;
    let mut named = Named::plain(places, spacing);
    for qualifier in qualifiers {
        match qualifier.split_once(':').unwrap_or((qualifier, "")) {
            ("per-core", count) => {
                let number = count.parse().ok().filter(|&n| n > 0);
                let wrong =
                    || bad(text, format!("per-core:{count}; expected a number of hardware threads, at least 1"));
                named.per_core = Some(number.ok_or_else(wrong)?);
            }
            ("within", part) => named.within.push(within(part).map_err(|reason| bad(text, reason))?),
            ("leave-one", "") => named.leave_one = true,
            ("compact", "") => named.compact = true,
            _ => {
                let known = "per-core:K, within:SET, leave-one or compact";
                return Err(bad(text, format!("unknown qualifier '{qualifier}'; expected {known}")));
            }
        }
    }
    Ok(named)
}

fn within(part: &str) -> Result<Within, String> {
    let known = "socket:N, node:N, die:N, core:N, kind:NAME or first-threads";
    let (what, which) = part.split_once(':').unwrap_or((part, ""));
    let ids = || which.parse::<CpuSet>().ok().filter(|ids| !ids.is_empty());
    let found = match what {
        "socket" => ids().map(Within::Sockets),
        "node" => ids().map(Within::Nodes),
        "die" => ids().map(Within::Dies),
        "core" => ids().map(Within::Cores),
        "kind" if !which.is_empty() => Some(Within::Kind(which.into())),
        "first-threads" if which.is_empty() => Some(Within::FirstThreads),
        _ => None,
    };
    found.ok_or_else(|| format!("within:{part}; expected {known}"))
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(named) => named.fmt(f),
            Self::Explicit(cpus) => f.write_str(&listed(cpus)),
            Self::None => f.write_str("none"),
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, _) = if self.spacing == Spacing::Close { self.places.close } else { self.places.spread };
        f.write_str(name)?;
        if let Some(siblings) = self.per_core {
            write!(f, "+per-core:{siblings}")?;
        }
        for part in &self.within {
            write!(f, "+within:{part}")?;
        }
        f.write_str(if self.leave_one { "+leave-one" } else { "" })?;
        f.write_str(if self.compact { "+compact" } else { "" })
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sockets(ids) => write!(f, "socket:{ids}"),
            Self::Nodes(ids) => write!(f, "node:{ids}"),
            Self::Dies(ids) => write!(f, "die:{ids}"),
            Self::Cores(ids) => write!(f, "core:{ids}"),
            Self::Kind(name) => write!(f, "kind:{name}"),
            Self::FirstThreads => f.write_str("first-threads"),
        }
    }
}

/// The tool whose syntax a placement's cpus are printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A plain list.
    List,
    /// OpenMP's variables.
    Omp,
    /// taskset's arguments.
    Taskset,
    /// numactl's arguments.
    Numactl,
    /// srun's arguments.
    Slurm,
}

impl Format {
    /// The cpus in this tool's syntax; `cpus` is empty when the kernel decides, among `allowed`.
    #[must_use]
    pub fn write(self, cpus: &[u32], allowed: &CpuSet) -> String {
        let decided = !cpus.is_empty();
        let list = if decided { listed(cpus) } else { allowed.to_string() };
        match self {
            Self::List => list,
            Self::Taskset => format!("taskset -c {list}"),
            Self::Numactl => format!("numactl --physcpubind={list}"),
            Self::Omp if decided => {
                let places: Vec<_> = cpus.iter().map(|cpu| format!("{{{cpu}}}")).collect();
                format!("OMP_NUM_THREADS={} OMP_PROC_BIND=true OMP_PLACES='{}'", cpus.len(), places.join(","))
            }
            Self::Omp => "OMP_PROC_BIND=false".into(),
            // One task with all its cpus: map_cpu would give each task one, and all threads of a task that same one.
            Self::Slurm if decided => {
                let mask = cpus.iter().copied().collect::<CpuSet>().to_hwloc().replace(",0x", "");
                format!("srun --ntasks=1 --cpus-per-task={} --cpu-bind=mask_cpu:{mask}", cpus.len())
            }
            Self::Slurm => "srun --cpu-bind=none".into(),
        }
    }
}

fn listed(cpus: &[u32]) -> String {
    cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
