//! Typical mistakes in the command of `knee run`, each with the one thing to try.

use std::path::Path;

use crate::error::Failure;
use crate::registry;
use crate::this::in_folders;

/// Refuses words without `--` that name no workload.
pub(super) fn refuse_program(words: &[String]) -> Result<(), Failure> {
    let [first, rest @ ..] = words else { return Ok(()) };
    if registry::workloads().any(|workload| workload.name() == first) {
        return Ok(());
    }
    if first.contains(char::is_whitespace) && rest.is_empty() {
        let hint = format!("put it after --, without quotes: knee run -- {first}");
        return Err(Failure::new(format!("'{first}' is not a workload")).hint(hint));
    }
    if first.contains('/') || is_program(first) {
        let failure = Failure::new(format!("'{first}' is a program, not a workload"));
        return Err(failure.hint(format!("put it after --: knee run -- {}", words.join(" "))));
    }
    Err(registry::unknown(first))
}

/// Refuses a placeholder that is almost `{threads}`: it would be passed on unchanged.
pub(super) fn refuse_placeholder<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<(), Failure> {
    for text in texts {
        for part in text.split('{').skip(1).filter_map(|part| part.split_once('}')) {
            if part.0 != "threads" && strsim::damerau_levenshtein(&part.0.to_lowercase(), "threads") <= 1 {
                let failure = Failure::new(format!("unknown placeholder '{{{}}}'", part.0));
                return Err(failure.hint("did you mean {threads}?"));
            }
        }
    }
    Ok(())
}

/// The one thing to try when a command was not found.
pub(super) fn not_found(command: &[String]) -> String {
    let Some(program) = command.first() else { return "put a program after --".into() };
    if command.len() == 1 && program.contains(char::is_whitespace) {
        return format!("leave out the quotes: knee run -- {program}");
    }
    if !program.contains('/') && Path::new(program).is_file() {
        return format!("for the file in this folder: ./{program}");
    }
    if program.contains('/') { "check the path".into() } else { "check the spelling, or give a path".into() }
}

/// Whether a program of this name is in a folder of `PATH`.
fn is_program(name: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|folders| in_folders(&folders, name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_almost_threads_is_refused() {
        for wrong in ["{thread}", "-j{Threads}", "a{x}{theads}"] {
            assert!(refuse_placeholder([wrong]).is_err(), "{wrong}");
        }
        assert!(refuse_placeholder(["{threads}", "{}", "awk '{print}'", "{\"thread", "{size}", "{reads}"]).is_ok());
    }
}
