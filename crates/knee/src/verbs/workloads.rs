//! `knee workloads`: lists the built-in workloads and their arguments.

use std::process::ExitCode;

use clap::Args;
use knee_workload::{COUNTS, Count, LAYOUTS, Layout, Param, Workload};
use serde_json::{Value, json};

use crate::error::{Failure, json_line, print_out};
use crate::registry;
use crate::verb::Native;

/// Options of `knee workloads`.
#[derive(Debug, Args)]
pub(crate) struct Workloads {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Parse a workload and its arguments like `knee run`, and print the program of a run spec
    #[arg(long, num_args = 1.., allow_hyphen_values = true, hide = true)]
    resolve: Vec<String>,
}

impl Native for Workloads {
    fn run(self) -> Result<ExitCode, Failure> {
        if self.json || !self.resolve.is_empty() {
            print_out(&format!("{:#}\n", self.described()?))?;
            return Ok(ExitCode::SUCCESS);
        }
        for workload in registry::workloads() {
            print_out(&format!("{:<10} {}\n", workload.name(), workload.summary()))?;
            for param in workload.params() {
                print_out(&format!("    {:<14} {}\n", usage(param), meaning(param)))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn answer(self) -> Result<String, Failure> {
        json_line(&self.described()?)
    }
}

impl Workloads {
    /// All workloads, or the one to resolve.
    fn described(&self) -> Result<Value, Failure> {
        if self.resolve.is_empty() {
            let list: Vec<Value> = registry::workloads().map(described).collect();
            let layout = |layout: &Layout| json!({ "name": layout.name, "meaning": layout.meaning });
            let layouts: Vec<Value> = LAYOUTS.iter().map(layout).collect();
            let count = |count: &Count| json!({ "name": count.name, "unit": count.unit, "meaning": count.meaning });
            let counts: Vec<Value> = COUNTS.iter().map(count).collect();
            return Ok(json!({ "schema": 1, "workloads": list, "layouts": layouts, "counts": counts }));
        }
        let (workload, args) = registry::resolve(&self.resolve)?;
        let phase = registry::find(&workload)?.phase();
        Ok(json!({ "workload": workload, "args": args, "phase": phase }))
    }
}

/// How a parameter is written.
pub(crate) fn usage(param: &Param) -> String {
    if param.positional { param.name.to_uppercase() } else { format!("--{}", param.name) }
}

/// Its meaning, values and default.
pub(crate) fn meaning(param: &Param) -> String {
    let values = if param.values.len() > 1 { format!(": {}", param.values.join(", ")) } else { String::new() };
    let default =
        param.default.filter(|value| !value.is_empty()).map_or(String::new(), |value| format!(" [default: {value}]"));
    format!("{}{values}{default}", param.summary)
}

fn described(workload: &'static dyn Workload) -> Value {
    let param = |param: &Param| {
        json!({
            "name": param.name, "summary": param.summary, "default": param.default,
            "values": param.values, "positional": param.positional,
        })
    };
    let params: Vec<Value> = workload.params().iter().map(param).collect();
    json!({
        "name": workload.name(), "summary": workload.summary(), "about": workload.about(), "phase": workload.phase(),
        "params": params, "measures": workload.measures(),
    })
}
