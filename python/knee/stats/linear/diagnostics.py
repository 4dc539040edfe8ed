"""Diagnostics: whether the errors of a model have equal variance, are normal, and show no pattern.

Plots decide (residuals against fitted values, the Q-Q plot); tests accompany them. With many runs every test rejects,
with few none does, so the sentences report only what would change an interval.

Jain, *The Art of Computer Systems Performance Analysis*, 1991, section 14.7. Tukey, *One degree of freedom for
non-additivity*, Biometrics 1949; Shapiro, Wilk, Biometrika 1965; Brown, Forsythe, *Robust tests for the equality of
variances*, JASA 1974; Breusch, Pagan, Econometrica 1979, in Koenker's form (Journal of Econometrics 1981).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from knee.stats.distributions import chi_square_beyond, fisher_beyond, normal_values
from knee.stats.hypotheses import Tested, equal_spreads, normality, rank_correlation
from knee.stats.intervals import Array
from knee.stats.linear.least_squares import Fit

DOUBT = 0.01
"""A test is significant if its p is below this: there are several tests, and intervals tolerate small deviations."""

NEAR = 0.1
"""A p below this that is not significant is given with the limit."""

NEARLY_STRAIGHT = 0.95
"""Errors count as not normal if the correlation of the Q-Q points is below this."""

MOST_FOR_NORMALITY = 5000
"""Largest number of errors for which the p of the normality test is known (Royston, 1995)."""

SAME_SIZE = 1e-9
"""Residuals whose sizes differ by a smaller share of the largest are equally large."""


@dataclass(frozen=True)
class Outcome:
    """A test's statistic and p; both NaN if the test is not possible, for the reason in ``why``."""

    statistic: float
    p: float
    why: str = ""

    @property
    def speaks(self) -> bool:
        """Whether the test is significant."""
        return bool(self.p < DOUBT)


@dataclass(frozen=True)
class Diagnostics:
    """Diagnostics of the residuals, on the scale of the model.

    ``expected`` and ``ordered`` are the points of the Q-Q plot, shape (runs,), or (blocks,) where the two residuals of
    a block are opposites; ``straight`` is their correlation.
    ``trend`` is curvature over fitted values (Tukey's one degree of freedom), ``growth`` Spearman's correlation of the
    residuals' size with fitted values, ``equal`` Brown and Forsythe's test over cells, ``steady`` Breusch and Pagan's
    on fitted values, ``drift`` an F test for a trend over running order beyond the model. ``spread`` is the largest
    response over the smallest, ``largest`` the largest residual over the range of the fitted values.
    """

    fitted: Array
    residuals: Array
    expected: Array
    ordered: Array
    straight: float
    trend: Outcome
    growth: Outcome
    normal: Outcome
    equal: Outcome
    steady: Outcome
    drift: Outcome
    spread: float
    largest: float
    blocked: bool
    """Whether the model has blocks."""

    def sentences(self) -> list[str]:
        """Return the diagnostics in words, one sentence per test."""
        return [
            _say(
                self.trend,
                "Trend over fitted values",
                "The residuals show no clear trend over fitted values",
                "The residuals are curved over fitted values: the model is incomplete",
            ),
            _say(
                self.growth if self.growth.speaks or not self.steady.speaks else self.steady,
                "Spread over fitted values",
                "There is no clear sign that their spread changes with fitted values",
                "Their spread depends on fitted values: another scale may fit better",
            ),
            _say(
                self.equal,
                "Spread of cells",
                "There is no clear sign that cells differ in spread (Brown-Forsythe)",
                "Cells differ in spread (Brown-Forsythe): one pooled error fits none of them",
            ),
            _say(
                self.drift,
                "Drift over the study",
                "The residuals show no clear drift in running order",
                "The residuals drift over the study, so intervals are wrong",
            ),
            self._normality(),
        ]

    def _normality(self) -> str:
        if self.normal.why and self.straight == self.straight:
            lie = "nearly on a line, which is good enough" if self.straight >= NEARLY_STRAIGHT else "not on a line"
            return f"The Q-Q points lie {lie} (r = {self.straight:.3f}); not tested, {self.normal.why}."
        if not self.normal.speaks:
            return _say(
                self.normal, "Normality", "The residuals are consistent with a normal distribution (Shapiro-Wilk)", ""
            )
        if self.straight >= NEARLY_STRAIGHT:
            what = f"the Q-Q points lie nearly on a line (r = {self.straight:.3f}), which is good enough"
            return f"The residuals are not exactly normal (Shapiro-Wilk, p = {self.normal.p:.2g}), but {what}."
        return (
            f"The residuals are not normal (Shapiro-Wilk, p = {self.normal.p:.2g}; Q-Q r = {self.straight:.3f}): use "
            "the Hodges-Lehmann estimates, which need five blocks."
        )


def _say(test: Outcome, what: str, fine: str, otherwise: str) -> str:
    if test.why:
        return f"{what}: not tested, {test.why}."
    limit = f", not below {DOUBT}" if not test.speaks and test.p < NEAR else ""
    return f"{otherwise if test.speaks else fine}; p = {test.p:.2g}{limit}."


def diagnose(fitted: Fit, original: Array) -> Diagnostics:
    """Return the diagnostics of a fit; ``original`` is the response before any transform, shape (runs,).

    Runs must be in running order, since drift is tested along it.
    """
    left, one = fitted.residuals, _single(fitted)[0]
    expected = normal_values((np.arange(1, one.size + 1, dtype=np.float64) - 0.375) / (one.size + 0.25))
    ordered = np.sort(one)
    flat = float(np.ptp(left)) <= 1e-12 * max(1.0, float(np.abs(fitted.response).max()))
    range_ = float(np.ptp(fitted.fitted))
    return Diagnostics(
        fitted=fitted.fitted,
        residuals=left,
        expected=expected,
        ordered=ordered,
        straight=float("nan") if flat or one.size < 3 else float(np.corrcoef(expected, ordered)[0, 1]),
        trend=_trend(fitted, flat=flat),
        growth=_growth(fitted, flat=flat),
        normal=_normal(one, flat=flat),
        equal=_equal(fitted, flat=flat),
        steady=_steady(fitted, flat=flat),
        drift=_drift(fitted, flat=flat),
        spread=float(original.max() / original.min()) if float(original.min()) > 0 else float("nan"),
        largest=float(np.abs(left).max()) / range_ if range_ > 0 else float("nan"),
        blocked=fitted.design.block is not None,
    )


_FLAT = Outcome(float("nan"), float("nan"), "there are no residuals")
_SAME = Outcome(float("nan"), float("nan"), "all residuals are equally large")
_TOO_FEW = Outcome(float("nan"), float("nan"), "one more term leaves no degree of freedom")
_OPPOSITE = Outcome(float("nan"), float("nan"), "the two residuals of a block are opposites, whichever cell scatters")
_FEW_BLOCKS = Outcome(
    float("nan"), float("nan"), "the two residuals of a block are opposites: the test needs three blocks"
)
_LEVEL = Outcome(float("nan"), float("nan"), "all fitted values are equal")


def _level(values: Array) -> bool:
    return float(np.ptp(values)) <= 1e-12 * max(1.0, float(np.abs(values).max()))


def _opposite(fitted: Fit) -> bool:
    """Whether no block has more than two runs: their residuals then add up to 0."""
    block = fitted.design.block
    return block is not None and int(np.bincount(block.codes).max()) <= 2


def _single(fitted: Fit) -> tuple[Array, Array]:
    """Return residuals and fitted values, each shape (runs,); where two residuals of a block are opposites, that of the
    block's lower cell with the mean of its fitted values, shape (blocks,).
    """
    block = fitted.design.block
    if block is None or not _opposite(fitted):
        return fitted.residuals, fitted.fitted
    order = np.lexsort((fitted.design.cells, block.codes))
    codes, first, many = np.unique(block.codes[order], return_index=True, return_counts=True)
    means = np.bincount(block.codes, fitted.fitted)[codes] / many
    # Of a single run there is no residual.
    return fitted.residuals[order[first]][many > 1], means[many > 1]


def _same_size(fitted: Fit) -> bool:
    """Return whether all residuals are equally large, but for rounding: with one degree of freedom they must be."""
    sizes = np.abs(fitted.residuals)
    return float(np.ptp(sizes)) <= SAME_SIZE * float(sizes.max())


def _unless(flat: bool, test: Callable[[], Tested]) -> Outcome:
    if flat:
        return _FLAT
    tested = test()
    return Outcome(tested.statistic, tested.p)


def _growth(fitted: Fit, *, flat: bool) -> Outcome:
    """Return Spearman's correlation of the residuals' size with fitted values.

    With one degree of freedom all residuals have the same size, and what is left of their order is rounding.
    """
    if not flat and _same_size(fitted):
        return _SAME
    left, values = _single(fitted)
    if not flat and left.size < 3:
        return _FEW_BLOCKS
    if not flat and _level(values):
        return _LEVEL
    return _unless(flat, lambda: rank_correlation(np.abs(left), values))


def _normal(left: Array, *, flat: bool) -> Outcome:
    if left.size > MOST_FOR_NORMALITY:
        why = f"Shapiro-Wilk's p is known for at most {MOST_FOR_NORMALITY} errors, and there are {left.size}"
        return _FLAT if flat else Outcome(float("nan"), float("nan"), why)
    if not flat and left.size < 3:
        return _FEW_BLOCKS
    return _unless(flat, lambda: normality(left))


def _one_more(fitted: Fit, explained: float) -> Outcome:
    """Test whether one more term, which explains these squares, belongs into a model."""
    left = (fitted.sse - explained) / (fitted.freedom - 1)
    # It may explain all that is left.
    if left <= 1e-12 * fitted.sse:
        return Outcome(float("inf"), 0.0)
    return Outcome(explained / left, fisher_beyond(explained / left, 1, fitted.freedom - 1))


def _trend(fitted: Fit, *, flat: bool) -> Outcome:
    """Test whether squared fitted values explain part of the residuals.

    With all interactions and no block, every cell has its own mean, and nothing is left to explain.
    """
    if flat:
        return _FLAT
    curve = (fitted.fitted - fitted.fitted.mean()) ** 2
    curve = curve - fitted.design.solution.explained(curve)
    size = float((curve**2).sum())
    if fitted.freedom < 2:
        return _TOO_FEW
    if size <= 1e-16 * float((fitted.fitted**4).sum()):
        return Outcome(float("nan"), float("nan"), "the model has a separate mean for every cell")
    explained = float(curve @ fitted.residuals) ** 2 / size
    return _one_more(fitted, explained)


def _drift(fitted: Fit, *, flat: bool) -> Outcome:
    """Test the residuals for a slope over running order, after removing the model from both.

    The means of blocks absorb most of a drift, so the test uses the order within blocks.
    """
    if flat:
        return _FLAT
    order = np.arange(fitted.response.size, dtype=np.float64)
    apart = order - fitted.design.solution.explained(order)
    size = float((apart**2).sum())
    if fitted.freedom < 2:
        return _TOO_FEW
    if size <= 1e-16 * float((order**2).sum()):
        return Outcome(float("nan"), float("nan"), "the model already explains the running order")
    explained = float(apart @ fitted.residuals) ** 2 / size
    return _one_more(fitted, explained)


def _equal(fitted: Fit, *, flat: bool) -> Outcome:
    if not flat and _opposite(fitted):
        return _OPPOSITE
    cells = fitted.design.cells
    groups = [fitted.residuals[cells == cell] for cell in np.unique(cells)]
    # Two values are equally far from their median, so a cell of two runs shows nothing.
    groups = [group for group in groups if group.size > 2]
    if flat or len(groups) < 2:
        return _FLAT if flat else Outcome(float("nan"), float("nan"), "it needs three runs per cell")
    tested = equal_spreads(groups)
    return Outcome(tested.statistic, tested.p)


def _steady(fitted: Fit, *, flat: bool) -> Outcome:
    """Return Koenker's form: number of runs times the share of the squared residuals that fitted values explain."""
    if flat:
        return _FLAT
    if _same_size(fitted):
        return _SAME
    left, values = _single(fitted)
    if left.size < 3:
        return _FEW_BLOCKS
    if _level(values):
        return _LEVEL
    correlation = float(np.corrcoef(values, left**2)[0, 1])
    statistic = left.size * correlation**2
    return Outcome(statistic, chi_square_beyond(statistic, 1))
