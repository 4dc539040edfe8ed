"""The recommended number of blocks decides most comparisons; far fewer blocks do not."""

import numpy as np
import pytest

from knee.stats.answers import answer
from knee.stats.blocks_needed import MOST, blocks_needed
from knee.stats.intervals import Interval, t_interval
from knee.stats.paired import paired

TRUTHS = (0.0, 0.02, 0.06, 0.1)


def said(logs: np.ndarray) -> str:
    ends = t_interval(logs)
    return answer(Interval(float(np.exp(ends.low)), float(np.exp(ends.high))))


def decided(trials: int, *, blocks: int, noise: float, share: float = 1.0, new_study: bool = False) -> float:
    """Return the share of open comparisons that are decided with this fraction of the recommended blocks."""
    random, known = np.random.default_rng(8), []
    for trial in range(trials):
        truth = TRUTHS[trial % len(TRUTHS)]
        first = random.normal(truth, noise, blocks)
        if said(first) == "cannot tell":
            more = blocks_needed(float(first.mean()), float(first.std(ddof=1)), blocks, new_study=new_study)
            assert more is not None
            kept = first[:0] if new_study else first
            whole = np.concatenate([kept, random.normal(truth, noise, max(2, int(share * more)))])
            known.append(said(whole) != "cannot tell")
    assert len(known) > trials / 4
    return float(np.mean(known))


@pytest.mark.parametrize(("blocks", "noise"), [(3, 0.05), (5, 0.05), (5, 0.1), (10, 0.1)])
def test_after_as_many_blocks_as_advised_most_comparisons_are_decided(blocks, noise):
    assert decided(400, blocks=blocks, noise=noise) > 0.70
    # Were the advice several times what is needed, a quarter of it would do as well.
    assert decided(400, blocks=blocks, noise=noise, share=0.25) < 0.55


@pytest.mark.parametrize(("blocks", "noise"), [(3, 0.05), (5, 0.1)])
def test_a_new_study_of_as_many_blocks_as_advised_decides_most_comparisons(blocks, noise):
    assert decided(400, blocks=blocks, noise=noise, new_study=True) > 0.70
    assert decided(400, blocks=blocks, noise=noise, share=0.25, new_study=True) < 0.55


def test_a_new_study_needs_more_blocks_than_one_that_goes_on():
    assert blocks_needed(0.0, 0.1, 5, new_study=True) > blocks_needed(0.0, 0.1, 5)
    assert blocks_needed(0.3, 0.05, 5, new_study=True) == 2, "an interval takes two"


def test_the_advice_grows_with_the_square_of_the_noise_and_of_the_margin():
    few, many = (blocks_needed(0.0, noise, 5) for noise in (0.05, 0.1))
    assert 3 < many / few < 6
    assert blocks_needed(0.0, 0.05, 5, margin=0.06) * 3 < few


def test_a_difference_that_is_nearly_shown_takes_few_blocks():
    assert blocks_needed(0.09, 0.1, 5) < blocks_needed(0.03, 0.1, 5)
    assert blocks_needed(0.3, 0.05, 5) == 1


def test_nothing_is_advised_where_nothing_is_known_or_a_thousand_would_not_do():
    assert paired(np.array([1.0]), np.array([1.1])).more_blocks() is None
    assert paired(np.array([np.nan]), np.array([1.1])).more_blocks() is None
    assert blocks_needed(0.0, 0.5, 20) is None
    assert MOST // 4 < blocks_needed(0.0, 0.3, 5) <= MOST


def test_of_a_ratio_the_scatter_is_that_of_its_blocks():
    logs = np.random.default_rng(1).normal(0.02, 0.1, 6)
    asked = paired(np.ones(6), np.exp(logs)).more_blocks()
    assert asked == blocks_needed(float(logs.mean()), float(logs.std(ddof=1)), 6)
