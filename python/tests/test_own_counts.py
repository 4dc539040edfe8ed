"""Counts of the program itself: responses of phases with unit and meaning, and the figure of published counters."""

import json

import pytest
from conftest import keep_samples, rewrite

from knee.explain.responses import names, response
from knee.opened import Study
from knee.plots.resources import work_over_time
from knee.store import StudyError, count_named, published

MS = 1_000_000


@pytest.fixture
def counted(simulated):
    """Runs with two phases; in the measured one the work grows with the threads, and by two per block."""
    folder = simulated({"none": {n: (1.0, n) for n in (1, 2)}})

    def phases(record):
        threads = next(spec["threads"] for spec in folder.read_plan() if spec["id"] == record["id"])

        def phase(name, begin, counters):
            times = {"wall_ns": 400 * MS, "cpu_ns": 300 * MS, "begin_ns": begin, "end_ns": begin + 400 * MS}
            return {"name": name, **times, "counters": counters}

        match = {"matches": 100 * threads, "steals-far": 7, "thread_cycles": 50, "mine-own": 3}
        return [phase("load", 0, {"steals-far": 1, "calls": 2}), phase("match", 500 * MS, match)]

    def change(record):
        metric = {"name": "match", "value": 0.4, "unit": "s"}
        counters = {"cycles": {"value": 900, "unit": "cycles", "scope": "", "caution": ""}}
        return record | {"phases": phases(record), "metric": metric, "counters": counters}

    rewrite(folder.records, change)
    return Study.read(folder.path)


def test_counts_of_the_measured_phase_are_responses_with_their_unit(counted):
    matches = response(list(counted.runs), "matches")
    assert matches.unit == "matches"
    assert [value / run.threads for run, value in zip(matches.runs, matches.values, strict=True)] == [100.0] * 10
    far = response(list(counted.runs), "steals-far")
    assert (far.unit, set(far.values)) == ("jobs", {7.0}), "of the phase that is measured"
    assert set(response(list(counted.runs), "load:steals-far").values) == {1.0}
    calls = response(list(counted.runs), "calls")
    assert (calls.unit, set(calls.values)) == ("calls", {2.0}), "only one phase has it"
    assert response(list(counted.runs), "thread_cycles").unit == "cycles"
    assert response(list(counted.runs), "mine-own").unit == "as counted"
    with pytest.raises(StudyError, match="unknown response 'load:matches'"):
        response(list(counted.runs), "load:matches")


def test_cpu_time_of_a_phase_is_a_response(counted):
    assert set(response(list(counted.runs), "load").values) == {0.4}
    of_cpu = response(list(counted.runs), "load:cpu")
    assert (of_cpu.unit, set(of_cpu.values)) == ("s", {0.3})
    with pytest.raises(StudyError, match="unknown response 'wall:cpu'"):
        response(list(counted.runs), "wall:cpu")


def test_a_name_that_is_taken_is_not_hidden_by_what_a_program_counts(counted):
    rewrite(
        counted.folder.records,
        lambda one: one | {"phases": [one["phases"][1] | {"counters": {"cycles": 1, "wall": 2}}]},
    )
    runs = list(Study.read(counted.folder.path).runs)
    assert set(response(runs, "cycles").values) == {900.0}
    assert response(runs, "wall").unit == "s"
    assert names(runs).count("cycles") == 1


def test_a_counter_of_the_measured_phase_is_apart_from_that_of_the_run(counted):
    def by_phases(one: dict) -> dict:
        phases = [phase | {"counters": {"cycles": 10 + 20 * at}} for at, phase in enumerate(one["phases"])]
        return one | {"phases": phases, "counters": {"cycles": 900, "branches": {"unavailable": "no PMU"}}}

    rewrite(counted.folder.records, by_phases)
    runs = list(Study.read(counted.folder.path).runs)
    phases = [phase["name"] for phase in runs[0].record["phases"]]
    measured = runs[0].record["metric"]["name"]
    assert set(response(runs, "cycles").values) == {900.0}
    assert set(response(runs, f"{phases[1]}:cycles").values) == {30.0}
    assert set(response(runs, "measured:cycles").values) == {10.0 + 20 * phases.index(measured)}
    assert "measured:cycles" in names(runs)
    with pytest.raises(StudyError, match="measured:branches: unavailable: no PMU"):
        response(runs, "measured:branches")


def test_every_name_of_the_list_has_a_unit_and_a_meaning():
    for name in ("matches", "steals-far", "remote-read-bytes", "busy-ns", "thread_cpu_ns"):
        count = count_named(name)
        assert count is not None
        assert count.unit
        assert count.meaning
    assert count_named("remote-bytes") is None, "that is what the hardware counts"


def noted(spec, record):
    """Matches come from 200 ms on: 5 a microsecond, later twice as many; samples of threads all the time."""
    for t in range(MS, 1000 * MS, 10 * MS):
        yield t, "thread:1", "cpu_ns", t
        if t > 200 * MS:
            early, late = min(t, 600 * MS) - 200 * MS, max(t - 600 * MS, 0)
            yield t, "workload", "matches", (5 * early + 10 * late) // 1000
            yield t, "workload", "of, its own", 7


def test_rates_of_what_was_published_are_what_was_made_up(simulated):
    folder = simulated({"none": {n: (1.0, n) for n in (1, 2)}})
    keep_samples(folder, noted)
    study = Study.read(folder.path)
    figure = {figure.name: figure for figure in study.figures}["work-over-time"]
    rows = [row for row in figure.rows if (row["threads"], row["count"]) == (2, "matches")]
    assert all(row["per second"] == 0 for row in rows if row["time s"] < 0.18)
    early = [row["per second"] for row in rows if 0.24 < row["time s"] < 0.57]
    late = [row["per second"] for row in rows if row["time s"] > 0.63]
    assert early == pytest.approx([5e6] * len(early), rel=1e-3)
    assert late == pytest.approx([1e7] * len(late), rel=1e-3)
    assert early
    assert late
    assert "matches: copies of the pattern that were found" in figure.sees
    text = json.dumps(figure.chart.to_dict())
    assert '"options": [1, 2]' in text
    assert '"options": ["matches", "of, its own"]' in text


def test_nothing_published_is_no_figure(simulated, tmp_path):
    folder = simulated({"none": {1: (1.0, 1)}})
    keep_samples(folder, lambda spec, record: [(t, "thread:1", "cpu_ns", t) for t in range(0, 100 * MS, MS)])
    study = Study.read(folder.path)
    assert "work-over-time" not in {figure.name for figure in study.figures}
    assert published(tmp_path / "missing.csv.gz") == {}
    assert work_over_time.rows({}, folder.path) == []
