"""Finds the cells that a claim names, and their responses by block."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

import numpy as np

from knee.explain.claims.evidence import Claim, Evidence, NoNumberError, Number
from knee.explain.responses import Response, pool, response
from knee.stats.distributions import Array
from knee.stats.intervals import Interval, t_interval
from knee.store import Level, Run, StudyError

Cell = dict[str, Level]


class Cells:
    """The runs that a claim is about, with their response.

    ``runs`` are all runs that could have the response, good and bad; ``response`` has the values of the good ones.
    """

    def __init__(self, runs: list[Run], values: Response) -> None:
        self.runs = runs
        self.response = values
        self.blocks = max(run.spec["block"] for run in runs)

    @classmethod
    def of(cls, claim: Claim, evidence: Evidence) -> Cells:
        """Return the cells of a claim's response, divided by the response ``per`` if the claim has one."""
        runs = pool(evidence.runs, claim.get("response"))
        return cls(runs, divided(asked(runs, claim.get("response")), runs, claim.get("per")))

    @classmethod
    def with_values(cls, name: str, runs: list[Run], values: Mapping[str, float]) -> Cells:
        """Return cells with values that are not a response, given by the id of the run."""
        having = tuple(run for run in runs if run.spec["id"] in values)
        return cls(runs, Response(name, "", having, tuple(values[run.spec["id"]] for run in having), {}))

    def by_block(self, chosen: Cell, other: Cell | None = None) -> Array:
        """Return the response of every cell with the chosen levels, by block, shape (cells, blocks).

        NaN where a run is missing. ``other`` is the other side of a comparison: both must leave the same cells open.
        """
        named = {**chosen, **(other or {})}
        sides = (chosen, other or chosen)
        rests, others = (sorted(_rest(cell, named) for cell in cells(self.runs, side)) for side in sides)
        if rests != others or len(set(rests)) < len(rests):
            raise NoNumberError(f"{words(chosen)} and {words(other or {})} match different cells: name more levels")
        values = {rest: np.full(self.blocks, np.nan) for rest in rests}
        for run, value in zip(self.response.runs, self.response.values, strict=True):
            if fits(run, chosen):
                values[_rest(run.spec["cell"], named)][run.spec["block"] - 1] = value
        return np.array(list(values.values()))

    def means(self, chosen: Cell, other: Cell | None = None) -> Array:
        """Return the geometric mean of :meth:`by_block` over cells, shape (blocks,)."""
        values = self.by_block(chosen, other)
        if bool((values <= 0).any()):
            name = self.response.name
            raise NoNumberError(f"a ratio needs positive values, but {name} of {words(chosen)} is not always positive")
        return np.exp(np.log(values).mean(axis=0))

    def counts(self, between: list[int], *chosen: Cell) -> list[int]:
        """Return the thread counts in a range, ends included, with which all of these cells were run."""
        counts = {run.threads for run in self.runs if between[0] <= run.threads <= between[1]}
        for cell in chosen:
            counts &= {run.threads for run in self.runs if fits(run, cell)}
        return sorted(counts)


def asked(runs: list[Run], name: str | None) -> Response:
    """Return a response of runs; raise NoNumberError if there is none."""
    try:
        return response(runs, name)
    except StudyError as error:
        raise NoNumberError(str(error)) from error


def divided(values: Response, runs: list[Run], other: str | None) -> Response:
    """Return a response divided by another one of the same runs, or unchanged without another one."""
    if other is None:
        return values
    beside = asked(runs, other)
    known = {run.spec["id"]: value for run, value in zip(beside.runs, beside.values, strict=True) if value > 0}
    both = [(run, value) for run, value in zip(values.runs, values.values, strict=True) if run.spec["id"] in known]
    return dataclasses.replace(
        values,
        runs=tuple(run for run, _ in both),
        values=tuple(value / known[run.spec["id"]] for run, value in both),
    )


def among(values: Response, chosen: Cell) -> Response:
    """Return the response of the runs that have these levels."""
    kept = [(run, value) for run, value in zip(values.runs, values.values, strict=True) if fits(run, chosen)]
    if not kept:
        raise NoNumberError(f"no run has {words(chosen)}")
    return dataclasses.replace(values, runs=tuple(run for run, _ in kept), values=tuple(value for _, value in kept))


def mean(values: Array) -> Number:
    """Return the geometric mean of values by block, shape (cells, blocks), or the arithmetic mean if a value is not
    positive, such as a count of 0.
    """
    positive = not bool((values <= 0).any())
    means = (np.log(values) if positive else values).mean(axis=0)
    number = arithmetic(means)
    if not positive:
        return number
    ends = Interval(float(np.exp(number.interval.low)), float(np.exp(number.interval.high)))
    return Number(float(np.exp(number.value)), ends)


def arithmetic(values: Array, what: str = "it") -> Number:
    """Return the mean over the blocks that have a value, shape (blocks,)."""
    known = values[np.isfinite(values)]
    if known.size < 2:
        raise NoNumberError(f"fewer than two blocks have a good run of {what}")
    return Number(float(known.mean()), t_interval(known))


def words(cell: Cell) -> str:
    """Return the name of a cell."""
    return ", ".join(f"{name}={level}" for name, level in cell.items())


def fits(run: Run, chosen: Cell) -> bool:
    """Whether a run has these levels."""
    cell = run.spec["cell"]
    return all(name in cell and str(cell[name]) == str(level) for name, level in chosen.items())


def without_threads(cell: Cell) -> Cell:
    """Return a cell without its thread count."""
    return {name: level for name, level in cell.items() if name != "threads"}


def one(runs: list[Run], chosen: Cell) -> Cell:
    """Return the only cell with these levels."""
    having = cells(runs, chosen)
    if len(having) > 1:
        open_ = sorted(name for name in having[0] if len({str(cell.get(name)) for cell in having}) > 1)
        many = f"{len(having)} cells have {words(chosen)}"
        raise NoNumberError(f"{many}: the claim must also name {', '.join(open_)}")
    return having[0]


def cells(runs: list[Run], chosen: Cell) -> list[Cell]:
    """Return the cells with these levels."""
    having = {json.dumps(run.spec["cell"], sort_keys=True): run.spec["cell"] for run in runs if fits(run, chosen)}
    if not having:
        raise NoNumberError(f"no run has {words(chosen)}")
    return list(having.values())


def _rest(cell: Cell, named: Cell) -> str:
    return json.dumps({name: level for name, level in cell.items() if name not in named}, sort_keys=True)
