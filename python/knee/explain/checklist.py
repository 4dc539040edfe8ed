"""The twelve rules for reporting experiments, each with an answer and the evidence that this study has for it.

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
from knee.stats.intervals import Ratio
from knee.stats.linear.diagnostics import NEARLY_STRAIGHT
from knee.store import Level, Run

Answer = Literal["kept", "partly", "not kept", "does not apply"]

FEW_BLOCKS = 5
"""With fewer blocks an interval is wide, and little can be said of what errors look like."""

WIDE = 1.25
"""A cell whose largest time is this many times its median has a tail that a mean hides."""


@dataclass(frozen=True)
class Item:
    """A rule, whether it was kept, and what shows it."""

    number: int
    rule: str
    answer: Answer
    evidence: str


@dataclass(frozen=True)
class Studied:
    """What the rules are held against."""

    runs: list[Run]
    machine: dict[str, Any]
    series: list[Series]
    summaries: dict[str, ScalingSummary]
    baseline: dict[str, Ratio]
    factorial: FactorialAnalysis | None

    @cached_property
    def made(self) -> list[Run]:
        """Runs without controls, usable or not."""
        return [run for run in self.runs if not run.is_control]

    @cached_property
    def designed(self) -> list[Run]:
        """Usable runs without controls."""
        return [run for run in self.made if run.bad is None]

    @cached_property
    def scaled(self) -> bool:
        """Whether anything was run on several thread counts, well or not."""
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
        """Blocks that have a run."""
        return len({run.spec["block"] for run in self.designed})


RULES = {
    1: "With speedup, give the base case and its absolute time",
    2: "Say why only a part of the benchmarks or resources was used",
    3: "Mean costs arithmetically, rates harmonically",
    4: "Do not average ratios; the geometric mean at most",
    5: "Say whether a result is deterministic, else give intervals",
    6: "Do not take errors for normal unseen",
    7: "Compare in a sound way",
    8: "See whether the mean is the right measure; give percentiles where tails matter",
    9: "Document factors, levels and the set-up",
    10: "Say how parallel time is measured and summarised",
    11: "Show upper bounds",
    12: "Plot what is needed; join points only where something lies between",
}


def checklist(of: Studied) -> list[Item]:
    """Return all twelve rules, in order."""
    first = (_base, _subset, _costs, _ratios, _intervals, _normal)
    second = (_compared, _tails, _documented, _timed, _bounds, _plots)
    return [Item(number, RULES[number], *rule(of)) for number, rule in enumerate((*first, *second), 1)]


Found = tuple[Answer, str]

NONE = "no good runs"

ROOFLINE = "there is no roofline: it needs traffic and operations"


def _base(of: Studied) -> Found:
    if not of.scaled:
        return "does not apply", "threads do not vary, so there is no speedup"
    if not of.curves:
        return "not kept", f"{NONE} of a base case and of more threads, so there is no speedup"
    first = of.series[0]
    base = first.curve.points[0]
    said = f"base: the program itself on {base.threads} thread{'s' if base.threads > 1 else ''}"
    said += f", {base.mean_s:.4g} s in the mean of {first.name} (every series: the summary)"
    if of.baseline:
        return "kept", f"{said}; and the best serial version was run beside it"
    return "partly", f"{said}; no best serial version was run (--baseline)"


def _subset(of: Studied) -> Found:
    allowed, known = len(of.machine["allowed"]["cpus"]), len(of.machine["hardware_threads"])
    if not of.made:
        return "not kept", NONE
    most = max(run.threads for run in of.made)
    said = f"up to {most} threads on the {allowed} cpus that may be used, of {known}"
    if most < allowed:
        return "not kept", f"{said}: {allowed - most} cpus were never used, and the study does not say why"
    if allowed < known:
        return "partly", f"{said}: a mask or cpuset keeps the others out"
    return "kept", said


def _costs(_: Studied) -> Found:
    return "kept", "times are costs; what is meant is said with each mean: geometric over blocks, medians for counters"


def _ratios(_: Studied) -> Found:
    return "kept", "ratios are taken inside a block and averaged as logarithms, which is their geometric mean"


def _intervals(of: Studied) -> Found:
    if not of.designed:
        return "not kept", NONE
    if of.blocks < 2:
        return "not kept", "one block only: nothing tells how far a second one would have been"
    said = f"not deterministic: 90 % intervals from {of.blocks} blocks of launches"
    return ("kept" if of.blocks >= FEW_BLOCKS else "partly"), said


def _normal(of: Studied) -> Found:
    if not of.designed:
        return "not kept", NONE
    if of.blocks < FEW_BLOCKS:
        return "partly", f"{of.blocks} blocks are too few to see what errors look like"
    if of.factorial is None:
        return "partly", "intervals are Student's t on logarithms; there are no residuals to look at"
    straight = of.factorial.diagnostics.straight
    said = f"residuals are drawn against normal ones (correlation {straight:.3f}), the scale is by Box and Cox"
    if straight < NEARLY_STRAIGHT:
        return "not kept", f"{said}: they are not normal; trust Hodges and Lehmann's intervals, which stand beside"
    return "kept", f"{said}; robust intervals stand beside"


def _compared(of: Studied) -> Found:
    if not of.series and of.factorial is None:
        return "not kept", f"{NONE} of a base case"
    if len(of.series) < 2 and of.factorial is None:
        return "does not apply", "there is one series, and nothing that it is compared with"
    how = ["ratios in the same blocks with 90 % intervals"]
    how += ["analysis of variance", "Tukey's test over all pairs of levels"] if of.factorial else []
    return ("kept" if of.blocks > 1 else "not kept"), "; ".join(how) + f"; {of.blocks} blocks"


def _tails(of: Studied) -> Found:
    if not of.designed:
        return "not kept", NONE
    worst, name = 1.0, ""
    for series in of.series:
        for point in series.curve.points:
            stretch = point.high_s / point.median_s
            if stretch > worst:
                worst, name = stretch, f"{series.name}, threads={point.threads}"
    said = "medians stand beside the means, and every run is drawn"
    if worst < WIDE:
        return "kept", f"{said}; no run took more than {worst:.2f} times the median of its cell"
    return "partly", f"{said}; yet a run of {name} took {worst:.2f} times its median: look at it before trusting a mean"


def _documented(of: Studied) -> Found:
    facts = of.machine["facts"]
    missing = sorted(name for name, value in facts.items() if isinstance(value, dict))
    levels = {name for run in of.runs for name in run.cell}
    said = f"{len(levels)} factors with all levels, seed and order of runs, {len(facts)} facts of the machine"
    if missing:
        return "partly", f"{said}, {len(missing)} of which cannot be known: {', '.join(missing)}"
    return "kept", said


def _timed(of: Studied) -> Found:
    metrics = [run.spec.get("metric", {}) for run in of.made]
    binds = {run.record["bind"] for run in of.made}
    tied = {"each": "each thread tied to its cpu", "set": "threads held by a set of cpus"}
    where = " or ".join(tied[bind] for bind in sorted(binds))
    if any("regex" in metric for metric in metrics):
        return "partly", f"a time that the program prints: how it measures, only it knows; {where}; means over blocks"
    phases = sorted({metric["phase"] for metric in metrics if "phase" in metric})
    what = (
        f"wall time of the phase {' or '.join(phases)}" if phases else "wall time of the process from exec to its end"
    )
    return "kept", f"{what}; all threads, the start of threads too; {where}; geometric means over blocks"


def _bounds(of: Studied) -> Found:
    if not of.scaled:
        return "does not apply", "there is no curve that a bound could lie above"
    if not of.curves:
        return "not kept", f"{NONE} of a base case and of more threads, so there is no curve"
    laws = [name for name, summary in of.summaries.items() if summary.law.best is not None]
    said = "the ideal line is drawn with every speedup"
    if laws:
        return "kept", f"{said}; a law with its limit is named for {', '.join(laws)}; {ROOFLINE}"
    return "partly", f"{said}; no law could be named, and {ROOFLINE}"


def _plots(of: Studied) -> Found:
    if not of.designed:
        return "not kept", f"{NONE} to plot"
    counts = sorted({run.threads for run in of.designed})
    if len(counts) < 2:
        return "kept", "points of levels that are words are not joined"
    gaps = np.diff(np.log2(counts))
    said = f"{len(counts)} thread counts from {counts[0]} to {counts[-1]} are joined, levels that are words are not"
    if gaps.max() > 1.01:
        widest = int(gaps.argmax())
        return "partly", f"{said}; the line from {counts[widest]} to {counts[widest + 1]} is a guess: more than doubled"
    return "kept", said
