//! `knee doctor --siblings`: which cpus share a core, by a test of contention and by `/sys`.

mod text;

use std::process::ExitCode;

use knee_machine::{CpuSet, Topology};
use knee_meter::contention::{self, Crowded, Pair, Report, Verdict};
use serde::Serialize;

use crate::error::{Failure, print_out, say};

/// Cpus above which the test takes long enough for a message in advance.
const QUICK: usize = 8;

/// The result, and its JSON form.
#[derive(Serialize)]
struct Siblings {
    schema: u32,
    pairs: Vec<Tested>,
    /// Cpus that were tested against all others at once instead of one by one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    crowd: Vec<Crowded>,
    /// Siblings that `/sys` calls separate.
    hidden: Vec<[u32; 2]>,
    /// Why nothing was tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    untested: Option<String>,
}

/// A pair with its verdict in `/sys`.
#[derive(Serialize)]
struct Tested {
    #[serde(flatten)]
    pair: Pair,
    sysfs: Verdict,
}

impl Tested {
    /// What the test says and what `/sys` says.
    fn verdicts(&self) -> (Verdict, Verdict) {
        (self.pair.evidence.verdict, self.sysfs)
    }
}

/// Tests the allowed cpus and prints the result.
pub(crate) fn show(json: bool) -> Result<ExitCode, Failure> {
    let cores: Vec<CpuSet> = Topology::this_machine()?.allowed_cores().into_iter().map(|core| core.cpus).collect();
    let siblings = test(&cores);
    if json {
        print_out(&format!("{}\n", serde_json::to_string_pretty(&siblings).map_err(Failure::new)?))?;
    } else {
        print_out(&text::told(&siblings, &cores))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn test(cores: &[CpuSet]) -> Siblings {
    let cpus: CpuSet = cores.iter().flat_map(CpuSet::iter).collect();
    if cpus.len() < 2 {
        return Siblings::untested(format!("this process may only use cpu {cpus}, so there is no pair"));
    }
    if cpus.len() > QUICK {
        say(format_args!("knee: testing {} cpus, which may take a minute", cpus.len()));
    }
    contention::examine(cores)
        .map_or_else(|error| Siblings::untested(error.to_string()), |report| Siblings::new(report, cores))
}

impl Siblings {
    fn untested(reason: String) -> Self {
        Self { untested: Some(reason), ..Self::new(Report::default(), &[]) }
    }

    fn new(report: Report, cores: &[CpuSet]) -> Self {
        let named = |[a, b]: [u32; 2]| cores.iter().any(|core| core.contains(a) && core.contains(b));
        let sysfs = |pair: &Pair| if named(pair.cpus) { Verdict::Siblings } else { Verdict::Separate };
        let pairs: Vec<Tested> = report.pairs.into_iter().map(|pair| Tested { sysfs: sysfs(&pair), pair }).collect();
        let hidden = of(&pairs, (Verdict::Siblings, Verdict::Separate));
        Self { schema: 1, pairs, crowd: report.crowd, hidden, untested: None }
    }
}

/// The pairs of which the test and `/sys` say this.
fn of(pairs: &[Tested], verdicts: (Verdict, Verdict)) -> Vec<[u32; 2]> {
    pairs.iter().filter(|tested| tested.verdicts() == verdicts).map(|tested| tested.pair.cpus).collect()
}
