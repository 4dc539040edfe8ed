"""Effects tested against their interaction with blocks: compared with statsmodels, and by simulation."""

import numpy as np
import pytest
from scipy import stats

from knee.stats.intervals import t_interval
from knee.stats.linear.anova import anova
from knee.stats.linear.block_errors import by_blocks
from knee.stats.linear.comparisons import contrast, tukey
from knee.stats.linear.design import Design, Factor
from knee.stats.linear.effects import effects
from knee.stats.linear.least_squares import fit
from knee.stats.proportion import clopper_pearson


def design_of(a: int, b: int, blocks: int, kept: np.ndarray | None = None) -> Design:
    cells = np.array([(i, j, k) for k in range(blocks) for i in range(a) for j in range(b)])
    cells = cells if kept is None else cells[kept]
    names = [[f"{name}{code}" for code in cells[:, n]] for n, name in enumerate("ABk")]
    return Design((Factor.of("A", names[0]), Factor.of("B", names[1])), Factor.of("block", names[2]))


def moody(random, design: Design, mood: float, effect: float = 0.0, kind: str = "each") -> np.ndarray:
    """Return values with noise of 1, a random shift of each block, and of levels of A within blocks (see ``kind``)."""
    a, block = design.factors[0], design.named["block"]
    moods = random.normal(0, mood, (len(block.levels), len(a.levels)))
    if kind != "each":
        moods = moods[:, :1] * ((np.arange(len(a.levels)) == 0) if kind == "one" else np.arange(len(a.levels)))
    moods = moods[block.codes, a.codes]
    return (
        random.normal(0, 3, len(block.levels))[block.codes]
        + moods
        + random.normal(0, 1, design.runs)
        + effect * (a.codes == 0)
    )


@pytest.mark.parametrize(("a", "b", "blocks"), [(2, 3, 4), (3, 4, 5), (2, 2, 8)])
def test_f_is_that_of_statsmodels_for_repeated_measures(a, b, blocks):
    # Imported here: it takes seconds, which the other tests need not wait for.
    import pandas as pd
    from statsmodels.stats.anova import AnovaRM

    design = design_of(a, b, blocks)
    values = moody(np.random.default_rng(a * b), design, 2.0, 1.0)
    columns = {name: [one.levels[code] for code in one.codes] for name, one in design.named.items()}
    theirs = AnovaRM(pd.DataFrame(columns | {"y": values}), "y", "block", within=["A", "B"]).fit().anova_table
    table = anova(by_blocks(fit(values, design)))
    for term, name in ((("A",), "A"), (("B",), "B"), (("A", "B"), "A:B")):
        ours, row = table.of(*term), theirs.loc[name]
        expected = (row["F Value"], row["Num DF"], row["Den DF"])
        assert (ours.f, ours.freedom, ours.against.freedom) == pytest.approx(expected, rel=1e-8)
        if ours.against.sphericity == 1:
            assert ours.p == pytest.approx(row["Pr > F"], rel=1e-8)


def test_as_many_degrees_of_freedom_count_as_huynh_and_feldt_say():
    a, blocks = 4, 8
    design = design_of(a, 1, blocks)
    design = Design(design.factors[:1], design.block)
    values = moody(np.random.default_rng(9), design, 0.0) + 5 * (design.factors[0].codes == 3) * np.repeat(
        np.random.default_rng(1).normal(0, 1, blocks), a
    )
    # By orthonormal contrasts and the eigenvalues of their covariances, as textbooks have it.
    contrasts = np.linalg.qr(np.column_stack([np.ones(a), np.eye(a)[:, : a - 1]]))[0][:, 1:]
    roots = np.linalg.eigvalsh(np.cov(values.reshape(blocks, a) @ contrasts, rowvar=False))
    box = roots.sum() ** 2 / (a - 1) / (roots**2).sum()
    expected = (blocks * (a - 1) * box - 2) / ((a - 1) * (blocks - 1 - (a - 1) * box))
    source = anova(by_blocks(fit(values, design))).of("A")
    assert source.against.sphericity == pytest.approx(expected)
    assert expected < 0.7
    assert source.p == pytest.approx(stats.f.sf(source.f, 3 * expected, 21 * expected))


def test_of_two_levels_everything_is_students_t_on_the_blocks_differences():
    design = design_of(2, 3, 6)
    values = moody(np.random.default_rng(1), design, 2.0, 1.0)
    fitted = by_blocks(fit(values, design))
    means = values.reshape(6, 2, 3).mean(axis=2)
    expected = t_interval(means[:, 0] - means[:, 1])
    found = contrast(fitted, {"A": "A0"}, {"A": "A1"}).interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    [pair] = tukey(fitted, "A")
    assert (pair.together.low, pair.together.high) == pytest.approx((expected.low, expected.high))
    assert pair.p == pytest.approx(anova(fitted).of("A").p)
    [effect] = [one.estimate for one in effects(fitted) if one.levels == ("A0",)]
    assert (effect.interval.low, effect.interval.high) == pytest.approx((expected.low / 2, expected.high / 2))


def test_a_difference_of_cells_mixes_the_errors_of_its_terms():
    design = design_of(2, 2, 6)
    values = moody(np.random.default_rng(2), design, 2.0)
    fitted = by_blocks(fit(values, design))
    one = contrast(fitted, {"A": "A0", "B": "B0"}, {"A": "A1", "B": "B0"})
    main, both = (fitted.error_of(term).mean_square for term in (("A",), ("A", "B")))
    assert one.error**2 == pytest.approx((main + both) / 6 / 2 * 2)
    plain = fit(values, design)
    assert one.value == pytest.approx(contrast(plain, {"A": "A0", "B": "B0"}, {"A": "A1", "B": "B0"}).value)


def test_lost_runs_leave_their_blocks_out_of_the_errors():
    kept = np.ones(2 * 3 * 5, dtype=bool)
    kept[[0, 7]] = False
    design = design_of(2, 3, 5, kept)
    values = moody(np.random.default_rng(3), design, 2.0)
    fitted = by_blocks(fit(values, design))
    assert {one.freedom for one in fitted.errors.values()} == {2, 4}, "three of the five blocks are whole"
    alone = design_of(2, 3, 3)
    expected = by_blocks(fit(values[-18:], alone)).error_of(("A",))
    assert fitted.error_of(("A",)).mean_square == pytest.approx(expected.mean_square)


def test_without_two_whole_blocks_the_error_is_the_plain_models():
    kept = np.ones(2 * 3 * 3, dtype=bool)
    kept[[0, 7]] = False
    design = design_of(2, 3, 3, kept)
    fitted = by_blocks(fit(moody(np.random.default_rng(4), design, 1.0), design))
    assert fitted.errors == {}
    assert anova(fitted).of("A").against.name == "error"


def rejected(
    a: int, b: int, blocks: int, trials: int, *, mood: float, effect: float = 0.0, lost: int = 0, kind: str = "each"
) -> int:
    """Return in how many studies F of A exceeds its 90 % table value."""
    random, design, many = np.random.default_rng(blocks + a), design_of(a, b, blocks), 0
    for _ in range(trials):
        if lost:
            kept = np.ones(a * b * blocks, dtype=bool)
            kept[random.choice(kept.size, lost, replace=False)] = False
            design = design_of(a, b, blocks, kept)
        many += anova(by_blocks(fit(moody(random, design, mood, effect, kind), design))).of("A").significant
    return many


@pytest.mark.parametrize("mood", [0.0, 2.0])
@pytest.mark.parametrize(("a", "b", "blocks"), [(2, 3, 5), (4, 2, 8)])
def test_blocks_that_favour_levels_are_no_effects(a, b, blocks, mood):
    assert 0.07 <= rejected(a, b, blocks, 1000, mood=mood) / 1000 <= 0.13


@pytest.mark.nightly
@pytest.mark.parametrize("mood", [0.0, 1.0, 3.0])
@pytest.mark.parametrize(("a", "b", "blocks"), [(2, 3, 3), (2, 6, 5), (4, 2, 5), (3, 3, 20)])
def test_blocks_that_favour_levels_are_no_effects_in_many_trials(a, b, blocks, mood):
    ends = clopper_pearson(rejected(a, b, blocks, 4000, mood=mood), 4000)
    assert ends.low <= 0.11
    assert ends.high >= 0.08


@pytest.mark.parametrize("kind", ["one", "along"])
def test_unequal_variation_of_levels_is_no_effect(kind):
    assert 0.07 <= rejected(4, 2, 8, 1000, mood=3.0, kind=kind) / 1000 <= 0.13


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["one", "along"])
@pytest.mark.parametrize(("a", "blocks"), [(3, 5), (6, 5), (6, 20)])
def test_unequal_variation_of_levels_is_no_effect_in_many_trials(a, blocks, kind):
    assert 0.08 <= rejected(a, 2, blocks, 4000, mood=3.0, kind=kind) / 4000 <= 0.13


@pytest.mark.nightly
def test_lost_runs_change_little():
    assert 0.07 <= rejected(2, 3, 8, 2000, mood=2.0, lost=2) / 2000 <= 0.13


def test_an_effect_is_still_found():
    assert rejected(2, 3, 5, 300, mood=0.0, effect=2.0) >= 0.95 * 300
    assert rejected(2, 3, 5, 300, mood=1.0, effect=4.0) >= 0.95 * 300


@pytest.mark.parametrize("mood", [0.0, 2.0])
def test_intervals_of_contrasts_cover_if_blocks_favour_levels(mood):
    random, design, trials = np.random.default_rng(8), design_of(3, 2, 6), 1000
    rows = np.array([
        design.mean_row({"A": "A0"}) - design.mean_row({"A": "A1"}),
        design.mean_row({"A": "A0", "B": "B0"}) - design.mean_row({"A": "A1", "B": "B0"}),
        design.effect_rows(("B",))[0],
    ])  # fmt: skip
    hits = np.zeros(len(rows))
    for _ in range(trials):
        found = by_blocks(fit(moody(random, design, mood), design)).estimates(rows)
        hits += [not one.interval.excludes(0.0) for one in found]
    assert all(0.87 <= share <= 0.93 for share in hits / trials), hits / trials
