"""Claims about the course of a run: what was sampled in its later part over what was sampled in the part before.

The two parts are as long as each other: the two halves of the run or of one of its phases, or with ``last`` its last
part and the part just before. A launch gives one number, however many samples it has: they depend on each other.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from knee.explain.claims.cells import Cells, cells, fits, mean
from knee.explain.claims.evidence import Claim, Evidence, NoNumberError, Number
from knee.explain.responses import names, pool
from knee.stats.distributions import Array
from knee.stats.growth import Sampled, computed, grown, integral
from knee.store import MOST_LAST, Run, StudyError, noted

OF_THREADS = ("cpu_ns", "run_delay_ns")
"""What each thread counts for itself, from its first sample to its last."""

LEVELS = ("llc_occupancy",)
"""What is a height and does not count up: its mean is looked at, and not its growth."""

NO_QUANTITY = ("state", "cpu")
"""What is sampled and is no quantity: a larger one is not more."""

PROGRAM = "workload"
"""The source of counters that a program itself publishes: no reading of them can fail."""

FEWEST = 3
"""Samples that each part has to have: between two of them nobody looked."""


def trend_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the mean over launches of what is sampled in the later part over that in the part before."""
    chosen, name = claim["trend"], claim["sampled"]
    if name in NO_QUANTITY:
        raise NoNumberError(f"{name} is sampled, but is no quantity that could rise or fall")
    # What was counted stands in the samples of the runs that count.
    runs = pool(evidence.runs, name if name in names(evidence.runs) else None)
    cells(runs, chosen)
    good = [run for run in runs if run.bad is None and fits(run, chosen)]
    changes = {run.spec["id"]: _change(run, claim, evidence.folder.path) for run in good}
    if good and all(isinstance(change, str) for change in changes.values()):
        raise NoNumberError(f"{next(iter(changes.values()))} (run {good[0].spec['id']})")
    known = {run: change for run, change in changes.items() if not isinstance(change, str)}
    return mean(Cells.with_values(name, runs, known).by_block(chosen))


def _change(run: Run, claim: Claim, folder: Path) -> float | str:
    """Return what the later part of a run has over the part before, or why that is not known."""
    name = claim["sampled"]
    sources, ticks = _sampled(run, name, folder)
    if not sources:
        return f"its samples have no {name}"
    stretches = _stretches(run, claim.get("during"), ticks)
    if not stretches:
        return f"its phase {claim['during']} lies outside of its samples"
    before = after = 0.0
    for begin, end in stretches:
        last = (end - begin) * claim.get("last", MOST_LAST)
        edges = np.array([end - 2 * last, end - last, end])
        if min(np.histogram(ticks, edges)[0]) < FEWEST:
            return f"a part of {last / 1e6:.3g} ms has fewer than {FEWEST} samples"
        growth = _growth(name, sources, ticks, edges)
        before, after = before + float(growth[0]), after + float(growth[1])
    if not np.isfinite(before + after):
        return f"a reading of {name} is missing"
    if before <= 0:
        # To go on without such a run would be to go on without the steepest.
        raise NoNumberError(
            f"{name} of run {run.spec['id']} was 0 in the part before: nothing is a number of times that"
        )
    return after / before


def _sampled(run: Run, name: str, folder: Path) -> tuple[list[Sampled], list[int]]:
    """Return the series of every source that has a quantity, and all times at which samples were taken."""
    where = f"run {run.spec['id']}"
    if "samples" not in run.record:
        raise NoNumberError(f"{where} has no samples: {run.record.get('samples_lost', 'it was not sampled')}")
    try:
        known = noted(folder / run.record["samples"], name, "cpu_ns")
    except StudyError as error:
        raise NoNumberError(f"{where}: {error}") from error
    ticks = sorted({t for sources in known.values() for series in sources.values() for t, _ in series})
    sources = [_held(series, ticks) if source.startswith(PROGRAM) else series for source, series in known[name].items()]
    return sources, ticks


def _held(series: Sampled, ticks: list[int]) -> Sampled:
    """Return what a program counts at every tick: 0 before it began, and what it was last where nothing was noted."""
    known, last = dict(series), 0
    return [(t, last := known.get(t, last)) for t in ticks]


def _stretches(run: Run, phase: str | None, ticks: list[int]) -> list[tuple[float, float]]:
    """Return from when to when a phase lasted each time, or the run, as far as samples were taken."""
    if phase is None:
        return [(ticks[0], ticks[-1])]
    calls = [one for one in run.record["phases"] if one["name"] == phase]
    if not calls:
        raise NoNumberError(f"run {run.spec['id']} has no phase {phase}")
    ends = [(max(one["begin_ns"], ticks[0]), min(one["end_ns"], ticks[-1])) for one in calls]
    return [(begin, end) for begin, end in ends if begin < end]


def _growth(name: str, sources: list[Sampled], ticks: list[int], edges: Array) -> Array:
    """Return by how much a quantity grew in each part, all sources together; of a height its sum over time."""
    if name in OF_THREADS:
        return computed(sources, edges)
    if name in LEVELS:
        sources = [integral(series) for series in sources]
    return grown(sources, ticks, edges)
