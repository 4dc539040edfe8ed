"""Claims about variation: between the launches of a cell, or between the threads of a run."""

from __future__ import annotations

from typing import cast

from knee.explain.claims.cells import Cells, cells, fits, mean, words
from knee.explain.claims.evidence import Claim, Evidence, NoNumberError, Number
from knee.explain.responses import pool
from knee.stats.spread import FEWEST, spread
from knee.store import Run, observed_threads
from knee.store.seam import ThreadUse

FIELDS = {"cpu": "cpu_ns", "run-delay": "run_delay_ns"}
"""Per-thread responses, and the field of a record's observed threads that each is read from."""


def variation_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the coefficient of variation over runs, or the largest over the smallest value of a run's threads."""
    if claim.get("among") == "threads":
        return _among_threads(claim, evidence)
    measured = Cells.of(claim, evidence)
    values = measured.by_block(claim["variation"])
    if bool((values <= 0).any()):
        name = measured.response.name
        raise NoNumberError(f"it needs positive values; {name} of {words(claim['variation'])} is not always positive")
    variation = spread(values)
    if variation.blocks < FEWEST:
        raise NoNumberError("fewer than three blocks have a good run")
    return Number(variation.estimate, variation.interval)


def _among_threads(claim: Claim, evidence: Evidence) -> Number:
    """Return the mean over launches of the largest over the smallest value of a run's threads."""
    runs = pool(evidence.runs, None)
    cells(runs, claim["variation"])
    good = [run for run in runs if run.bad is None and fits(run, claim["variation"])]
    threads = observed_threads(evidence.folder, {run.spec["id"] for run in good})
    name = claim.get("response", "cpu")
    return mean(
        Cells.with_values(
            name,
            runs,
            {run.spec["id"]: _largest_over_least(run, threads[run.spec["id"]], FIELDS[name]) for run in good},
        ).by_block(claim["variation"])
    )


def _largest_over_least(run: Run, threads: list[ThreadUse], field: str) -> float:
    """Return the ratio for the busiest threads, as many as the run was asked to use; further threads only wait."""
    seen = sorted(threads, key=lambda thread: -thread["cpu_ns"])[: run.threads]
    if len(seen) < run.threads:
        raise NoNumberError(f"run {run.spec['id']} was asked to use {run.threads} threads, only {len(seen)} were seen")
    values = [cast("dict[str, int | None]", thread).get(field) for thread in seen]
    known = [value for value in values if value is not None]
    if len(known) < len(seen):
        raise NoNumberError(f"the kernel does not report {field} for the threads of run {run.spec['id']}")
    if min(known) <= 0:
        raise NoNumberError(f"a thread of run {run.spec['id']} has {field} 0: the ratio is undefined")
    return max(known) / min(known)
