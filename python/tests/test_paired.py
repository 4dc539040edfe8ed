"""Comparisons of A and B: false alarms, power, coverage, Holm."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from knee.stats.equivalence import equivalence
from knee.stats.paired import allowing, answers, holm, paired, together, unpaired


def pairs(random, *, blocks: int, noise: float, factor: float = 1.0, heavy: bool = False):
    shape = (2, blocks)
    shake = random.standard_t(4, shape) / np.sqrt(2) if heavy else random.normal(0, 1, shape)
    mood = random.normal(0, 0.05, blocks)
    return np.exp(noise * shake[0] + mood), factor * np.exp(noise * shake[1] + mood)


@pytest.mark.parametrize("heavy", [False, True], ids=["normal", "heavy-tailed"])
@pytest.mark.parametrize("blocks", [5, 10])
def test_a_against_a_is_called_slower_no_oftener_than_promised(blocks, heavy):
    random = np.random.default_rng(10 + blocks)
    # Without a smallest difference that matters, so that only the test itself keeps alarms down.
    found = [paired(*pairs(random, blocks=blocks, noise=0.02, heavy=heavy)).answer(0.0) for _ in range(2000)]
    # Eight such intervals are looked at: at 90 % one in three runs of the tests would see one lie above by chance.
    for word in ("slower", "faster"):
        assert stats.binomtest(found.count(word), 2000).proportion_ci(0.99, "exact").low <= 0.05


def test_three_percent_at_one_percent_noise_is_found_with_six_blocks():
    random = np.random.default_rng(2)
    found = [paired(*pairs(random, blocks=6, noise=0.01, factor=1.03)).answer(0.03) for _ in range(1000)]
    assert found.count("slower") >= 900
    assert found.count("faster") == 0


@pytest.mark.parametrize("heavy", [False, True], ids=["normal", "heavy-tailed"])
@pytest.mark.parametrize("blocks", [5, 10])
@pytest.mark.parametrize("compare", [paired, unpaired])
def test_intervals_cover_what_they_promise(compare, blocks, heavy):
    random, inside, trials = np.random.default_rng(3), 0, 3000
    for _ in range(trials):
        a, b = pairs(random, blocks=blocks, noise=0.02, factor=1.1, heavy=heavy)
        inside += not compare(a, b).interval.excludes(1.1)
    # Welch's pairs share a mood here, which two sessions would not: its interval may only be too wide.
    assert 0.87 <= inside / trials <= (0.93 if compare is paired else 1.0)


def test_welch_equals_scipys():
    random = np.random.default_rng(4)
    a, b = np.exp(random.normal(0, 0.1, 7)), np.exp(random.normal(0.1, 0.3, 5))
    theirs = stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
    ends = theirs.confidence_interval(0.90)
    ours = unpaired(a, b)
    assert (ours.interval.low, ours.interval.high) == pytest.approx((np.exp(ends.low), np.exp(ends.high)))
    assert 2 * min(ours.p_slower, ours.p_faster) == pytest.approx(theirs.pvalue)


def test_differences_within_the_margin_are_equal_even_if_significant():
    steady = np.array([1.0, 1.0001, 0.9999, 1.0])
    assert paired(steady, np.roll(steady, 1) * 1.01).answer() == "equal"
    assert paired(steady, np.roll(steady, 1) * 1.05).answer() == "slower"
    assert paired(steady, np.roll(steady, 1) / 1.05).answer() == "faster"


def test_of_too_few_pairs_one_cannot_tell():
    assert paired(np.array([1.0]), np.array([2.0])).answer() == "cannot tell"
    assert unpaired(np.array([np.nan]), np.array([2.0])).answer() == "cannot tell"
    assert np.isnan(unpaired(np.array([np.nan]), np.array([2.0])).estimate)


def test_many_null_comparisons_do_not_fail_a_gate():
    random, alone, gates = np.random.default_rng(5), 0, 0
    for _ in range(200):
        cells = [paired(*pairs(random, blocks=5, noise=0.02)) for _ in range(25)]
        alone += any(one.answer(0.001) == "slower" for one in cells)
        gates += together(answers(cells, 0.001)) == "slower"
    assert alone > 100
    assert stats.binomtest(gates, 200).proportion_ci(0.90, "exact").low <= 0.05


def test_one_cell_of_many_that_is_slower_is_found():
    random = np.random.default_rng(6)
    cells = [paired(*pairs(random, blocks=6, noise=0.01, factor=1.0 + 0.2 * (n == 7))) for n in range(25)]
    found = answers(cells)
    assert found.count("slower") == 1
    assert found[7] == "slower" == together(found)


def test_holm_by_hand():
    assert holm(np.array([0.005, 0.04, 0.03, np.nan]))[:3] == pytest.approx([0.015, 0.06, 0.06])
    assert np.isnan(holm(np.array([np.nan]))[0])
    several = np.array([[0.005, 0.5], [0.04, np.nan], [0.03, 0.01]])
    assert holm(several)[:, 0] == pytest.approx([0.015, 0.06, 0.06])
    assert holm(several)[[0, 2], 1] == pytest.approx([0.5, 0.02])


def test_one_verdict_for_many():
    assert together(["faster", "slower", "cannot tell"]) == "slower"
    assert together(["faster", "cannot tell"]) == "faster"
    assert together(["equal", "equal"]) == "equal"
    assert together(["equal", "cannot tell"]) == together([]) == "cannot tell"


def test_two_one_sided_tests_are_wrong_no_oftener_than_promised():
    """At the edge of the margin, times are called equal in at most 5 % of cases."""
    random = np.random.default_rng(7)
    found = [equivalence(*pairs(random, blocks=8, noise=0.01, factor=1.03)[::-1]).answer for _ in range(600)]
    assert stats.binomtest(found.count("equal"), 600).proportion_ci(0.90, "exact").low <= 0.05
    same = [equivalence(*pairs(random, blocks=8, noise=0.01)).answer for _ in range(100)]
    assert same.count("equal") >= 90


@pytest.mark.parametrize(
    "compare", [paired, unpaired, partial(unpaired, spread=0.01)], ids=["paired", "welch", "spread"]
)
def test_what_others_may_have_taken_keeps_a_difference_from_being_shown(compare):
    random = np.random.default_rng(11)
    a, b = (by * np.exp(random.normal(0, 0.005, 8)) for by in (1.0, 1.3))
    nothing, half, some = (np.full(8, share) for share in (0.0, 0.5, 0.05))
    assert answers([allowing(compare, a, b, nothing, nothing)] * 2) == ["slower"] * 2
    assert answers([allowing(compare, a, b, nothing, some)] * 2) == ["slower"] * 2
    assert answers([allowing(compare, a, b, half, nothing)] * 2) == ["slower"] * 2
    assert answers([allowing(compare, a, b, nothing, half)] * 2) == ["cannot tell"] * 2
    assert answers([allowing(compare, b, a, half, nothing)] * 2) == ["cannot tell"] * 2


def test_p_values_beside_many_comparisons_are_those_of_what_others_left():
    a, b = np.exp(np.array([0, 1, -1, 0, 1, -1, 0, 0]) * 0.01), np.full(8, 1.04)
    # Alone the difference is still shown; of fifty it is not, for what others left has a larger p value.
    found = allowing(paired, a, b, np.zeros(8), np.full(8, 0.03))
    random = np.random.default_rng(12)
    null = [paired(*pairs(random, blocks=8, noise=0.02)) for _ in range(49)]
    assert answers([found]) == ["slower"]
    assert answers([paired(a, b), *null])[0] == "slower"
    assert answers([found, *null])[0] == "cannot tell"


@pytest.mark.parametrize("spread", [0.0, 0.03])
def test_a_comparison_of_too_few_runs_is_no_test_beside_others(spread):
    random = np.random.default_rng(13)
    known = unpaired(*(np.exp(random.normal(by, 0.01, 8)) for by in (0.0, 0.06)), spread)
    few = unpaired(np.array([2.0]), np.array([1.0]), spread)
    alone, beside = answers([known]), answers([known, *[few] * 40])
    assert beside == [*alone, *["cannot tell"] * 40]
    assert alone == ["slower"]


def test_what_others_may_have_taken_makes_no_answer_surer():
    """Without what they may have taken of one slow run the others agree; as measured, nothing is shown."""
    a, b = np.ones(5), np.array([1.02, 1.02, 1.021, 1.019, 1.15])
    seen, held = paired(a, b), allowing(paired, a, b, np.zeros(5), np.array([0, 0, 0, 0, 0.11]))
    assert answers([seen]) == answers([held]) == ["cannot tell"]
    assert held.interval.low <= seen.interval.low < 1 < seen.interval.high <= held.interval.high
    assert held.p_slower >= seen.p_slower
