"""The study spec: one table of all options. Command line, study file, its schema and the reference are made from it.

A new option is one entry here, and the line where it has its effect (``design/plan.py`` puts most into run specs).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, cast

import tomli_w

from knee.store import SCHEMA, Level
from knee.study.kinds.factors import CHOICES, Exclude, Factors, Weak
from knee.study.kinds.kind import Choice, Distinct, File, Names, NamesOrNone, Number, Switch, Text, Whole
from knee.study.kinds.measures import UNITS, Check, Claims, Metric, Threads
from knee.study.kinds.option import AROUND, DESIGN, MEASURING, OUTPUT, PROGRAM, STATISTICS, Flag, option, options_of
from knee.study.kinds.program import Baseline, Program
from knee.study.kinds.remedies import Remedies
from knee.study.kinds.text import seconds, share

BLOCKS, EXPLAINING_BLOCKS = 5, 12
"""Blocks of a study that names none; of one that is explained, since questions join it after the first blocks."""

AT_LEAST_S, TIMES_AS_MANY = 30.0, 4
"""An explained study that names no blocks makes more of them while its own runs took less than this, at most so many
times as many: of a short program they cost little, and its questions are asked as often. Student's interval of six runs
is half as wide as that of three.
"""


@dataclass(frozen=True)
class StudySpec:
    """A study before it is planned. Where ``factors`` has no ``threads`` or ``placement``, the machine decides.

    None means the default. ``phases`` is the measured phase of each of several workloads, ``stated`` names the fields
    that a study file gives.
    """

    # What every study has
    name: str = option("name", Text(), OUTPUT, "Name of the study.", default=...)
    program: dict[str, Any] = option(
        "program",
        Program(),
        PROGRAM,
        "The program to study.",
        default=...,
        flags=(
            Flag(
                "--for",
                "Set the variables by which this runtime learns its threads and cpus: openmp, rayon, go, ghc, tbb,"
                " julia, java, duckdb, polars, blas.",
                "RUNTIME",
            ),
        ),
    )

    # Program: what runs, and where
    baseline: dict[str, Any] | None = option(
        "baseline",
        Baseline(),
        PROGRAM,
        "Best serial version to compare with: a command, or a workload with its arguments.",
        metavar="WORDS",
    )
    bind: str | None = option(
        "design.bind",
        Choice(CHOICES["bind"]),
        PROGRAM,
        "Pin each thread to its own cpu, or all threads to the set of cpus.",
        usual="each for workloads, set for commands",
    )
    skip: list[int] = option(
        "design.skip",
        Threads(),
        PROGRAM,
        "Threads to leave unpinned with --bind each: 0 is the command's main thread, 1 the first thread it starts;"
        " or a mask over started threads, like 0x3.",
        metavar="LIST",
        default=list,
    )
    timeout_s: float = option(
        "measure.timeout_s",
        Number(0.001, 1e8),
        PROGRAM,
        "Time limit of a run.",
        flag="--timeout",
        metavar="SECONDS",
        default=600.0,
    )

    # Design: which runs, how often, in which order
    factors: dict[str, list[Level]] = option(
        "factors",
        Factors(),
        DESIGN,
        "Factors with their levels, a list or a range.",
        flags=(
            Flag(
                "--threads",
                "Thread counts: 1,2,4 or 1-8 or 1..cpus:*2; cores, cpus, node-cores, core-cpus.  "
                "[default: six up to all cores, and all cpus]",
                "LIST",
                short="-n",
            ),
            Flag(
                "--factor",
                "Vary threads, placement, memory, bind, cache, workload, an argument of a workload, {NAME} in a"
                " command, or a variable env:NAME. Ranges: 1..64:*2. Levels that contain commas: NAME=0,1;2,3.",
                "NAME=a,b",
                multiple=True,
            ),
        ),
        default=dict,
    )
    exclude: list[dict[str, Any]] = option(
        "design.exclude",
        Exclude(),
        DESIGN,
        "Leave out all combinations that have these levels.",
        metavar="A=a,B=b",
        multiple=True,
        default=list,
    )
    blocks: int = option(
        "design.blocks",
        Whole(1, 1000),
        DESIGN,
        f"Runs of each combination, one per block. With --explain: {EXPLAINING_BLOCKS}, since questions join after six"
        " runs, and more of a short program (--at-least).",
        metavar="N",
        default=BLOCKS,
    )
    seed: int = option("design.seed", Whole(0, 2**53), DESIGN, "Seed of the random order.", metavar="N", default=1)
    pair: str | None = option(
        "design.pair",
        Text(),
        DESIGN,
        "Run the two levels of this factor back to back: A B in one block, B A in the next.",
        metavar="FACTOR",
    )
    inputs: list[str] = option(
        "design.inputs",
        Names(),
        DESIGN,
        "Factors whose levels are other work, such as files: the verdict and the table of series do not compare them.",
        metavar="FACTORS",
        default=list,
    )
    weak: dict[str, Any] | None = option(
        "design.weak",
        Weak(),
        DESIGN,
        "Weak scaling: this argument of the program is SIZE for one thread and grows with the threads. With ^K, work"
        " grows with the K-th power of the argument, so the argument grows with the K-th root of the threads.",
        metavar="ARG=SIZE[^K]",
    )
    copies: bool | None = option(
        "design.copies",
        Switch(),
        DESIGN,
        "Also run independent one-thread copies side by side: shows whether the machine or the program limits scaling."
        " false in a study file also leaves them out of --explain, for programs whose copies would share a port or a"
        " file.",
    )
    explain: float | None = option(
        "design.explain",
        Number(0.01, 1000),
        DESIGN,
        "Also make runs that explain the loss: all threads on one cpu, copies side by side, twice the threads, other"
        " programs beside it; only those that can tell something. They take at most SHARE times the study's own time."
        " Without SHARE: 1.",
        metavar="[SHARE]",
        bare="1",
    )

    # Measuring: what is measured and checked
    metric: dict[str, str] | None = option(
        "measure.metric",
        Metric(),
        MEASURING,
        "What to measure instead of the run time: a phase of a workload, a region of a command, or a printed time.",
        flags=(
            Flag("--phase", "Measure this phase of a workload or region of a command; wall is the whole run.", "NAME"),
            Flag("--metric", "Measure a time that the program prints: group 1 of this regular expression.", "REGEX"),
            Flag("--unit", "Unit of --metric.  [default: s]", kind=Choice(UNITS)),
        ),
    )
    check: dict[str, str] | None = option(
        "measure.check", Check(), MEASURING, "Standard output must match this regular expression.", metavar="REGEX"
    )
    same_output: bool | None = option(
        "measure.same_output",
        Switch(),
        MEASURING,
        "Runs that differ only in threads, placement, memory, bind, cache or runtime must print the same output;"
        " always on for workloads.",
    )
    hold: list[str] | None = option(
        "hold.facts",
        NamesOrNone(),
        MEASURING,
        "Mark runs during which one of these facts of `knee machine` differs from the plan: names with commas,"
        " clock, default, or none.",
        metavar="FACTS",
        usual="governor, smt, transparent_huge_pages, numa_balancing",
    )
    counters: list[str] = option(
        "measure.counters",
        Distinct(),
        MEASURING,
        "Count these in runs of their own, which are not timed: instructions, cycles, minor-faults,"
        " mbm_total_bytes, ... (`knee run --help` lists all). Names with commas.",
        metavar="LIST",
        default=list,
    )
    together: bool = option(
        "measure.together",
        Switch(),
        MEASURING,
        "Count in the timed runs instead of separate ones.",
        default=False,
    )
    events: str | None = option(
        "measure.events",
        File(),
        MEASURING,
        "Read the processor's events from this file (docs/reference/events.md); paths in a study file start from its"
        " folder.",
        metavar="FILE",
    )
    sample_ms: int = option(
        "measure.sample_ms",
        Whole(0, 60_000),
        MEASURING,
        "Sample threads this often; 0: never.",
        metavar="MS",
        default=10,
    )
    census_ms: int | None = option(
        "measure.census_ms",
        Whole(0, 3_600_000),
        MEASURING,
        "Count memory pages by node this often; 0: never.",
        metavar="MS",
        usual="1000 on machines with several nodes",
    )

    wait_quiet_s: float | None = option(
        "measure.wait_quiet_s",
        Number(1, 1e8, seconds),
        MEASURING,
        "Before each block, wait until other programs use less than 5 % of the cpus, at most TIME in total: 90s, 10m,"
        " 2h. Without TIME: 10m.",
        flag="--wait-quiet",
        metavar="[TIME]",
        bare="10m",
    )
    rerun_disturbed: bool = option(
        "measure.rerun_disturbed",
        Switch(),
        MEASURING,
        "At the end, repeat the blocks that other programs disturbed, at most as many as --blocks. Disturbed runs are"
        " kept on file, excluded from results.",
        default=False,
    )

    # Statistics: when it is enough, and what is concluded
    width: float | None = option(
        "design.width",
        Number(0.001, 1, share),
        STATISTICS,
        "Stop early once every interval is within ±SHARE: 5% or 0.05.",
        metavar="SHARE",
    )
    at_least_s: float | None = option(
        "design.at_least_s",
        Number(0.001, 1e8, seconds),
        STATISTICS,
        "Make more blocks than --blocks while the study's own runs took less than this time, at most four times as"
        " many."
        f" With --explain: {AT_LEAST_S:g}s, unless --blocks is given.",
        flag="--at-least",
        metavar="TIME",
    )
    budget_s: float | None = option(
        "design.budget_s",
        Number(0.001, 1e8, seconds),
        STATISTICS,
        "Stop before a block would exceed this time (90s, 10m, 2h), after two blocks at the earliest.",
        flag="--budget",
        metavar="TIME",
    )
    responses: list[str] = option(
        "measure.responses",
        Names(),
        STATISTICS,
        "Also analyse these in the report: speedup, cpu, work-inflation, phases, counters; see `knee analyze --help`.",
        metavar="LIST",
        default=list,
    )
    claims: list[dict[str, Any]] = option(
        "claim", Claims(), STATISTICS, "Claims: sentences, each with a test on the results.", flag=None, default=list
    )

    remedies: list[dict[str, Any]] = option(
        "remedy",
        Remedies(),
        STATISTICS,
        "Remedies that `knee try` tries beside its own: each changes the command, arguments or variables.",
        flag=None,
        default=list,
    )

    # Around the runs: commands, warm-up, page cache
    build: str | None = option(
        "measure.build",
        Text(),
        AROUND,
        "Shell command before everything else, once for each level of a factor {NAME} in it.",
        metavar="CMD",
    )
    setup: str | None = option("measure.setup", Text(), AROUND, "Shell command before the first run.", metavar="CMD")
    prepare: str | None = option(
        "measure.prepare", Text(), AROUND, "Shell command before each run, warm-up runs included.", metavar="CMD"
    )
    conclude: str | None = option(
        "measure.conclude", Text(), AROUND, "Shell command after each run, warm-up runs included.", metavar="CMD"
    )
    cleanup: str | None = option(
        "measure.cleanup", Text(), AROUND, "Shell command after the last run, also after a failure.", metavar="CMD"
    )
    warmup: int = option(
        "measure.warmup", Whole(0, 1000), AROUND, "Warm-up runs before each measured run.", metavar="N", default=0
    )
    cache: str | None = option(
        "measure.cache",
        Choice(CHOICES["cache"]),
        AROUND,
        "Page cache at the start of a run: cold drops it (needs root), warm makes one run before.",
    )

    # No options: the binary knows the one, the study file the other.
    phases: dict[str, str] = field(default_factory=dict[str, str])

    stated: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    def to_toml(self) -> str:
        """Return the study file with the same options."""
        tables: dict[str, Any] = {"schema": SCHEMA}
        for one in OPTIONS:
            value = getattr(self, one.name)
            if value is not None and not (one.is_list and value == []):
                table, _, key = one.key.rpartition(".")
                (tables.setdefault(table, {}) if table else tables)[key] = value
        return tomli_w.dumps(tables)

    @property
    def most_blocks(self) -> int:
        """The blocks of the plan."""
        return self.blocks if self.at_least_s is None else TIMES_AS_MANY * self.blocks

    @property
    def timed(self) -> dict[str, str] | None:
        """The metric that replaces the run time, None for the run time itself (phase ``wall``)."""
        return None if self.metric == {"phase": "wall"} else self.metric

    @property
    def workloads(self) -> dict[str, dict[str, str]]:
        """The workloads of a study of several, with their arguments; empty for any other study."""
        return {
            name: {key: value for key, value in args.items() if key != "workload"} for name, args in self._named.items()
        }

    def built_in(self, name: str) -> str:
        """Return the built-in workload that one of several is: its name, unless it says another."""
        return self._named.get(name, {}).get("workload", name)

    @property
    def _named(self) -> dict[str, dict[str, str]]:
        named = self.program.get("workload")
        return cast("dict[str, dict[str, str]]", named) if isinstance(named, dict) else {}


OPTIONS = options_of(StudySpec)
"""Every option of a study, in the order of the help."""


def of_explained(values: dict[str, Any], stated: Collection[str] = ()) -> dict[str, Any]:
    """Return the values of options of a study that is explained, with its own defaults of blocks.

    ``stated`` names fields that have a value from elsewhere.
    """
    if "blocks" in {*values, *stated}:
        return values
    own = {"blocks": EXPLAINING_BLOCKS, "at_least_s": AT_LEAST_S}
    return {**{name: value for name, value in own.items() if name not in stated}, **values}
