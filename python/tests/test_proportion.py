"""Intervals of proportions cover what they say, also where runs differ by more than chance makes them."""

import numpy as np
import pytest

from knee.stats.proportion import clopper_pearson, over_runs

TRUE = 0.3


@pytest.mark.parametrize(("alike", "runs"), [(None, 3), (None, 8), (100.0, 4), (20.0, 4), (20.0, 12)])
def test_an_interval_over_runs_covers_the_proportion(alike, runs):
    """Proportions of runs are those of a beta distribution; the smaller ``alike`` is, the more they differ."""
    draw, trials, each = np.random.default_rng(3), 1500, [400] * runs
    covered = alone = 0
    for _ in range(trials):
        shares = TRUE if alike is None else draw.beta(alike * TRUE, alike * (1 - TRUE), runs)
        hits = draw.binomial(each, shares).tolist()
        ends, pooled = over_runs(hits, each), clopper_pearson(sum(hits), sum(each))
        covered += ends.low <= TRUE <= ends.high
        alone += pooled.low <= TRUE <= pooled.high
    assert covered / trials > 0.88
    assert alike is None or alone / trials < 0.75, "as if they were independent, it covers far less often"


def test_runs_without_trials_tell_nothing_and_one_run_is_taken_as_it_is():
    assert over_runs([], []) == over_runs([0], [0]) == clopper_pearson(0, 0)
    assert over_runs([5, 0], [10, 0]) == clopper_pearson(5, 10)
    assert over_runs([0, 0], [10, 10]) == clopper_pearson(0, 20)
