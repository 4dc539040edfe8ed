"""Runs that count but are marked: disturbed ones, and those made after a held fact changed."""

import pytest
from conftest import THREAD, VALID, rewrite, shown

from knee import store
from knee.opened import Study
from knee.report.page import page
from knee.report.tables import facts
from knee.report.tables.design import design_rows

TWO = {"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}}
HUGE = {"fact": "transparent_huge_pages", "held": "madvise", "found": "always"}


def changed(folder, changes: dict[str, list[dict]]) -> Study:
    rewrite(folder.records, lambda one: one | ({"changed": changes[one["id"]]} if one["id"] in changes else {}))
    rewrite(folder.plan, lambda spec: spec | {"hold": {"transparent_huge_pages": "madvise"}})
    return Study.read(folder.path)


@pytest.mark.parametrize(
    "nulls",
    [
        {"validity": None},
        {"validity": VALID | {"other_busy": None}},
        {"changed": None, "facts": None},
        {"metric": None},
    ],
)
def test_null_in_a_record_equals_missing(simulated, nulls):
    # More threads than cpus, which waited: the check is whether they were alone.
    folder = simulated({"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0), 3: (1.0, 2.0)}})
    rewrite(folder.plan, lambda spec: spec | {"cpus": spec["cpus"][:2]})
    rewrite(folder.records, lambda one: one | {"observed_threads": [THREAD | {"run_delay_ns": 10**9}]} | nulls)
    study = Study.read(folder.path)
    assert study.analysis.disturbed == {}
    assert study.analysis.findings == []
    assert page(study)


def test_a_changed_fact_is_counted_and_said_and_the_run_counts(simulated, monkeypatch):
    study = changed(simulated(TWO), {run: [HUGE] for run in ("0002", "0005", "0009")})
    said = "3 of 10 runs were made with transparent_huge_pages=always instead of madvise"
    assert [change.sentence(10) for change in study.analysis.changed] == [said]
    assert study.analysis.bad == {}
    assert sum(point.runs for series in study.analysis.series for point in series.curve.points) == 10
    assert said in shown(study, monkeypatch)
    assert f"{said}." in page(study)
    design = {row["what"]: row["value"] for row in design_rows(study)}
    assert design["facts held"] == "transparent_huge_pages=madvise"
    assert design["runs with a changed fact"] == f"{said}: 0002, 0005, 0009"
    states = {row["run"]: (row["state"], row["why"]) for row in study.rows()}
    assert states["0002"] == ("changed", "transparent_huge_pages=always instead of madvise")
    assert states["0001"] == ("good", "")
    assert study.analysis.to_json()["changed"][0]["runs"] == ["0002", "0005", "0009"]


def test_the_clock_is_one_line_however_often_it_moved(simulated):
    def clock(found: str) -> list[dict]:
        return [{"fact": "clock_ns", "held": "1.8", "found": found}]

    study = changed(simulated(TWO), {"0001": clock("2.40"), "0002": clock("2.1"), "0003": [*clock("2.2"), HUGE]})
    said = [change.sentence(10) for change in study.analysis.changed]
    assert said == [
        "3 of 10 runs were made with clock_ns=2.1 to 2.4 instead of 1.8",
        "1 of 10 runs was made with transparent_huge_pages=always instead of madvise",
    ]


def test_words_that_a_fact_became_are_listed(simulated):
    found = {"0001": [HUGE], "0002": [HUGE | {"found": "never"}], "0003": [HUGE]}
    [change] = changed(simulated(TWO), found).analysis.changed
    assert "transparent_huge_pages=always or never instead of madvise" in change.sentence(10)


def test_a_bad_run_is_bad_whatever_changed(simulated):
    folder = simulated(TWO)
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if one["id"] == "0001" else {}))
    study = changed(folder, {"0001": [HUGE]})
    assert study.analysis.changed == []
    assert next(row["why"] for row in study.rows() if row["run"] == "0001") == "exit status 1"


def test_without_held_facts_nothing_is_reported(simulated):
    study = Study.read(simulated(TWO).path)
    assert not {"facts held", "runs with a changed fact"} & {row["what"] for row in design_rows(study)}
    assert [run.changed for run in store.runs(study.folder)] == [[]] * 10


def test_the_report_says_what_was_done_around_the_runs(simulated):
    folder = simulated(TWO)
    asked = '[measure]\nwarmup = 2\nprepare = "sync"\ncleanup = "rm -r x"\n'
    folder.study_spec.write_text(folder.study_spec.read_text() + asked)
    rows = {row["what"]: row["value"] for row in design_rows(Study.read(folder.path))}
    assert (rows["warm-up runs"], rows["before each run"], rows["after the study"]) == (2, "sync", "rm -r x")
    assert "after each run" not in rows


@pytest.mark.parametrize(("bind", "said"), [("set", True), ("each", False)])
def test_only_threads_held_by_the_set_are_said_to_be(simulated, bind, said):
    folder = simulated(TWO)
    rewrite(folder.records, lambda one: one | {"bind": bind})
    assert any("pinned to a set of cpus" in line for line in facts.unknown(Study.read(folder.path))) == said


def test_threads_that_were_not_sampled_are_counted(simulated):
    folder = simulated({"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}})
    assert not any("not sampled" in line for line in facts.unknown(Study.read(folder.path)))
    sampling = {"period_ms": 10, "count": 97, "cost_ns": 717_400, "left_out": 1600}
    rewrite(folder.records, lambda one: one | ({"sampling": sampling} if int(one["id"]) % 2 else {}))
    assert any(
        "in 5 of 10 runs, up to 1600 threads at once were not sampled" in line
        for line in facts.unknown(Study.read(folder.path))
    )
