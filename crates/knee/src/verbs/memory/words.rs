//! Parses the arguments of `knee memory`: a probe, probe options, output options.

use std::fmt::Write;
use std::path::PathBuf;

use knee_probes::{Given, PROBES, Probe};
use knee_workload::{Args, one_of};

use super::Memory;
use crate::error::Failure;
use crate::listing::listed;
use crate::nearest::nearest;

/// The default file of a sweep of all probes.
pub(super) const FILE: &str = "machine-memory.json";

/// What was asked for.
pub(super) struct Asked {
    pub(super) probe: Option<&'static dyn Probe>,
    pub(super) given: Given,
    pub(super) quick: bool,
    pub(super) json: bool,
    pub(super) help: bool,
    pub(super) out: Option<PathBuf>,
}

impl Asked {
    /// Parses the words after the verb. Options of the probe and of the verb may come in any order.
    pub(super) fn read(args: &Memory) -> Result<Self, Failure> {
        let (name, words) = args.words.split_first().unzip();
        let mut asked = Self {
            probe: name.map(|name| find(name)).transpose()?,
            given: Given::new(),
            quick: args.quick,
            json: args.json,
            help: false,
            out: args.out.clone(),
        };
        let mut rest = Vec::new();
        let mut words = words.into_iter().flatten().peekable();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => asked.quick = true,
                "--json" => asked.json = true,
                "--help" | "-h" => asked.help = true,
                "--out" => {
                    let path = words.next().ok_or_else(|| Failure::new("--out needs a file"))?;
                    asked.out = Some(path.into());
                }
                // A choice between no and yes is a flag, too.
                "--matrix" => {
                    let said = words.next_if(|word| ["no", "yes"].contains(&word.as_str()));
                    rest.push(format!("--matrix={}", said.map_or("yes", String::as_str)));
                }
                _ => match word.strip_prefix("--out=") {
                    Some(path) => asked.out = Some(path.into()),
                    None => rest.push(word.clone()),
                },
            }
        }
        if let Some(probe) = asked.probe.filter(|_| !asked.help) {
            asked.given = Args::named(probe.params(), &rest)?;
            // Names and values are checked before anything is measured.
            Args::complete(probe.params(), &asked.given)?;
        } else if asked.out.is_none() {
            asked.out = Some(FILE.into());
        }
        Ok(asked)
    }
}

/// The list of probes in `knee memory --help`.
pub(super) fn probes() -> String {
    let list = listed("Probes", PROBES.iter().map(|probe| (probe.name(), probe.summary().to_owned())));
    format!("{list}\n\n`knee memory PROBE --help` lists a probe's options.")
}

fn find(name: &str) -> Result<&'static dyn Probe, Failure> {
    let probe = PROBES.iter().find(|probe| probe.name() == name).copied();
    probe.ok_or_else(|| {
        let names: Vec<_> = PROBES.iter().map(|probe| probe.name()).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => "`knee memory --quick` runs all probes".into(),
        };
        Failure::new(format!("unknown probe '{name}'; expected {}", one_of(&names))).hint(hint)
    })
}

/// The help of one probe: its options.
pub(super) fn help(probe: &dyn Probe) -> String {
    let mut out = format!("{}: {}\n\n", probe.name(), probe.summary());
    for param in probe.params() {
        let values = if param.values.is_empty() { String::new() } else { format!(" ({})", param.values.join(", ")) };
        let default = param.default.map_or_else(String::new, |value| format!(" [default: {value}]"));
        let _ = writeln!(out, "  --{:<10} {}{values}{default}", param.name, param.summary);
    }
    out + "\nAlso: --quick, --json, --out FILE. Options you leave out are swept over or keep their defaults.\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_asked_for_by_a_flag_or_by_a_value() {
        let matrix = |words: &[&str]| {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            let asked = Asked::read(&Memory { words, quick: false, json: false, out: None });
            asked.map(|asked| asked.given["matrix"].clone()).ok()
        };
        for words in [&["latency", "--matrix"][..], &["latency", "--matrix", "yes"], &["latency", "--matrix=yes"]] {
            assert_eq!(matrix(words).as_deref(), Some("yes"), "{words:?}");
        }
        assert_eq!(matrix(&["latency", "--matrix", "no"]).as_deref(), Some("no"));
        assert_eq!(matrix(&["latency", "--matrix", "maybe"]), None);
    }
}
