"""Finds counterfactual series: the same program on the same threads, in a placement that is not meant to be fast."""

from __future__ import annotations

from typing import Any

from knee.explain.scaling.series import Series


def counterfactuals(series: list[Series], machine: dict[str, Any]) -> list[str]:
    """Return the names of series that are unpinned, or in which threads share cores while other cores are free.

    Empty if that is true of all series, since none would be left to compare with.
    """
    names = [one.name for one in series if not one.pinned or _shares(one, machine)]
    return names if len(names) < len(series) else []


def _shares(series: Series, machine: dict[str, Any]) -> bool:
    used = {tuple(run.spec["cpus"]) for run in series.runs}
    return any(shares_cores(cpus, machine) for cpus in used)


def shares_cores(cpus: tuple[int, ...], machine: dict[str, Any]) -> bool:
    """Whether one core has two of the cpus while another core with allowed cpus has none."""
    allowed = set(machine["allowed"]["cpus"])
    cores = [set(core["cpus"]) & allowed for core in machine["cores"]]
    threads = [len(core & set(cpus)) for core in cores if core]
    return max(threads, default=0) > 1 and min(threads, default=0) == 0
