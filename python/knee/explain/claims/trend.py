"""Claims about a trend within a run: a sampled quantity in the later part over that in the part before.

Both parts have the same length: the two halves of the run or of a phase, or with ``last`` its last part and the part
just before. Samples of one launch depend on each other, so a launch gives one number.
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
"""Quantities counted per thread, from its first sample to its last."""

LEVELS = ("llc_occupancy",)
"""Quantities that are levels rather than counters: their mean is compared, not their growth."""

NO_QUANTITY = ("state", "cpu")
"""Sampled values that are not quantities: a larger value does not mean more."""

PROGRAM = "workload"
"""Source of the counters that a program publishes itself; reading them cannot fail."""

FEWEST = 3
"""Minimum number of samples in each part."""


def trend_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the mean over launches of a sampled quantity in the later part over that in the part before."""
    chosen, name = claim["trend"], claim["sampled"]
    if name in NO_QUANTITY:
        raise NoNumberError(f"{name} is sampled, but it is not a quantity that can rise or fall")
    # Counters are in the samples of the counting runs.
    runs = pool(evidence.runs, name if name in names(evidence.runs) else None)
    cells(runs, chosen)
    good = [run for run in runs if run.bad is None and fits(run, chosen)]
    changes = {run.spec["id"]: _change(run, claim, evidence.folder.path) for run in good}
    if good and all(isinstance(change, str) for change in changes.values()):
        raise NoNumberError(f"{next(iter(changes.values()))} (run {good[0].spec['id']})")
    known = {run: change for run, change in changes.items() if not isinstance(change, str)}
    return mean(Cells.with_values(name, runs, known).by_block(chosen))


def _change(run: Run, claim: Claim, folder: Path) -> float | str:
    """Return the ratio of the later part of a run to the part before, or why it is unknown."""
    name = claim["sampled"]
    sources, ticks = _sampled(run, name, folder)
    if not sources:
        return f"{name} was not sampled"
    stretches = _stretches(run, claim.get("during"), ticks)
    if not stretches:
        return f"no sample lies in its phase {claim['during']}"
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
        # Leaving out such a run would leave out the steepest rise.
        raise NoNumberError(f"{name} of run {run.spec['id']} was 0 in the part before: the ratio is undefined")
    return after / before


def _sampled(run: Run, name: str, folder: Path) -> tuple[list[Sampled], list[int]]:
    """Return the series of a quantity by source, and the times of all samples."""
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
    """Return a program's own counter at every tick: 0 before its first value, and the last value where none was
    written.
    """
    known, last = dict(series), 0
    return [(t, last := known.get(t, last)) for t in ticks]


def _stretches(run: Run, phase: str | None, ticks: list[int]) -> list[tuple[float, float]]:
    """Return the intervals of a phase, or of the run, within the time that was sampled."""
    if phase is None:
        return [(ticks[0], ticks[-1])]
    calls = [one for one in run.record["phases"] if one["name"] == phase]
    if not calls:
        raise NoNumberError(f"run {run.spec['id']} has no phase {phase}")
    ends = [(max(one["begin_ns"], ticks[0]), min(one["end_ns"], ticks[-1])) for one in calls]
    return [(begin, end) for begin, end in ends if begin < end]


def _growth(name: str, sources: list[Sampled], ticks: list[int], edges: Array) -> Array:
    """Return the growth of a quantity in each part, over all sources; for a level, its integral over time."""
    if name in OF_THREADS:
        return computed(sources, edges)
    if name in LEVELS:
        sources = [integral(series) for series in sources]
    return grown(sources, ticks, edges)
