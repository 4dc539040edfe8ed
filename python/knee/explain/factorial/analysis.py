"""A factorial analysis of a study: which factors make a response what it is, by how much, and how sure that is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from knee.explain.disturbance import disturbance
from knee.explain.factorial.design import Asked, designed
from knee.explain.factorial.level_pairs import LevelPair, level_pairs
from knee.explain.factorial.levels import contrast_of
from knee.explain.responses import COMPARED, Response, response
from knee.stats.intervals import Interval
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
from knee.store import SCHEMA, Run, StudyError, finite

SHARED_BASE = (
    "All thread counts of a block share the error of their base: intervals and p of factors other than threads are too "
    "narrow here. Ratios of levels and Hodges-Lehmann's intervals are taken block by block, and hold."
)

POOLED = (
    "Fewer than two blocks have every cell: F and the intervals of effects rest on one pooled error, which assumes "
    "effects that are the same in every block. Ratios of levels are taken block by block, and do not."
)

SMALL_SHARE = 0.10
"""A factor that explains less than this of the variation looks unimportant, which its ratios may contradict."""


@dataclass(frozen=True)
class Contrast:
    """The mean at some levels minus that at others, on the scale of the model.

    ``ratio`` is that of the responses, and ``size`` its verdict, where the scale is the logarithm.
    """

    text: str
    difference: Estimate
    ratio: float
    ratio_interval: Interval
    size: Size


@dataclass(frozen=True)
class Within:
    """The analysis of the runs at one level of a factor; no table where they do not suffice, for the reason ``why``."""

    level: str
    anova: Anova | None
    pairs: list[LevelPair]
    why: str = ""


@dataclass(frozen=True)
class FactorialAnalysis:
    """Everything that is concluded. Effects, contrasts and residuals are on the scale of the model.

    ``interactions`` and ``predictions`` are in the response's own units. ``run_ids`` is the order of everything of
    shape (runs,).
    """

    response: str
    unit: str
    scale: str
    transform: Transform
    factors: dict[str, list[str]]
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
        """Return factors that explain little of the variation and still make a difference that matters."""
        small = [one for one in self.factors if self.anova.of(one).share < SMALL_SHARE]
        return [name for name in small if any(one.factor == name and one.size == "matters" for one in self.pairs)]

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain data: numbers that are not known are null."""
        plain = asdict(self, dict_factory=lambda items: {key: _plain(value) for key, value in items})
        return cast("dict[str, Any]", finite({"schema": SCHEMA} | plain))


def _plain(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray) else value


def analyze(runs: list[Run], asked: Asked) -> FactorialAnalysis:
    """Return the factorial analysis of a study's runs.

    Raises
    ------
    StudyError
        When there is no such response, factor or level, or the runs do not suffice for the model.
    """
    measured = response(runs, asked.response)
    values = np.array(measured.values, dtype=np.float64)
    design, notes = designed(measured, asked)
    transform = box_cox(values, design)
    scale = transform.recommended if asked.transform == "auto" else asked.transform
    if scale != "none" and float(values.min()) <= 0:
        raise StudyError(f"no {scale} of {measured.name}: a value is {values.min():g}", hint="--transform none")
    fitted = by_blocks(fit(transformed(values, scale), design))
    table = anova(fitted)
    within = _within_factor(design, table, asked)
    pairs = level_pairs(measured, fitted, asked.smallest)
    return FactorialAnalysis(
        response=measured.name,
        unit=measured.unit,
        scale=scale,
        transform=transform,
        factors={one.name: list(one.levels) for one in design.factors},
        blocks=len({run.spec["block"] for run in measured.runs}),
        blocked=design.block is not None,
        run_ids=[run.spec["id"] for run in measured.runs],
        left_out=measured.left_out,
        notes=notes + _notes(measured, fitted),
        anova=table,
        effects=effects(fitted),
        signs=_signs(fitted),
        pairs=pairs,
        interactions=interactions(fitted, table, scale),
        contrasts=[_contrast(text, fitted, scale, asked.smallest, pairs) for text in asked.contrasts],
        predictions=[_in_units(one, scale) for one in predictions(fitted)],
        diagnostics=diagnose(fitted, values),
        within_factor=within,
        within=[_within(measured, level, within, scale, asked) for level in design.named[within].levels]
        if within
        else [],
        smallest=asked.smallest,
    )


def _notes(measured: Response, fitted: Fit) -> list[str]:
    notes: list[str] = []
    disturbed = sum(1 for run in measured.runs if disturbance(run))
    if disturbed:
        notes.append(f"{disturbed} of {len(measured.runs)} runs were disturbed (other work, steal, clock); they count.")
    if fitted.sse == 0:
        notes.append("The runs of a cell do not differ, or as the model says: there is no noise to test against.")
    elif fitted.design.block and not fitted.errors:
        notes.append(POOLED)
    if not fitted.errors and measured.name in COMPARED and len({run.threads for run in measured.runs}) > 1:
        notes.append(SHARED_BASE)
    return notes


def _signs(fitted: Fit) -> SignTable | None:
    """Return the sign table of a design of two levels each without blocks, the second level as the high one."""
    design = fitted.design
    if design.block or not design.balanced or any(len(one.levels) != 2 for one in design.factors):
        return None
    signs = np.column_stack([2.0 * one.codes - 1.0 for one in design.factors]).astype(np.float64)
    return sign_table(fitted.response, signs, [f"[{one.name}]" for one in design.factors])


def _contrast(text: str, fitted: Fit, scale: str, smallest: float, pairs: list[LevelPair]) -> Contrast:
    first, second = contrast_of(text, fitted.design.factors)
    one = contrast(fitted, first, second)
    if scale != "log":
        return Contrast(text, one, float("nan"), Interval(float("nan"), float("nan")), "cannot tell")
    ends = Interval(float(np.exp(one.interval.low)), float(np.exp(one.interval.high)))
    crossing = [{(pair.factor, pair.first), (pair.factor, pair.second)} for pair in pairs if pair.inside]
    said = "depends" if set(first.items()) | set(second.items()) in crossing else size(ends, smallest)
    return Contrast(text, one, float(np.exp(one.value)), ends, said)


def _in_units(one: Prediction, scale: str) -> Prediction:
    """Turn a prediction back. Of a logarithm that is the geometric mean, of others the mean's counterpart."""
    return Prediction(one.levels, in_units(one.mean, scale), original_interval(one.run, scale))


def _within_factor(design: Design, table: Anova, asked: Asked) -> str | None:
    """Return the factor inside whose levels the others are looked at.

    That is the one asked for, else the workload, whose differences are between programs and nobody's finding, else what
    explains most.
    """
    names = [one.name for one in design.factors]
    if asked.within is not None and (asked.within not in names or len(names) < 2):
        raise StudyError(f"no such factor: {asked.within}: it is not one of several analysed", hint=", ".join(names))
    if len(names) < 2:
        return None
    if asked.within is None and "workload" in names:
        return "workload"
    return asked.within or max(names, key=lambda name: table.of(name).squares)


def _within(measured: Response, level: str, factor: str, scale: str, asked: Asked) -> Within:
    inside = [number for number, run in enumerate(measured.runs) if str(run.spec["cell"].get(factor, "-")) == level]
    part = Response(
        measured.name,
        measured.unit,
        tuple(measured.runs[number] for number in inside),
        tuple(measured.values[number] for number in inside),
        {},
    )
    others = tuple(name for name in asked.factors if name != factor)
    try:
        design, _ = designed(part, Asked(factors=others, block=asked.block, order=asked.order))
    except StudyError as error:
        return Within(level, None, [], str(error))
    fitted = by_blocks(fit(transformed(np.array(part.values, dtype=np.float64), scale), design))
    return Within(level, anova(fitted), level_pairs(part, fitted, asked.smallest))
