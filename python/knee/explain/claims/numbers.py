"""The number that a claim is about, with its interval: a ratio, a speedup, a knee, or a share of the variation."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np

from knee.explain.factorial.design import Asked, designed
from knee.explain.responses import Response, response
from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import ScalingSummary
from knee.stats.intervals import Array, Interval, mean_interval, ratio
from knee.stats.linear.anova import anova
from knee.stats.linear.least_squares import fit
from knee.stats.linear.share import share_interval
from knee.stats.linear.transform import box_cox, transformed
from knee.store import Level, Run, StudyError

Cell = dict[str, Level]


class NoNumberError(Exception):
    """Why a claim has no number here."""


def require(needs: dict[str, int], machine: dict[str, Any]) -> None:
    """See that the machine has what the claim is about, and that the study may use it."""
    allowed = set(machine["allowed"]["cpus"])
    has = {name: sum(1 for part in machine[name] if allowed & set(part["cpus"])) for name in ("sockets", "cores")}
    # Memory without cpus is kept out by no mask of cpus.
    has["nodes"] = sum(1 for node in machine["nodes"] if not node["cpus"] or allowed & set(node["cpus"]))
    has["hardware_threads"] = len(allowed)
    has["threads_per_core"] = max((len(allowed & set(core["cpus"])) for core in machine["cores"]), default=0)
    lacking = [f"{number} {name.replace('_', ' ')}" for name, number in needs.items() if has[name] < number]
    if lacking:
        short = ", ".join(f"{has[name]}" for name, number in needs.items() if has[name] < number)
        masked = " that may be used" if len(allowed) < len(machine["hardware_threads"]) else ""
        raise NoNumberError(f"it needs {', '.join(lacking)}, and this machine has {short}{masked}")


def resolved(claim: dict[str, Any], machine: dict[str, Any]) -> dict[str, Any]:
    """Return a claim with the machine's own thread counts in place of ``cores`` and ``cpus``."""
    allowed = set(machine["allowed"]["cpus"])
    own = {"cpus": len(allowed), "cores": sum(1 for core in machine["cores"] if set(core["cpus"]) & allowed)}

    def counted(cell: Cell) -> Cell:
        return {name: own.get(str(level), level) if name == "threads" else level for name, level in cell.items()}

    found = dict(claim)
    if "ratio" in claim:
        found["ratio"] = {side: counted(cell) for side, cell in claim["ratio"].items()}
    for kind in ("value", "speedup", "knee", "at"):
        if kind in claim:
            found[kind] = counted(claim[kind])
    return found


def number(
    claim: dict[str, Any], runs: list[Run], series: list[Series], summaries: dict[str, ScalingSummary]
) -> tuple[float, Interval]:
    """Return the number of a claim.

    Raises
    ------
    NoNumberError
        With the reason.
    """
    if "knee" in claim:
        return _knee(claim["knee"], series, summaries)
    try:
        found = _per(response(runs, claim.get("response")), runs, claim.get("per"))
    except StudyError as error:
        raise NoNumberError(str(error)) from error
    if "explains" in claim:
        return _share(_among(found, claim.get("at", {})), claim["explains"])
    blocks = max(run.spec["block"] for run in runs)
    if "ratio" in claim:
        of, over = (claim["ratio"][side] for side in ("of", "over"))
        return _ratio(_blocks(found, runs, of, over, blocks), _blocks(found, runs, over, of, blocks))
    if "value" in claim:
        return _value(_by_block(found, runs, claim["value"], {}, blocks))
    cell = _one(runs, claim["speedup"])
    base = min(run.threads for run in runs if _fits(run, _others(cell)))
    one, many = (_blocks(found, runs, {**cell, "threads": n}, {}, blocks) for n in (base, cell["threads"]))
    # Where the input grows with the threads, so does the work that the time is spent on.
    grown = int(cell["threads"]) / base if any(member.weak for member in series) else 1.0
    return _ratio(one * grown, many)


def _ratio(numerator: Array, denominator: Array) -> tuple[float, Interval]:
    found = ratio(numerator, denominator)
    if found.blocks < 2:
        raise NoNumberError("fewer than two blocks have a good run of both")
    return found.estimate, found.interval


def _value(values: Array) -> tuple[float, Interval]:
    """Return the geometric mean of what cells have by block, shape (cells, blocks); where a value is not positive, as
    a count of nothing, the arithmetic one.
    """
    positive = not bool((values <= 0).any())
    means = (np.log(values) if positive else values).mean(axis=0)
    means = means[np.isfinite(means)]
    if means.size < 2:
        raise NoNumberError("fewer than two blocks have a good run of it")
    ends, mean = mean_interval(means), float(means.mean())
    if not positive:
        return mean, ends
    return float(np.exp(mean)), Interval(float(np.exp(ends.low)), float(np.exp(ends.high)))


def _per(found: Response, runs: list[Run], other: str | None) -> Response:
    """Return a response divided by another one of the same runs; as it is where there is no other."""
    if other is None:
        return found
    beside = response(runs, other)
    known = {run.spec["id"]: value for run, value in zip(beside.runs, beside.values, strict=True) if value > 0}
    both = [(run, value) for run, value in zip(found.runs, found.values, strict=True) if run.spec["id"] in known]
    return dataclasses.replace(
        found,
        runs=tuple(run for run, _ in both),
        values=tuple(value / known[run.spec["id"]] for run, value in both),
    )


def _among(found: Response, chosen: Cell) -> Response:
    """Return the response of the runs that have these levels."""
    kept = [(run, value) for run, value in zip(found.runs, found.values, strict=True) if _fits(run, chosen)]
    if not kept:
        raise NoNumberError(f"no run has {_words(chosen)}")
    return dataclasses.replace(found, runs=tuple(run for run, _ in kept), values=tuple(value for _, value in kept))


def _share(found: Response, factor: str) -> tuple[float, Interval]:
    """Return the share of a response's variation that a factor explains, on the scale that suits it."""
    values = np.array(found.values, dtype=np.float64)
    try:
        design, _ = designed(found, Asked())
    except StudyError as error:
        raise NoNumberError(str(error)) from error
    if factor not in design.named:
        raise NoNumberError(f"{factor} does not vary")
    table = anova(fit(transformed(values, box_cox(values, design).recommended), design))
    return table.of(factor).share, share_interval(table, factor)


def _knee(chosen: Cell, series: list[Series], summaries: dict[str, ScalingSummary]) -> tuple[float, Interval]:
    fitting = [one for one in series if all(one.levels.get(name) == str(level) for name, level in chosen.items())]
    if len(fitting) != 1:
        raise NoNumberError(f"{len(fitting)} series have {_words(chosen) or 'no levels'}: it has to be one")
    knee = summaries[fitting[0].name].knee
    if knee.verdict != "knee":
        raise NoNumberError(f"no knee was found: {knee.why}")
    return knee.threads, knee.interval


def _words(cell: Cell) -> str:
    return ", ".join(f"{name}={level}" for name, level in cell.items())


def _fits(run: Run, chosen: Cell) -> bool:
    return all(str(run.spec["cell"].get(name)) == str(level) for name, level in chosen.items())


def _others(cell: Cell) -> Cell:
    return {name: level for name, level in cell.items() if name != "threads"}


def _one(runs: list[Run], chosen: Cell) -> Cell:
    """Return the one cell that has these levels."""
    cells = _cells(runs, chosen)
    if len(cells) > 1:
        open_ = sorted(name for name in cells[0] if len({str(cell.get(name)) for cell in cells}) > 1)
        many = f"{len(cells)} cells have {_words(chosen)}"
        raise NoNumberError(f"{many}: the claim does not say which {', '.join(open_)}")
    return cells[0]


def _cells(runs: list[Run], chosen: Cell) -> list[Cell]:
    found = {json.dumps(run.spec["cell"], sort_keys=True): run.spec["cell"] for run in runs if _fits(run, chosen)}
    if not found:
        raise NoNumberError(f"no run has {_words(chosen)}")
    return list(found.values())


def _blocks(found: Response, runs: list[Run], chosen: Cell, other: Cell, blocks: int) -> Array:
    """Return a response by block, shape (blocks,), as the geometric mean over what the claim leaves open; NaN where a
    block lacks a run.
    """
    values = _by_block(found, runs, chosen, other, blocks)
    if bool((values <= 0).any()):
        raise NoNumberError(f"a ratio needs positive values, and {found.name} of {_words(chosen)} has others")
    return np.exp(np.log(values).mean(axis=0))


def _by_block(found: Response, runs: list[Run], chosen: Cell, other: Cell, blocks: int) -> Array:
    """Return a response of each cell that the claim leaves open by block, shape (cells, blocks); NaN where a run is
    missing. What it leaves open has to be the same on both sides.
    """
    named = {**chosen, **other}
    rests, others = (sorted(_rest(cell, named) for cell in _cells(runs, side)) for side in (chosen, other or chosen))
    if rests != others or len(set(rests)) < len(rests):
        raise NoNumberError(f"{_words(chosen)} and {_words(other)} leave different cells open: name more levels")
    values = {rest: np.full(blocks, np.nan) for rest in rests}
    for run, value in zip(found.runs, found.values, strict=True):
        if _fits(run, chosen):
            values[_rest(run.spec["cell"], named)][run.spec["block"] - 1] = value
    return np.array(list(values.values()))


def _rest(cell: Cell, named: Cell) -> str:
    return json.dumps({name: level for name, level in cell.items() if name not in named}, sort_keys=True)
