//! `knee help`: shows help for a verb or a topic.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Args;

use super::{TOPICS, VERBS, command, find};
use crate::error::Failure;
use crate::listing::listed;
use crate::nearest::nearest;
use crate::python;
use crate::verb::{Native, Server};

/// Options of `knee help`.
#[derive(Debug, Args)]
#[command(after_help = topics())]
pub(crate) struct Help {
    /// Verb or topic [default: overview]
    #[arg(value_name = "VERB|TOPIC")]
    name: Option<String>,
}

/// The topics, from their list.
pub(super) fn topics() -> String {
    listed("Topics of `knee help`", TOPICS.iter().map(|(name, meaning)| (*name, (*meaning).to_owned())))
}

impl Native for Help {
    fn run(self) -> Result<ExitCode, Failure> {
        let mut knee = command();
        // Fills in `knee` before each verb's name.
        knee.build();
        let Some(name) = self.name else { return shown(&mut knee) };
        if TOPICS.iter().any(|(topic, _)| *topic == name) {
            return python::hand_over("topic", [name.into()]);
        }
        match find(&name).map(|verb| &verb.server) {
            Some(Server::Python) => python::hand_over(&name, ["--help".into()]),
            Some(Server::Native { .. }) => shown(knee.find_subcommand_mut(&name).expect("it is in the table")),
            None => {
                let shown = VERBS.iter().filter(|verb| !verb.is_hidden()).map(|verb| verb.name);
                let near = nearest(&name, shown.chain(TOPICS.iter().map(|(topic, _)| *topic)));
                let listed = || "`knee help` lists verbs and topics".to_owned();
                let hint = near.map_or_else(listed, |near| format!("did you mean `knee help {near}`?"));
                Err(Failure::new(format!("unknown verb or topic '{name}'")).hint(hint))
            }
        }
    }
}

fn shown(command: &mut clap::Command) -> Result<ExitCode, Failure> {
    match command.print_long_help() {
        // A closed pipe is no error.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write: standard output: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
