//! The list of verbs; native verbs have a file each, with their options and their code.
//!
//! [`VERBS`] is the one list of all of them. The command line, `knee help`, the reference pages and Python's list of
//! its own verbs (`python/knee/verbs/verbs.json`) are made from it.

mod answer;
mod direct;
pub(crate) mod doctor;
mod drawing;
pub(crate) mod generate;
mod help;
pub(crate) mod machine;
pub(crate) mod memory;
mod mine;
mod parts;
mod place;
mod progress;
mod query;
mod siblings;
mod workloads;

use clap::Command;
use clap::builder::styling::{AnsiColor, Styles};

use crate::run::{child, copies, launch_verb, options};
use crate::verb::{Verb, native, python};

/// Every verb, in the order of `knee --help`. One without a line of help is for knee's own use.
pub(crate) const VERBS: &[Verb] = &[
    native::<machine::Machine>("machine", "Show this machine: sockets, nodes, caches, cores, hardware threads"),
    native::<place::Place>("place", "Show which cpu each thread of a placement runs on"),
    native::<doctor::Doctor>("doctor", "Check what can be measured on this machine, and how to fix what cannot"),
    native::<options::Run>("run", "Run a program once, pinned if asked for, and measure it"),
    native::<memory::Memory>("memory", "Probe this machine's memory: latency, bandwidth, page costs, sharing"),
    native::<mine::Mine>("mine", "Count or find a small pattern in a graph"),
    native::<query::Query>("query", "Answer a query in SQL over one table"),
    native::<workloads::Workloads>("workloads", "List the built-in workloads and their arguments"),
    python("study", "Measure a program over thread counts and placements, and find its knee"),
    python("plan", "Show the runs of a study without running them"),
    python("report", "Rebuild a study's report"),
    python("analyze", "Show which factors explain a result"),
    python("compare", "Compare two studies, or two levels of one factor; fails on a regression"),
    python("explain", "Show where a study's time went, why, and what would help"),
    python("try", "Run remedies on a study's program, and show what each gains"),
    python("selftest", "Measure knee's false-alarm and detection rates on this machine"),
    native::<help::Help>("help", "Show help for a verb or a topic"),
    native::<answer::Answer>("answer", ""),
    native::<launch_verb::Launch>("launch", ""),
    native::<child::Child>("child", ""),
    native::<copies::Copies>("copies", ""),
    native::<generate::Generate>("generate", ""),
    python("topic", ""),
];

/// The topics of `knee help TOPIC`. `python/knee/verbs/topic.py` prints them.
pub(crate) const TOPICS: &[(&str, &str)] =
    &[("causes", "Why speedup stops: what each cause looks like, how to test it, how to fix it")];

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default());

/// The whole command line.
pub(crate) fn command() -> Command {
    let knee = Command::new("knee")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Find the knee of your speedup curve, know why it bends, move it")
        .styles(STYLES)
        .max_term_width(80)
        .subcommand_required(true)
        .arg_required_else_help(true)
        // Ours also knows the Python verbs and topics.
        .disable_help_subcommand(true)
        .after_help(help::topics());
    knee.subcommands(VERBS.iter().map(Verb::command))
}

/// The verb of this name.
pub(crate) fn find(name: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.name == name)
}
