"""Whether the errors of a fitted model are what its intervals rest on: alike in size, normal, and without a pattern.

Pictures decide (residuals against fitted values, the Q-Q plot); tests stand beside them. With many runs every test
rejects, with few none does, so words are chosen for what would change an interval.

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
"""A test speaks when its p is below this: several are looked at, and intervals bear small departures."""

NEARLY_STRAIGHT = 0.95
"""Correlation of the Q-Q points below which the errors are said to be unlike normal ones."""

MOST_FOR_NORMALITY = 5000
"""Errors up to which the p of their normality is that of a published approximation (Royston, 1995)."""


@dataclass(frozen=True)
class Outcome:
    """A test's statistic and p; both NaN where it cannot be made, for the reason in ``why``."""

    statistic: float
    p: float
    why: str = ""

    @property
    def speaks(self) -> bool:
        """Whether it found something."""
        return bool(self.p < DOUBT)


@dataclass(frozen=True)
class Diagnostics:
    """What the residuals look like, on the scale of the model.

    ``expected`` and ``ordered`` are the points of the Q-Q plot, shape (runs,), ``straight`` their correlation.
    ``trend`` is curvature over fitted values (Tukey's one degree of freedom), ``growth`` Spearman's correlation of the
    residuals' size with fitted values, ``equal`` Brown and Forsythe's test over cells, ``steady`` Breusch and Pagan's
    on fitted values, ``drift`` an F test of what running order explains beyond the model. ``spread`` is the largest
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
        """Say it, one sentence for each question."""
        return [
            _say(
                self.trend,
                "Trend over fitted values",
                "The residuals show no trend over fitted values",
                "The residuals bend over fitted values: the model lacks something",
            ),
            _say(
                self.growth if self.growth.speaks or not self.steady.speaks else self.steady,
                "Spread over fitted values",
                "Their spread does not change with fitted values",
                "Their spread changes with fitted values: another scale may suit better",
            ),
            _say(
                self.equal,
                "Scatter of cells",
                "Cells scatter alike (Brown-Forsythe)",
                "Cells scatter differently (Brown-Forsythe): one pooled error suits none of them",
            ),
            _say(
                self.drift,
                "Drift over the study",
                "No drift is left after blocks" if self.blocked else "They do not drift over the study",
                "They drift over the study, which makes intervals wrong",
            ),
            self._normality(),
        ]

    def _normality(self) -> str:
        if self.normal.why and self.straight == self.straight:
            lie = "nearly straight, which intervals bear" if self.straight >= NEARLY_STRAIGHT else "on no straight line"
            return f"The Q-Q points lie {lie} (r = {self.straight:.3f}); not tested, {self.normal.why}."
        if not self.normal.speaks:
            return _say(self.normal, "Normality", "They look normal (Shapiro-Wilk)", "")
        if self.straight >= NEARLY_STRAIGHT:
            what = f"the Q-Q points lie nearly straight (r = {self.straight:.3f}), which intervals bear"
            return f"They are not quite normal (Shapiro-Wilk, p = {self.normal.p:.2g}), but {what}."
        return (
            f"They are not normal (Shapiro-Wilk, p = {self.normal.p:.2g}; Q-Q r = {self.straight:.3f}): trust the "
            "robust comparisons more."
        )


def _say(test: Outcome, what: str, fine: str, otherwise: str) -> str:
    if test.why:
        return f"{what}: not tested, {test.why}."
    return f"{otherwise if test.speaks else fine}; p = {test.p:.2g}."


def diagnose(fitted: Fit, original: Array) -> Diagnostics:
    """Return what there is to say about a fit; ``original`` is the response before any transform, shape (runs,).

    Runs are in the order in which they were made: drift is sought along it.
    """
    left = fitted.residuals
    expected = normal_values((np.arange(1, left.size + 1, dtype=np.float64) - 0.375) / (left.size + 0.25))
    ordered = np.sort(left)
    flat = float(np.ptp(left)) <= 1e-12 * max(1.0, float(np.abs(fitted.response).max()))
    range_ = float(np.ptp(fitted.fitted))
    return Diagnostics(
        fitted=fitted.fitted,
        residuals=left,
        expected=expected,
        ordered=ordered,
        straight=float("nan") if flat else float(np.corrcoef(expected, ordered)[0, 1]),
        trend=_trend(fitted, flat=flat),
        growth=_unless(flat, lambda: rank_correlation(np.abs(left), fitted.fitted)),
        normal=_normal(left, flat=flat),
        equal=_equal(fitted, flat=flat),
        steady=_steady(fitted, flat=flat),
        drift=_drift(fitted, flat=flat),
        spread=float(original.max() / original.min()) if float(original.min()) > 0 else float("nan"),
        largest=float(np.abs(left).max()) / range_ if range_ > 0 else float("nan"),
        blocked=fitted.design.block is not None,
    )


_FLAT = Outcome(float("nan"), float("nan"), "there are no residuals")


def _unless(flat: bool, test: Callable[[], Tested]) -> Outcome:
    if flat:
        return _FLAT
    tested = test()
    return Outcome(tested.statistic, tested.p)


def _normal(left: Array, *, flat: bool) -> Outcome:
    if left.size > MOST_FOR_NORMALITY:
        why = f"{left.size} errors are more than the {MOST_FOR_NORMALITY} for which Shapiro and Wilk's p is known"
        return _FLAT if flat else Outcome(float("nan"), float("nan"), why)
    return _unless(flat, lambda: normality(left))


def _trend(fitted: Fit, *, flat: bool) -> Outcome:
    """Test what the squared fitted values explain of the residuals beyond the model.

    With all interactions and no block the cells leave nothing that a curve could explain.
    """
    if flat:
        return _FLAT
    curve = (fitted.fitted - fitted.fitted.mean()) ** 2
    curve = curve - fitted.design.solution.explained(curve)
    size = float((curve**2).sum())
    if fitted.freedom < 2 or size <= 1e-16 * float((fitted.fitted**4).sum()):
        return Outcome(float("nan"), float("nan"), "every cell has a mean of its own")
    explained = float(curve @ fitted.residuals) ** 2 / size
    f = explained / ((fitted.sse - explained) / (fitted.freedom - 1))
    return Outcome(f, fisher_beyond(f, 1, fitted.freedom - 1))


def _drift(fitted: Fit, *, flat: bool) -> Outcome:
    """Test the residuals for a slope over running order, from which the model has taken its part, as from them.

    A block's mean takes most of a drift out of the residuals: only what is left of the order inside blocks shows it.
    """
    if flat:
        return _FLAT
    order = np.arange(fitted.response.size, dtype=np.float64)
    apart = order - fitted.design.solution.explained(order)
    size = float((apart**2).sum())
    if fitted.freedom < 2 or size <= 1e-16 * float((order**2).sum()):
        return Outcome(float("nan"), float("nan"), "the model leaves nothing of the running order")
    explained = float(apart @ fitted.residuals) ** 2 / size
    f = explained / ((fitted.sse - explained) / (fitted.freedom - 1))
    return Outcome(f, fisher_beyond(f, 1, fitted.freedom - 1))


def _equal(fitted: Fit, *, flat: bool) -> Outcome:
    cells = fitted.design.cells
    groups = [fitted.residuals[cells == cell] for cell in np.unique(cells)]
    # Two values are equally far from their median: a cell of two says nothing.
    groups = [group for group in groups if group.size > 2]
    if flat or len(groups) < 2:
        return _FLAT if flat else Outcome(float("nan"), float("nan"), "it takes three runs of a cell")
    tested = equal_spreads(groups)
    return Outcome(tested.statistic, tested.p)


def _steady(fitted: Fit, *, flat: bool) -> Outcome:
    """Koenker's form: runs times the share of the squared residuals that fitted values explain."""
    if flat or float(np.ptp(fitted.fitted)) == 0:
        return _FLAT
    correlation = float(np.corrcoef(fitted.fitted, fitted.residuals**2)[0, 1])
    statistic = fitted.response.size * correlation**2
    return Outcome(statistic, chi_square_beyond(statistic, 1))
