"""Distributions and tests compared with scipy.stats, which is too slow to import for a report."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from knee.stats import distributions as d
from knee.stats import hypotheses as h


@pytest.mark.parametrize("freedom", [1, 2, 4.5, 19, 300])
def test_distributions_are_scipys(freedom):
    for chance in (0.01, 0.5, 0.9, 0.95, 0.999):
        assert d.student_value(chance, freedom) == pytest.approx(
            float(stats.t.ppf(chance, freedom)), rel=1e-9, abs=1e-12
        )
        assert d.chi_square_value(chance, freedom) == pytest.approx(float(stats.chi2.ppf(chance, freedom)), rel=1e-9)
        assert d.fisher_value(chance, 3, freedom) == pytest.approx(float(stats.f.ppf(chance, 3, freedom)), rel=1e-9)
    for value in (0.0, 0.3, 1.0, 4.0, 30.0):
        assert d.student_beyond(value, freedom) == pytest.approx(float(stats.t.sf(value, freedom)), rel=1e-9)
        assert d.chi_square_beyond(value, freedom) == pytest.approx(float(stats.chi2.sf(value, freedom)), rel=1e-9)
        assert d.fisher_beyond(value, 3, freedom) == pytest.approx(float(stats.f.sf(value, 3, freedom)), rel=1e-9)
        assert d.normal_beyond(value) == pytest.approx(float(stats.norm.sf(value)), rel=1e-9)
    assert d.student_beyond(np.inf, freedom) == 0.0
    assert d.student_beyond(-np.inf, freedom) == 1.0


@pytest.mark.parametrize(("hits", "trials"), [(0, 20), (20, 20), (3, 20), (1, 1), (150, 2000)])
def test_ends_of_a_proportion_are_scipys(hits, trials):
    theirs = stats.binomtest(hits, trials).proportion_ci(0.9, "exact")
    assert d.proportion_ends(hits, trials, 0.9) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 11, 12, 20, 100, 1000, 4900])
@pytest.mark.parametrize("kind", ["normal", "exponential", "uniform"])
def test_normality_is_scipys(n, kind):
    values = getattr(np.random.default_rng(n), kind)(size=n)
    theirs, ours = stats.shapiro(values), h.normality(values)
    assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-7)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-3, abs=1e-9)


def test_correlations_are_scipys_also_with_ties():
    draw = np.random.default_rng(1)
    for x, y in (
        (draw.normal(size=30), draw.normal(size=30)),
        (draw.integers(0, 4, 50) * 1.0, draw.integers(0, 3, 50) * 1.0),
    ):
        rank, line = stats.spearmanr(x, y), stats.linregress(x, y)
        ours = h.rank_correlation(x, y)
        assert (ours.statistic, ours.p) == pytest.approx((rank.statistic, rank.pvalue), rel=1e-9)
        ours = h.correlation(x, y)
        assert (ours.statistic, ours.p) == pytest.approx((line.rvalue, line.pvalue), rel=1e-9)
    assert h.rank_correlation(np.arange(5.0), np.arange(5.0) ** 3).p == pytest.approx(0.0, abs=1e-12)


def test_spreads_are_scipys():
    draw = np.random.default_rng(2)
    groups = [draw.normal(0, 1 + n, 4 + n) for n in range(4)]
    theirs, ours = stats.levene(*groups, center="median"), h.equal_spreads(groups)
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)


def imported(code: str, among: set[str]) -> str:
    code = f"{code}; print(sorted({among!r} & sys.modules.keys()))"
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_a_report_does_not_import_what_takes_long():
    assert imported("import sys, knee.opened, knee.report.page", {"scipy.stats"}) == "[]"


def test_opening_a_study_imports_nothing_that_takes_long(simulated):
    path = str(simulated({"none": {1: (1.0, 1.0)}}).path)
    code = f"import sys, knee; knee.open({path!r})"
    assert imported(code, {"numpy", "scipy", "altair"}) == "[]"
    assert imported(f"{code}.rows()", {"numpy", "altair"}) == "['numpy']"
