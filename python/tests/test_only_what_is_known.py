"""What reports say where runs cannot answer: different inputs, one cpu for all threads, virtual time, no variation."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import cast

import pytest
from conftest import VALID
from test_verdict_odd import falling, rewrite, works

from knee.explain.factorial.analysis import FactorialAnalysis
from knee.opened import Study
from knee.plots.machine import placements
from knee.plots.style import FEWEST_TICKS, log_axis
from knee.report.page import page
from knee.report.tables.evidence import evidence_rows
from knee.report.tables.factorial import _small_share
from knee.report.tables.facts import base_lines, claim_rows, with_ends
from knee.stats.intervals import Interval
from knee.store import Folder


def analysis(folder: Folder):
    return Study.read(folder.path).analysis


def of_sizes(folder: Folder) -> Folder:
    """Let placements stand for sizes of a workload of knee's own."""

    def size(spec: dict) -> dict:
        params = {"size": spec["cell"]["placement"]}
        cell = {"threads": spec["threads"], "placement": "cores-close", **params}
        return spec | {"cell": cell, "program": {"workload": "sequential", "args": {}, "params": params}}

    rewrite(folder.plan, size)
    return folder


def test_a_smaller_input_is_not_faster(simulated):
    found = analysis(of_sizes(simulated({"1G": {2: (7.0, 7.0)}, "128M": {2: (1.0, 1.0)}})))
    assert found.verdict.headline == "made up: only 2 threads were measured, so there is no speedup"
    assert [line.text.partition(": ")[0] for line in found.verdict.lines] == ["size=128M", "size=1G"]
    assert found.contrasts == []


def test_inputs_are_works_with_a_curve_each(simulated):
    found = analysis(of_sizes(simulated({"1G": falling(8.0), "128M": falling(1.0)})))
    assert found.verdict.headline.startswith("made up: 2 of 2 workloads are faster on more threads (")
    assert sum(line.text.startswith("size=") for line in found.verdict.lines) == 2


def test_a_factor_of_somebody_s_program_may_be_called_size(simulated):
    folder = simulated({"8": {2: (2.0, 2.0)}, "16": {2: (1.0, 1.0)}})
    named = lambda spec: spec | {"cell": {"threads": spec["threads"], "size": spec["cell"]["placement"]}}  # noqa: E731
    rewrite(folder.plan, named)
    assert "size=16 is 1.98x" in analysis(folder).verdict.headline


def test_threads_that_share_a_cpu_in_every_series_are_no_verdict(simulated):
    folder = works(simulated({name: {1: (1.0, 1.0), 2: (1.0, 1.0)} for name in "ab"}))
    rewrite(folder.plan, lambda spec: spec | {"cpus": [0]})
    said = analysis(folder).verdict
    assert said.headline == "made up: no verdict. All thread counts but 1 are above the 1 cpu"


def test_efficiency_has_an_interval(simulated):
    folder = simulated({"cores-close": falling(8.0)})
    [knee] = [line.text for line in analysis(folder).verdict.lines if line.label == "knee"]
    assert knee.endswith("; 101 % efficiency [98, 103]")


@pytest.fixture
def rehearsed(simulated) -> Folder:
    folder = simulated({"none": falling(1e-3)})
    program = {"workload": "heat", "args": {"rehearse": "pack:4 [numa] core:8 pu:1"}, "params": {}}
    rewrite(folder.plan, lambda spec: spec | {"program": program, "metric": {"phase": "steps"}})

    def phase(one: dict) -> dict:
        inside = {"name": "steps", "wall_ns": one["wall_ns"], "cpu_ns": 0, "begin_ns": 0, "end_ns": one["wall_ns"]}
        # The simulator takes longer than the virtual time.
        took = {"metric": {"name": "steps", "value": one["wall_ns"] / 1e9, "unit": "s"}, "phases": [inside]}
        return one | took | {"wall_ns": 10**9}

    rewrite(folder.records, phase)
    return folder


def test_a_rehearsal_shows_the_described_machine_and_not_the_simulator(rehearsed):
    study = Study.read(rehearsed.path)
    text = page(study)
    assert study.analysis.phases == {"unpinned": []}
    assert "pack:4 [numa] core:8 pu:1</dd>" in text
    assert not {"Work over threads", "CPU use over time"} & {figure.title for figure in study.figures}
    assert "How long anything takes on a real machine" in text
    assert "Anything about remote memory" not in text
    answers = {one.number: (one.answer, one.evidence) for one in study.analysis.checklist}
    assert answers[2][0] == "does not apply"
    assert answers[10] == ("partly", "virtual time of a rehearsal, which knows forks, steals and far memory alone")


def test_cpus_that_placements_leave_out_have_a_reason(simulated):
    folder = simulated({"threads-close+within:core:0": {1: (8.0, 8.0), 2: (8.0, 8.0)}})
    rewrite(folder.plan, lambda spec: spec | {"cpus": [0]})
    [found] = [one for one in analysis(folder).checklist if one.number == 2]
    expected = "up to 2 threads on 4 allowed cpus of 4: 3 cpus were never used, since placements leave them out"
    assert (found.answer, found.evidence) == ("partly", expected)


def test_a_response_that_never_varies_is_not_analysed(simulated):
    folder = simulated({"a": {1: (2.0, 2.0), 2: (1.0, 2.0)}, "b": {1: (3.0, 3.0), 2: (1.5, 3.0)}})
    with folder.study_spec.open("a") as file:
        file.write('[measure]\nresponses = ["bytes"]\n')
    rewrite(folder.records, lambda one: one | {"counters": {"bytes": {"value": 7}}})
    study = Study.read(folder.path)
    assert study.analysis.responses == {"bytes": "every run has the same value, 7 events"}
    assert "every run has the same value, 7 events." in page(study)


def test_a_report_has_what_claims_are_judged_by(simulated):
    folder = simulated({"a": {1: (2.0, 2.0)}, "b": {1: (3.0, 3.0)}})
    claim = '[[claim]]\nsays = "few"\nresponse = "bytes"\nvalue = { placement = "a" }\nbelow = 10\n'
    with folder.study_spec.open("a") as file:
        file.write(claim)
    counts = iter(range(1, 11))
    rewrite(folder.records, lambda one: one | {"counters": {"bytes": {"value": next(counts)}}})
    study = Study.read(folder.path)
    rows = {row["where"]: (row["response"], row["runs"]) for row in evidence_rows(study)}
    assert rows == {"a": ("bytes", 5), "b": ("bytes", 5)}
    assert min(row["least"] for row in evidence_rows(study)) == 1
    assert max(row["largest"] for row in evidence_rows(study)) == 10
    assert "What claims are judged by" in page(study)


def test_bases_are_compared_where_there_are_speedups(simulated):
    assert base_lines(analysis(simulated({"a": {2: (2.0, 2.0)}, "b": {2: (3.0, 3.0)}}))) == []


def test_counts_have_no_decimals(simulated):
    assert with_ends(-28685107.2, Interval(-29045291.067, -28324923.3)) == "-28,685,107 [-29,045,291, -28,324,923]"
    assert with_ends(-0.0001, Interval(-0.0002, 0.1)) == "0.000 [0.000, 0.100]"


def test_what_a_claim_measured_has_digits_however_small(simulated):
    assert with_ends(0.0003, Interval(0.00025, 0.00035), small=True) == "0.000300 [0.000250, 0.000350]"
    assert with_ends(0.5, Interval(0.4, 0.6), small=True) == "0.500 [0.400, 0.600]"
    folder = simulated({"a": {1: (0.0003, 0.0003), 2: (0.0002, 0.0003)}})
    with folder.study_spec.open("a") as file:
        file.write('[[claim]]\nsays = "short"\nvalue = { threads = 2 }\nbelow = 0.0001\n')
    [row] = claim_rows(analysis(folder))
    assert row["answer"] == "refuted"
    assert row["measured"].startswith("0.000"), row
    assert float(row["measured"].split()[0]) == pytest.approx(0.0002, rel=0.1)


@pytest.mark.parametrize(("low", "high"), [(0.6, 1.6), (0.27, 4.2), (0.98, 1.03), (1e-6, 1e3), (9.0, 11.0)])
def test_a_logarithmic_axis_has_labels_over_all_of_it(low, high):
    ticks = log_axis([low, high, math.nan]).to_dict()["values"]
    assert len(ticks) >= FEWEST_TICKS or high / low < 1.1
    assert all(low <= tick <= high for tick in ticks)
    assert math.log(ticks[0] / low) + math.log(high / ticks[-1]) < 0.7 * math.log(high / low)


def test_a_map_names_every_thread_of_a_cpu(simulated):
    folder = simulated({"a": {1: (1.0, 1.0)}})
    described = json.loads(folder.machine.read_text())
    rows = {row["cpu"]: row["thread"] for row in placements.rows(described, {"one": [0, 0], "all": [1] * 9})}
    assert rows[1] == "0 1 2 …"
    assert [row["thread"] for row in placements.rows(described, {"one": [0, 0]})][:2] == ["0 1", ""]


def claimed(folder: Folder, *claims: str) -> list[tuple[str, str]]:
    with folder.study_spec.open("a") as file:
        file.writelines(f'[[claim]]\nsays = "{number}"\n{claim}\n' for number, claim in enumerate(claims))
    return [(one.answer, one.why) for one in analysis(folder).claims]


RATIO = 'ratio = { of = { placement = "a" }, over = { placement = "b" } }'


@pytest.mark.parametrize(
    ("others", "claim", "answer"),
    [
        (0.0, f"{RATIO}\nbelow = 0.9", "confirmed"),
        # Others took at most 15 % of these two thread counts' time, and 0.5 is further than that from 0.9, but not
        # from 0.55.
        (0.15, f"{RATIO}\nbelow = 0.9", "confirmed"),
        (0.15, f"{RATIO}\nbelow = 0.55", "undecided"),
        (0.15, f"{RATIO}\nabove = 0.45", "undecided"),
        (0.15, f"{RATIO}\nabove = 0.9", "refuted"),
        (0.0, "slope = {}\nbetween = [1, 2]\nabove = -1.1\nbelow = -0.9", "confirmed"),
        (0.15, "slope = {}\nbetween = [1, 2]\nabove = -1.1\nbelow = -0.9", "undecided"),
        (0.15, "slope = {}\nbetween = [1, 2]\nbelow = 0.5", "confirmed"),
        # Only two of these counts were measured, and a line through them tilts more.
        (0.15, "slope = {}\nbetween = [1, 64]\nabove = -1.2\nbelow = -0.8", "undecided"),
        # What explains how much of the variation nobody can tell beside other programs.
        (0.0, 'explains = "placement"\nabove = 0.1', "confirmed"),
        (0.15, 'explains = "placement"\nabove = 0.1', "undecided"),
        # Counts are what they are.
        (0.5, 'response = "page-faults"\nvalue = {}\nbelow = 10', "confirmed"),
    ],
)
def test_claims_about_times_beside_other_programs(simulated, others, claim, answer):
    folder = simulated({"a": {1: (1.0, 1.0), 2: (0.5, 1.0)}, "b": {1: (2.0, 2.0), 2: (1.0, 2.0)}})
    busy = {"validity": VALID | {"other_busy": others / 2}, "counters": {"page-faults": {"value": 7}}}
    rewrite(folder.records, lambda one: one | busy)
    [(found, why)] = claimed(folder, claim)
    assert (found, why.startswith("other programs may have taken ")) == (answer, answer == "undecided")


SQUARES = {"block": 0.03, "threads": 0.08, "error": 0.37}


def test_virtual_times_are_not_compared_with_measured_ones(simulated):
    folder = simulated({"no": {2: (2.0, 2.0)}, "pack:2": {2: (1e-4, 2.0)}})

    def machine_of(spec: dict) -> dict:
        params = {"rehearse": spec["cell"]["placement"]}
        cell = {"threads": 2, "placement": "none", **params}
        return spec | {"cell": cell, "cpus": [], "program": {"workload": "parfib", "args": {}, "params": params}}

    rewrite(folder.plan, machine_of)
    found = analysis(folder)
    assert found.contrasts == []
    assert found.verdict.status == "none"
    [timed] = [one for one in found.checklist if one.number == 10]
    assert timed.evidence.startswith("virtual time of a rehearsal in 5 of 10 runs")


def test_a_level_that_a_cell_does_not_have_is_no_level(simulated):
    [(answer, why)] = claimed(simulated({"a": {1: (1.0, 1.0)}}), 'value = { nosuch = "None" }\nbelow = 9')
    assert (answer, why) == ("not measurable here", "no run has nosuch=None")


def test_figures_of_responses_with_like_names_stay_apart(simulated):
    folder = simulated({"a": {1: (2.0, 2.0), 2: (1.0, 2.0)}, "b": {1: (3.0, 3.0), 2: (1.5, 3.0)}})
    with folder.study_spec.open("a") as file:
        file.write('[measure]\nresponses = ["rows/s", "rows-s", "rows_s"]\n')
    draw = iter(range(3, 1000))

    def counted(record: dict) -> dict:
        return record | {"facts": {name: str(next(draw) ** 2) for name in ("rows/s", "rows-s", "rows_s")}}

    rewrite(folder.records, counted)
    names = [figure.name for figure in Study.read(folder.path).figures]
    assert len(names) == len(set(names))
    assert sum(name.startswith("rows-s-") for name in names) >= 6
    assert sum(name.startswith("rows_s-") for name in names) >= 3


def test_the_source_that_varies_most_is_named_where_a_factor_explains_little():
    sources = [SimpleNamespace(term=(name,), name=name, squares=size, share=size) for name, size in SQUARES.items()]
    anova = SimpleNamespace(sources=sources, of=lambda name: next(one for one in sources if one.name == name))
    said = _small_share(cast("FactorialAnalysis", SimpleNamespace(anova=anova)), "threads")
    assert said == "threads explains only 8.00 % of the variation, because error varies more; its levels matter."
