"""Large studies: faster computations give the same results as the simple ones."""

import tracemalloc

import numpy as np
import pytest

from knee.stats import robust
from knee.stats.block_means import block_means, over_combinations
from knee.stats.linear import design as factorial
from knee.stats.linear.anova import anova
from knee.stats.linear.block_errors import by_blocks
from knee.stats.linear.comparisons import predictions, tukey
from knee.stats.linear.design import Design, Factor, NotEstimableError
from knee.stats.linear.effects import effects
from knee.stats.linear.least_squares import fit
from knee.stats.linear.transform import box_cox


def made_up(*, missing: float, blocked: bool, order: int | None) -> tuple[np.ndarray, Design]:
    """Return responses of a 3 x 2 x 4 design in twelve blocks, some runs of which are missing."""
    draw = np.random.default_rng(7)
    cells = [(str(b), x, y, z) for b in range(12) for x in "abc" for y in "12" for z in "pqrs"]
    runs = [cell for cell in cells if draw.random() >= missing]
    values = [0.1 * "abc".index(x) + 0.05 * "pqrs".index(z) * int(y) + 0.01 * int(b) for b, x, y, z in runs]
    names, columns = ("block", "x", "y", "z"), list(zip(*runs, strict=True))
    block, *factors = (Factor.of(name, column) for name, column in zip(names, columns, strict=True))
    design = Design(tuple(factors), block if blocked else None, order)
    return np.exp(np.array(values) + 0.02 * draw.normal(size=len(runs))), design


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("blocked", [True, False])
@pytest.mark.parametrize("order", [None, 1, 2])
def test_sums_over_cells_and_blocks_give_the_answers_of_the_matrix(monkeypatch, missing, blocked, order):
    found = []
    for largest in (10**9, 0):
        monkeypatch.setattr(factorial, "LARGE", largest)
        values, design = made_up(missing=missing, blocked=blocked, order=order)
        fitted = fit(values, design)
        numbers = [fitted.coefficients, fitted.spread.ravel(), fitted.fitted]
        numbers.append([one.squares for one in anova(fitted).sources])
        numbers.append([one.estimate.error for one in effects(fitted)])
        numbers.append([one.together.low for factor in design.factors for one in tukey(fitted, factor.name)])
        numbers.append([one.mean.interval.high for one in predictions(fitted)])
        numbers.append([box_cox(values, design).power])
        found.append((type(design.solution).__name__, np.concatenate(numbers)))
    assert [name for name, _ in found] == ["Dense", "Summed"]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-8, atol=1e-11)


def most_memory(blocks: int) -> int:
    """Return how many bytes an analysis of two factors with two levels takes at once."""
    cells = [(str(block), x, y) for block in range(blocks) for x in "ab" for y in "pq"]
    block, *factors = (Factor.of(name, column) for name, column in zip("bxy", zip(*cells, strict=True), strict=True))
    values = np.random.default_rng(5).normal(10, 1, len(cells))
    tracemalloc.start()
    fitted = by_blocks(fit(values, Design(tuple(factors), block)))
    assert len(anova(fitted).sources) == 5
    assert len(effects(fitted)) == 9
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_memory_grows_with_the_number_of_blocks_and_not_with_its_square(monkeypatch):
    monkeypatch.setattr(factorial, "LARGE", 0)
    assert most_memory(2000) < 3 * most_memory(1000)


def test_a_large_design_that_cannot_be_solved_says_so(monkeypatch):
    monkeypatch.setattr(factorial, "LARGE", 0)
    runs = [(x, y) for x in "ab" for y in "pq" if (x, y) != ("b", "q")] * 3
    factors = tuple(Factor.of(name, column) for name, column in zip("xy", zip(*runs, strict=True), strict=True))
    with pytest.raises(NotEstimableError, match="9 runs are not enough to estimate 4 effects"):
        fit(np.arange(9.0), Design(factors))
    assert fit(np.arange(9.0), Design(factors, order=1)).freedom == 6


def test_averages_of_many_differences_are_found_without_making_them(monkeypatch):
    differences = np.random.default_rng(3).standard_t(3, 199)
    exact = robust.robust(differences)
    monkeypatch.setattr(robust, "FEW", 100)
    robust._cut.cache_clear()
    near = robust.robust(differences)
    robust._cut.cache_clear()
    assert near.shift == pytest.approx(exact.shift, rel=1e-12)
    assert (near.interval.low, near.interval.high) == pytest.approx((exact.interval.low, exact.interval.high), rel=1e-3)
    assert near.reached == pytest.approx(exact.reached, abs=5e-4)


def test_missing_runs_leave_out_combinations_or_blocks_whichever_keeps_more():
    cells = [(block, rest, level) for block in range(5) for rest in range(20) for level in (0, 1)]
    lost = {(block, block, 1) for block in range(1, 5)}
    block, rest, level = (
        np.array(column) for column in zip(*(cell for cell in cells if cell not in lost), strict=True)
    )
    values = 100.0 * rest + 10.0 * block + level
    means = block_means(values, level, rest, block)
    assert over_combinations(means[1] - means[0]) == pytest.approx(np.ones(5))


def test_blocks_with_nothing_in_common_are_not_mixed():
    block, rest, level = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    means = block_means(np.array([0.0, 1, 0, 100]), level, rest, block)
    assert over_combinations(means[1] - means[0]).size == 1


def test_equal_differences_have_their_own_value_as_the_shift():
    assert robust.robust(np.full(500, 0.25)).interval == robust.Interval(0.25, 0.25)
