"""The options that say what a study asks; ``study`` and ``plan`` share them."""

from __future__ import annotations

from typing import Any

import click

from knee.study.spec import CHOICES

WHAT = (
    click.argument("words", nargs=-1, type=click.UNPROCESSED),
    click.option(
        "--factor",
        "factors",
        multiple=True,
        metavar="NAME=a,b",
        help="Vary threads, placement, memory, bind, cache, an argument, {NAME} in a command, or env:NAME."
        " Levels that hold commas: NAME=0,1;2,3.",
    ),
    click.option(
        "--exclude", multiple=True, metavar="A=a,B=b", help="Leave out the cells that have all of these levels."
    ),
    click.option(
        "--blocks", type=click.IntRange(1, 1000), help="Launches of each cell, in random blocks.  [default: 5]"
    ),
    click.option(
        "--width",
        metavar="SHARE",
        help="Stop before the last block when every interval of a ratio is within this: 5% or 0.05.",
    ),
    click.option(
        "--budget", metavar="TIME", help="Begin no block that would end beyond this much measuring: 90s, 10m, 2h."
    ),
    click.option(
        "--pair", metavar="FACTOR", help="Run the two levels of this factor one after the other: A B, then B A."
    ),
    click.option(
        "--weak",
        metavar="ARG=SIZE[^K]",
        help="Weak scaling: this argument of the program is SIZE for one thread and grows with the threads, or with"
        " their K-th root where the work grows with its K-th power.",
    ),
    click.option("--seed", type=click.IntRange(0), help="Seed of the order.  [default: 1]"),
    click.option(
        "--baseline", metavar="WORDS", help="A best serial version: a command, or a workload with its arguments."
    ),
    click.option(
        "--copies",
        is_flag=True,
        help="Also run one-thread copies side by side, to tell the program from the machine.",
    ),
    click.option("--name", help="What the study is called."),
)

MEASURED = (
    click.option(
        "--phase", metavar="NAME", help="Measure a phase of a workload or a region of a command; `wall`: all."
    ),
    click.option(
        "--metric", metavar="REGEX", help="Measure a time that the program prints: group 1 of this, with --unit."
    ),
    click.option("--unit", type=click.Choice(["s", "ms", "us", "ns"]), help="Unit of --metric.  [default: s]"),
    click.option("--check", metavar="REGEX", help="Standard output must match this."),
    click.option(
        "--same-output",
        is_flag=True,
        help="Runs that differ only in threads, placement, memory, bind, cache or runtime must print the same."
        " Workloads always must.",
    ),
    click.option(
        "--hold",
        metavar="FACTS",
        help="Mark runs made when one of these facts of `knee machine` had changed: names with commas, `clock`,"
        " `default`, or `none`.  [default: governor, smt, transparent_huge_pages, numa_balancing]",
    ),
    click.option(
        "--counters",
        metavar="LIST",
        help="Count these in runs of their own, which are not timed, as `knee run` does: instructions, cycles,"
        " minor-faults, mbm_total_bytes, ... Names with commas.",
    ),
    click.option(
        "--responses",
        metavar="LIST",
        help="Have the report analyse these, too: speedup, cpu, work-inflation, phases, counters; see `knee analyze`.",
    ),
    click.option("--together", is_flag=True, help="Count in the runs that are timed, not in runs of their own."),
    click.option(
        "--events", metavar="FILE", help="Read the events of this part from a file (docs/reference/events.md)."
    ),
    click.option(
        "--timeout", type=click.FloatRange(0.001, 1e8), help="Seconds until a run is stopped.  [default: 600]"
    ),
    click.option(
        "--sample-ms", type=click.IntRange(0, 60000), help="Period of the sampler, 0 for none.  [default: 10]"
    ),
    click.option(
        "--census-ms",
        type=click.IntRange(0, 3_600_000),
        help="Count pages by node this often, 0 for never.  [default: 1000 where there are several nodes]",
    ),
)

PLACED = (
    click.option(
        "--for", "runtime", metavar="RUNTIME", help="Tell the command's runtime about threads and cpus: see `knee run`."
    ),
    click.option(
        "--bind",
        type=click.Choice(CHOICES["bind"]),
        help="Tie each thread to its cpu, or all to the set of cpus.  [default: each for workloads, set for commands]",
    ),
    click.option(
        "--skip",
        metavar="LIST",
        help="Threads that --bind each leaves on the set: 0 is the main thread of a command, 1 the first one it starts;"
        " or a mask like 0x3 over started threads.",
    ),
)

AROUND = (
    click.option(
        "--build", metavar="CMD", help="Shell command before all others, once for each level of a {NAME} in it."
    ),
    click.option("--setup", metavar="CMD", help="Shell command before the first run."),
    click.option("--prepare", metavar="CMD", help="Shell command before each run, warm-ups too."),
    click.option("--conclude", metavar="CMD", help="Shell command after each run, warm-ups too."),
    click.option("--cleanup", metavar="CMD", help="Shell command after the last run, whatever happened."),
    click.option(
        "--warmup", type=click.IntRange(0, 1000), metavar="N", help="Runs before each measured one.  [default: 0]"
    ),
    click.option(
        "--cache",
        type=click.Choice(CHOICES["cache"]),
        help="Page cache when a run starts: cold drops it (needs root), warm runs once before.",
    ),
)


def asking(command: Any) -> Any:
    """Give a verb all of these options."""
    for option in reversed((*WHAT, *PLACED, *MEASURED, *AROUND)):
        command = option(command)
    return command
