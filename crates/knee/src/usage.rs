//! Errors of clap in knee's form: one message, one hint.

use std::error::Error as _;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use knee_workload::one_of;

use crate::error::Failure;
use crate::nearest::nearest;
use crate::verbs::VERBS;

/// What was wrong with the command line, and the one thing to try.
pub(crate) fn failure(error: &Error, verb: Option<&str>) -> Failure {
    let verb = verb.filter(|name| VERBS.iter().any(|verb| verb.name == *name));
    let help =
        verb.map_or("`knee help` lists the verbs".into(), |verb| format!("`knee {verb} --help` lists the options"));
    let message = message(error).unwrap_or_else(|| first_line(error));
    Failure::new(message).hint(suggestion(error).unwrap_or(help))
}

fn message(error: &Error) -> Option<String> {
    let given = text(error, ContextKind::InvalidArg).map(|name| name.split(" <").next().unwrap_or(name));
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let given = given?;
            let what = if given.starts_with('-') { "unknown option" } else { "unexpected argument" };
            Some(format!("{what} '{given}'"))
        }
        ErrorKind::InvalidSubcommand => {
            Some(format!("unknown verb '{}'", text(error, ContextKind::InvalidSubcommand)?))
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let (name, value) = (given?, text(error, ContextKind::InvalidValue)?);
            if value.is_empty() {
                return Some(format!("{name} needs a value"));
            }
            let expected = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(values)) => format!("; expected {}", one_of(values)),
                _ => error.source().map(reason).unwrap_or_default(),
            };
            Some(format!("bad value '{value}' for {name}{expected}"))
        }
        _ => None,
    }
}

/// Why a value was refused, with the mark that joins it to the message.
fn reason(source: &(dyn std::error::Error + 'static)) -> String {
    let reason = source.to_string();
    if reason.starts_with("expected ") { format!("; {reason}") } else { format!(": {reason}") }
}

/// The verb, option or value that was probably meant.
fn suggestion(error: &Error) -> Option<String> {
    if error.kind() == ErrorKind::InvalidSubcommand {
        // clap would suggest hidden verbs too.
        let shown = VERBS.iter().filter(|verb| !verb.is_hidden()).map(|verb| verb.name);
        let near = nearest(text(error, ContextKind::InvalidSubcommand)?, shown)?;
        return Some(format!("did you mean `knee {near}`?"));
    }
    let kinds = [ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let near = kinds.into_iter().find_map(|kind| text(error, kind))?;
    Some(format!("did you mean {}?", near.split(" <").next().unwrap_or(near)))
}

/// The text of one kind of context: clap gives one value or a list.
fn text(error: &Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        ContextValue::Strings(list) => list.first().map(String::as_str),
        _ => None,
    }
}

/// clap's own message, without its usage and tips.
fn first_line(error: &Error) -> String {
    let said = error.to_string();
    let paragraph = said.split("\n\n").next().unwrap_or(&said);
    paragraph.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ")
}
