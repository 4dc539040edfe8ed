"""Properties of every factorial design, and coverage of intervals."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from knee.stats.block_means import block_means, over_combinations
from knee.stats.intervals import Interval
from knee.stats.linear.anova import anova
from knee.stats.linear.comparisons import contrast, tukey
from knee.stats.linear.design import Design, Factor
from knee.stats.linear.diagnostics import diagnose
from knee.stats.linear.effects import effects
from knee.stats.linear.least_squares import fit
from knee.stats.linear.transform import box_cox, original, transformed
from knee.stats.practical import size
from knee.stats.robust import robust

shapes = st.tuples(st.integers(2, 4), st.integers(2, 3), st.integers(2, 4))


def design_of(a: int, b: int, blocks: int, *, blocked: bool = True) -> Design:
    cells = np.array([(i, j, k) for k in range(blocks) for i in range(a) for j in range(b)])
    names = [[f"{name}{code}" for code in cells[:, n]] for n, name in enumerate("ABk")]
    block = Factor.of("block", names[2]) if blocked else None
    return Design((Factor.of("A", names[0]), Factor.of("B", names[1])), block)


def drawn(seed: int, design: Design) -> np.ndarray:
    return np.random.default_rng(seed).normal(5, 1, design.runs)


@given(shapes, st.integers(0, 1000))
def test_effects_sum_to_zero_along_each_factor(shape, seed):
    design = design_of(*shape)
    fitted = fit(drawn(seed, design), design)
    found = {one.levels: one.estimate.value for one in effects(fitted)}
    a, b = (design.named[name].levels for name in "AB")
    assert sum(found[(level,)] for level in a) == pytest.approx(0, abs=1e-9)
    for level in b:
        assert sum(found[other, level] for other in a) == pytest.approx(0, abs=1e-9)


@given(shapes, st.integers(0, 1000), st.booleans())
def test_sums_of_squares_add_up_where_the_design_is_balanced(shape, seed, blocked):
    design = design_of(*shape, blocked=blocked)
    table = anova(fit(drawn(seed, design), design))
    assert table.adds_up
    assert sum(one.squares for one in table.sources) == pytest.approx(table.sst)
    assert table.ssy - table.ss0 == pytest.approx(table.sst)
    assert sum(one.freedom for one in table.sources) == design.runs - 1


@settings(max_examples=40, deadline=None)
@given(shapes, st.integers(0, 1000), st.randoms(use_true_random=False), st.integers(0, 3))
def test_neither_the_order_of_levels_nor_that_of_runs_changes_anything(shape, seed, random, lost):
    design = design_of(*shape)
    assume(design.runs - lost > 2 * shape[0] * shape[1])
    values, kept = drawn(seed, design), np.random.default_rng(seed).permutation(design.runs)[lost:]

    def turned(factor: Factor, *, turn: bool) -> Factor:
        names = [factor.levels[code] for code in factor.codes[kept]]
        levels = sorted(set(names))
        if turn:
            random.shuffle(levels)
        return Factor.of(factor.name, names, levels)

    tables, compared = [], []
    for turn in (False, True):
        same = Design(tuple(turned(one, turn=turn) for one in design.factors), turned(design.named["block"], turn=turn))
        assume(not same.missing)
        fitted = fit(values[kept], same)
        tables.append([(one.name, one.squares) for one in anova(fitted).sources])
        one = contrast(fitted, {"A": "A0"}, {"A": "A1"})
        compared.append((one.value, one.error))
    assert dict(tables[0]) == pytest.approx(dict(tables[1]), rel=1e-7, abs=1e-9)
    assert compared[0] == pytest.approx(compared[1], rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("scale", ["none", "log", "sqrt", "inverse"])
def test_a_scale_is_turned_back(scale):
    assert original(float(transformed(np.array([4.0]), scale)[0]), scale) == pytest.approx(4.0)


def made_up(power: str, seed: int = 1, height: float = 4.0):
    """Return values whose effects and errors add up on some scale, tenfold apart."""
    design = design_of(3, 2, 20)
    draw = np.random.default_rng(seed)
    level = 1 + design.factors[0].codes + design.factors[1].codes / 2 + draw.normal(0, 0.15, design.runs)
    back = {"none": lambda x: x, "log": np.exp, "sqrt": lambda x: x**2, "inverse": lambda x: 1 / (height + 1 - x)}
    return back[power](level), design


@pytest.mark.parametrize("scale", ["none", "log", "sqrt", "inverse"])
def test_the_scale_on_which_values_were_made_is_recommended(scale):
    values, design = made_up(scale)
    found = box_cox(values, design)
    assert found.recommended == scale, found
    assert found.reason.endswith(".")


def test_values_close_together_stay_as_they_are_and_others_have_no_scale():
    design = design_of(2, 2, 5)
    values = np.random.default_rng(1).normal(10, 0.2, design.runs)
    assert box_cox(values, design).recommended == "none"
    assert "only 1.05 times" in box_cox(values, design).reason
    assert "not positive" in box_cox(values - 10, design).reason


def test_practical_size_needs_the_whole_interval():
    assert size(Interval(1.06, 1.2)) == "matters"
    assert size(Interval(0.7, 0.94)) == "matters"
    assert size(Interval(0.96, 1.04)) == "equal"
    assert size(Interval(0.9, 1.0)) == "cannot tell"
    assert size(Interval(1.06, 1.2), smallest=0.25) == "equal"
    assert size(Interval(np.nan, np.nan)) == "cannot tell"


def test_diagnostics_find_what_was_put_in():
    design = design_of(4, 2, 15)
    draw = np.random.default_rng(2)
    level = np.exp(design.factors[0].codes)
    growing = level * (10 + draw.normal(0, 1, design.runs))
    found = diagnose(fit(growing, design), growing)
    assert found.growth.speaks
    assert found.equal.speaks
    assert any("Their spread depends" in line for line in found.sentences())
    drifting = draw.normal(10, 1, design.runs) + np.arange(design.runs) / 20
    unblocked = design_of(4, 2, 15, blocked=False)
    assert any("The residuals drift" in line for line in diagnose(fit(drifting, unblocked), drifting).sentences())
    places = np.concatenate([block * 8 + draw.permutation(8) for block in range(15)])
    mixed = Design(
        tuple(Factor(one.name, one.levels, one.codes[places]) for one in design.factors),
        Factor.of("block", [str(n // 8) for n in range(design.runs)]),
    )
    drifting = draw.normal(10, 1, design.runs) + np.arange(design.runs) / 4
    assert any("The residuals drift" in line for line in diagnose(fit(drifting, mixed), drifting).sentences())
    heavy = draw.standard_cauchy(design.runs)
    assert any("not normal" in line for line in diagnose(fit(heavy, design), heavy).sentences())
    calm = draw.normal(10, 1, design.runs)
    found = diagnose(fit(calm, design), calm)
    tests = (found.trend, found.growth, found.normal, found.equal, found.steady, found.drift)
    assert not any(one.speaks for one in tests)


def test_products_of_blocks_and_levels_show_as_a_bend():
    design = design_of(4, 2, 8)
    values = np.exp(design.factors[0].codes + design.named["block"].codes / 2.0)
    found = diagnose(fit(values * np.random.default_rng(3).lognormal(0, 0.02, design.runs), design), values)
    assert found.trend.speaks


def differences(*runs: np.ndarray) -> np.ndarray:
    means = block_means(*runs)
    return over_combinations(means[0] - means[1])


def test_differences_are_taken_inside_blocks_and_cells():
    levels, rest = np.array([0, 1] * 4), np.array([0, 0, 1, 1] * 2)
    blocks = np.array([1] * 4 + [2] * 4)
    values = np.array([3.0, 1, 30, 10, 5, 1, 50, 10])
    assert differences(values, levels, rest, blocks).tolist() == [11.0, 22.0]
    # Without one run the second block would compare something else: what both have is left.
    assert differences(values[:-1], levels[:-1], rest[:-1], blocks[:-1]).tolist() == [2.0, 4.0]


def noise(kind: str, draw: np.random.Generator, count: int) -> np.ndarray:
    if kind == "normal":
        return draw.normal(0, 1, count)
    if kind == "t3":
        return draw.standard_t(3, count)
    return draw.lognormal(0, 0.5, count) - np.exp(0.125)


@pytest.mark.parametrize("kind", ["normal", "t3", "lognormal"])
@pytest.mark.parametrize("blocks", [5, 10])
def test_intervals_of_effects_and_contrasts_cover_what_they_promise(blocks, kind):
    trials, draw = 2000, np.random.default_rng(blocks)
    design = design_of(3, 2, blocks)
    truth = np.array([2.0, 0.5, 1.0])[design.factors[0].codes] + design.factors[1].codes
    # The effects of A0, of B1, of both A1 and B0, and the contrast of A0 with A1.
    true = np.array([5 / 6, 0.5, 0.0, 1.5])
    rows = [design.effect_rows(("A",))[0], design.effect_rows(("B",))[1], design.effect_rows(("A", "B"))[2]]
    rows.append(design.mean_row({"A": "A0"}) - design.mean_row({"A": "A1"}))
    hits = np.zeros(true.size)
    for _ in range(trials):
        mood = draw.normal(0, 1, blocks)[design.named["block"].codes]
        found = fit(truth + mood + noise(kind, draw, design.runs), design).estimates(np.array(rows))
        hits += [not one.interval.excludes(value) for one, value in zip(found, true, strict=True)]
    assert all(0.87 <= share <= 0.93 for share in hits / trials), hits / trials


def test_the_robust_shift_covers_at_least_what_it_promises():
    draw, trials = np.random.default_rng(4), 1500
    for blocks, level in ((5, 0.9375), (10, 0.9)):
        hits = sum(not robust(draw.standard_t(3, blocks)).interval.excludes(0.0) for _ in range(trials))
        assert level - 0.02 <= hits / trials <= level + 0.03


@pytest.mark.nightly
def test_tukeys_intervals_hold_together():
    draw, design, trials = np.random.default_rng(6), design_of(3, 2, 5), 400
    hits = sum(
        not any(one.together.excludes(0.0) for one in tukey(fit(draw.normal(0, 1, design.runs), design), "A"))
        for _ in range(trials)
    )
    assert 0.87 <= hits / trials <= 0.93


def two_levels(blocks: int) -> Design:
    names = [[f"A{run % 2}" for run in range(2 * blocks)], [f"k{run // 2}" for run in range(2 * blocks)]]
    return Design((Factor.of("A", names[0]),), Factor.of("block", names[1]))


def test_of_two_runs_in_a_block_one_residual_tells_all():
    """Their residuals are opposites, so that each cell seems to scatter as much as the other."""
    draw = np.random.default_rng(4)
    design = two_levels(8)
    first = design.factors[0].codes == 0
    values = 10 + np.where(first, draw.normal(0, 1, design.runs), draw.normal(0, 0.01, design.runs))
    found = diagnose(fit(values, design), values)
    assert found.equal.why.startswith("the two residuals of a block are opposites")
    rates = []
    for seed in range(300):
        calm = np.random.default_rng(seed).normal(10, 1, design.runs) + 3 * design.block.codes
        told = diagnose(fit(calm, design), calm)
        rates.append([told.growth.p < 0.1, told.steady.p < 0.1])
    assert (np.mean(rates, axis=0) < 0.17).all()


def test_two_blocks_of_two_runs_are_too_few_for_one_more_term():
    design = two_levels(2)
    values = np.array([1.0, 2.1, 1.2, 2.0])
    found = diagnose(fit(values, design), values)
    assert found.trend.why == found.drift.why == "one more term leaves no degree of freedom"
