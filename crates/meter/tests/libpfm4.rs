//! Compares every encoding with libpfm4 where that knows it: a program of forty lines, compiled here, prints its
//! encodings of their full names.

mod shared;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use knee_meter::events::{Check, Encoded, Table, Vendor, tables};

/// Bits that are set in every event select register of x86: user, system, interrupt, enable.
const ALWAYS_SET: u64 = 0x53_0000;

/// The version of Debian 12, whose tables end at Sapphire Rapids and Zen 4 and, on x86, hold nothing of Arm's.
const INSTALLED: &str = "4.13";

/// An encoding of ours and libpfm4's name for it.
struct Asked {
    version: String,
    name: String,
    config: u64,
    config1: u64,
    is_core_of_x86: bool,
}

#[test]
fn encodings_are_those_of_libpfm4() {
    let test = "encodings_are_those_of_libpfm4";
    let Some(program) = program(test) else { return };
    let asked = asked();
    let answers = answers(&program, asked.iter().map(|asked| asked.name.as_str()));
    let (mut same, mut unknown) = (0, BTreeSet::new());
    for (asked, answer) in asked.iter().zip(answers) {
        let Some(codes) = answer else {
            assert_ne!(asked.version, INSTALLED, "libpfm4 does not know {}", asked.name);
            unknown.insert(asked.name.split("::").next().unwrap_or_default());
            continue;
        };
        let ours = [asked.config, asked.config1];
        assert_eq!(plain(&codes, asked.is_core_of_x86), ours, "{}", asked.name);
        same += 1;
    }
    assert!(same >= 130, "only {same} encodings were compared");
    if !unknown.is_empty() {
        let units: Vec<&str> = unknown.into_iter().collect();
        shared::skipped(test, &format!("this libpfm4 does not know {}", units.join(", ")));
    }
}

#[test]
fn where_a_table_says_that_libpfm4_differs_it_does() {
    let Some(program) = program("where_a_table_says_that_libpfm4_differs_it_does") else { return };
    let mut disputed = Vec::new();
    for event in tables().flat_map(Table::events) {
        let encoded = event.encodings.iter().zip(event.encodings());
        disputed.extend(encoded.filter_map(|(encoding, ours)| Some((encoding.disputed.as_ref()?, ours))));
    }
    assert!(!disputed.is_empty());
    let answers = answers(&program, disputed.iter().map(|(theirs, _)| theirs.libpfm4.as_str()));
    for ((theirs, ours), answer) in disputed.iter().zip(answers) {
        let [config, _] = plain(&answer.expect("it was seen to know the event"), true);
        assert_eq!(config, theirs.config, "{}", theirs.libpfm4);
        assert_ne!(config, ours.config, "{} is no longer disputed", theirs.libpfm4);
    }
}

fn asked() -> Vec<Asked> {
    let mut asked = Vec::new();
    for table in tables() {
        for event in table.events() {
            for (encoding, Encoded { pmu, config, config1, .. }) in event.encodings.iter().zip(event.encodings()) {
                if let Check::Libpfm4 { version, event: name } = &encoding.checked {
                    let is_core_of_x86 = table.vendor != Vendor::Arm && pmu == "cpu";
                    asked.push(Asked { version: version.clone(), name: name.clone(), config, config1, is_core_of_x86 });
                }
            }
        }
    }
    asked
}

/// `config` and `config1` of what libpfm4 would write to the registers.
fn plain(codes: &[u64], is_core_of_x86: bool) -> [u64; 2] {
    let config = codes.first().copied().unwrap_or_default();
    let always = if is_core_of_x86 { ALWAYS_SET } else { 0 };
    [config & !always, codes.get(1).copied().unwrap_or_default()]
}

/// For each name the codes, or none where libpfm4 does not know it.
fn answers<'a>(program: &Path, names: impl Iterator<Item = &'a str>) -> Vec<Option<Vec<u64>>> {
    let names: Vec<&str> = names.collect();
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it was compiled");
    let questions = names.join("\n") + "\n";
    // A pipe holds 64 KiB, and all names together are shorter.
    assert!(questions.len() < 60_000);
    child.stdin.take().expect("it is piped").write_all(questions.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success(), "libpfm4 does not initialize");
    let text = String::from_utf8(output.stdout).expect("numbers");
    let answers: Vec<Option<Vec<u64>>> = text.lines().map(answer).collect();
    assert_eq!(answers.len(), names.len());
    answers
}

fn answer(line: &str) -> Option<Vec<u64>> {
    let mut words = line.split(' ');
    (words.next() == Some("0")).then(|| words.map(|word| u64::from_str_radix(word, 16).expect("a code")).collect())
}

/// Compiles the program, or notes that `test` was skipped because libpfm4 or a compiler is missing.
fn program(test: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libpfm4.c");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let compiled = Command::new("gcc").arg("-o").arg(&program).arg(&source).arg("-lpfm").output();
    match compiled {
        Ok(output) if output.status.success() => return Some(program),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let absent = said.contains("perfmon/pfmlib.h: No such file") || said.contains("cannot find -lpfm");
            assert!(absent, "{} does not compile:\n{said}", source.display());
            shared::skipped(test, "libpfm4-dev is not installed");
        }
        Err(error) => shared::skipped(test, &format!("gcc: {error}")),
    }
    None
}
