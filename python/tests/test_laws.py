"""Scaling laws compared with independent fits, and chosen in simulations."""

import numpy as np
import pytest
from scipy import optimize

from knee.explain.scaling.summary import ScalingSummary, law_words
from knee.stats.scaling import curve_fit, laws
from knee.stats.scaling.laws import AMDAHL, GUSTAFSON, SATURATION, USL, choose

COUNTS = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48], dtype=float)


def curves(law, parameters, *, noise: float, trials: int, counts=COUNTS, seed=1):
    exact = law.log_speedup(np.array([parameters]), counts)
    return exact + np.random.default_rng(seed).normal(0, noise, (trials, counts.size))


def named(counts, many) -> list[str | None]:
    """Return the law named for each of many curves, each given as a single block."""
    tried = [(law.name, laws._score(law, counts, many)) for law in (AMDAHL, USL, SATURATION)]
    return [
        laws._decided(
            [laws.Fit(name, (), scores[one], errors[one]) for name, (_, scores, errors) in tried], counts.size
        ).law
        for one in range(len(many))
    ]


def fitted_to_throughput(load, throughput) -> np.ndarray:
    """Return g, a and b of USL by least squares on throughput itself, as R's package ``usl`` fits it."""
    start = np.array([(throughput / load).max(), 0.01, 1e-4])
    found = optimize.least_squares(
        lambda p: throughput - p[0] * np.exp(laws.universal(p[None, 1:], load)[0]),
        start,
        bounds=(np.zeros(3), np.array([np.inf, 1.0, 10.0])),
        x_scale=start,
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
    )
    return found.x


def test_usl_on_specsdm91_to_every_digit_of_rs_own_package():
    load = np.array([1.0, 18, 36, 72, 108, 144, 216])
    throughput = np.array([64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])
    g, a, b = fitted_to_throughput(load, throughput)
    assert (round(a, 6), round(b, 9), round(g, 3)) == (0.027728, 1.04366e-4, 89.995)
    [top] = laws.peak(np.array([[a, b]]))
    assert round(top, 4) == 96.5194
    assert top == pytest.approx(96.51956, abs=2e-4), "R's search ends a little earlier"
    [most] = g * np.exp(laws.universal(np.array([[a, b]]), np.array([top])))[0]
    assert round(most, 2) == 1883.90


@pytest.mark.parametrize(
    ("law", "parameters"), [(AMDAHL, (0.07,)), (USL, (0.03, 0.0007)), (SATURATION, (9.0,)), (GUSTAFSON, (0.1,))]
)
def test_fits_of_many_curves_equal_scipys_one_by_one(law, parameters):
    many = curves(law, parameters, noise=0.02, trials=6)
    starts, low, high = laws._ends(law, COUNTS)
    found, squares = curve_fit.fit(law.log_speedup, COUNTS, many, starts, low, high)
    for curve, ours, left in zip(many, found, squares, strict=True):

        def miss(p, curve=curve):
            apart = curve - law.log_speedup(p[None], COUNTS)[0]
            return apart - apart.mean()

        theirs = optimize.least_squares(miss, np.array(parameters), bounds=(low, high), xtol=1e-14, ftol=1e-14)
        assert left == pytest.approx(2 * theirs.cost, rel=1e-6)
        assert ours == pytest.approx(theirs.x, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize(
    ("law", "parameters", "of_200"),
    [
        (AMDAHL, (0.02,), 188),
        (AMDAHL, (0.05,), 188),
        (AMDAHL, (0.15,), 188),
        (SATURATION, (6.0,), 200),
        (SATURATION, (12.0,), 200),
        (USL, (0.02, 0.0005), 183),
        (USL, (0.05, 0.001), 183),
    ],
)
def test_the_true_law_is_named(law, parameters, of_200):
    """At 11 counts and 1.5 % noise; `of_200` is the result of AICc alone in an independent simulation."""
    found = named(COUNTS, curves(law, parameters, noise=0.015, trials=200))
    share = of_200 / 200
    assert found.count(law.name) >= of_200 - 2 * np.sqrt(200 * share * (1 - share))
    assert sum(name not in (None, law.name) for name in found) <= 200 // 25


@pytest.mark.parametrize(("law", "parameters"), [(AMDAHL, (0.05,)), (SATURATION, (12.0,)), (USL, (0.05, 0.001))])
def test_much_noise_leaves_it_undecided(law, parameters):
    found = named(COUNTS, curves(law, parameters, noise=0.05, trials=200))
    assert found.count(None) >= 0.85 * 200
    assert sum(name not in (None, law.name) for name in found) <= 200 // 25


def test_six_counts_do_not_turn_usl_into_amdahl():
    few = np.array([1.0, 2, 4, 8, 16, 32])
    found = named(few, curves(USL, (0.05, 0.001), noise=0.015, trials=200, counts=few))
    assert found.count("Amdahl") <= 200 // 25


FEW = np.array([1.0, 2, 4, 8, 16, 32])


def nearly(law, parameters, off: float) -> laws.Choice:
    """Return the choice for six counts that deviate this much from a law, equally in all blocks."""
    means = law.log_speedup(np.array([parameters]), FEW) + off * np.array([1, -1, 1, 1, -1, 0.5])
    return choose(FEW, means + 0.001 * np.random.default_rng(1).normal(size=(5, FEW.size)))


def test_six_counts_say_that_usl_fits_and_that_they_cannot_choose():
    found = nearly(USL, (0.05, 0.001), 0.006)
    assert found.law is None
    errors = {one.law: one.error for one in found.fits}
    assert errors["USL"] < 0.008
    assert errors["Amdahl"] > 0.05, "which is AICc's choice, since it has one parameter less"
    said = (
        "USL fits within 0.7 %, Amdahl only within 5.7 %, but 6 thread counts are too few to choose a law with two "
        "parameters"
    )
    assert (found.why, found.closest.law) == (said, "USL")
    words = law_words(ScalingSummary(found, None, None, None))
    assert words.startswith(f"cannot tell: {said}; USL, a = 0.0")
    assert "peak = 3" in words


def test_what_six_counts_cannot_tell_apart_is_said_with_both_errors():
    found = nearly(USL, (0.03, 0.0003), 0.004)
    assert (found.law, found.closest.law) == (None, "USL")
    assert found.why == "USL fits within 0.5 %, Amdahl within 2.2 %: 6 thread counts are too few to tell"


def test_where_no_law_fits_the_closest_is_named_with_its_error():
    zigzag = np.log([1.0, 2.0, 1.2, 2.5, 1.3, 2.6]) + 0.001 * np.random.default_rng(1).normal(size=(5, 6))
    found = choose(np.array([1.0, 2, 3, 4, 6, 8]), zigzag)
    least = min(found.fits, key=lambda one: one.error)
    assert found.why == f"no law fits within 3 %; the closest, {least.law}, within {100 * least.error:.1f} %"


def test_a_flat_curve_has_no_law():
    flat = 0.004 * np.random.default_rng(2).normal(size=(5, COUNTS.size))
    found = choose(COUNTS, flat - flat[:, :1])
    assert (found.law, found.open) == (None, "")
    assert "there is no scaling to describe" in found.why


def test_amdahls_law_says_which_usl_it_leaves_open():
    few = np.array([1.0, 2, 3, 4, 6, 8])
    found = [choose(few, curves(USL, (0.05, 0.001), noise=0.015, trials=5, counts=few, seed=n)) for n in range(20)]
    named = [one for one in found if one.law == "Amdahl"]
    assert len(named) > 10
    assert all("at 8 threads, is not excluded" in one.open for one in named)
    many = choose(COUNTS, curves(AMDAHL, (0.05,), noise=0.002, trials=5))
    assert (many.law, many.open) == ("Amdahl", "")


def test_a_peak_is_one_thread_at_least_and_infinite_without_b():
    assert list(laws.peak(np.array([[1.0, 0.2], [1.0, 0.0], [0.1, 0.0]]))) == [1.0, np.inf, np.inf]


def test_fewer_than_six_counts_have_no_law():
    few = choose(COUNTS[:5], curves(AMDAHL, (0.05,), noise=0.01, trials=5)[:, :5])
    assert (few.law, few.fits) == (None, ())
    assert "6 thread counts that fit the cpus are needed" in few.why


def test_gustafsons_law_is_tried_only_where_the_input_grows():
    blocks = curves(GUSTAFSON, (0.3,), noise=0.005, trials=5)
    assert choose(COUNTS, blocks, scaled=True).law == "Gustafson"
    assert "Gustafson" not in {fit.law for fit in choose(COUNTS, blocks).fits}


def test_a_straight_line_is_every_law_and_so_none():
    found = choose(COUNTS, curves(AMDAHL, (0.0,), noise=0.005, trials=5))
    assert found.law is None
    assert "equally well" in found.why


@pytest.mark.nightly
@pytest.mark.parametrize("blocks", [5, 10])
def test_intervals_of_a_parameter_cover_what_they_promise(blocks):
    trials, truth = 300, 0.05
    inside = 0
    for trial in range(trials):
        found = choose(COUNTS, curves(AMDAHL, (truth,), noise=0.02, trials=blocks, seed=trial))
        [s] = next(fit for fit in found.fits if fit.law == "Amdahl").parameters
        inside += s.interval.low <= truth <= s.interval.high
    assert 0.85 <= inside / trials <= 0.95
