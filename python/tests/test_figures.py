"""Figures on their own: series that look different, labels that are whole, and levels that hold anything."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import vl_convert as vlc
from conftest import keep_samples, rewrite

from knee import plots
from knee.opened import Study
from knee.plots.factorial import interaction, residuals
from knee.plots.figures import FIGURES
from knee.plots.machine import cells
from knee.plots.resources import cpu_use, over_time, work_over_time
from knee.plots.scaling import speedup
from knee.plots.style import COLOURS, NARROW, SHAPES, legend
from knee.report.export import export
from knee.report.page import page
from knee.report.specification import specification
from knee.stats.intervals import Interval
from knee.stats.linear.comparisons import Mean
from knee.stats.linear.least_squares import Estimate

CURVE = {1: (8.0, 8.0), 2: (4.0, 8.0), 4: (2.0, 8.0)}
OTHER = {1: (9.0, 9.0), 2: (5.0, 9.0), 4: (2.0, 9.0)}


def drawn(folder) -> dict:
    return {figure.name: figure for figure in Study.read(folder.path).figures}


def picture(figure) -> str:
    return vlc.vegalite_to_svg(specification(figure, "light"))


def shape_ranges(spec: object) -> list[list[str]]:
    """Return the range of every scale of shapes in a specification."""
    if isinstance(spec, list):
        return [found for one in spec for found in shape_ranges(one)]
    if not isinstance(spec, dict):
        return []
    own = [spec["shape"]["scale"]["range"]] if isinstance(spec.get("shape"), dict) else []
    return own + [found for one in spec.values() for found in shape_ranges(one)]


def test_colours_and_shapes_repeat_at_different_places(simulated):
    looks = [(COLOURS["light"][n % len(COLOURS["light"])], SHAPES[n % len(SHAPES)]) for n in range(105)]
    assert len(set(looks)) == 105
    curves = {one.name: one.curve for one in Study.read(simulated({"none": CURVE}).path).analysis.series}
    chart = speedup.chart({f"series {n}": curves["unpinned"] for n in range(9)})
    assert shape_ranges(chart.to_dict()) == [SHAPES]
    levels = {"threads": ["1", "2"], "build": [f"b{n}" for n in range(9)]}
    one = Estimate(1.0, 0.1, Interval(0.9, 1.1))
    means = [Mean({"threads": n, "build": b}, one) for n in levels["threads"] for b in levels["build"]]
    assert shape_ranges(interaction.chart(means, levels, "none", "s").to_dict()) == [SHAPES]


LONG = "input=a graph of the whole web as it was crawled in the summer of 2020, "


def test_names_that_begin_alike_have_labels_of_their_own(simulated):
    names = [f"{LONG}part {n}" for n in (1, 2)]
    found = drawn(simulated(dict(zip(names, (CURVE, OTHER), strict=True))))
    for name in ("speedup", "effects"):
        labels = re.findall(r">([^<>]*crawled[^<>]*)<", picture(found[name]))
        assert set(names) <= set(labels), name


def test_long_labels_of_a_legend_break_into_lines_on_a_narrow_page_only():
    names = [f"{LONG}part 1", "short"]
    shown = legend(names).to_dict()["labelExpr"]
    condition, lines = shown.split(" ? ")
    assert condition.startswith("containerSize()[0] && (containerSize()[0] || ")
    broken = json.loads(lines[1 : lines.index(")[datum.label]")])
    assert list(broken) == names[:1]
    assert " ".join(broken[names[0]]) == names[0]
    assert max(map(len, broken[names[0]])) <= NARROW
    assert lines.endswith(")[datum.label] || datum.label : datum.label")
    assert "labelExpr" not in legend(["short", "a little longer"]).to_dict()


def test_labels_of_effects_leave_room_for_effects_on_a_narrow_page(simulated):
    names = [f"{LONG}part {n}" for n in (1, 2)]
    figure = drawn(simulated(dict(zip(names, (CURVE, OTHER), strict=True))))["effects"]
    limits = re.findall(r'"labelLimit": (\{[^}]*\}|\d+)', json.dumps(figure.chart.to_dict()))
    assert set(limits) == {'{"expr": "(containerSize()[0] || 0) / 2"}'}


def test_a_level_may_hold_a_line_break_and_quotation_marks(simulated):
    names = ['one\nline\'s "end"', "back\\slash"]
    found = drawn(simulated(dict(zip(names, (CURVE, OTHER), strict=True))))
    assert "back\\slash" in picture(found["effects"])


GROWS = {1: (2.0, 2.0), 2: (2.0, 4.0), 4: (2.0, 8.0)}
WEAK = '[design.weak]\nargument = "n"\none_thread = 1000\npower = 3\n'


def test_what_is_said_of_a_weak_study_holds_for_it(simulated):
    folder = simulated({"cores-close": GROWS}, noise=0.0)
    with folder.study_spec.open("a") as file:
        file.write(WEAK)
    found, text = drawn(folder), page(Study.read(folder.path))
    assert [row["CPU seconds"] for row in found["cpu-seconds"].rows] == [2.0, 2.0, 2.0]
    assert "for the work of one thread" in found["cpu-seconds"].sees
    assert "more work on more threads" in found["switches"].sees
    assert found["run-time"].sees.startswith("The work grows with the threads, so the ideal is a level line.")
    assert "with times for as much work as on the fewest threads" in text
    assert "n grows from 1000 with the threads^(1/3): the work grows with n^3" in text


def test_counts_of_a_weak_study_are_for_the_work_of_one_thread(simulated):
    folder = simulated({"cores-close": GROWS}, noise=0.0)
    threads = {spec["id"]: spec["threads"] for spec in folder.read_plan()}
    counters = {"instructions": 1000, "mbm_total_bytes": 300, "mbm_local_bytes": 200}
    rewrite(
        folder.records,
        lambda one: one | {"counters": {name: value * threads[one["id"]] for name, value in counters.items()}},
    )
    with folder.study_spec.open("a") as file:
        file.write(WEAK)
    found = drawn(folder)
    assert {row["instructions"] for row in found["instructions"].rows} == {1000.0}
    assert [row["instructions/s"] for row in found["issue-rate"].rows] == [500.0, 1000.0, 2000.0]
    assert {row["traffic"] for row in found["traffic"].rows} == {100.0, 200.0}
    assert all("for the work of one thread" in found[name].sees for name in ("instructions", "traffic"))
    assert "for the work of one thread" not in found["issue-rate"].sees


def test_every_series_has_its_own_base(simulated):
    later = {2: (4.0, 8.0), 4: (2.0, 8.0)}
    folder = simulated({"cores-close": CURVE, "threads-close": later})
    text, found = page(Study.read(folder.path)), drawn(folder)
    assert "the program itself on 1 thread of cores-close; 2 threads of threads-close." in text
    assert "where b is the fewest threads of the series" in text
    assert "with an ideal of its own: 1 of cores-close; 2 of threads-close." in found["speedup"].sees
    ideal = found["speedup"].chart.to_dict()["layer"][0]
    assert [(row["base"], row["threads"], row["ideal"]) for row in ideal["data"]["values"]] == [
        *((1, 1, 1.0), (1, 2, 2.0), (1, 4, 4.0)),
        *((2, 2, 1.0), (2, 4, 2.0)),
    ]


def test_an_ideal_far_above_all_points_leaves_a_linear_figure(simulated):
    crowded = simulated({"p": CURVE | {14: (4.0, 8.0)}})
    both = {name: figure.chart.to_dict()["layer"] for name, figure in drawn(crowded).items() if "speedup" in name}
    highest = max(row["high"] for row in drawn(crowded)["speedup"].rows)
    tops = {name: [layer["encoding"]["y"]["scale"].get("domainMax") for layer in both[name]] for name in both}
    assert tops["speedup"] == [pytest.approx(1.5 * highest)] * len(both["speedup"])
    assert set(tops["speedup-log"]) == {None}, "a logarithmic axis has room for both"
    assert both["speedup"][0]["mark"]["clip"]


def test_an_ideal_near_the_points_is_drawn_whole(simulated):
    ideal = drawn(simulated({"p": CURVE}))["speedup"].chart.to_dict()["layer"][0]
    assert "domainMax" not in ideal["encoding"]["y"]["scale"]


def test_a_best_serial_version_is_compared_with_the_series_own_base(simulated):
    folder = simulated({"cores-close": CURVE, "threads-close": {2: (4.0, 8.0), 4: (2.0, 8.0), 8: (2.0, 8.0)}})
    more = {spec["id"] for spec in folder.read_plan() if spec["threads"] == 8}
    rewrite(
        folder.plan, lambda spec: spec | ({"role": "baseline", "cell": {}, "threads": 1} if spec["id"] in more else {})
    )
    text = page(Study.read(folder.path))
    assert "cores-close: with threads=1 it takes" in text
    assert "threads-close: with threads=2 it takes" in text


def with_samples(folder, threads_of=lambda spec: spec["threads"]):
    """Give every run samples in which its threads compute all the time."""

    def noted(spec, record):
        times = range(0, record["wall_ns"], record["wall_ns"] // 8)
        return [(t, f"thread:{n}", "cpu_ns", t) for t in times for n in range(threads_of(spec))]

    keep_samples(folder, noted)
    return folder


def test_the_menu_of_cpu_use_opens_on_the_most_threads_and_what_has_no_room_is_said(simulated, monkeypatch):
    folder = with_samples(simulated({"cores-close": CURVE}))
    figure = drawn(folder)["cpu-use"]
    [menu] = figure.chart.to_dict()["params"]
    assert menu["value"] == "cores-close, 4 threads"
    assert figure.sees == cpu_use.SEES
    monkeypatch.setattr(cpu_use, "MOST_ROWS", 4 * cpu_use.BINS)
    monkeypatch.setattr(cpu_use, "MOST_THREADS", 3)
    said = drawn(folder)["cpu-use"].sees
    left = "to keep the report small or because samples cannot be read: 1 of 3 runs, of 2 threads."
    assert f"Not in the menu, {left}" in said
    assert "Of more than 3 threads the busiest 3 are drawn." in said


def test_what_has_no_room_over_time_is_said(simulated, monkeypatch):
    folder = with_samples(simulated({"cores-close": CURVE}))
    assert "To keep the report small" not in drawn(folder)["over-time"].sees
    monkeypatch.setattr(over_time, "MOST_ROWS", over_time.BINS)
    assert drawn(folder)["over-time"].sees.endswith("To keep the report small 1, 2 threads are not in the menu.")


def test_what_has_no_room_of_the_work_over_time_is_said(monkeypatch):
    runs = [("a", SimpleNamespace(threads=n)) for n in (1, 2, 4)]
    monkeypatch.setattr(work_over_time, "representative", lambda members: members)
    monkeypatch.setattr(work_over_time, "rates", lambda run, _: [{}] if run.threads > 1 else [])
    assert work_over_time.left_out(runs, Path(), [{"threads": 4}]) == [2]
    assert work_over_time.left_out(runs, Path(), [{"threads": 2}, {"threads": 4}]) == []


def test_small_residuals_keep_their_digits():
    left = SimpleNamespace(fitted=np.array([8e-5]), residuals=np.array([1.234567e-7]))
    assert residuals.fitted_rows(left) == [{"fitted": 8e-5, "residual": 1.23457e-7}]


def test_a_picture_says_what_its_menu_shows(simulated, tmp_path):
    folder = with_samples(simulated({"cores-close": CURVE, "none": CURVE}))
    found = {path.stem: path.read_text() for path in export(Study.read(folder.path), "svg", tmp_path)}
    assert ">run: cores-close, 4 threads<" in found["cpu-use"]
    assert ">threads: 4<" in found["over-time"]
    assert ">placement: cores-close<" in found["machine"]
    assert "role-title-text" in found["machine"]
    assert "role-title-text" not in found["speedup"]


def test_every_file_that_makes_a_figure_is_in_the_list():
    files = {path for path in Path(plots.__file__).parent.rglob("*.py") if "\ndef make(" in path.read_text()}
    assert files == {Path(str(one.__file__)) for one in FIGURES}
    assert all(one.TITLE and one.SEES.endswith(".") for one in FIGURES)


def test_figures_of_one_response_stay_together(simulated):
    folder = simulated({"cores-close": CURVE, "none": OTHER})
    with folder.study_spec.open("a") as file:
        file.write('[measure]\nresponses = ["cpu"]\n')
    made = Study.read(folder.path).figures
    groups = [figure.response for figure in made if figure.response is not None]
    assert groups == sorted(groups)
    assert set(groups) == {"", "cpu"}
    assert made[-1].name == "runs"


def test_a_figure_that_stays_empty_says_what_it_needs(simulated):
    folder = simulated({"none": {1: (1.0, 1.0), 2: (0.5, 1.0)}})
    why = {"unavailable": "no resctrl: mount it"}
    rewrite(folder.records, lambda one: one | {"counters": {"mbm_total_bytes": why, "mbm_local_bytes": why}})
    study = Study.read(folder.path)
    titles = [title for title, _ in study.missing]
    assert titles == ["Memory traffic over threads", "CPU use and memory traffic over time"]
    assert "<li>Memory traffic over threads: mbm_total_bytes: no resctrl: mount it.</li>" in page(study)
    rewrite(folder.records, lambda one: one | {"counters": {}})
    assert Study.read(folder.path).missing == []
    assert "Figures that stay empty" not in page(Study.read(folder.path))


def test_runs_that_count_are_not_drawn_among_those_that_are_timed(simulated):
    folder = simulated({"p": CURVE})
    rewrite(folder.plan, lambda spec: spec | ({"role": "counting", "counters": ["x"]} if spec["block"] == 1 else {}))
    figure = drawn(folder)["runs"]
    assert {row["role"] for row in figure.rows} == {"measure", "counting"}
    assert {row["role"] for row in figure.chart.to_dict()["data"]["values"]} == {"measure"}
    assert figure.sees.endswith("Runs that count are not timed: only the table has them.")


def test_threads_that_are_pinned_as_a_set_have_no_numbers(simulated):
    folder = simulated({"p": CURVE})
    assert {row["thread"] for row in drawn(folder)["machine"].rows} == {""}
    assert drawn(folder)["machine"].sees.startswith("Where fields have no numbers, threads are kept to the blue ones")
    rewrite(folder.plan, lambda spec: spec | {"bind": "each"})
    assert {row["thread"] for row in drawn(folder)["machine"].rows} == {"0", "1", "2", "3"}


def test_bins_are_no_shorter_than_the_kernel_s_clock_can_fill():
    assert [cpu_use.bins_of(1e6 * ms) for ms in (10, 39, 80, 400, 100_000)] == [1, 1, 2, 10, 48]


def test_a_thread_that_begins_late_is_not_drawn_before(simulated):
    folder = simulated({"p": {1: (1.0, 1.0)}}, noise=0.0)
    late = [(t, "thread:1", "cpu_ns", max(0, t - 500_000_000)) for t in range(510_000_000, 1_000_000_001, 10_000_000)]
    keep_samples(folder, lambda spec, one: late)
    uses = {row["from_s"]: row["use"] for row in drawn(folder)["cpu-use"].rows}
    assert uses
    assert all(use == 0 for start, use in uses.items() if start < 0.45)
    assert all(use > 0.99 for start, use in uses.items() if start > 0.5)


def test_a_run_that_never_began_is_drawn_nowhere_and_ends_no_report(simulated):
    folder = simulated({"p": CURVE})
    never = {"wall_ns": 0, "exit": {"error": "it could not start"}}
    rewrite(folder.records, lambda one: one | (never if one["id"] == "0001" else {}))
    study = Study.read(folder.path)
    assert "it could not start" in page(study)
    assert {row["state"] for row in study.rows()} >= {"good", "bad"}


def test_figures_of_cells_whose_names_begin_alike_have_names_of_their_own():
    assert cells.file_names("reads", ["a b", "a-b", "c", "1.5", "1-5"]) == [
        *("reads-a-b-1", "reads-a-b-2", "reads-c", "reads-1-5-4", "reads-1-5-5"),
    ]


def test_a_fact_that_is_no_number_is_left_out():
    assert [cells.numbers(text) for text in ("1 2.5", "", "abc", "1 x", "nan", "1e999")] == [[1.0, 2.5], *[[]] * 5]
