"""``knee study --explain`` and ``knee explain``: questions join the study, and the ledger is shown as it is."""

import io
import json
import math
import statistics
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_study import knee
from told import Made, evidence_of, runs, written

from knee.explain import analysis
from knee.explain.causes.cause import Finding, Part
from knee.explain.ledger.explanation import explanation, explanations
from knee.explain.ledger.predictions import predictions
from knee.explain.ledger.rows import ledger_rows
from knee.explain.scaling.series import group
from knee.explain.tried import Tried
from knee.explain.verdict.predicted import predicted_rows
from knee.explain.verdict.results import Results
from knee.explain.verdict.study import make
from knee.explain.verdict.why import UNSURE, attempts, of_several, share_of, why, without
from knee.opened import Study
from knee.plots.scaling import speedup
from knee.report.markdown import markdown
from knee.report.page import page
from knee.report.tables import facts
from knee.report.tables.why import moves
from knee.report.terminal import explanation as terminal
from knee.report.terminal import study as in_terminal
from knee.stats.intervals import Interval, Ratio
from knee.stats.paired import paired
from knee.store import Folder, Run
from knee.study.spec import EXPLAINING_BLOCKS, TIMES_AS_MANY
from knee.terminal.console import Console

# One thread does all the work, whatever number it is told.
ALONE = ["sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; exit 0; : {threads}"]


@pytest.fixture(scope="module")
def explained(binary, tmp_path_factory) -> Folder:
    folder = tmp_path_factory.mktemp("explained")
    # It takes longer than that.
    options = ["--explain", "--at-least", "0.1s", "--no-pilot", "--factor", "threads=1,2"]
    options += ["--factor", "placement=cores-close"]
    done = knee(binary, "study", *options, "--out", "s", "--", *ALONE, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "provisional first answer, from 6 launches: cores-close: 2 threads take" in done.stderr
    return Folder(folder / "s")


@pytest.mark.serial
def test_questions_join_the_study_after_the_first_answer(explained):
    plan = explained.read_plan()
    asked = [spec for spec in plan if "test" in spec]
    assert {"one cpu", "twice the threads", "switches"} <= {spec["test"] for spec in asked}
    assert min(spec["block"] for spec in asked) == 4, "after three blocks of two runs"
    assert len([spec for spec in plan if "test" not in spec]) == 2 * TIMES_AS_MANY * EXPLAINING_BLOCKS
    made = {spec["id"] for spec in plan if spec["block"] <= EXPLAINING_BLOCKS}
    assert made == {one["id"] for one in explained.read_records()}


@pytest.mark.serial
def test_questions_take_no_longer_than_the_study(explained):
    plan = {spec["id"]: spec for spec in explained.read_plan()}
    walls = {True: 0.0, False: 0.0}
    records = explained.read_records()
    usual_s = statistics.median(one["wall_ns"] for one in records) / 1e9
    for one in records:
        asks, wall_s = "test" in plan[one["id"]], one["wall_ns"] / 1e9
        # No question was planned to take as long as one during which the machine stood still.
        walls[asks] += min(wall_s, 3 * usual_s) if asks else wall_s
    # Runs of a block are estimated before they are made, so a little more is possible.
    assert walls[True] <= 1.25 * walls[False]


@pytest.mark.serial
def test_a_program_that_ignores_its_threads_is_all_serial(explained):
    (one,) = Study.read(explained.path).analysis.ledgers["cores-close"]
    assert sum(one.ledger.value(part.name).value for part in one.ledger.entries) == pytest.approx(one.ledger.loss.value)
    # A machine that others use may leave it unexplained, but no other cause may stand alone.
    causes = [finding.cause for finding in one.findings]
    assert not causes or "serial part" in causes


@pytest.mark.parametrize(("seconds", "share"), [(1.5, " 100 %"), (0.95, " - ")])
def test_parts_of_a_loss_that_may_be_0_have_no_share(binary, simulated, seconds, share):
    here = simulated({"cores-close": {1: (2.0, 2.0), 2: (seconds, 2.0)}}, noise=0.05).path
    printed = knee(binary, "explain", str(here), cwd=here).stdout
    assert share in next(line for line in printed.splitlines() if "= loss" in line)


@pytest.mark.serial
def test_the_verb_prints_the_ledger_of_any_study(binary, explained, simulated):
    here = explained.path
    printed = knee(binary, "explain", str(here), cwd=here).stdout
    assert "as long as with perfect scaling" in printed
    assert "of these unexplained" in printed
    plain = simulated({"cores-close": {1: (2.0, 2.0), 2: (1.5, 2.4)}}, noise=0)
    printed = knee(binary, "explain", str(plain.path), cwd=here).stdout
    assert "`knee study --explain`" in printed
    told = json.loads(knee(binary, "explain", "--json", str(plain.path), cwd=here).stdout)
    assert told[0]["loss"]["value"] == pytest.approx(math.log(1.5))
    assert sum(part["value"] for part in told[0]["parts"]) == pytest.approx(told[0]["loss"]["value"])


def test_the_verb_says_which_thread_counts_there_are(binary, simulated):
    folder = simulated({"cores-close": {1: (2.0, 2.0), 2: (1.5, 2.4)}}, noise=0)
    done = knee(binary, "explain", "--threads", "3", str(folder.path), cwd=folder.path)
    assert done.returncode == 2
    assert "it has no runs of 3 threads to explain" in done.stderr
    assert "thread counts: 2; series: cores-close" in done.stderr


BASE, MANY = Made(1.0, 1.0), Made(0.75, 1.0, {"one": 0.5})
TESTS = {"one cpu": Made(1.0, 1.0, sleeps=4), "twice the threads": MANY, "switches": MANY}


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_terminal_shows_causes_with_shares_predictions_and_checks(width, monkeypatch):
    found = evidence_of(BASE, MANY, TESTS)
    printed = io.StringIO()
    monkeypatch.setattr(terminal, "Console", lambda: Console(file=printed, width=width))
    terminal.show("p", [explanation(found)], [found.series])
    text = " ".join(printed.getvalue().split())
    assert max(map(len, printed.getvalue().splitlines())) <= width
    assert "Why: serial part (100 % of the loss [" in text
    assert "to move it: divide the serial part among threads, or let it overlap with parallel work" in text
    assert "without it, 1.33x on 2 threads would become 2.00x [" in text
    assert "ok: idle time of all classes" in text


def test_the_figure_has_what_is_predicted_and_what_was_measured():
    found = evidence_of(BASE, MANY, TESTS)
    one = explanation(found)
    gain = replace(tried(1.3), treats=("serial part",), cell={"threads": 2, **found.series.levels}, answer="faster")
    slower = replace(tried(0.7), remedy="a worse one", cell=gain.cell, answer="slower")
    rows = predicted_rows([found.series], {found.series.name: [one]}, [slower, gain])
    assert [(row["what"], row["kind"]) for row in rows] == [
        ("without serial part", "predicted"), (f"with {gain.remedy}", "measured")
    ]  # fmt: skip
    assert rows[0]["speedup"] == pytest.approx(2.0, abs=0.02)
    assert rows[1]["speedup"] == pytest.approx(1.3 * 4 / 3, rel=0.01)
    assert all(row["low"] < row["speedup"] < row["high"] for row in rows)
    # The remedy's interval has the error of the speedup, too.
    width = math.log(rows[1]["high"] / rows[1]["low"])
    assert width > math.log(gain.gain.interval.high / gain.gain.interval.low)
    named = one.findings[0]
    assert named.part is not None
    unsure = replace(one, findings=(replace(named, part=replace(named.part, low=-0.1)),))
    assert predicted_rows([found.series], {found.series.name: [unsure]}, []) == []


def test_causes_that_are_named_at_several_counts_have_curves_and_so_has_the_best_remedy():
    (series,) = group(serial_at(2, 4), 4)
    ledgers = {series.name: explanations(series)}
    on_four = replace(tried(1.5), cell={"threads": 4, **series.levels}, threads=4)
    on_two = replace(tried(1.2), cell={"threads": 2, **series.levels})
    other = replace(tried(1.1), cell=on_two.cell, remedy="another one")
    rows = predicted_rows([series], ledgers, [on_two, other, on_four, replace(on_four, rejected="exit status 1")])
    assert [(row["what"], row["threads"]) for row in rows] == [
        ("without serial part", 2),
        ("without serial part", 4),
        ("with divide it", 2),
        ("with divide it", 4),
    ]
    assert [row["speedup"] for row in rows] == pytest.approx([2.0, 4.0, 1.2 * 4 / 3, 1.5 * 1.6], rel=0.03)
    own, beside = speedup.chart({series.name: series.curve}, beside=rows).to_dict()["layer"]
    assert own["layer"] == speedup.chart({series.name: series.curve}).to_dict()["layer"]
    lines = [each["mark"]["strokeDash"] for each in beside["layer"] if each["mark"]["type"] == "line"]
    assert lines == [[4, 3], [1, 0]], "predictions are dashed, what was measured is not"
    (scale,) = {
        json.dumps(each["encoding"]["shape"]["scale"]) for each in beside["layer"] if "shape" in each["encoding"]
    }
    assert json.loads(scale) == {
        "domain": ["without serial part", "with divide it"], "range": ["triangle-up", "diamond"]
    }  # fmt: skip


def serial_at(*counts: int) -> list[Run]:
    """Return the runs of a program half of which is serial, with questions at each of these thread counts."""
    return [
        run
        for n in counts
        for run in runs(BASE, half_serial(n), questions_of(n), n=n)
        if n == counts[0] or run.cell["threads"] != 1
    ]


def half_serial(n: int) -> Made:
    return Made(0.5 + 0.5 / n, 1.0, {"one": 0.5 * (n - 1)})


def questions_of(n: int) -> dict[str, Made]:
    return TESTS | {"twice the threads": half_serial(n), "switches": half_serial(n)}


def test_a_remedy_of_fewer_threads_is_drawn_where_its_gain_was_measured():
    series = evidence_of(Made(1.0, 1.0), Made(2.0, 4.0)).series
    fewer = replace(tried(2.0), remedy="1 thread", cell={"threads": 2, **series.levels}, threads=1, answer="faster")
    (row,) = predicted_rows([series], {}, [fewer])
    assert (row["threads"], row["what"]) == (2, "with 1 thread")
    assert row["speedup"] == pytest.approx(1.0, rel=0.01), "one thread is as fast as one thread"


def test_several_levels_share_three_causes_and_each_has_what_was_tried():
    found = evidence_of(BASE, MANY, TESTS)
    one = explanation(found)
    (named,) = one.findings
    assert named.part is not None
    names = ["a", "b", "c", "d"]
    series = [replace(found.series, name=name, levels={"env:X": name}) for name in names]
    parts = [replace(named.part, value=size) for size in (0.1, 0.4, 0.3, 0.2)]
    findings = [replace(named, series=name, part=part) for name, part in zip(names, parts, strict=True)]
    ledgers = {name: [one] for name in names}
    gain = replace(tried(1.3), cell={"threads": 2, "env:X": "c"}, answer="faster")
    lines = of_several(findings, ledgers, series, [gain])
    assert [line.label for line in lines] == ["why", "why", "why", "move", "without", "tried"]
    assert [line.text[:16] for line in lines[:3]] == [f"{name}: serial part ("[:16] for name in "bcd"]
    assert lines[3].text.startswith("b: divide the serial part")
    assert lines[4].text.startswith("b: serial part: 1.33x on 2 threads would become ")
    assert lines[5].text.startswith(f"c: {gain.remedy}: 1.30x")
    symptoms = [replace(each, part=None) for each in findings]
    assert [line.label for line in of_several(symptoms, ledgers, series, [])] == ["why"]


def test_what_was_tried_on_fewer_threads_is_not_said_of_the_most():
    found = evidence_of(BASE, MANY, TESTS, n=4, between={2: Made(0.6, 1.1)})
    at = {count: {"threads": count, **found.series.levels} for count in (2, 4)}
    fewer = replace(tried(1.5), cell=at[2], answer="faster")
    (line,) = attempts([fewer], found.series)
    assert line.text.startswith("divide it at 2 threads: 1.50x [")
    (line,) = attempts([fewer, replace(tried(1.2), cell=at[4], answer="faster")], found.series)
    assert line.text.startswith("divide it: 1.20x [")
    assert line.text.endswith("as fast")
    (line,) = attempts([replace(fewer, answer="cannot tell")], found.series)
    assert line.text == "1 remedy at 2 threads, none shown to be faster"


def test_remedies_that_were_tried_stand_beside_the_cause_that_they_treat(monkeypatch):
    found = evidence_of(BASE, MANY, TESTS)
    one = explanation(found)
    gain = replace(tried(1.5), treats=("serial part",), cell={"threads": 2, **found.series.levels})
    elsewhere = replace(gain, remedy="another one", cell={"threads": 2, "placement": "elsewhere"})
    printed = io.StringIO()
    monkeypatch.setattr(terminal, "Console", lambda: Console(file=printed, width=200))
    terminal.show("p", [one], [found.series], [gain, elsewhere])
    assert f"Tried: {gain.remedy}: 1.50x [" in printed.getvalue()
    assert "serial part predicts" in printed.getvalue()
    assert "another one" not in printed.getvalue()
    told = terminal.to_json(one, found.series, [gain, elsewhere])
    assert [each["remedy"] for each in told["tried"]] == [gain.remedy]
    assert told["speedup_without"]["serial part"]["value"] == pytest.approx(2.0, abs=0.02)
    assert len(told["predictions"]) == 1


def test_the_verdict_names_the_cause_its_share_and_what_would_help():
    found = evidence_of(BASE, MANY, TESTS)
    one = explanation(found)
    lines = why(one.findings, [one], found.series)
    assert [line.label for line in lines] == ["why", "move", "without"]
    assert lines[0].text.startswith("serial part (100 % of the loss [")
    assert share_of(one.findings[0], one) in lines[0].text
    assert lines[1].text == "divide the serial part among threads, or let it overlap with parallel work"
    assert lines[2].text == f"serial part: {without(one.findings[0], found.series)}"
    assert lines[2].text.startswith("serial part: 1.33x on 2 threads would become 2.00x [")
    assert moves(one.findings[0], found.series) == [
        f"To move the knee: {lines[1].text}.",
        f"Without it, {without(one.findings[0], found.series)}.",
    ]


def test_advice_and_gain_are_two_lines_in_every_form(tmp_path, monkeypatch):
    study = Study.read(written(tmp_path / "s", runs(BASE, MANY, TESTS)).path)
    named = study.analysis.findings[0]
    gain = without(named, study.analysis.series[0])
    printed = io.StringIO()
    monkeypatch.setattr(in_terminal, "Console", lambda: Console(file=printed, width=80))
    in_terminal.show(study.analysis, "s")
    lines = printed.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert f"  without   serial part: {gain}" in [line.rstrip() for line in lines]
    short = markdown(study, None)
    assert f"\n- move: {named.remedy}\n- without: serial part: 1.33x on 2 threads would become 2.00x " in short
    html = page(study)
    assert f"<dt>move</dt><dd>{named.remedy}</dd>" in html
    assert f"<dt>without</dt><dd>serial part: {gain}</dd>" in html
    assert f"<p>To move the knee: {named.remedy}.</p>" in html
    assert f"<p>Without it, {gain}.</p>" in html
    said = {line["label"]: line["text"] for line in study.analysis.to_json()["verdict"]["lines"]}
    assert (said["move"], said["without"]) == (named.remedy, f"serial part: {gain}")


def test_nothing_is_advised_about_the_clock():
    found = evidence_of(BASE, MANY, TESTS)
    one = explanation(found)
    (serial,) = one.findings
    clock = replace(serial, cause="clock", remedy="nothing in the program", part=Part(0.5, 0.45, 0.55))
    assert [line.label for line in why([clock], [one], found.series)] == ["why"]
    assert [line[:12] for line in moves(clock, found.series)] == ["Without it, "]
    lines = why([serial, clock], [one], found.series)
    assert [line.text.partition(" ")[0] for line in lines] == ["clock", "serial", "divide", "serial"]
    assert [line.label for line in lines] == ["why", "why", "move", "without"]


@pytest.mark.parametrize("low", [-0.01, 0.0, 0.05])
def test_a_part_that_may_be_0_predicts_and_recommends_nothing(low, monkeypatch):
    found = evidence_of(BASE, MANY, TESTS)
    one = explanation(found)
    (named,) = one.findings
    assert named.part is not None
    unsure = replace(named, part=replace(named.part, low=low))
    explained = replace(one, findings=(unsure,))
    printed = io.StringIO()
    monkeypatch.setattr(terminal, "Console", lambda: Console(file=printed, width=200))
    terminal.show("p", [explained], [found.series])
    lines = why([unsure], [explained], found.series)
    held = predictions([unsure], [replace(tried(1.5), treats=(unsure.cause,))])
    if low > 0:
        assert [line.label for line in lines] == ["why", "move", "without"]
        assert "would become" in printed.getvalue()
        assert len(held) == 1
        return
    assert [line.label for line in lines] == ["why"]
    assert "may be 0" in lines[0].text
    assert "would become" not in printed.getvalue()
    assert "to move it" not in printed.getvalue()
    assert UNSURE in printed.getvalue()
    assert moves(unsure, found.series) == [f"{UNSURE[0].upper()}{UNSURE[1:]}."]
    assert not held


@pytest.mark.parametrize(("blocks", "said"), [(2, "not named yet: fewer than 3 blocks"), (6, "serial part (")])
def test_a_provisional_answer_says_that_nothing_is_named_yet(blocks, said):
    found = evidence_of(BASE, MANY, TESTS, blocks=blocks)
    one = explanation(found)
    assert one.status == ("provisional" if blocks == 2 else "explained")
    assert why(one.findings, [one], found.series)[0].text.startswith(said)


def test_of_two_causes_the_largest_sure_one_is_recommended():
    found = evidence_of(BASE, MANY, TESTS)
    one = explanation(found)
    (named,) = one.findings
    larger = replace(named, cause="imbalance", remedy="share it out", part=Part(0.5, -0.1, 1.1))
    lines = why([named, larger], [one], found.series)
    assert [line.label for line in lines] == ["why", "why", "move", "without"]
    assert lines[0].text.startswith("imbalance (")
    assert lines[2].text == named.remedy
    assert lines[3].text.startswith("serial part: ")


def test_a_cause_is_named_once_on_the_most_threads_at_which_it_is_known(tmp_path):
    study = Study.read(written(tmp_path / "s", serial_at(2, 4)).path)
    assert [one.threads for one in study.analysis.findings] == [2, 4]
    lines = {line.label: line.text for line in study.analysis.verdict.lines}
    assert [line.label for line in study.analysis.verdict.lines].count("why") == 1
    assert lines["without"].startswith("serial part: 1.60x on 4 threads would become ")
    findings, series = study.analysis.findings, study.analysis.series
    assert [line.label for line in of_several(findings, {}, series, [])] == ["why", "move", "without"]
    html = page(study)
    assert all(f"<small>(cores-close, {n} threads)</small>" in html for n in (2, 4))


def test_a_group_recommends_and_predicts_nothing(monkeypatch):
    shares = Made(0.75, 1.5)
    tests = {"one cpu": TESTS["one cpu"], "copies": Made(1.0, 2.0), "twice the threads": shares}
    found = evidence_of(BASE, shares, tests)
    one = explanation(found)
    lines = why(one.findings, [one], found.series)
    assert [line.label for line in lines] == ["why", "decide"]
    assert lines[0].text.startswith("not named (")
    (group,) = one.findings
    assert group.part is not None
    assert group.part.low > 0
    printed = io.StringIO()
    monkeypatch.setattr(terminal, "Console", lambda: Console(file=printed, width=200))
    terminal.show("p", [one], [found.series])
    assert "not told apart here" in printed.getvalue()
    assert "would become" not in printed.getvalue()
    assert terminal.to_json(one, found.series, [])["speedup_without"] == {}


def test_rows_have_every_part_the_loss_and_what_is_unexplained():
    rows = ledger_rows([explanation(evidence_of(BASE, MANY, TESTS))])
    parts = [row for row in rows if row["kind"] == "part"]
    (loss,) = (row for row in rows if row["kind"] == "loss")
    assert sum(row["loss"] for row in parts) == pytest.approx(loss["loss"], abs=0.01)
    assert [row["kind"] for row in rows[-2:]] == ["loss", "unexplained"]


def test_the_report_draws_the_loss(simulated):
    folder = simulated({"cores-close": {1: (8.0, 7.6), 2: (4.5, 8.2), 4: (2.9, 9.0)}})
    study = Study.read(folder.path)
    assert {row["threads"] for row in study.ledger} == {2, 4}
    assert "Parts of the loss" in page(study)
    assert study.charts["loss"].to_dict()["layer"]


def tried(gain: float) -> Tried:
    noise = np.array([0.99, 1.0, 1.01, 1.0, 0.995])
    time = paired(np.ones(5), noise / gain)
    cpu = Ratio(1.0, Interval(1.0, 1.0), 5)
    return Tried("divide it", ("serial part",), "", "", {"threads": 2}, 2, time, cpu, "faster", None)


@pytest.mark.parametrize(("gain", "ok"), [(1.5, True), (1.1, False), (2.2, False)])
def test_the_gain_of_a_remedy_is_held_against_the_one_predicted(gain, ok):
    part = Part(math.log(1.5), math.log(1.45), math.log(1.55))
    finding = Finding("s", "serial part", "", (), "", "", threads=2, part=part)
    (check,) = predictions([finding], [tried(gain)])
    assert check.ok is ok
    assert ("agrees with" if ok else "differs from") in check.says


@pytest.mark.parametrize(("gain", "ok"), [(1.5, True), (2.5, True), (1.2, False)])
def test_fewer_threads_have_to_gain_what_they_can_without_the_cause(gain, ok, monkeypatch):
    found = evidence_of(Made(1.0, 1.0), Made(1.0, 2.0), n=4)
    part = Part(math.log(3.0), math.log(2.9), math.log(3.1))
    finding = Finding("s", "sleeping lock", "", (), "", "", threads=4, part=part)
    cell = {"threads": 4, **found.series.levels}
    fewer = replace(tried(gain), remedy="2 threads", treats=("sleeping lock",), cell=cell, threads=2)
    (check,) = predictions([finding], [fewer, replace(fewer, treats=("spinning",))])
    assert check.ok is ok
    assert "is 3.00x [2.90, 3.10] as fast, and at least 1.50x [1.45, 1.55] on 2 of 4 threads; that" in check.says
    printed = io.StringIO()
    monkeypatch.setattr(terminal, "Console", lambda: Console(file=printed, width=200))
    terminal.show("p", [explanation(found)], [found.series], [fewer])
    assert f"Tried: 2 threads: {gain:.2f}x [" in printed.getvalue()


def of_levels(path: Path, factor: str, names: Iterable[str]) -> Study:
    """Return a study in which every level of a factor has the same runs, which lose to a serial part."""
    made = [
        replace(run, spec={**run.spec, "cell": {**run.cell, factor: name}})
        for name in names
        for run in runs(BASE, MANY, TESTS)
    ]
    return Study.read(written(path, made).path)


def test_several_workloads_have_their_causes_and_what_was_tried_on_each(tmp_path, monkeypatch):
    on_sort = replace(tried(1.3), cell={"threads": 2, "placement": "cores-close", "workload": "sort"})
    monkeypatch.setattr(analysis, "tried", lambda *_: [on_sort])
    said = of_levels(tmp_path / "s", "workload", ["heat", "sort"]).analysis.verdict
    assert "2 of 2 workloads are faster on more threads" in said.headline
    assert [line.label for line in said.lines] == ["why", "why", "move", "without", "tried", "also", "also"]
    assert [line.text.partition(":")[0] for line in said.lines] == [
        "heat",
        "sort",
        "heat",
        "heat",
        "sort",
        "heat",
        "sort",
    ]
    assert said.lines[0].text.startswith("heat: serial part (100 % of the loss [")
    assert said.lines[4].text.startswith(f"sort: {on_sort.remedy}: 1.30x [")


def test_a_gain_of_one_of_many_workloads_may_be_chance(tmp_path):
    made = of_levels(tmp_path / "s", "workload", ["heat", "sort", "scan", "sum"]).analysis
    likely = {"heat": 1e-6, "sort": 0.03, "scan": 0.03, "sum": 0.9}
    summaries = {
        one.name: replace(
            made.summaries[one.name],
            careful=replace(made.summaries[one.name].careful, p_gain=likely[one.levels["workload"]]),
        )
        for one in made.series
    }
    runs = [run for one in made.series for run in one.runs]
    said = make(Results("s", runs, made.series, summaries, (), (), None))
    assert said.status == "undecided"
    assert "1 of 4 workloads is faster on more threads" in said.headline
    notes = [line.text for line in said.lines if "by itself" in line.text]
    assert [text.partition(":")[0] for text in notes] == ["scan", "sort", "sum"]
    assert all(text.endswith("(by itself; not among 4 workloads)") for text in notes)


def test_the_page_says_what_is_unexplained_and_which_checks_hold(tmp_path, monkeypatch):
    wrong = replace(tried(0.9), cell={"threads": 2, "placement": "cores-close", "env:X": "a"})
    monkeypatch.setattr(analysis, "tried", lambda *_: [wrong])
    study = of_levels(tmp_path / "s", "env:X", "ab")
    (row, _) = facts.ledger_rows(study.analysis)
    assert list(row)[-1] == "of these unexplained"
    assert row["of these unexplained"] == with_ends(study.analysis.ledgers["env:X=a"][0].unexplained)
    html = page(study)
    assert '<th scope="col">of these unexplained</th>' in html
    assert "<li>ok: env:X=a, 2 threads: idle time of all classes and n x T - CPU agree" in html
    assert "<li>FAILS: env:X=a: serial part predicts" in html


def with_ends(mean) -> str:
    return f"{mean.value:.3f} [{mean.interval.low:.3f}, {mean.interval.high:.3f}]"


def test_a_remedy_is_held_against_the_causes_of_the_series_on_which_it_was_tried(tmp_path, monkeypatch):
    on_a = replace(tried(1.5), cell={"threads": 2, "placement": "cores-close", "env:X": "a"})
    monkeypatch.setattr(analysis, "tried", lambda *_: [on_a])
    study = of_levels(tmp_path / "s", "env:X", "ab")
    assert [(one.series, one.cause) for one in study.analysis.findings] == [
        (name, "serial part") for name in ("env:X=a", "env:X=b")
    ]
    held = {name: [one.name for one in found] for name, found in study.analysis.predictions.items()}
    assert held == {"env:X=a": [f"remedy: {on_a.remedy}"], "env:X=b": []}
    assert study.analysis.to_json()["predictions"].keys() == held.keys()


def test_a_study_that_is_killed_between_its_questions_resumes(binary, tmp_path):
    options = ["--explain", "--at-least", "0.1s", "--no-pilot", "--no-report", "--factor", "threads=1,2"]
    options += ["--factor", "placement=cores-close"]
    running = subprocess.Popen(
        [binary, "study", *options, "--out", "s", "--", *ALONE], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert running.stderr is not None
    for line in running.stderr:
        if "block 5" in line:
            break
    running.kill()
    running.communicate()
    done = knee(binary, "study", "--resume", "s", "--no-report", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = Folder(tmp_path / "s")
    ids = [one["id"] for one in folder.read_records()]
    made = [spec["id"] for spec in folder.read_plan() if spec["block"] <= EXPLAINING_BLOCKS]
    assert sorted(ids) == sorted(made)
    assert len(set(ids)) == len(ids)
