//! A verb: its name, one line of help, and whether Rust or Python implements it.

use std::process::ExitCode;

use clap::{ArgMatches, Args, Command};

use crate::error::Failure;
use crate::python;

/// A verb as the table in [`crate::verbs`] lists it.
pub(crate) struct Verb {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its line in `knee --help`; a verb without one is hidden.
    pub(crate) help: &'static str,
    pub(crate) server: Server,
}

/// Which program implements a verb.
pub(crate) enum Server {
    /// This binary.
    Native {
        /// Adds the verb's options to a command.
        options: fn(Command) -> Command,
        /// Runs the verb.
        run: fn(&ArgMatches) -> Result<ExitCode, Failure>,
        /// Returns the answer as JSON, for a study.
        answer: fn(&ArgMatches) -> Result<String, Failure>,
    },
    /// The Python file of its name in `python/knee/verbs`, which parses the words itself.
    Python,
}

/// A verb that this binary serves: its fields are its options.
pub(crate) trait Native: Args {
    /// Does what was asked.
    ///
    /// # Errors
    /// An error for the user.
    fn run(self) -> Result<ExitCode, Failure>;

    /// What the verb prints with `--json`, as one line. Most verbs are never asked this way: see `verbs::answer`.
    ///
    /// # Errors
    /// What failed, for the user to read.
    fn answer(self) -> Result<String, Failure> {
        Err(Failure::new("this verb answers no questions"))
    }
}

/// A line of the table: a verb of this binary.
pub(crate) const fn native<V: Native>(name: &'static str, help: &'static str) -> Verb {
    let server = Server::Native {
        options: V::augment_args,
        run: |given| read::<V>(given).run(),
        answer: |given| read::<V>(given).answer(),
    };
    Verb { name, help, server }
}

/// A line of the table: a verb of the Python package.
pub(crate) const fn python(name: &'static str, help: &'static str) -> Verb {
    Verb { name, help, server: Server::Python }
}

fn read<V: Native>(given: &ArgMatches) -> V {
    V::from_arg_matches(given).unwrap_or_else(|error| error.exit())
}

impl Verb {
    /// The verb as a command of clap.
    pub(crate) fn command(&self) -> Command {
        let bare = Command::new(self.name);
        let command = match self.server {
            Server::Native { options, .. } => options(bare),
            // Python parses what follows, `--help` too.
            Server::Python => bare.disable_help_flag(true).arg(python::words()),
        };
        command.about(self.help).long_about(None::<&'static str>).hide(self.is_hidden())
    }

    /// Whether it is for knee's own use.
    pub(crate) fn is_hidden(&self) -> bool {
        self.help.is_empty()
    }

    /// Does what was asked.
    pub(crate) fn serve(&self, given: &ArgMatches) -> Result<ExitCode, Failure> {
        match self.server {
            Server::Native { run, .. } => run(given),
            // The words are taken as they were given, since clap would swallow a leading `--`.
            Server::Python => python::hand_over(self.name, std::env::args_os().skip(2)),
        }
    }

    /// Answers a question: what [`Native::answer`] gives.
    pub(crate) fn answer(&self, given: &ArgMatches) -> Result<String, Failure> {
        match self.server {
            Server::Native { answer, .. } => answer(given),
            Server::Python => Err(Failure::new("this verb answers no questions")),
        }
    }
}
