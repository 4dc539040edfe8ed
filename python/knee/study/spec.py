"""The study spec, all that is asked, as one table of options: click, the study file, its schema and the pages follow.

A new option is one entry here, and the line where it has its effect (``design/plan.py`` puts most into run specs).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import tomli_w

from knee.store import SCHEMA, Level
from knee.study.kinds.factors import CHOICES, Exclude, Factors, Weak
from knee.study.kinds.kind import Choice, Distinct, File, Names, NamesOrNone, Number, Switch, Text, Whole
from knee.study.kinds.measures import UNITS, Check, Claims, Metric, Threads
from knee.study.kinds.option import DESIGN, HOOKS, MEASURING, OUTPUT, PROGRAM, STATISTICS, Flag, option, options_of
from knee.study.kinds.program import Baseline, Program
from knee.study.kinds.text import seconds, share


@dataclass(frozen=True)
class StudySpec:
    """A study before it is planned. ``factors`` without ``threads`` or ``placement`` get those of the machine.

    None stands for what is usual. ``phases`` is what is measured of each of several workloads.
    """

    # What every study has
    name: str = option("name", Text(), OUTPUT, "What the study is called.", default=...)
    program: dict[str, Any] = option(
        "program",
        Program(),
        PROGRAM,
        "What is studied.",
        default=...,
        flags=(Flag("--for", "Tell the command's runtime about threads and cpus: see `knee run`.", "RUNTIME"),),
    )

    # Program: what runs, and where
    baseline: dict[str, Any] | None = option(
        "baseline",
        Baseline(),
        PROGRAM,
        "A best serial version: a command, or a workload with its arguments.",
        metavar="WORDS",
    )
    bind: str | None = option(
        "design.bind",
        Choice(CHOICES["bind"]),
        PROGRAM,
        "Tie each thread to its cpu, or all to the set of cpus.",
        usual="each for workloads, set for commands",
    )
    skip: list[int] = option(
        "design.skip",
        Threads(),
        PROGRAM,
        "Threads to leave unpinned with --bind each: 0 is the main thread of a command, 1 the first one it starts;"
        " or a mask like 0x3 over started threads.",
        metavar="LIST",
        default=list,
    )
    timeout_s: float = option(
        "measure.timeout_s",
        Number(0.001, 1e8),
        PROGRAM,
        "Seconds until a run is stopped.",
        flag="--timeout",
        default=600.0,
    )

    # Design: which runs, how often, in which order
    factors: dict[str, list[Level]] = option(
        "factors",
        Factors(),
        DESIGN,
        "Vary threads, placement, memory, bind, cache, workload, an argument, {NAME} in a command, or env:NAME."
        " Levels that hold commas: NAME=0,1;2,3.",
        flag="--factor",
        metavar="NAME=a,b",
        multiple=True,
        default=dict,
    )
    exclude: list[dict[str, Any]] = option(
        "design.exclude",
        Exclude(),
        DESIGN,
        "Leave out the cells that have all of these levels.",
        metavar="A=a,B=b",
        multiple=True,
        default=list,
    )
    blocks: int = option("design.blocks", Whole(1, 1000), DESIGN, "Launches of each cell, in random blocks.", default=5)
    seed: int = option("design.seed", Whole(0, 2**53), DESIGN, "Seed of the order.", default=1)
    pair: str | None = option(
        "design.pair",
        Text(),
        DESIGN,
        "Run the two levels of this factor one after the other: A B, then B A.",
        metavar="FACTOR",
    )
    weak: dict[str, Any] | None = option(
        "design.weak",
        Weak(),
        DESIGN,
        "Weak scaling: this argument of the program is SIZE for one thread and grows with the threads, or with"
        " their K-th root where the work grows with its K-th power.",
        metavar="ARG=SIZE[^K]",
    )
    copies: bool = option(
        "design.copies",
        Switch(),
        DESIGN,
        "Also run one-thread copies side by side, to tell the program from the machine.",
        default=False,
    )

    # Measuring: what is measured and checked
    metric: dict[str, str] | None = option(
        "measure.metric",
        Metric(),
        MEASURING,
        "A phase of a workload or a region of a command, or a time that the program prints.",
        flags=(
            Flag("--phase", "Measure a phase of a workload or a region of a command; `wall`: all.", "NAME"),
            Flag("--metric", "Measure a time that the program prints: group 1 of this, with --unit.", "REGEX"),
            Flag("--unit", "Unit of --metric.  [default: s]", kind=Choice(UNITS)),
        ),
    )
    check: dict[str, str] | None = option(
        "measure.check", Check(), MEASURING, "Regular expression that standard output must match.", metavar="REGEX"
    )
    same_output: bool | None = option(
        "measure.same_output",
        Switch(),
        MEASURING,
        "Runs that differ only in threads, placement, memory, bind, cache or runtime must print the same."
        " Workloads always must.",
    )
    hold: list[str] | None = option(
        "hold.facts",
        NamesOrNone(),
        MEASURING,
        "Mark runs made when one of these facts of `knee machine` had changed: names with commas, `clock`,"
        " `default`, or `none`.",
        metavar="FACTS",
        usual="governor, smt, transparent_huge_pages, numa_balancing",
    )
    counters: list[str] = option(
        "measure.counters",
        Distinct(),
        MEASURING,
        "Count these in runs of their own, which are not timed, as `knee run` does: instructions, cycles,"
        " minor-faults, mbm_total_bytes, ... Names with commas.",
        metavar="LIST",
        default=list,
    )
    together: bool = option(
        "measure.together",
        Switch(),
        MEASURING,
        "Count in the runs that are timed, not in runs of their own.",
        default=False,
    )
    events: str | None = option(
        "measure.events",
        File(),
        MEASURING,
        "Read the events of this part from a file (docs/reference/events.md); in a study file, found from its folder.",
        metavar="FILE",
    )
    sample_ms: int = option(
        "measure.sample_ms", Whole(0, 60_000), MEASURING, "Period of the sampler, 0 for none.", default=10
    )
    census_ms: int | None = option(
        "measure.census_ms",
        Whole(0, 3_600_000),
        MEASURING,
        "Count pages by node this often, 0 for never.",
        usual="1000 where there are several nodes",
    )

    wait_quiet_s: float | None = option(
        "measure.wait_quiet_s",
        Number(1, 1e8, seconds),
        MEASURING,
        "Before the first run, and before each block, wait until other programs leave the cpus alone, at most TIME"
        " in all: 90s, 10m, 2h. Alone it stands for 10m.",
        flag="--wait-quiet",
        metavar="[TIME]",
        bare="10m",
    )
    rerun_disturbed: bool = option(
        "measure.rerun_disturbed",
        Switch(),
        MEASURING,
        "At the end repeat the blocks that other programs disturbed, at most as many as the design has, each time"
        " this is asked for. The first ones are kept on file and excluded from results.",
        default=False,
    )

    # Statistics: when it is enough, and what is concluded
    width: float | None = option(
        "design.width",
        Number(0.001, 1, share),
        STATISTICS,
        "Stop early once every interval of a ratio is within this: 5% or 0.05.",
        metavar="SHARE",
    )
    budget_s: float | None = option(
        "design.budget_s",
        Number(0.001, 1e8, seconds),
        STATISTICS,
        "Stop before a block would exceed this time of measuring: 90s, 10m, 2h.",
        flag="--budget",
        metavar="TIME",
    )
    responses: list[str] = option(
        "measure.responses",
        Names(),
        STATISTICS,
        "Also analyse these in the report: speedup, cpu, work-inflation, phases, counters; see `knee analyze`.",
        metavar="LIST",
        default=list,
    )
    claims: list[dict[str, Any]] = option(
        "claim", Claims(), STATISTICS, "Sentences with a test on the results.", flag=None, default=list
    )

    # Hooks: what is done around the runs
    build: str | None = option(
        "measure.build",
        Text(),
        HOOKS,
        "Shell command before all others, once for each level of a {NAME} in it.",
        metavar="CMD",
    )
    setup: str | None = option("measure.setup", Text(), HOOKS, "Shell command before the first run.", metavar="CMD")
    prepare: str | None = option(
        "measure.prepare", Text(), HOOKS, "Shell command before each run, warm-ups too.", metavar="CMD"
    )
    conclude: str | None = option(
        "measure.conclude", Text(), HOOKS, "Shell command after each run, warm-ups too.", metavar="CMD"
    )
    cleanup: str | None = option(
        "measure.cleanup", Text(), HOOKS, "Shell command after the last run, whatever happened.", metavar="CMD"
    )
    warmup: int = option(
        "measure.warmup", Whole(0, 1000), HOOKS, "Runs before each measured one.", metavar="N", default=0
    )
    cache: str | None = option(
        "measure.cache",
        Choice(CHOICES["cache"]),
        HOOKS,
        "Page cache when a run starts: cold drops it (needs root), warm runs once before.",
    )

    # No option: asked of the binary.
    phases: dict[str, str] = field(default_factory=dict[str, str])

    def to_toml(self) -> str:
        """Return the study file that asks the same."""
        tables: dict[str, Any] = {"schema": SCHEMA}
        for one in OPTIONS:
            value = getattr(self, one.name)
            if value is not None and not (one.is_list and value == []):
                table, _, key = one.key.rpartition(".")
                (tables.setdefault(table, {}) if table else tables)[key] = value
        return tomli_w.dumps(tables)

    @property
    def timed(self) -> dict[str, str] | None:
        """What is measured instead of the run time, if anything is: ``wall`` is the name of the run time itself."""
        return None if self.metric == {"phase": "wall"} else self.metric

    @property
    def workloads(self) -> dict[str, dict[str, str]]:
        """The built-in workloads of a study of several, each with its own arguments; empty for any other study."""
        named = self.program.get("workload")
        return cast("dict[str, dict[str, str]]", named) if isinstance(named, dict) else {}


OPTIONS = options_of(StudySpec)
"""The table: every option of a study, in the order of the pages."""
