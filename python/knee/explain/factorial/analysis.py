"""The factorial analysis of a study: which factors explain a response, by how much, and with what certainty."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import numpy as np

from knee.explain.disturbance import disturbance
from knee.explain.factorial.apart import lost
from knee.explain.factorial.design import Asked, designed, level_of
from knee.explain.factorial.level_pairs import LevelPair, level_pairs, other_work
from knee.explain.factorial.levels import Levels, contrast_of
from knee.explain.factorial.twins import response_of
from knee.explain.responses import COMPARED, Response
from knee.explain.scaling.series import inputs
from knee.stats.block_means import Places
from knee.stats.intervals import Array, Interval
from knee.stats.linear.anova import Anova, anova
from knee.stats.linear.block_errors import by_blocks
from knee.stats.linear.comparisons import Prediction, contrast, predictions
from knee.stats.linear.design import Design
from knee.stats.linear.diagnostics import Diagnostics, diagnose
from knee.stats.linear.effects import Effect, SignTable, effects, sign_table
from knee.stats.linear.interactions import Interaction, in_units, interactions
from knee.stats.linear.least_squares import Estimate, Fit, fit
from knee.stats.linear.transform import Transform, box_cox, original_interval, transformed
from knee.stats.practical import Size, size
from knee.store import SCHEMA, Run, StudyError, finite, one_of

SHARED_BASE = (
    "All thread counts of a block share the error of their base run, so intervals and p of factors other than threads "
    "are too small here. Ratios of levels and Hodges-Lehmann intervals are computed block by block and remain valid."
)

DISTURBED = (
    "{disturbed} of {runs} runs were disturbed (other programs, steal, clock). Whether levels differ allows for all "
    "that others may have taken; shares, F, p and intervals are as measured."
)

POOLED = (
    "Fewer than two blocks have every cell, so F and the intervals of effects rest on one pooled error, which assumes "
    "equal effects in every block. Ratios of levels are computed block by block, without that assumption."
)

SMALL_SHARE = 0.10
"""A factor that explains less than this share of the variation looks unimportant, even if its ratios are large."""


@dataclass(frozen=True)
class Contrast:
    """The mean at some levels minus the mean at others, on the scale of the model.

    On a logarithmic scale, ``ratio`` is the ratio of the responses, with its interval as measured, and ``size`` the
    verdict on it, which holds whatever other programs took.
    """

    text: str
    difference: Estimate
    ratio: float
    ratio_interval: Interval
    size: Size


@dataclass(frozen=True)
class Within:
    """The analysis of the runs at one level of a factor; ``why`` is the reason if there are too few for a table."""

    level: str
    anova: Anova | None
    pairs: list[LevelPair]
    why: str = ""


@dataclass(frozen=True)
class FactorialAnalysis:
    """The result of an analysis. Effects, contrasts and residuals are on the scale of the model.

    ``other_work`` are factors whose levels say what there is to do, so their times are not compared.
    ``interactions`` and ``predictions`` are in units of the response. ``run_ids`` gives the order of all arrays of
    shape (runs,).
    """

    response: str
    unit: str
    scale: str
    transform: Transform
    factors: dict[str, list[str]]
    other_work: list[str]
    blocks: int
    blocked: bool
    run_ids: list[str]
    left_out: dict[str, str]
    notes: list[str]
    anova: Anova
    effects: list[Effect]
    signs: SignTable | None
    pairs: list[LevelPair]
    interactions: list[Interaction]
    contrasts: list[Contrast]
    predictions: list[Prediction]
    diagnostics: Diagnostics
    within_factor: str | None
    within: list[Within]
    smallest: float

    @property
    def largest(self) -> str:
        """The factor that explains most of the variation."""
        return max(self.factors, key=lambda name: self.anova.of(name).squares)

    def small_but_matters(self) -> list[str]:
        """Return the factors that explain little of the variation but still have a difference that matters."""
        small = [one for one in self.factors if self.anova.of(one).share < SMALL_SHARE]
        return [name for name in small if any(one.factor == name and one.size == "matters" for one in self.pairs)]

    def to_json(self) -> dict[str, Any]:
        """Return plain data, with null for unknown numbers."""
        plain = asdict(self, dict_factory=lambda items: {key: _plain(value) for key, value in items})
        return cast("dict[str, Any]", finite({"schema": SCHEMA} | plain))


def _plain(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray) else value


def analyze(runs: list[Run], asked: Asked, allowed: int) -> FactorialAnalysis:
    """Return the factorial analysis of a study's runs.

    ``allowed`` is the number of cpus that an unpinned run may use.

    Raises
    ------
    StudyError
        When the response, a factor or a level is unknown, or there are too few runs for the model.
    """
    measured = response_of(runs, asked.response)
    values = np.array(measured.values, dtype=np.float64)
    design, notes = designed(measured, asked)
    transform = box_cox(values, design)
    scale = transform.recommended if asked.transform == "auto" else asked.transform
    if scale != "none" and float(values.min()) <= 0:
        raise StudyError(
            f"cannot take the {scale} of {measured.name}: one value is {values.min():g}", hint="--transform none"
        )
    fitted = by_blocks(fit(transformed(values, scale), design))
    table = anova(fitted)
    within = _within_factor(measured, design, table, asked)
    others = lost(measured, allowed)
    pairs = level_pairs(measured, fitted, asked.smallest, allowed)
    return FactorialAnalysis(
        response=measured.name,
        unit=measured.unit,
        scale=scale,
        transform=transform,
        factors={one.name: list(one.levels) for one in design.factors},
        other_work=[one.name for one in design.factors if one.name in other_work(measured)],
        blocks=len({run.spec["block"] for run in measured.runs}),
        blocked=design.block is not None,
        run_ids=[run.spec["id"] for run in measured.runs],
        left_out=measured.left_out,
        notes=notes + _notes(measured, fitted, allowed),
        anova=table,
        effects=effects(fitted),
        signs=_signs(fitted),
        pairs=pairs,
        interactions=interactions(fitted, table, scale),
        contrasts=[_contrast(text, fitted, scale, asked.smallest, pairs, others) for text in asked.contrasts],
        predictions=[_in_units(one, scale) for one in predictions(fitted)],
        diagnostics=diagnose(fitted, values),
        within_factor=within,
        within=[
            _within(measured, level, within, scale, asked, allowed, len(design.named[within].levels))
            for level in design.named[within].levels
        ]
        if within
        else [],
        smallest=asked.smallest,
    )


def _notes(measured: Response, fitted: Fit, allowed: int) -> list[str]:
    notes: list[str] = []
    disturbed = sum(1 for run in measured.runs if disturbance(run, allowed))
    if disturbed and measured.timed:
        notes.append(DISTURBED.format(disturbed=disturbed, runs=len(measured.runs)))
    if fitted.sse == 0:
        notes.append("No residual error to test against: the model fits every run exactly.")
    elif fitted.design.block and not fitted.errors:
        notes.append(POOLED)
    if not fitted.errors and measured.name in COMPARED and len({run.threads for run in measured.runs}) > 1:
        notes.append(SHARED_BASE)
    return notes


def _signs(fitted: Fit) -> SignTable | None:
    """Return the sign table of a two-level design without blocks; the second level is the high one."""
    design = fitted.design
    if design.block or not design.balanced or any(len(one.levels) != 2 for one in design.factors):
        return None
    signs = np.column_stack([2.0 * one.codes - 1.0 for one in design.factors]).astype(np.float64)
    return sign_table(fitted.response, signs, [f"[{one.name}]" for one in design.factors])


def _contrast(text: str, fitted: Fit, scale: str, smallest: float, pairs: list[LevelPair], others: Array) -> Contrast:
    first, second = contrast_of(text, fitted.design.factors)
    one = contrast(fitted, first, second)
    unknown = Interval(float("nan"), float("nan"))
    if scale != "log":
        return Contrast(text, one, float("nan"), unknown, "cannot tell")
    # Model means are not tied to runs, so what others may have taken on both sides counts in either direction.
    either = sum(float(others[_at(side, fitted.design)].mean()) for side in (first, second))
    seen = Interval(float(np.exp(one.interval.low)), float(np.exp(one.interval.high)))
    held = Interval(seen.low * float(np.exp(-either)), seen.high * float(np.exp(either)))
    crossing = [{(pair.factor, pair.first), (pair.factor, pair.second)} for pair in pairs if pair.inside]
    said = "depends" if set(first.items()) | set(second.items()) in crossing else size(held, smallest)
    return Contrast(text, one, float(np.exp(one.value)), seen, said)


def _at(levels: Levels, design: Design) -> Places:
    """Return which runs are at these levels; all of them where no run is."""
    places = np.ones(design.runs, dtype=np.bool_)
    for name, level in levels.items():
        factor = design.named[name]
        places &= factor.codes == factor.levels.index(level)
    return places if places.any() else ~places


def _in_units(one: Prediction, scale: str) -> Prediction:
    """Transform a prediction back into the response's units; on a logarithmic scale that gives the geometric mean."""
    return Prediction(one.levels, in_units(one.mean, scale), original_interval(one.run, scale))


def _within_factor(measured: Response, design: Design, table: Anova, asked: Asked) -> str | None:
    """Return the factor whose levels are analysed separately.

    That is the requested one, else the workload or an input, since differences between programs or their inputs are no
    finding, else the factor that explains most.
    """
    names = [one.name for one in design.factors]
    if asked.within is not None and (asked.within not in names or len(names) < 2):
        why = "it is not a factor of this analysis"
        raise StudyError(f"unknown factor {asked.within!r}: {why}", hint=f"one of {one_of(names)}")
    if len(names) < 2:
        return None
    others = inputs(measured.runs[0], names)
    if asked.within is None and others:
        return others[0]
    return asked.within or max(names, key=lambda name: table.of(name).squares)


def _within(measured: Response, level: str, factor: str, scale: str, asked: Asked, allowed: int, levels: int) -> Within:
    inside = [number for number, run in enumerate(measured.runs) if level_of(run, factor) == level]
    part = replace(
        measured,
        runs=tuple(measured.runs[number] for number in inside),
        values=tuple(measured.values[number] for number in inside),
        left_out={},
    )
    others = tuple(name for name in asked.factors if name != factor)
    try:
        design, _ = designed(part, Asked(factors=others, block=asked.block, order=asked.order))
    except StudyError as error:
        return Within(level, None, [], str(error))
    fitted = by_blocks(fit(transformed(np.array(part.values, dtype=np.float64), scale), design))
    return Within(level, anova(fitted), level_pairs(part, fitted, asked.smallest, allowed, levels))
