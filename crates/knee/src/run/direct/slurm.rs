//! `knee run --slurm`: prints the run as a batch script.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::error::{Failure, print_out};
use crate::shown::is_escaped;

/// The batch script for the command line of this process.
pub(crate) fn print_script() -> Result<ExitCode, Failure> {
    let words = std::env::args_os().map(OsString::into_string).collect::<Result<_, _>>();
    let mut words: Vec<String> =
        words.map_err(|word| Failure::new(format!("cannot write the script: {}: it is not UTF-8", word.display())))?;
    let options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let at = words[..options].iter().position(|word| word == "--slurm");
    if let Some(at) = at {
        words.remove(at);
    }
    let options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    if !words[..options].iter().any(|word| word == "--json") {
        words.insert(2, "--json".into());
    }
    print_out(&script(&words))?;
    Ok(ExitCode::SUCCESS)
}

/// The script that makes this run on an exclusive node. `words` is the command line without `--slurm`.
///
/// A job that gets a signal to stop (its time is up, or the queue needs the node) passes it on, puts itself back into
/// the queue, and starts the run again, because an interrupted run does not count. A job that has its record does
/// nothing.
fn script(words: &[String]) -> String {
    let run = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    format!(
        r#"#!/bin/bash
#SBATCH --job-name=knee
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
#SBATCH --open-mode=append
# Set what your queue wants: --partition, --account, --time.
cd "${{SLURM_SUBMIT_DIR:-.}}" || exit 1
record="knee-run-${{SLURM_JOB_ID:-local}}.json"
if [ -s "$record" ]; then
    echo "knee: $record is there already"
    exit 0
fi

stop() {{
    kill -TERM "$run" 2>/dev/null
    # A program that does not listen must not cost the place in the queue: SLURM kills us soon.
    for _ in $(seq 200); do
        kill -0 "$run" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL "$run" 2>/dev/null
    wait "$run"
    rm -f "$record.partial"
    if command -v scontrol >/dev/null && [ -n "$SLURM_JOB_ID" ]; then
        scontrol requeue "$SLURM_JOB_ID"
    fi
    exit 143
}}
trap stop TERM

# In the background: bash hears a signal only while it waits.
{run} >"$record.partial" &
run=$!
wait "$run"
status=$?
mv "$record.partial" "$record"
exit "$status"
"#
    )
}

/// Quotes a word for the shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into();
    }
    if !word.contains(is_escaped) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    // The script is printed, so control characters are escaped: inside $'...' bash reads \x1b as one byte.
    let byte = |byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' | b'\t' | b'\n' => char::from(*byte).into(),
        _ => format!("\\x{byte:02x}"),
    };
    format!("$'{}'", word.as_bytes().iter().map(byte).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_through_a_shell_as_they_are() {
        let words =
            ["printf", "%s|", "a b", "it's", "$HOME", "", "{threads}", "\x1b[2J'\\ \u{202e}ä"].map(str::to_owned);
        let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let said = std::process::Command::new("bash").args(["-c", &line]).output().unwrap();
        assert_eq!(String::from_utf8(said.stdout).unwrap(), "a b|it's|$HOME||{threads}|\x1b[2J'\\ \u{202e}ä|");
    }
}
