"""The twelve rules for reporting experiments: whether a study keeps each of them, and on what evidence.

Hoefler, Belli, *Scientific benchmarking of parallel computing systems: twelve ways to tell the masses when reporting
performance results*, SC 2015; the rules are shortened.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from knee.explain.factorial.analysis import FactorialAnalysis
from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import ScalingSummary
from knee.explain.verdict.words import counted
from knee.stats.intervals import Ratio
from knee.stats.linear.diagnostics import NEARLY_STRAIGHT
from knee.store import Level, Run

Answer = Literal["kept", "partly", "not kept", "does not apply"]

FEW_BLOCKS = 5
"""With fewer blocks intervals are wide, and the distribution of errors cannot be judged."""

WIDE = 1.25
"""If the largest time of a cell is this many times its median, the mean hides a tail."""


@dataclass(frozen=True)
class Item:
    """A rule, whether it was kept, and the evidence."""

    number: int
    rule: str
    answer: Answer
    evidence: str


@dataclass(frozen=True)
class StudyParts:
    """The parts of a study that the rules are checked against."""

    runs: list[Run]
    machine: dict[str, Any]
    series: list[Series]
    summaries: dict[str, ScalingSummary]
    baseline: dict[str, Ratio]
    factorial: FactorialAnalysis | None

    @cached_property
    def made(self) -> list[Run]:
        """Runs of the design, good and bad, without controls."""
        return [run for run in self.runs if not run.is_control]

    @cached_property
    def designed(self) -> list[Run]:
        """Good runs of the design, without controls."""
        return [run for run in self.made if run.bad is None]

    @cached_property
    def scaled(self) -> bool:
        """Whether anything was run on several thread counts, with good or bad runs."""
        cells = {tuple(run.spec["cell"].items()): run.threads for run in self.made}
        counts: dict[frozenset[tuple[str, Level]], set[int]] = {}
        for cell, threads in cells.items():
            counts.setdefault(frozenset(one for one in cell if one[0] != "threads"), set()).add(threads)
        return any(len(numbers) > 1 for numbers in counts.values())

    @property
    def curves(self) -> bool:
        """Whether any series has good runs on several thread counts."""
        return any(len(one.curve.points) > 1 for one in self.series)

    @cached_property
    def blocks(self) -> int:
        """Number of blocks with a good run."""
        return len({run.spec["block"] for run in self.designed})


RULES = {
    1: "With speedups, give the base case and its absolute time",
    2: "Give the reason if only a subset of benchmarks or resources was used",
    3: "Use the arithmetic mean for costs, the harmonic mean for rates",
    4: "Do not average ratios; if you must, use the geometric mean",
    5: "Report whether a result is deterministic; if not, give intervals",
    6: "Do not assume normal errors without checking",
    7: "Compare in a statistically sound way",
    8: "Check whether the mean is the right measure; give percentiles where tails matter",
    9: "Document factors, levels and setup",
    10: "Report how parallel time is measured and summarised",
    11: "Show upper bounds",
    12: "Plot what is needed; connect points only where values lie between them",
}


def checklist(of: StudyParts) -> list[Item]:
    """Return all twelve rules, in order."""
    first = (_base, _subset, _costs, _ratios, _intervals, _normal)
    second = (_compared, _tails, _documented, _timed, _bounds, _plots)
    return [Item(number, RULES[number], *rule(of)) for number, rule in enumerate((*first, *second), 1)]


Found = tuple[Answer, str]

NONE = "no good runs"

ROOFLINE = "no roofline, which needs counts of memory traffic and operations"


def _base(of: StudyParts) -> Found:
    if not of.scaled:
        return "does not apply", "the thread count does not vary, so there is no speedup"
    if not of.curves:
        return "not kept", f"{NONE} at the base and at a larger thread count, so there is no speedup"
    first = of.series[0]
    base = first.curve.points[0]
    said = f"base: the program itself with {base.threads} thread{'s' if base.threads > 1 else ''}"
    said += f", {base.mean_s:.4g} s on average in {first.name}"
    if len(of.series) > 1:
        said += " (other series: see the summary)"
    if of.baseline:
        return "kept", f"{said}; the best serial version was run as well"
    return "partly", f"{said}; the best serial version was not run (--baseline)"


def _subset(of: StudyParts) -> Found:
    allowed, known = len(of.machine["allowed"]["cpus"]), len(of.machine["hardware_threads"])
    if not of.made:
        return "not kept", NONE
    if all(run.rehearsed for run in of.made):
        return "does not apply", "threads are rehearsed on a described machine, which has a cpu for each"
    most = max(run.threads for run in of.made)
    cpus = {cpu for run in of.made for cpu in run.spec["cpus"]} & set(of.machine["allowed"]["cpus"])
    used = allowed if any(not run.spec["cpus"] for run in of.made) else len(cpus)
    said = f"up to {counted(most, 'thread')} on {allowed} allowed cpus of {known}"
    if left := allowed - min(used, most):
        never = f"{said}: {counted(left, 'cpu')} {'was' if left == 1 else 'were'} never used"
        # Restrictions follow the name of a placement after a plus: threads-close+within:core:0.
        if used < most or all("+" in str(run.cell.get("placement", "")) for run in of.made):
            return "partly", f"{never}, since placements leave {'it' if left == 1 else 'them'} out"
        return "not kept", f"{never}, and the study gives no reason"
    if allowed < known:
        return "partly", f"{said}: a mask or cpuset excludes the others"
    return "kept", said


def _costs(_: StudyParts) -> Found:
    return "partly", (
        "times are costs, but their means are geometric, since effects on times multiply and ratios are taken within a "
        "block; every mean is labelled, and counters have medians"
    )


def _ratios(_: StudyParts) -> Found:
    return "kept", "ratios are taken within a block and averaged geometrically"


def _intervals(of: StudyParts) -> Found:
    if not of.designed:
        return "not kept", NONE
    if of.blocks < 2:
        return "not kept", "only one block, so the variation between blocks is unknown"
    said = f"not deterministic: 90 % intervals from {of.blocks} blocks of launches"
    return ("kept" if of.blocks >= FEW_BLOCKS else "partly"), said


def _normal(of: StudyParts) -> Found:
    if not of.designed:
        return "not kept", NONE
    judged = of.factorial is not None and of.factorial.diagnostics.straight < NEARLY_STRAIGHT
    if of.blocks < FEW_BLOCKS and not judged:
        return "partly", f"{of.blocks} blocks are too few to judge the distribution of errors"
    if of.factorial is None:
        return "partly", "intervals are Student's t on logarithms; there are no residuals to check"
    straight = of.factorial.diagnostics.straight
    said = f"residuals have a Q-Q plot (correlation {straight:.3f}), the scale is chosen by Box-Cox"
    if straight < NEARLY_STRAIGHT:
        return (
            "not kept",
            f"{said}: they are not normal; Hodges-Lehmann intervals stand beside with {FEW_BLOCKS} blocks or more",
        )
    return "kept", f"{said}; robust intervals are given beside"


def _compared(of: StudyParts) -> Found:
    if not of.series and of.factorial is None:
        return "not kept", f"{NONE} at the base"
    if len(of.series) < 2 and of.factorial is None:
        return "does not apply", "there is only one series"
    how = ["ratios within blocks with 90 % intervals"]
    how += ["analysis of variance", "Tukey's test over all pairs of levels"] if of.factorial else []
    return ("kept" if of.blocks > 1 else "not kept"), "; ".join(how) + f"; {of.blocks} blocks"


def _tails(of: StudyParts) -> Found:
    if not of.designed:
        return "not kept", NONE
    worst, name = 1.0, ""
    for series in of.series:
        for point in series.curve.points:
            stretch = point.high_s / point.median_s
            if stretch > worst:
                worst, name = stretch, f"{series.name}, threads={point.threads}"
    said = "medians are given beside means, and every run is plotted"
    if worst < WIDE:
        return "kept", f"{said}; no timed run took more than {worst:.2f} times the median of its cell"
    return "partly", f"{said}; but a run of {name} took {worst:.2f} times its median: check it before trusting a mean"


def _documented(of: StudyParts) -> Found:
    facts = of.machine["facts"]
    missing = sorted(name for name, value in facts.items() if isinstance(value, dict))
    levels = {name for run in of.runs for name in run.cell}
    said = f"{len(levels)} factors with all levels, seed and order of runs, {len(facts)} facts of the machine"
    if missing:
        return "partly", f"{said}, {len(missing)} of them not available: {', '.join(missing)}"
    return "kept", said


def _timed(of: StudyParts) -> Found:
    if virtual := sum(run.rehearsed for run in of.made):
        some = "" if virtual == len(of.made) else f" in {virtual} of {len(of.made)} runs"
        return "partly", f"virtual time of a rehearsal{some}, which knows forks, steals and far memory alone"
    metrics = [run.spec.get("metric", {}) for run in of.made]
    places = {run.record["bind"] if run.spec["cpus"] else "none" for run in of.made}
    tied = {
        "each": "each thread pinned to its cpu",
        "none": "threads placed by the kernel",
        "set": "threads pinned to a set of cpus",
    }
    where = " or ".join(tied[place] for place in sorted(places))
    if any("regex" in metric for metric in metrics):
        return "partly", f"a time that the program prints, by a method unknown to knee; {where}; means over blocks"
    phases = sorted({metric["phase"] for metric in metrics if "phase" in metric})
    what = f"wall time of the phase {' or '.join(phases)}" if phases else "wall time of the process from exec to exit"
    return "kept", f"{what}, of all threads and including their start; {where}; geometric means over blocks"


def _bounds(of: StudyParts) -> Found:
    if not of.scaled:
        return "does not apply", "there is no curve to bound"
    if not of.curves:
        return "not kept", f"{NONE} at the base and at a larger thread count, so there is no curve"
    laws = [name for name, summary in of.summaries.items() if summary.law.best is not None]
    said = "the ideal line is drawn with every speedup"
    if laws:
        return "kept", f"{said}; a scaling law with its limit is named for {', '.join(laws)}; {ROOFLINE}"
    return "partly", f"{said}; no scaling law could be named, and {ROOFLINE}"


UNORDERED = "of unordered levels only means are, by thin dashed lines that show slopes and no values in between"


def _plots(of: StudyParts) -> Found:
    if not of.designed:
        return "not kept", f"{NONE} to plot"
    counts = sorted({run.threads for run in of.designed})
    if len(counts) < 2:
        return "kept", UNORDERED
    gaps = np.diff(np.log2(counts))
    said = f"{len(counts)} thread counts from {counts[0]} to {counts[-1]} are connected; {UNORDERED}"
    if gaps.max() > 1.01:
        widest = int(gaps.argmax())
        return "partly", f"{said}; from {counts[widest]} to {counts[widest + 1]} is a guess: more than doubled"
    return "kept", said
