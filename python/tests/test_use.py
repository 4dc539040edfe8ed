"""Work and memory traffic over threads: simulated numbers are found; missing ones are explained or left out."""

import pytest
from conftest import rewrite

from knee.opened import Study
from knee.plots.resources import traffic

TWO = {"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}, "none": {1: (2.0, 2.0), 2: (1.5, 3.0)}}


def study(folder, counted, asked=None) -> Study:
    """The study with counters: `counted` makes those of a record of its spec."""
    specs = {spec["id"]: spec for spec in folder.read_plan()}
    rewrite(folder.plan, lambda spec: spec | {"counters": asked or []})
    rewrite(folder.records, lambda one: one | {"counters": counted(specs[one["id"]])})
    return Study.read(folder.path)


def drawn(opened: Study) -> dict:
    return {figure.name: figure for figure in opened.figures}


def cell(rows: list[dict], series: str, threads: int, **more: str) -> dict:
    wanted = {"series": series, "threads": threads} | more
    [found] = [row for row in rows if wanted.items() <= row.items()]
    return found


def test_instructions_are_medians_and_the_rate_is_that_of_the_fastest_run(simulated):
    folder = simulated(TWO, noise=0.0)
    rewrite(folder.records, lambda one: one | {"wall_ns": int(one["wall_ns"] * (2 if one["block"] == 5 else 1))})
    opened = study(folder, lambda spec: {"instructions": 100 * spec["threads"] + (10**6 if spec["block"] == 3 else 0)})
    found = drawn(opened)
    assert {"instructions", "issue-rate"} <= found.keys()
    assert not {"cpu-seconds", "switches"} & found.keys()
    row = cell(found["instructions"].rows, "cores-close", 2)
    assert (row["instructions"], row["least"], row["most"], row["runs"]) == (200.0, 200.0, 1e6 + 200, 5)
    row = cell(found["issue-rate"].rows, "cores-close", 1)
    assert row["instructions/s"] == pytest.approx((1e6 + 100) / 2)
    assert row["least"] == pytest.approx(100 / 4)
    assert [found[name].group for name in ("instructions", "issue-rate")] == ["work", "work"]


def test_a_series_without_instructions_is_named(simulated):
    def counted(spec):
        return {"instructions": 5} if spec["cell"]["placement"] != "none" else {"instructions": {"unavailable": "no"}}

    figure = drawn(study(simulated(TWO), counted))["instructions"]
    assert figure.sees.endswith("There is nothing of unpinned: no run counted instructions.")
    assert {row["series"] for row in figure.rows} == {"cores-close"}


def test_without_counters_cpu_time_and_switches_stand_in_and_say_why(simulated):
    folder = simulated(TWO, noise=0.0)
    switches = {"voluntary_switches": 7, "involuntary_switches": 3}
    rewrite(folder.records, lambda one: one | {"system_ns": 500_000_000, "rusage": one["rusage"] | switches})
    found = drawn(Study.read(folder.path))
    row = cell(found["cpu-seconds"].rows, "unpinned", 2)
    assert (row["CPU seconds"], row["least"], row["most"]) == (3.5, 3.5, 3.5)
    rows = found["switches"].rows
    assert len(rows) == 2 * 2 * 2
    assert cell(rows, "cores-close", 1, kind="voluntary")["switches"] == 7
    assert cell(rows, "cores-close", 1, kind="involuntary")["switches"] == 3
    for name in ("cpu-seconds", "switches"):
        assert found[name].sees.endswith("Shown instead of instructions and their rate: no hardware PMU.")


def test_the_record_knows_best_why_there_are_no_instructions(simulated):
    none = {"instructions": {"unavailable": "kernel.perf_event_paranoid is 4"}}
    assert "paranoid is 4." in drawn(study(simulated(TWO), lambda spec: none))["cpu-seconds"].sees


def test_without_counters_the_option_is_named(simulated):
    opened = Study.read(simulated(TWO).path)
    opened.machine["facts"]["hardware_counters"] = "cpu"
    assert "the study did not ask for them (--counters instructions)" in drawn(opened)["switches"].sees


def test_bad_runs_are_in_no_median(simulated):
    folder = simulated(TWO, noise=0.0)
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}, "user_ns": 9} if one["block"] > 3 else {}))
    row = cell(drawn(Study.read(folder.path))["cpu-seconds"].rows, "unpinned", 1)
    assert (row["runs"], row["least"]) == (3, 2.0)


def mbm(spec) -> dict:
    total = 1000.0 * spec["threads"] + spec["block"]
    names = {"mbm_total_bytes": total, "mbm_local_bytes": total - 300.0}
    return {name: {"value": value, "unit": "bytes"} for name, value in names.items()}


def test_local_and_remote_bytes_are_those_of_resctrl(simulated):
    figure = drawn(study(simulated(TWO), mbm))["traffic"]
    assert len(figure.rows) == 2 * 2 * 2
    local = cell(figure.rows, "cores-close", 2, kind="local")
    assert (local["traffic"], local["least"], local["most"], local["unit"]) == (1703.0, 1701.0, 1705.0, "bytes")
    assert cell(figure.rows, "unpinned", 1, kind="remote")["traffic"] == pytest.approx(300.0)
    assert "what all L3 caches exchanged with memory" in figure.sees
    assert '"title": "bytes a run"' in figure.chart.to_json(indent=None)


def test_lines_are_bytes_and_loads_are_loads(simulated):
    folder = simulated(TWO)
    lines = {name: {"value": 10.0, "unit": "lines"} for name in ("reads_local_dram", "reads_remote_dram")}
    figure = drawn(study(folder, lambda spec: lines))["traffic"]
    assert {(row["traffic"], row["unit"]) for row in figure.rows} == {(640.0, "bytes")}
    loads = {name: {"value": 10.0, "unit": "loads"} for name in ("local_dram", "remote_dram")}
    figure = drawn(study(folder, lambda spec: loads))["traffic"]
    assert {(row["traffic"], row["unit"]) for row in figure.rows} == {(10.0, "loads")}


def test_without_both_counts_there_is_no_figure(simulated):
    folder = simulated(TWO)
    assert "traffic" not in drawn(Study.read(folder.path))
    assert "traffic" not in drawn(study(folder, lambda spec: {"mbm_total_bytes": {"value": 5.0, "unit": "bytes"}}))
    torn = {"mbm_total_bytes": {"value": 5.0, "unit": "bytes"}, "mbm_local_bytes": {"unavailable": "Unassigned"}}
    assert "traffic" not in drawn(study(folder, lambda spec: torn))


def test_local_traffic_read_after_the_total_is_no_negative_remote_traffic(simulated):
    ahead = {"mbm_total_bytes": {"value": 5.0, "unit": "bytes"}, "mbm_local_bytes": {"value": 6.0, "unit": "bytes"}}
    rows = drawn(study(simulated(TWO), lambda spec: ahead))["traffic"].rows
    assert {row["traffic"] for row in rows if row["kind"] == "remote"} == {0.0}


def test_every_source_of_traffic_names_what_it_covers():
    assert all(one.covers and (one.remote or one.total) for one in traffic.SOURCES)
