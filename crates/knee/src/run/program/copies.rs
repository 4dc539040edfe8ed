//! The hidden verb `copies`: the same command several times at once. As a control of a study it shows how much the
//! machine slows that many independent threads down. Of a built-in workload the first copy reports, so a phase and its CPU
//! time are those of one copy.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode};

use clap::Args;

use crate::error::{Failure, status};
use crate::verb::Native;

/// Options of `knee copies`.
#[derive(Debug, Args)]
pub(crate) struct Copies {
    number: usize,
    /// Pipe for the report of a built-in workload, which the first copy makes.
    #[arg(long)]
    report: Option<i32>,
    #[arg(last = true)]
    command: Vec<String>,
}

impl Native for Copies {
    fn run(self) -> Result<ExitCode, Failure> {
        act(&self)
    }
}

/// Starts all copies, waits for all, and returns the exit status of the first one that failed.
fn act(args: &Copies) -> Result<ExitCode, Failure> {
    let (program, words) = args.command.split_first().ok_or_else(|| Failure::new("nothing to run"))?;
    let fail = |error: std::io::Error| Failure::new(format!("cannot run {program}: {error}")).code(status::NOT_FOUND);
    let start = |number| {
        let mut copy = Command::new(program);
        match (args.report, words) {
            (Some(fd), [verb, rest @ ..]) if number == 0 => {
                copy.arg(verb).arg(format!("--report={fd}")).args(rest);
            }
            _ => {
                copy.args(words);
            }
        }
        copy.spawn()
    };
    let mut copies: Vec<Child> = (0..args.number).map(start).collect::<Result<_, _>>().map_err(fail)?;
    let mut worst = 0;
    for copy in &mut copies {
        let ended = copy.wait().map_err(fail)?;
        // As a shell shows it.
        let signalled = || status::SIGNALLED.saturating_add(u8::try_from(ended.signal().unwrap_or(0)).unwrap_or(0));
        let code = ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or_else(signalled);
        worst = if worst == 0 { code } else { worst };
    }
    Ok(ExitCode::from(worst))
}
