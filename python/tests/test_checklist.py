"""The checklist: every rule can be kept and broken, and gives its evidence."""

import pytest
from conftest import rewrite

from knee.opened import Study
from knee.report.page import page

GOOD = {"cores-close": {n: (8 / min(n, 4), 8.0) for n in (1, 2, 3, 4)}}
TWO = {**GOOD, "cores-spread": {n: (9 / min(n, 4), 9.0) for n in (1, 2, 3, 4)}}


def answers(folder) -> dict[int, tuple[str, str]]:
    found = Study.read(folder.path).analysis.checklist
    assert [one.number for one in found] == list(range(1, 13))
    return {one.number: (one.answer, one.evidence) for one in found}


def test_a_careful_study_keeps_most(simulated):
    found = answers(simulated(TWO))
    assert {number for number, (answer, _) in found.items() if answer == "kept"} >= {2, 4, 5, 6, 7, 8, 10, 12}
    assert found[3][0] == "partly"
    assert "their means are geometric" in found[3][1]
    assert found[1][0] == "partly"
    assert "base: the program itself with 1 thread, " in found[1][1]
    assert "the best serial version was not run" in found[1][1]
    assert found[9][0] == "partly"
    assert "hardware_counters" in found[9][1]


def test_a_machine_that_was_not_used_up_is_named(simulated):
    found = answers(simulated({"cores-close": {1: (8.0, 8.0), 2: (4.0, 8.0)}}))
    assert found[2][0] == "not kept"
    assert "2 cpus were never used" in found[2][1]


def test_one_block_gives_no_intervals(simulated):
    found = answers(simulated(TWO, blocks=1))
    assert (found[5][0], found[7][0]) == ("not kept", "not kept")


def test_a_tail_is_named_with_its_cell(simulated):
    folder = simulated(TWO, noise=0.001)
    specs = {spec["id"]: spec for spec in folder.read_plan()}

    def slow(line: dict) -> dict:
        spec = specs[line["id"]]
        late = spec["block"] == 2 and spec["cell"] == {**spec["cell"], "threads": 3, "placement": "cores-spread"}
        return line | {"wall_ns": 3 * line["wall_ns"]} if late else line

    rewrite(folder.records, slow)
    answer, evidence = answers(folder)[8]
    assert answer == "partly"
    assert "cores-spread, threads=3 took 3.0" in evidence


def test_heavy_tails_are_not_taken_for_normal(simulated):
    folder = simulated(TWO, noise=0.001)
    specs = {spec["id"]: spec for spec in folder.read_plan()}
    odd = {name for name, spec in specs.items() if spec["block"] == 1 and spec["cell"]["threads"] == 2}
    rewrite(folder.records, lambda line: line | {"wall_ns": 9 * line["wall_ns"]} if line["id"] in odd else line)
    answer, evidence = answers(folder)[6]
    assert answer == "not kept"
    assert "Hodges" in evidence


def test_one_thread_count_has_neither_speedup_nor_bound(simulated):
    found = answers(simulated({"cores-close": {4: (1.0, 4.0)}}))
    assert (found[1][0], found[7][0], found[11][0]) == ("does not apply",) * 3


def test_a_line_over_a_gap_is_a_guess(simulated):
    found = answers(simulated({"cores-close": {1: (8.0, 8.0), 4: (2.0, 8.0)}}))
    assert found[12][0] == "partly"
    assert "from 1 to 4" in found[12][1]


@pytest.mark.parametrize(("metric", "answer"), [({"regex": "(.*)", "unit": "s"}, "partly"), ({"phase": "x"}, "kept")])
def test_a_printed_time_is_partly_documented(simulated, metric, answer):
    folder = simulated(GOOD)
    rewrite(folder.plan, lambda spec: spec | {"metric": metric})
    assert answers(folder)[10][0] == answer


def test_the_page_and_the_analysis_have_it(simulated):
    study = Study.read(simulated(GOOD).path)
    text = page(study)
    assert text.index(">Checklist</h2>") < text.index(">How it was measured</h2>")
    assert "12. Plot what is needed" in text
    assert len(study.analysis.to_json()["checklist"]) == 12


def failing(folder, counts: tuple[int, ...]) -> dict[int, tuple[str, str]]:
    specs = {spec["id"]: spec for spec in folder.read_plan()}
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if specs[one["id"]]["threads"] in counts else {}))
    return answers(folder)


def test_without_good_runs_it_says_so_and_nothing_of_the_design(simulated):
    found = failing(simulated(GOOD), (1, 2, 3, 4))
    for number in (1, 5, 6, 7, 8, 11, 12):
        answer, evidence = found[number]
        assert (answer, evidence[:12]) == ("not kept", "no good runs"), number
    assert found[2] == ("kept", "up to 4 threads on 4 allowed cpus of 4")
    assert "pinned to a set of cpus" in found[10][1]


@pytest.mark.parametrize("bad", [(1,), (2, 3, 4)])
def test_threads_vary_also_where_the_base_or_all_others_are_bad(simulated, bad):
    found = failing(simulated(GOOD), bad)
    assert found[1] == ("not kept", "no good runs at the base and at a larger thread count, so there is no speedup")
    assert found[11][0] == "not kept"
    assert found[2][0] == "kept"
