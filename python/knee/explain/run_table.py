"""The table of runs: one row per run with its cell, times, state and counters."""

from __future__ import annotations

from typing import Any

from knee.explain.scaling.series import word_of
from knee.store import Run, counted


def run_rows(runs: list[Run], outliers: list[str], disturbed: dict[str, str]) -> list[dict[str, Any]]:
    """Return one row per run, with a column for each requested counter that has a value in some run."""
    odd = set(outliers)
    counts = {run.spec["id"]: {name: one.value for name, one in counted(run.record).items()} for run in runs}
    asked = dict.fromkeys(name for run in runs for name in run.spec.get("counters", []))
    known = [name for name in asked if any(values.get(name) is not None for values in counts.values())]
    table: list[dict[str, Any]] = [
        {
            "order": run.order + 1,
            "run": run.spec["id"],
            "block": run.spec["block"],
            "role": run.role,
            "cell": ", ".join(f"{name}={word_of(name, level)}" for name, level in run.cell.items()),
            "threads": run.threads,
            "time_s": run.time_s if run.bad is None else None,
            "wall_s": run.record["wall_ns"] / 1e9 or None,
            "cpu_s": (run.record["user_ns"] + run.record["system_ns"]) / 1e9,
            "state": _state(run, odd, disturbed),
            "why": run.bad or "; ".join(_marks(run, disturbed)),
        }
        for run in runs
    ]
    # A counter of a custom event table must not overwrite a column of the same name.
    return [row | {name: counts[row["run"]].get(name) for name in known if name not in row} for row in table]


def _state(run: Run, outliers: set[str], disturbed: dict[str, str]) -> str:
    if run.bad is not None:
        return "bad"
    if run.spec["id"] in outliers:
        return "outlier"
    if run.spec["id"] in disturbed:
        return "disturbed"
    return "changed" if run.changed else "good"


def _marks(run: Run, disturbed: dict[str, str]) -> list[str]:
    """Return what disturbed a run, and the held facts that had changed."""
    during = [disturbed[run.spec["id"]]] if run.spec["id"] in disturbed else []
    return during + [f"{one['fact']}={one['found']} instead of {one['held']}" for one in run.changed]
