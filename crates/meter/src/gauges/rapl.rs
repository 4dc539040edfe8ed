//! Energy by RAPL, from the power capping tree (`/sys/class/powercap/intel-rapl:*`, which AMD's driver fills too).
//!
//! Since 2020 only root may read the counters (CVE-2020-8694: they reveal what other programs compute). They count
//! microjoules up to `max_energy_range_uj` and wrap around.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::refuse;
use super::source::{Source, number_in};
use super::tally::Kind;
use crate::perf::CounterRefusal;

/// What a value covers.
pub(crate) const SCOPE: &str = "the whole machine while the program ran";

/// A zone of the tree: `package-0`, `dram`, `core`, `psys`.
struct Zone {
    name: String,
    folder: PathBuf,
}

/// Every zone, packages and what is in them, in order. A part's name gets its package's: `dram:package-0`.
fn zones(root: &Path) -> Vec<Zone> {
    let entries = fs::read_dir(root.join("sys/class/powercap")).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let number = entry.file_name().into_string().ok()?;
        let zone = number.strip_prefix("intel-rapl:")?;
        let name = fs::read_to_string(entry.path().join("name")).ok()?.trim().to_owned();
        Some((zone.to_owned(), Zone { name, folder: entry.path() }))
    });
    let mut named: Vec<(String, Zone)> = named.collect();
    named.sort_by(|(a, _), (b, _)| a.cmp(b));
    let packages: Vec<(String, String)> = named
        .iter()
        .filter(|(number, _)| !number.contains(':'))
        .map(|(n, zone)| (n.clone(), zone.name.clone()))
        .collect();
    let full = |(number, zone): (String, Zone)| {
        let package = number.split_once(':').map(|(package, _)| package);
        let owner = package.and_then(|package| packages.iter().find(|(number, _)| number == package));
        let name = owner.map_or(zone.name.clone(), |(_, package)| format!("{}:{package}", zone.name));
        Zone { name, ..zone }
    };
    named.into_iter().map(full).collect()
}

/// The zones that a name asks for, with their range.
pub(crate) fn sources(root: &Path, name: &str) -> Result<Vec<Source>, CounterRefusal> {
    let kind = name.strip_prefix("energy-").unwrap_or(name);
    let zones = zones(root);
    if zones.is_empty() {
        return absent();
    }
    let wanted: Vec<&Zone> = zones.iter().filter(|zone| is_of(&zone.name, kind)).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = zones.iter().map(|zone| zone.name.as_str()).collect();
        return refuse(format!("RAPL has no zone {kind} on this machine: it has {}", names.join(" ")), "");
    }
    wanted.into_iter().map(source).collect()
}

/// `package-0` and `package-1-die-0` are packages, `dram:package-0` is dram.
fn is_of(zone: &str, kind: &str) -> bool {
    zone == kind || zone.strip_prefix(kind).is_some_and(|rest| rest.starts_with(['-', ':']))
}

fn source(zone: &Zone) -> Result<Source, CounterRefusal> {
    let file = zone.folder.join("energy_uj");
    match fs::read_to_string(&file) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return refuse(
                format!("RAPL's energy_uj of {} is for root only (CVE-2020-8694)", zone.name),
                "run knee as root, or let the administrator make energy_uj readable",
            );
        }
        Err(error) => return refuse(format!("{}: {error}", file.display()), ""),
    }
    let range = fs::read_to_string(zone.folder.join("max_energy_range_uj")).ok();
    let range = range.and_then(|text| number_in(&text, None).ok());
    Ok(Source::new(format!("rapl:{}", zone.name), file, None, range.map_or(Kind::Grows, Kind::Wraps)))
}

fn absent<T>() -> Result<T, CounterRefusal> {
    refuse(
        "no RAPL: the kernel lists no intel-rapl zones under /sys/class/powercap",
        "modprobe intel_rapl_msr; guests of a hypervisor have none",
    )
}

/// Which zones there are, and whether they can be read.
pub(crate) fn examine(root: &Path) -> Result<String, CounterRefusal> {
    let zones = zones(root);
    if zones.is_empty() {
        return absent();
    }
    for zone in &zones {
        source(zone)?;
    }
    Ok(zones.iter().map(|zone| zone.name.as_str()).collect::<Vec<_>>().join(" "))
}
