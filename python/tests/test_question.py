"""The headline answers the study's question: a comparison of levels, or claims, rather than a scaling curve."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import THREAD, VALID, rewrite
from made_runs import Made, runs

from knee.explain.responses import response
from knee.explain.scaling.series import group
from knee.explain.verdict.form import Verdict
from knee.explain.verdict.levels import questions
from knee.opened import Study
from knee.report.tables.design import design_rows
from knee.stats.proportion import clopper_pearson


def compared(folder, factor: str = "schedule", work: dict[str, str] | None = None) -> Verdict:
    """Return the verdict with placements used as levels of a factor; ``work/level`` also names a workload."""

    def levels(spec: dict) -> dict:
        first, _, second = spec["cell"]["placement"].partition("/")
        cell = {"threads": spec["threads"], "placement": "cores-close", factor: second or first}
        return spec | {"cell": cell | ({"workload": first} if second else {}), "cpus": list(range(spec["threads"]))}

    rewrite(folder.plan, levels)
    return Study.read(folder.path).analysis.verdict


def ladder(*seconds: float) -> dict[int, tuple[float, float]]:
    return {n: (time, time * n) for n, time in zip((1, 2, 4), seconds, strict=False)}


def text(said: Verdict, label: str) -> list[str]:
    return [line.text for line in said.lines if line.label == label]


def test_two_levels_are_compared_where_most_and_where_fewest_threads_ran(simulated):
    curves = {"dynamic": ladder(2, 1, 0.5), "static": ladder(2, 1.1, 0.705)}
    said = compared(simulated(curves, name="mandel", noise=0.002))
    assert said.headline.startswith("mandel: dynamic is 1.41x [")
    assert said.headline.endswith("] as fast as static at 4 threads; equal at 1")
    assert said.status == "decided"
    assert [one.split(":")[0] for one in text(said, "also")] == ["dynamic", "static"]


def test_a_level_that_is_a_number_has_the_name_of_its_factor(simulated):
    curves = {"2": ladder(2, 1), "64": ladder(2, 1.3)}
    said = compared(simulated(curves, name="primes", noise=0.002), "schedule")
    assert said.headline.startswith("primes: schedule=2 is 1.3")
    assert "as fast as schedule=64 at 2 threads" in said.headline
    assert [one.split(":")[0] for one in text(said, "also")] == ["schedule=2", "schedule=64"]


def test_several_workloads_are_counted_and_those_that_differ_are_named(simulated):
    curves = {f"{work}/{level}": ladder(2, 1) for work in ("fft", "heat", "lu", "sort") for level in ("near", "random")}
    curves["fft/random"] = ladder(2, 1.3)
    said = compared(simulated(curves, name="deters", noise=0.002), "runtime")
    assert said.headline.startswith("deters: random against near is slower in 1 and equal in 3 of 4 cases at 2 threads")
    [also] = text(said, "also")
    assert also.startswith("fft: near is 1.3")
    assert "are 2.0" not in said.headline, "how one level scales is not what was asked"


def test_of_many_levels_the_fastest_is_named(simulated):
    said = compared(simulated({name: ladder(2, t) for name, t in (("a", 1.0), ("b", 0.7), ("c", 1.2))}, noise=0.002))
    assert said.headline.startswith("made up: b is the fastest of 3 levels of schedule at 2 threads, 1.4")


def test_the_fastest_level_is_the_one_that_is_so_where_all_were_measured(simulated):
    # Only the slowest one ran on 4 threads, where it takes less time than the others do on 2.
    curves = {"a": ladder(2, 1.3, 0.65), "b": ladder(2, 1.0), "c": ladder(2, 1.2)}
    said = compared(simulated(curves, name="made up", noise=0.002))
    assert said.headline.startswith("made up: b is the fastest of 3 levels of schedule at 2 threads, 1.")
    assert said.status == "decided"


def test_the_fastest_level_is_looked_for_where_most_were_measured(simulated):
    # No thread count is that of all; b beats a where both were measured.
    curves = {"a": ladder(2, 1.3), "b": ladder(2, 1.0), "c": {4: (9.0, 36.0)}}
    folder = simulated(curves, name="made up", noise=0.002)
    series = group(Study.read(folder.path).runs, 4)
    [asked] = questions(series, placements=True)
    assert asked.levels[0] == "b"


def test_levels_whose_curves_begin_elsewhere_are_compared_for_as_much_work(simulated):
    # In weak scaling a run on 4 threads has 4 times the work of one on 1, and twice that of one on 2.
    curves = {"a": {n: (1.0, n) for n in (1, 2, 4)}, "b": {n: (1.0, n) for n in (2, 4)}}
    folder = simulated(curves, noise=0.002)
    compared(folder)
    series = [replace(one, weak=True) for one in group(Study.read(folder.path).runs, 4, weak=True)]
    [asked] = questions(series, placements=False)
    assert [one.answer for one in asked.most] == ["equal"]


def test_undecided_levels_are_not_called_different(simulated):
    said = compared(simulated({"a": ladder(2, 1.0), "b": ladder(2, 1.02)}, noise=0.15))
    assert said.status == "undecided"
    assert "cannot tell" in said.headline


def test_without_a_ladder_claims_are_counted_and_no_table_is_printed(simulated):
    folder = simulated({"cores-close": {4: (1.0, 4.0)}, "cores-spread": {4: (2.0, 8.0)}}, name="blacklight")
    with folder.study_spec.open("a") as file:
        for below in (0.9, 0.1):
            file.write(
                f'[[claim]]\nsays = "close is faster"\nratio = {{ of = {{ placement = "cores-close" }}, '
                f'over = {{ placement = "cores-spread" }} }}\nbelow = {below}\n'
            )
    study = Study.read(folder.path)
    assert study.analysis.verdict.headline == "blacklight: claims: 1 of 2 confirmed and 1 of 2 refuted"
    assert not study.analysis.scales
    assert text(study.analysis.verdict, "also")[0].startswith("cores-close: 0.99")


def test_without_a_ladder_and_claims_placements_are_compared(simulated):
    folder = simulated({"cores-close": {4: (1.0, 4.0)}, "cores-spread": {4: (2.0, 8.0)}})
    assert Study.read(folder.path).analysis.verdict.headline.startswith("made up: cores-close is 2.0")


@pytest.mark.parametrize(
    ("spread", "says"), [(1.3, "cores-spread at 4 threads takes 1.3"), (1.0, "are equal (within 3 %)")]
)
def test_of_several_placements_the_one_that_differs_is_named(simulated, spread, says):
    curves = {"cores-close": ladder(4, 2, 1), "cores-spread": ladder(4, 2, spread)}
    said = Study.read(simulated(curves, noise=0.002).path).analysis.verdict
    assert "as fast as 1" in said.headline
    assert any(says in one for one in text(said, "also"))


def test_a_faster_level_at_fewest_threads_is_not_called_faster_too(simulated):
    said = compared(simulated({"a": ladder(1, 0.8, 0.5), "b": ladder(0.5, 0.8, 1)}))
    assert said.headline.startswith("made up: a is 2.0")
    assert said.headline.endswith("at 4 threads; b is faster at 1")


def test_contexts_on_other_thread_counts_are_not_all_said_to_be_on_one(simulated):
    curves = {"u/a": ladder(2, 1), "u/b": ladder(1.5, 0.75), "v/a": ladder(2, 1, 0.5), "v/b": ladder(1.5, 0.75, 0.37)}
    assert compared(simulated(curves)).headline == "made up: b against a is faster in 2 of 2 cases at 2 to 4 threads"


def test_of_many_levels_none_is_named_where_the_fastest_differs(simulated):
    times = {"u/a": 1.0, "u/b": 0.5, "u/c": 0.8, "v/a": 0.4, "v/b": 1.2, "v/c": 0.8}
    said = compared(simulated({name: ladder(2, time) for name, time in times.items()}))
    assert said.headline.endswith(
        "which of 3 levels of schedule is the fastest differs between cases at 2 threads (a or b)"
    )
    assert said.status == "decided"


def test_where_one_cannot_tell_which_level_is_fastest_nothing_is_decided(simulated):
    said = compared(
        simulated({name: ladder(2, time) for name, time in (("a", 2), ("b", 1), ("c", 1))}, noise=0.02, seed=2)
    )
    assert "cannot tell which of" in said.headline
    assert said.status == "undecided"


def test_many_levels_that_may_be_fastest_are_counted(simulated):
    said = compared(simulated({f"a-very-long-name-{i}": ladder(2, 1) for i in range(12)}, noise=0.3))
    assert said.headline.startswith("made up: cannot tell which of 12 levels of schedule is the fastest at 2 threads (")
    assert not said.headline.endswith("…")


def test_a_placement_is_not_compared_with_itself(simulated):
    folder = simulated({"a": {1: (8.0, 8.0), 2: (4.0, 8.0)}, "b": {4: (2.0, 8.0), 8: (1.0, 8.0)}})
    assert not text(compared(folder), "also")


def test_names_in_brackets_give_way_to_the_name_of_the_study(simulated):
    times = {"u/aaaaaaaaaaaaa": 1.0, "u/bbbbbbbbbbbbbb": 0.5, "v/aaaaaaaaaaaaa": 0.4, "v/bbbbbbbbbbbbbb": 1.2}
    times |= {"u/ccccccccc": 0.8, "v/ccccccccc": 0.8}
    curves = {name: ladder(2, time) for name, time in times.items()}
    said = compared(simulated(curves, name="Stealing inside a socket or from anyone, rehearsed")).headline
    assert said.startswith("Stealing inside a")
    assert said.endswith("which of 3 levels of schedule is the fastest differs between cases at 2 threads")


def test_long_names_of_levels_leave_room_for_what_is_said(simulated):
    names = ("--algorithm=quick-sort-with-median-of-three", "--algorithm=merge-sort-with-buffers")
    curves = {name: ladder(2, time) for name, time in zip(names, (1, 0.7), strict=True)}
    said = compared(simulated(curves, noise=0.002)).headline
    assert said.startswith("made up: …e-sort-with-buffers is 1.4")
    assert "] as fast as …ith-median-of-three at 2 threads" in said


def test_every_factor_that_varies_is_told_of(simulated):
    curves = {
        f"{algorithm}/{memory}": ladder(2 * cost, cost)
        for algorithm in "ab"
        for memory, cost in (("lo", 1.0), ("hi", 1.5))
    }

    def levels(spec: dict) -> dict:
        algorithm, memory = spec["cell"]["placement"].split("/")
        cell = {"threads": spec["threads"], "placement": "cores-close", "algorithm": algorithm, "pages": memory}
        return spec | {"cell": cell, "cpus": list(range(spec["threads"]))}

    folder = simulated(curves, noise=0.002)
    rewrite(folder.plan, levels)
    said = Study.read(folder.path).analysis.verdict
    assert "equal in 2 of 2 cases" in said.headline
    assert text(said, "also") == ["pages: lo against hi is faster in 2 of 2 cases at 2 threads"]


def test_levels_with_too_much_disturbance_have_no_verdict(simulated):
    folder = simulated({"a": ladder(8, 4), "b": ladder(8, 4)}, noise=0.05)

    def disturbed(one: dict) -> dict:
        waited = [THREAD | {"run_delay_ns": int(0.95 * one["wall_ns"])}]
        return one | {"validity": VALID | {"other_busy": 0.5}, "observed_threads": waited}

    rewrite(folder.records, disturbed)
    said = compared(folder)
    assert (said.status, said.headline) == ("disturbed", "made up: no verdict. Other programs used 50 % of the cpus")


def same_placements(folder) -> None:
    """Put the threads of every placement on the same cpus."""
    rewrite(folder.plan, lambda spec: spec | {"cpus": list(range(spec["threads"]))})


def test_placements_with_the_same_cpus_are_not_compared(simulated):
    folder = simulated({"cores-close": ladder(4, 2, 1), "threads-close": ladder(4, 2, 1.3)}, noise=0.002)
    assert Study.read(folder.path).analysis.contrasts != []
    same_placements(folder)
    study = Study.read(folder.path)
    assert study.analysis.contrasts == []
    assert not any("threads-close" in one for one in text(study.analysis.verdict, "also"))
    rows = {row["what"]: row["value"] for row in design_rows(study)}
    assert ("A curve of threads-close apart from that of cores-close", "both put threads on the same cpus here") in (
        study.missing
    )
    assert (
        rows["same placements"]
        == "threads-close puts threads on the same cpus as cores-close: not compared between series"
    )


def test_levels_of_an_input_are_other_work(simulated):
    curves = {f"{engine}/{graph}": ladder(2, 1) for engine in ("a", "b") for graph in ("small", "large")}
    curves |= {"a/large": ladder(8, 4), "b/large": ladder(9, 6)}
    folder = simulated(curves, noise=0.002)

    def levels(spec: dict) -> dict:
        engine, graph = spec["cell"]["placement"].split("/")
        return spec | {"cell": {"threads": spec["threads"], "placement": "none", "engine": engine, "graph": graph}}

    rewrite(folder.plan, levels)
    before = str(Study.read(folder.path).analysis.verdict)
    assert "graph: small against large is faster in 2 of 2 cases" in before
    with folder.study_spec.open("a") as file:
        file.write('[design]\ninputs = ["graph"]\n')
    study = Study.read(folder.path)
    assert "graph:" not in str(study.analysis.verdict)
    assert study.analysis.verdict.headline.startswith("made up: b against a is slower in 1 and equal in 1 of 2 cases")
    pairs = {(one.series, one.reference) for one in study.analysis.contrasts}
    assert {(one.rpartition("graph=")[2], other.rpartition("graph=")[2]) for one, other in pairs} == {
        ("small", "small"), ("large", "large"),
    }  # fmt: skip


def test_one_launch_of_a_study_of_claims_has_no_interval(simulated):
    curves = {"a": {1: (1.0, 1.0)}, "b": {1: (2.0, 2.0)}}
    folder = simulated(curves, blocks=1)
    with folder.study_spec.open("a") as file:
        file.write('[[claim]]\nsays = "x"\nratio = { of = { schedule = "a" }, over = { schedule = "b" } }\nbelow = 1\n')
    said = compared(folder)
    assert said.headline == "made up: claims: 1 of 1 not measurable here"
    assert "nan" not in str(said)
    assert len(text(said, "why")) == 1


def test_where_no_claim_can_be_judged_each_reason_is_said(simulated):
    curves = {"a": {1: (1.0, 1.0)}, "b": {1: (2.0, 2.0)}}
    folder = simulated(curves, blocks=1)
    with folder.study_spec.open("a") as file:
        for over in ("b", "b", "none"):
            ratio = f'ratio = {{ of = {{ schedule = "a" }}, over = {{ schedule = "{over}" }} }}'
            file.write(f'[[claim]]\nsays = "x"\n{ratio}\nbelow = 1\n')
    first, second = text(compared(folder), "why")
    assert first.startswith("2 claims: ")
    assert second.startswith("1 claim: ")


def test_a_time_that_a_regex_finds_is_called_by_the_text_before_it(simulated):
    folder = simulated({"p": {1: (3.0, 3.0), 2: (2.0, 4.0)}})
    regex = "wall: ([0-9.]+) s"
    rewrite(folder.plan, lambda spec: spec | {"metric": {"regex": regex, "unit": "s"}})
    rewrite(folder.records, lambda one: one | {"metric": {"name": regex, "value": 0.5, "unit": "s"}})
    runs = Study.read(folder.path).runs
    for name in (None, regex):
        found = response(runs, name)
        assert (found.name, set(found.values)) == ("wall", {0.5})
    assert set(response(runs, "wall").values) != {0.5}, "that is still the time of the whole run"


def test_of_equal_levels_hardly_one_is_called_faster_or_slower():
    """The fastest of six is chosen by its times; corrected for five tests, 17 of these 150 studies said so."""
    draw, named, studies = np.random.default_rng(3), 0, 150
    for _ in range(studies):
        made = [
            replace(run, spec=run.spec | {"cell": run.spec["cell"] | {"schedule": level}})
            for level in "abcdef"
            for run in runs(Made({2: 1.0}, blocks=6, mood=0.0), draw)
        ]
        (asked,) = questions(group(made, 2), placements=False)
        named += any(one.answer in ("faster", "slower") for one in asked.most)
    assert clopper_pearson(named, studies).low < 0.05, named
