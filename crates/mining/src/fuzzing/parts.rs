//! The readers of parts and of their answers.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use knee_workload::{Args, Bind, Error, Team, Workload};
use twox_hash::XxHash3_64;

use crate::mine::Mine;
use crate::parts::{self, Part};

/// A graph of twelve vertices, in which any part is answered at once.
const SMALL: &str = "rmat:4:2:1";
/// What stands between the members of a line and its checksum.
const CHECKSUM: &str = ",\"checksum\":\"";

/// Reads lines of `--split` and of `--part` without their checksums, which are added; answers those that ask of one small
/// graph, and joins both the lines and the answers.
pub fn parts(text: &str) {
    let lines: Vec<String> = text.lines().map(checked).collect();
    let _ = parts::merge(lines.iter().map(String::as_str));
    let answers: Vec<String> = lines.iter().filter_map(|line| answered(line)).collect();
    let _ = parts::merge(answers.iter().map(String::as_str));
}

/// Writes examples into a directory: lines of both kinds, for questions of several kinds.
///
/// # Errors
/// What cannot be written.
pub fn write_parts(directory: &Path) -> io::Result<()> {
    let questions = [
        [("action", "count"), ("pattern", "square"), ("plan", "auto")],
        [("action", "count"), ("pattern", "house"), ("plan", "explore")],
        [("action", "count"), ("pattern", "wheel-4"), ("induced", "vertex")],
        [("action", "count"), ("pattern", "path-5"), ("order", "hubs-last")],
        [("action", "motifs"), ("size", "4"), ("induced", "edge")],
        [("action", "cliques"), ("size", "6"), ("plan", "explore")],
    ];
    fs::create_dir_all(directory)?;
    for (number, question) in questions.iter().enumerate() {
        let asked = split(question, 2).expect("it is divided");
        let answers = asked.iter().map(|line| answered(line).expect("it is answered")).collect::<Vec<_>>();
        for (kind, lines) in [("asked", &asked), ("answers", &answers)] {
            let members = |line: &String| line.split(CHECKSUM).next().map(|members| format!("{members}}}\n"));
            let text: String = lines.iter().filter_map(members).collect();
            fs::write(directory.join(format!("{kind}-{number}")), text)?;
        }
    }
    Ok(())
}

fn checked(line: &str) -> String {
    let members = line.strip_suffix('}').unwrap_or(line);
    let sum = XxHash3_64::oneshot(format!("{members}}}").as_bytes());
    format!("{members}{CHECKSUM}{sum:016x}\"}}")
}

fn team() -> Team {
    Team::new(1, &[], Bind::Set)
}

fn answered(line: &str) -> Option<String> {
    let part = Part::read(line).ok()?;
    let args = part.arguments(&BTreeMap::new()).ok().filter(|args| args.text("graph") == SMALL)?;
    parts::answer(&part, &args, &team()).ok()
}

fn split(question: &[(&str, &str)], parts: usize) -> Result<Vec<String>, Error> {
    let given = question.iter().chain(&[("graph", SMALL)]).map(|(name, value)| ((*name).into(), (*value).into()));
    parts::split(&Args::complete(Mine.params(), &given.collect())?, &team(), parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_part_is_refused_without_a_panic() {
        let directory = tempfile::tempdir().unwrap();
        write_parts(directory.path()).unwrap();
        for file in fs::read_dir(directory.path()).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            assert!(text.lines().all(|line| answered(&checked(line)).is_some() || line.contains("\"found\"")));
            for (from, to) in [
                ("", ""),
                ("square", "pentagon"),
                ("\"parts\":2", "\"parts\":0"),
                ("\"parts\":2", "\"parts\":18446744073709551615"),
                ("\"part\":1", "\"part\":2"),
                ("\"plan\":{", "\"formula\":{"),
                ("\"found\":[\"", "\"found\":[\"-170141183460469231731687303715884105728\",\""),
                ("\"found\":[\"", "\"found\":[\"1"),
                (SMALL, "rmat:4:2:2"),
            ] {
                parts(&text.replace(from, to));
            }
        }
    }
}
