//! The hidden verb `launch`: a run spec on standard input, a record on standard output.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::runner;
use crate::error::Failure;
use crate::verb::Native;

/// Options of `knee launch`.
#[derive(Debug, Args)]
pub(crate) struct Launch {
    #[arg(long)]
    samples: Option<PathBuf>,
}

impl Native for Launch {
    fn run(self) -> Result<ExitCode, Failure> {
        runner::launch_one(self.samples.as_deref())
    }
}
