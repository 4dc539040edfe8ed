"""Analysis of variance against worked examples of a textbook, statsmodels, and R."""

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest

from knee.stats.linear.anova import anova
from knee.stats.linear.comparisons import contrast, predictions, tukey
from knee.stats.linear.design import Design, Factor, NotEstimableError
from knee.stats.linear.diagnostics import diagnose
from knee.stats.linear.effects import effects, sign_table
from knee.stats.linear.least_squares import fit
from knee.stats.linear.transform import box_cox
from knee.stats.robust import robust

ORACLES = Path(__file__).parent / "oracles"

# Jain 1991, chapter 22: decimal logarithms of code sizes, workloads by processors W, X, Y, Z, three of each.
CODE_SIZE = """
I 3.8455 3.8191 3.8634 4.0807 4.0717 4.1164 4.4633 4.4321 4.4779 3.9958 3.9641 4.0015
J 3.5061 3.4598 3.5469 3.7095 3.7507 3.6635 3.9523 3.9066 3.9857 3.6184 3.6291 3.6091
K 3.6727 3.6933 3.6498 3.9735 3.9510 3.9984 4.2953 4.2866 4.3247 3.8506 3.8440 3.8246
L 3.7082 3.7410 3.6761 3.7492 3.7743 3.7127 4.3491 4.3636 4.3313 3.7288 3.7585 3.6959
M 3.8330 3.8056 3.8578 4.0879 4.0790 4.1131 4.4558 4.4289 4.4851 3.9914 3.9688 4.0100
"""


def code_size():
    rows = [line.split() for line in CODE_SIZE.strip().splitlines()]
    runs = [(row[0], "WXYZ"[n // 3], float(value)) for row in rows for n, value in enumerate(row[1:])]
    workloads, processors, values = zip(*runs, strict=True)
    return np.array(values), Design((Factor.of("A", processors), Factor.of("B", workloads)))


def test_code_size_has_the_books_effects_and_interactions():
    found = effects(fit(*code_size()))
    main = {one.levels: round(one.estimate.value, 4) for one in found if len(one.levels) < 2}
    assert main == {
        (): 3.9423,
        ("W",): -0.2304, ("X",): -0.0202, ("Y",): 0.3602, ("Z",): -0.1096,
        ("I",): 0.1520, ("J",): -0.2475, ("K",): 0.0047, ("L",): -0.0599, ("M",): 0.1507,
    }  # fmt: skip
    both = {one.levels: round(one.estimate.value, 4) for one in found if len(one.levels) == 2}
    book = {
        "I": (-0.0212, 0.0155, 0.0032, 0.0024), "J": (0.0399, 0.0333, -0.1068, 0.0337),
        "K": (-0.0447, 0.0475, -0.0051, 0.0023), "L": (0.0565, -0.1168, 0.1054, -0.0451),
        "M": (-0.0305, 0.0205, 0.0033, 0.0066),
    }  # fmt: skip
    assert both == {(w, row): value for row, values in book.items() for w, value in zip("WXYZ", values, strict=True)}


def test_code_size_has_the_books_variation():
    table = anova(fit(*code_size()))
    assert [round(one, 4) for one in (table.ssy, table.ss0, table.sst)] == [936.9516, 932.5101, 4.4415]
    assert [round(one.squares, 4) for one in table.sources] == [2.9294, 1.3282, 0.1548, 0.0291]
    assert [round(100 * one.share, 2) for one in table.sources] == [65.95, 29.90, 3.49, 0.66]
    assert [one.freedom for one in table.sources] == [3, 4, 12, 40]
    assert [round(one.f, digits) for one, digits in zip(table.sources, (2, 2, 3), strict=False)] == [
        1340.36,
        455.81,
        17.708,
    ]
    assert [round(one.needed, 3) for one in table.sources[:3]] == [2.226, 2.091, 1.715]
    assert round(table.deviation, 5) == 0.02699
    assert table.adds_up


def test_code_size_has_the_books_errors_and_intervals():
    fitted = fit(*code_size())
    found = {one.levels: one.estimate for one in effects(fitted)}
    errors = [round(found[levels].error, 5) for levels in ((), ("W",), ("I",), ("W", "I"))]
    assert errors == [0.00348, 0.00604, 0.00697, 0.01207]
    ends = {name: [round(end, 4) for end in (one.interval.low, one.interval.high)] for (*_, name), one in
            ((levels, one) for levels, one in found.items() if len(levels) == 1)}  # fmt: skip
    assert ends["W"] == [-0.2406, -0.2203]
    assert ends["X"] == [-0.0304, -0.0100]
    assert ends["Y"] == [0.3501, 0.3704]
    assert ends["Z"] == [-0.1198, -0.0994]
    assert ends["K"] == [-0.0070, 0.0165]
    one = contrast(fitted, {"A": "W"}, {"A": "X"})
    assert (round(one.value, 5), round(one.error, 6)) == (-0.21022, 0.009856)
    assert [round(one.interval.low, 5), round(one.interval.high, 5)] == [-0.22682, -0.19362]


def test_code_size_wants_the_logarithm():
    values, design = code_size()
    logs = diagnose(fit(values, design), values)
    assert (round(logs.normal.statistic, 4), round(logs.normal.p, 3), round(logs.equal.p, 3)) == (0.9772, 0.322, 0.976)
    sizes = 10**values
    raw = diagnose(fit(sizes, design), sizes)
    assert (round(raw.normal.p, 3), f"{raw.steady.p:.0e}", round(raw.spread, 1)) == (0.013, "2e-07", 10.6)
    advised = box_cox(sizes, design)
    assert [round(one, 2) for one in (advised.power, advised.interval.low, advised.interval.high)] == [
        0.20,
        -0.02,
        0.42,
    ]
    assert advised.recommended == "log"
    assert "contains 0" in advised.reason


BOOK = np.array([15.0, 18, 12, 45, 48, 51, 25, 28, 19, 75, 75, 81])
"""A 2^2 3 design of Jain's book: memory and cache of a workstation, three runs of each."""


def test_a_sign_table_has_the_books_effects():
    signs = np.array([[-1.0, -1], [1, -1], [-1, 1], [1, 1]]).repeat(3, axis=0)
    table = sign_table(BOOK, signs, "AB")
    assert dict(zip(table.names, table.q.tolist(), strict=True)) == {"q0": 41, "qA": 21.5, "qB": 9.5, "qAB": 5}
    assert (table.sse, table.squares[1:].sum() + table.sse) == (pytest.approx(102), pytest.approx(7032))
    assert (BOOK**2).sum() == 27204


def test_two_squared_times_three_has_the_books_answers():
    a, b = (np.array(list(text)).repeat(3).tolist() for text in ("-+-+", "--++"))
    design = Design((Factor.of("A", a), Factor.of("B", b)))
    fitted = fit(BOOK, design)
    assert [round(100 * one.share, 2) for one in anova(fitted).sources] == [78.88, 15.40, 4.27, 1.45]
    assert round(fitted.deviation, 4) == 3.5707
    high = [one.estimate for one in effects(fitted) if set(one.levels) <= {"+"}]
    assert [one.value for one in high] == pytest.approx([41, 21.5, 9.5, 5])
    assert [round(one.error, 4) for one in high] == [1.0308] * 4
    ends = [(round(one.interval.low, 2), round(one.interval.high, 2)) for one in high]
    assert ends == [(39.08, 42.92), (19.58, 23.42), (7.58, 11.42), (3.08, 6.92)]
    a_high, b_high, both = (design.effect_rows(term)[-1] for term in (("A",), ("B",), ("A", "B")))
    [mix] = fitted.estimates((a_high + b_high - 2 * both)[None, :])
    assert (mix.value, round(mix.error, 3)) == (pytest.approx(21), 2.525)
    assert (round(mix.interval.low, 2), round(mix.interval.high, 2)) == (16.30, 25.70)
    low = predictions(fitted)[0].mean
    assert (low.value, round(low.interval.low, 2), round(low.interval.high, 2)) == (pytest.approx(15), 11.17, 18.83)


def test_a_sign_table_refuses_what_is_not_balanced():
    with pytest.raises(ValueError, match="same number of runs"):
        sign_table(np.ones(3), np.array([[-1.0], [1], [1]]), "A")


def test_too_few_runs_are_an_error():
    design = Design((Factor.of("A", "aabb"), Factor.of("B", "xyxx")))
    with pytest.raises(NotEstimableError, match="4 runs are not enough to estimate 4 effects"):
        fit(np.arange(4.0), design)
    assert design.missing == [{"A": "b", "B": "y"}]


def of_r(case: str):
    rows = [row for row in csv.DictReader((ORACLES / "anova_data.csv").open()) if row["case"] == case]
    values = np.array([float(row["y"]) for row in rows])
    factors = {name: Factor.of(name, [row[name] for row in rows]) for name in ("A", "B", "block")}
    return values, factors


def answers_of_r(case: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for row in csv.DictReader((ORACLES / "anova_answers.csv").open()):
        if row["case"] == case:
            found.setdefault(row["what"], {})[row["name"]] = float(row["value"])
    return found


@pytest.mark.parametrize(
    ("case", "blocked", "order"),
    [("balanced", True, None), ("plain", False, None), ("unbalanced", True, None), ("alone", False, 1)],
)
def test_variation_equals_rs(case, blocked, order):
    values, factors = of_r(case)
    design = Design((factors["A"], factors["B"]), factors["block"] if blocked else None, order)
    table, theirs = anova(fit(values, design)), answers_of_r(case)
    assert table.adds_up is (case != "unbalanced")
    ours = {one.name: one for one in table.sources}
    assert {name: one.squares for name, one in ours.items()} == pytest.approx(theirs["squares"], rel=1e-9)
    assert {name: one.freedom for name, one in ours.items()} == theirs["df"]
    for name, value in theirs["F"].items():
        assert (ours[name].f, ours[name].p) == pytest.approx((value, theirs["p"][name]), rel=1e-9)


def test_effects_pairs_and_diagnostics_equal_rs():
    values, factors = of_r("balanced")
    design = Design((factors["A"], factors["B"]), factors["block"])
    fitted, theirs = fit(values, design), answers_of_r("balanced")
    main = {f"{one.term[0]}={one.levels[0]}": one.estimate for one in effects(fitted) if len(one.term) == 1}
    assert {name: one.value for name, one in main.items()} == pytest.approx(theirs["effect"], rel=1e-9)
    a1 = main["A=a1"]
    expected = [theirs[what]["A=a1"] for what in ("error", "low", "high")]
    assert [a1.error, a1.interval.low, a1.interval.high] == pytest.approx(expected, rel=1e-9)
    for one in tukey(fitted, "A"):
        name = f"{one.second}-{one.first}"  # R subtracts the other way round
        ours = [-one.difference.value, -one.together.high, -one.together.low]
        assert ours == pytest.approx([theirs[f"tukey {what}"][name] for what in ("diff", "lwr", "upr")], rel=1e-6)
        assert one.p == pytest.approx(theirs["tukey p adj"][name], abs=1e-6)
    found = diagnose(fitted, values)
    assert [found.normal.statistic, found.normal.p] == pytest.approx([*theirs["shapiro"].values()], rel=1e-5)
    for test, name in ((found.steady, "breusch-pagan"), (found.equal, "brown-forsythe"), (found.trend, "trend")):
        assert [test.statistic, test.p] == pytest.approx([*theirs[name].values()], rel=1e-8)
    advised = box_cox(values, design)
    ours = [advised.power, advised.interval.low, advised.interval.high]
    assert ours == pytest.approx([*theirs["box-cox"].values()], abs=1e-5)


def test_predictions_equal_rs():
    values, factors = of_r("balanced")
    theirs = answers_of_r("balanced")
    found = predictions(fit(values, Design((factors["A"], factors["B"]))))
    [cell] = [one for one in found if one.levels == {"A": "a2", "B": "b1"}]
    mean = [cell.mean.value, cell.mean.interval.low, cell.mean.interval.high]
    assert mean == pytest.approx([*theirs["confidence"].values()], rel=1e-9)
    assert [cell.run.low, cell.run.high] == pytest.approx([*theirs["prediction"].values()][1:], rel=1e-9)


@pytest.mark.parametrize("case", ["ranks5", "ranks12"])
def test_the_shift_is_rs_with_exact_ranks(case):
    theirs = answers_of_r(case)
    found = robust(np.array([*theirs["difference"].values()]))
    assert [found.shift, found.interval.low, found.interval.high] == pytest.approx(
        [*theirs["shift"].values()], abs=1e-6
    )
    assert found.reached >= 0.9
    assert np.isnan(robust(np.arange(4.0)).interval.low), "no interval of four signed ranks has 90 %"


def random_runs(seed: int, shape: tuple[int, ...], blocks: int, lost: float):
    """Return made-up runs: a value and the levels of each, some runs lost."""
    draw = np.random.default_rng(seed)
    cells = list(itertools.product(range(blocks), *(range(levels) for levels in shape)))
    runs = [cell for cell in cells if draw.random() >= lost]
    mood, effect = draw.normal(0, 0.5, blocks), draw.normal(0, 1, shape)
    values = np.array([mood[block] + effect[tuple(cell)] + draw.normal(0, 0.3) for block, *cell in runs])
    columns = {name: [f"{name}{run[n]}" for run in runs] for n, name in enumerate(["block", *"ABD"[: len(shape)]])}
    return values, columns


@pytest.mark.parametrize(
    ("shape", "blocks", "lost", "blocked", "order"),
    [
        ((3, 4), 4, 0.0, False, None),
        ((3, 4), 4, 0.0, True, None),
        ((2, 3, 2), 3, 0.0, True, None),
        ((2, 3, 2), 5, 0.15, True, 2),
        ((3, 4), 5, 0.15, True, None),
        ((2, 3, 2), 5, 0.15, False, None),
        ((5, 4), 1, 0.0, False, 1),
    ],
)
def test_variation_equals_statsmodels(shape, blocks, lost, blocked, order):
    # Imported here: it takes seconds, which the other tests need not wait for.
    import pandas as pd
    from statsmodels.formula import api
    from statsmodels.stats.anova import anova_lm

    values, columns = random_runs(len(shape) + blocks, shape, blocks, lost)
    names = [name for name in columns if name != "block"]
    block = Factor.of("block", columns["block"]) if blocked else None
    design = Design(tuple(Factor.of(name, columns[name]) for name in names), block, order)
    coded = " + ".join(f"C({name}, Sum)" for name in names)
    formula = f"y ~ {'C(block, Sum) + ' if blocked else ''}({coded})**{order or len(names)}"
    theirs = anova_lm(api.ols(formula, pd.DataFrame(columns | {"y": values})).fit(), typ=2)
    fitted = fit(values, design)
    for one in anova(fitted).sources:
        name = ":".join(f"C({part}, Sum)" for part in one.term) or "Residual"
        row = theirs.loc[name]
        assert (one.squares, one.freedom) == pytest.approx((row["sum_sq"], row["df"]), rel=1e-8)
        if one.term:
            assert (one.f, one.p) == pytest.approx((row["F"], row["PR(>F)"]), rel=1e-8)
