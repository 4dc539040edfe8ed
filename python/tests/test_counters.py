"""Counters in a report: medians and remarks; a counter without a value is never shown as 0."""

import pytest
from conftest import rewrite, shown

from knee.opened import Study
from knee.report.page import page
from knee.report.tables import counters, facts

TWO = {"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}}
NO_PMU = "no hardware PMU: the hypervisor does not give this guest one"
PARANOID = "without the kernel's work: kernel.perf_event_paranoid is 2"


def study(folder, counted, asked=None) -> Study:
    """The study with counters: `counted` makes those of a record of its spec."""
    specs = {spec["id"]: spec for spec in folder.read_plan()}
    found = {name: counted(spec) for name, spec in specs.items()}
    names = asked if asked is not None else [*next(iter(found.values()))]
    rewrite(folder.plan, lambda spec: spec | {"counters": names})
    rewrite(folder.records, lambda one: one | {"counters": found[one["id"]]})
    return Study.read(folder.path)


def rows(opened: Study) -> list[dict]:
    return counters.counter_rows(opened.analysis.counters)


def with_machine(opened: Study, hardware) -> Study:
    """The same study on a machine with this fact about hardware counters."""
    opened.machine["facts"]["hardware_counters"] = hardware
    return opened


def test_a_row_has_the_medians_of_its_cell(simulated):
    def counted(spec):
        # By block 100, 101, ..., and one run far off, which a mean would follow.
        off = 1e9 if spec["block"] == 3 else spec["block"] - 1
        return {"minor-faults": int(100 * spec["threads"] + off), "energy-package": {"value": 2.5e6, "unit": "uJ"}}

    opened = study(simulated(TWO), counted)
    assert rows(opened) == [
        {"series": "cores-close", "threads": 1, "minor-faults": 103.0, "energy-package, 10⁶ uJ": 2.5},
        {"series": "cores-close", "threads": 2, "minor-faults": 203.0, "energy-package, 10⁶ uJ": 2.5},
    ]
    assert '<h2 id="title-counters">' in page(opened)


def test_bad_runs_are_in_no_median(simulated):
    folder = simulated(TWO)
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if one["block"] > 3 else {}))
    opened = study(folder, lambda spec: {"minor-faults": 10 if spec["block"] <= 3 else 9999})
    assert [row["minor-faults"] for row in rows(opened)] == [10.0, 10.0]
    assert {one.runs for one in opened.analysis.counters.medians} == {3}


def test_a_column_has_one_power_of_ten(simulated):
    opened = study(simulated(TWO), lambda spec: {"instructions": 45_000 * 10 ** (3 * spec["threads"])})
    assert [row["instructions, 10⁹"] for row in rows(opened)] == pytest.approx([0.045, 45.0])


def test_a_count_of_zero_is_shown_as_zero(simulated):
    assert [row["major-faults"] for row in rows(study(simulated(TWO), lambda spec: {"major-faults": 0}))] == [0.0, 0.0]


def test_the_least_share_and_the_scope_are_said(simulated):
    def counted(spec):
        share = 0.5 if spec["threads"] == 2 and spec["block"] == 1 else 0.75
        return {
            "cycles": {"value": 4.0, "counted_share": share, "scope": PARANOID},
            "instructions": {"value": 8.0, "counted_share": 0.9, "caution": "counts some twice"},
            "minor-faults": 7,
        }

    opened = study(simulated(TWO), counted)
    scaled = "scaled up: counted in a part of the time only, at least in"
    assert counters.notes(opened.analysis.counters) == [
        f"cycles: {PARANOID}",
        f"cycles: {scaled} 50 % of it (cores-close, threads=2)",
        "instructions: counts some twice",
        f"instructions: {scaled} 90 % of it (cores-close, threads=1)",
    ]
    assert {one.counted_share for one in opened.analysis.counters.medians} == {0.5, 0.75, 0.9, None}
    assert PARANOID.replace("'", "&#39;") in page(opened)


def test_a_counter_without_values_is_listed_once_and_has_no_column(simulated):
    opened = study(simulated(TWO), lambda spec: {"cache-misses": {"unavailable": NO_PMU}, "minor-faults": 3})
    assert [set(row) for row in rows(opened)] == [{"series", "threads", "minor-faults"}] * 2
    assert opened.analysis.counters.missing == {"cache-misses": NO_PMU}
    assert page(opened).count(f"<li>cache-misses: {NO_PMU}</li>") == 1


def test_what_was_counted_in_some_runs_says_in_how_many_not(simulated):
    def counted(spec):
        lost = spec["threads"] == 2 or spec["block"] == 1
        return {"mbm_total_bytes": {"unavailable": "Unassigned"} if lost else {"value": 5.0, "unit": "bytes"}}

    opened = study(simulated(TWO), counted)
    assert [(row["threads"], row["mbm_total_bytes, bytes"]) for row in rows(opened)] == [(1, 5.0)]
    assert counters.notes(opened.analysis.counters) == ["mbm_total_bytes: no value in 6 of 10 runs: Unassigned"]
    assert opened.analysis.counters.missing == {}


def test_nothing_counted_is_no_table_and_nothing_asked_no_section(simulated):
    folder = simulated(TWO)
    assert 'id="title-counters"' not in page(Study.read(folder.path))
    opened = study(folder, lambda spec: {"cycles": {"unavailable": NO_PMU}})
    assert rows(opened) == []
    assert 'id="title-counters"' in page(opened)


def test_parts_of_the_machine_stand_apart(simulated):
    found = {"numa_hit": {"value": 9.0}, "numa_hit@node0": {"value": 4.0}, "numa_hit@node1": {"value": 5.0}}
    opened = study(simulated(TWO), lambda spec: found, asked=["numa_hit"])
    assert set(rows(opened)[0]) == {"series", "threads", "numa_hit"}
    parts = counters.part_rows(opened.analysis.counters)
    assert parts[0] == {"series": "cores-close", "threads": 1, "numa_hit@node0": 4.0, "numa_hit@node1": 5.0}
    assert "By part of the machine" in page(opened)


def test_every_run_has_a_column_for_each_counter_that_any_has(simulated):
    def counted(spec):
        cycles = {"unavailable": "none left"} if spec["block"] == 1 else {"value": 7.0, "counted_share": 0.5}
        return {"cycles": cycles, "state": 5, "branches": {"unavailable": NO_PMU}}

    opened = study(simulated(TWO), counted)
    found = opened.rows()
    assert {(row["block"] == 1, row["cycles"]) for row in found} == {(True, None), (False, 7.0)}
    assert all("branches" not in row for row in found)
    assert {row["state"] for row in found} == {"good"}, "a counter of that name does not take its place"
    frame = opened.frame()
    assert frame["cycles"].isna().sum() == 2
    assert list(frame.columns[:3]) == ["order", "run", "block"]


def test_the_terminal_has_a_line_about_counters_only_when_they_were_asked_for(simulated, monkeypatch):
    folder = simulated(TWO)
    assert "counter" not in shown(Study.read(folder.path), monkeypatch)
    opened = study(folder, lambda spec: {"a": 1, "b": {"unavailable": "why"}, "c": {"unavailable": "why"}})
    assert "1 of 3 counters have values; the report shows their medians. Not available: b (why), and 1 more." in shown(
        opened, monkeypatch
    )


def unknown(opened: Study) -> str:
    return "\n".join(line for line in facts.unknown(opened) if "counter" in line or "shown" in line)


def test_a_machine_without_counters_is_said_once_with_what_was_used_instead(simulated):
    folder = simulated(TWO)
    plain = unknown(with_machine(Study.read(folder.path), {"unavailable": NO_PMU}))
    instead = "CPU time, per-thread samples and a clock proxy were used instead."
    assert plain == (
        f"What CPU time is spent on: there are no hardware counters here ({NO_PMU}), so more instructions and slower "
        f"ones look the same. {instead}"
    )
    absent = {"unavailable": NO_PMU}
    opened = study(folder, lambda spec: {"cycles": absent, "instructions": absent, "minor-faults": 1})
    assert unknown(with_machine(opened, absent)) == plain, "the same reason is not said three times"


def test_a_study_that_did_not_ask_says_so_and_names_the_option(simulated):
    said = unknown(with_machine(Study.read(simulated(TWO).path), "cpu"))
    assert "this study did not ask for counters" in said
    assert "Use --counters instructions,cycles." in said
    assert "no hardware counters" not in said


def test_a_study_that_asked_says_only_what_it_did_not_get(simulated):
    folder = simulated(TWO)
    got = with_machine(study(folder, lambda spec: {"instructions": 5, "cycles": 6}), "cpu")
    assert unknown(got) == ""
    why = "resctrl is not mounted"
    none = {"unavailable": why}
    some = study(folder, lambda spec: {"cycles": 6, "mbm_total_bytes": none, "mbm_local_bytes": none})
    assert unknown(with_machine(some, "cpu")) == f"What mbm_total_bytes, mbm_local_bytes would have shown: {why}."
