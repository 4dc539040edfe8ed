"""What tables and sentences say of many comparisons at once, and of cells with hardly any good run."""

import math
import re
from types import SimpleNamespace
from typing import cast

import numpy as np
from conftest import rewrite
from made_runs import Made, runs
from test_analyze import said_last, study  # noqa: F401 -- a fixture
from test_compare import PLAIN, by_build, compare, slower, studies, text  # noqa: F401 -- a fixture
from test_decision import steady
from test_placed import COSTS, cells
from told import Made as Told
from told import evidence_of

from knee.explain.evidence.evidence import Evidence
from knee.explain.factorial.analysis import analyze
from knee.explain.factorial.design import Asked
from knee.explain.ledger.placements import PLACED, placements
from knee.opened import Study
from knee.plots.factorial.interaction import sees
from knee.report.tables.conclusions import conclusions
from knee.report.tables.factorial import parts
from knee.report.tables.facts import contrast_rows
from knee.report.terminal import explanation as terminal
from knee.stats.blocks_needed import blocks_needed
from knee.stats.linear.design import Design, Factor
from knee.stats.linear.diagnostics import diagnose
from knee.stats.linear.least_squares import fit
from knee.stats.proportion import clopper_pearson
from knee.stats.scaling.decision import decide


# 1
def test_a_count_with_one_good_run_is_not_said_to_take_the_same_time(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (1.0, 2.0), 4: (2.0, 8.0)}}, noise=0.003)
    counts = {spec["id"]: spec["threads"] for spec in folder.read_plan()}
    failed = {"exit": {"code": 1}}
    rewrite(folder.records, lambda one: one | (failed if counts[one["id"]] == 4 and one["block"] > 1 else {}))
    assert "the same time" not in Study.read(folder.path).analysis.verdict.headline


def test_counts_that_differ_from_each_other_are_not_all_equal():
    # Each is within 3 % of one thread, and four threads take 4 % longer than two.
    said = decide({1: steady(1), 2: steady(0.98, 1), 4: steady(1.02, 2)})
    assert (said.answer, said.use) == ("not faster", 1)


# 2
def test_of_many_equal_levels_two_are_seldom_said_to_differ():
    draw, wrong, trials = np.random.default_rng(3), 0, 60
    for _ in range(trials):
        found = analyze(runs(Made(dict.fromkeys(range(1, 13), 1.0), noise=0.1), draw), Asked(), 12)
        wrong += any(one.size == "matters" for one in found.pairs)
    assert clopper_pearson(wrong, trials).low <= 0.10


# 3
def test_one_of_several_contrasts_is_not_called_slower_by_chance(simulated):
    flat = dict.fromkeys((1, 2, 3, 4), (1.0, 1.0))
    folder = simulated({"cores-close": flat, "cores-spread": flat}, noise=0.0)
    specs = {spec["id"]: spec for spec in folder.read_plan()}

    def shaken(one: dict) -> dict:
        spec = specs[one["id"]]
        # With one thread p is 0.045 by itself; with more there is nothing.
        logs = (0.12, 0.0, 0.06, 0.12, 0.0) if spec["threads"] == 1 else (0.12, -0.12, 0.06, -0.06, 0.0)
        by = logs[one["block"] - 1] if spec["cell"]["placement"] == "cores-spread" else 0.0
        return one | {"wall_ns": int(1e9 * math.exp(by))}

    rewrite(folder.records, shaken)
    rows = contrast_rows(Study.read(folder.path).analysis)
    assert [row["it is"] for row in rows] == ["cannot tell"] * 4


# 4
def test_a_share_of_the_variation_has_an_interval():
    made = runs(Made(dict.fromkeys(range(1, 7), 1.0), blocks=2, noise=0.05), np.random.default_rng(1))
    said, *_ = conclusions(analyze(made, Asked(), 6))
    assert re.search(r"threads explains \d+ % \[\d+, \d+\]", said), said


def test_shares_that_need_not_add_up_leave_no_rest():
    made = runs(Made(dict.fromkeys(range(1, 7), 1.0), blocks=4, noise=0.05), np.random.default_rng(1))[1:]
    said, *_ = conclusions(analyze(made, Asked(), 6))
    assert "noise are" not in said


# 5
def test_a_count_that_was_chosen_by_its_times_seldom_makes_another_slower():
    draw, wrong, trials = np.random.default_rng(11), 0, 400
    truth = {1: 8.0} | dict.fromkeys((2, 4, 8, 16, 32), 4.0)
    for _ in range(trials):
        said = decide({n: level * np.exp(draw.normal(0, 0.05, 5)) for n, level in truth.items()})
        wrong += said.slower is not None
    assert clopper_pearson(wrong, trials).low <= 0.05


# 6
def test_a_cell_with_one_good_pair_is_not_said_to_stay_open_for_ever(studies):  # noqa: F811
    folder = studies("both", {"cores-close": PLAIN, "none": slower(1.3)["cores-close"]}, blocks=6)
    by_build(folder)
    lost = {
        spec["id"]
        for spec in folder.read_plan()
        if (spec["cell"]["build"], spec["threads"]) == ("new", 4) and spec["block"] > 1
    }
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if one["id"] in lost else {}))
    said = text(compare(folder.path, "--factor", "build", "--levels", "old,new"))
    assert "thousand" not in said
    assert "fewer than two good runs of threads=4" in said


# 7
def test_times_without_scatter_are_compared(studies):  # noqa: F811
    assert blocks_needed(0.0, 0.0, 5, spread=0.03) is None
    one = {"cores-close": {1: (1.0, 1.0)}}
    a, b = studies("old", one, noise=0.0), studies("new", one, noise=0.0)
    done = compare(a.path, b.path)
    assert done.returncode == 0, done.stderr
    assert "measure A and B in one study" in text(done)


# 8
def test_levels_of_a_count_that_may_be_0_are_told_apart(study):  # noqa: F811
    folder = study()
    near = {spec["id"] for spec in folder.read_plan() if spec["cell"]["runtime"] == "near"}
    rewrite(
        folder.records,
        lambda one: one | {"counters": {"steals": 0 if one["id"] in near else 1000 + one["block"]}},
    )
    said = said_last(folder, "--response", "steals")
    assert "runtime: as measured, steals of near is 1003 [" in said
    assert "whether near and random differ" not in said


# 9
def test_of_many_levels_that_depend_on_a_factor_that_is_said(simulated):
    names = ("a", "b", "c", "d", "none")
    curves = {name: {1: (2.0**k, 2.0**k), 4: (2.0**-k, 2.0**-k)} for name, k in zip(names, range(-2, 3), strict=True)}
    found = Study.read(simulated(curves).path).analysis.factorial
    said = [line for line in conclusions(found) if line.startswith("placement: ")]
    assert said == ["placement: 5 levels, how they compare depends on threads in 10 of 10 pairs."]


# 10
def test_cells_that_are_faster_are_told_beside_one_that_is_slower(studies):  # noqa: F811
    a = studies("old", slower(1.0), blocks=8)
    curve = {n: (PLAIN[n][0] * (1.2 if n == 1 else 0.6), 8.0) for n in PLAIN}
    b = studies("new", {"cores-close": curve}, blocks=8, seed=2)
    said = text(compare(a.path, b.path, "--session-spread", "0"))
    assert "B is slower than A in 1 of 3 cells (faster in 2), most with threads=1" in said


# 11
def test_an_f_above_its_table_value_is_not_said_to_be_more_than_noise():
    made = runs(Made(dict.fromkeys(range(1, 7), 1.0), noise=0.05), np.random.default_rng(1))
    [first, *_] = parts(analyze(made, Asked(), 6))
    assert "is more than noise" not in first.sees
    assert "By noise alone one source in ten has an F above" in first.sees


# 12
def test_placements_that_are_each_equal_to_one_are_not_all_equal(simulated):
    curves = {
        name: {n: (by * 4 / n, 4.0) for n in (1, 2, 4)}
        for name, by in (("cores-close", 1.0), ("cores-spread", 1.02), ("none", 0.98))
    }
    lines = Study.read(simulated(curves, noise=0.002).path).analysis.verdict.lines
    [also] = [line.text for line in lines if line.label == "also"]
    assert also == "cores-spread and unpinned take as long as cores-close (within 3 %)"


# 13
def test_interactions_of_placements_are_seldom_named_by_chance():
    draw, named, trials = np.random.default_rng(5), 0, 400
    for _ in range(trials):
        tests = {
            name: SimpleNamespace(seconds=np.exp(draw.normal(0, 0.05, 6)), runs=[SimpleNamespace(threads=4)])
            for name in PLACED
        }
        found = placements(cast("Evidence", SimpleNamespace(tests=tests)))
        named += found is not None and bool(found.interactions)
    assert clopper_pearson(named, trials).low <= 0.10


def test_a_placement_that_ran_once_has_no_interval(capsys):
    tests = cells(lambda levels: sum(COSTS[level] for level in levels))
    found = placements(evidence_of(Told(1.0, 1.0), Told(0.75, 1.3), tests, blocks=1))
    terminal._placements(terminal.Console(), found)
    printed = capsys.readouterr().out
    assert "nan" not in printed
    assert "one run" in printed


# 14
def test_predictions_say_that_blocks_differ_by_more():
    made = runs(Made({1: 1.0, 2: 0.5}, mood=0.2, noise=0.005), np.random.default_rng(1))
    [said] = [part.sees for part in parts(analyze(made, Asked(), 2)) if part.title == "Predicted responses"]
    assert "How much blocks differ is in neither" in said


# 15
def test_where_nothing_can_be_tested_no_p_is_given():
    assert "nan" not in sees(0.03, math.nan)
    factors = (Factor.of("A", ["a", "a", "b", "b"]), Factor.of("B", ["x", "y", "x", "y"]))
    values = np.array([1.0, 2.0, 3.5, 8.0])
    found = diagnose(fit(values, Design(factors, None, 1)), values)
    assert found.growth.why == "all residuals are equally large"
