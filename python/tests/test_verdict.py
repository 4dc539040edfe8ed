"""The verdict on simulated curves: it claims no more than they support."""

import re

import pytest
from conftest import VALID, rewrite

from knee.explain.verdict.form import Verdict
from knee.opened import Study


def verdict(folder) -> Verdict:
    return Study.read(folder.path).analysis.verdict


def line(said: Verdict, label: str) -> str:
    return next((one.text for one in said.lines if one.label == label), "")


def ideal(n: int) -> tuple[float, float]:
    return 8 / n, 8.0


def test_with_few_thread_counts_no_law_and_no_knee_is_claimed(simulated):
    said = verdict(simulated({"cores-close": {n: ideal(n) for n in (1, 2, 4)}}))
    assert said.headline.startswith(("made up: 4 threads are 3.9", "made up: 4 threads are 4.0"))
    assert said.headline.endswith("as fast as 1; every cpu is used")
    assert line(said, "knee").startswith("unknown: needs at least 6 thread counts; ")
    assert said.status == "decided"


def test_with_enough_counts_the_knee_is_where_it_was_put(simulated):
    curve = {n: (8 / min(n, 4), 8.0 * n / min(n, 4)) for n in (1, 2, 3, 4, 6, 8, 12)}
    said = verdict(simulated({"cores-close": curve}, blocks=8))
    assert line(said, "knee").startswith("4")
    assert said.headline.endswith("more threads give no measurable gain")


def test_the_count_to_use_is_said_where_the_data_carry_it(simulated):
    curve = {n: (8 / min(n, 4), 8.0) for n in (1, 2, 3, 4, 6, 8, 12)}
    study = Study.read(simulated({"cores-close": curve}, blocks=8, noise=0.005).path)
    [series] = study.analysis.to_json()["series"]
    assert (series["decision"]["use"], series["decision"]["threads"]) == (4, 4)
    assert "made up: 4 threads are" in study.verdict


def test_law_and_knee_are_in_the_analysis_with_their_intervals(simulated):
    curve = {n: (8 * (0.05 + 0.95 / n), 8.0) for n in (1, 2, 4, 8, 12, 16, 24, 32)}
    study = Study.read(simulated({"cores-close": curve}, noise=0.005).path)
    [series] = study.analysis.to_json()["series"]
    assert series["law"]["law"] == "Amdahl"
    [s] = series["law"]["fits"][0]["parameters"]
    assert s["interval"]["low"] < 0.05 < s["interval"]["high"]
    assert "Amdahl" not in study.verdict, "a law is no cause and no news for the verdict"


def test_below_six_counts_there_is_neither_law_nor_knee(simulated):
    study = Study.read(simulated({"cores-close": {n: ideal(n) for n in (1, 2, 4, 8, 12)}}).path)
    [series] = study.analysis.to_json()["series"]
    assert (series["law"]["law"], series["law"]["fits"], series["knee"]["verdict"]) == (None, [], "undecided")


def test_series_are_told_whether_their_speedups_have_the_same_base(simulated):
    curves = {"cores-close": {1: (1.0, 1.0), 2: (0.5, 1.0)}, "none": {1: (1.3, 1.0), 2: (0.5, 1.0)}}
    study = Study.read(simulated(curves).path)
    assert study.analysis.bases["unpinned"].equivalence.answer == "slower"


def test_a_curve_that_still_grows_has_no_bend(simulated):
    text = verdict(simulated({"cores-close": {n: ideal(n) for n in (1, 2, 3, 4, 6, 8)}}))
    assert text.headline.endswith("; every cpu is used")
    assert line(text, "knee").startswith("none: every cpu is used, ")


def test_a_loss_is_called_a_loss(simulated):
    said = verdict(simulated({"cores-close": {1: (1.0, 1.0), 2: (1.2, 1.2)}}))
    assert said.headline.startswith("made up: 2 threads are 21 % [")


def test_a_loss_beyond_the_best_count_is_called_a_loss(simulated):
    curve = {1: (6.0, 6.0), 3: (2.0, 6.0), 6: (1.0, 6.0), 12: (1.22, 9.0)}
    said = verdict(simulated({"cores-close": curve}, noise=0.005))
    assert re.search(r"; 12 are 2[234] % \[2[0-3], 2[3-6]\] slower$", said.headline)


def test_a_difference_inside_the_noise_is_not_called_one(simulated):
    said = verdict(simulated({"cores-close": {1: (1.0, 1.0), 2: (0.98, 1.0)}}, noise=0.2, seed=3))
    assert said.headline.startswith("made up: cannot tell. 2 threads are between 0.")
    assert said.status == "undecided"
    assert "a new study of about " in line(said, "do")


def test_equal_times_are_no_speedup_and_the_thread_count_is_asked_about(simulated):
    said = verdict(simulated({"cores-close": {1: (1.0, 1.0), 2: (1.0, 1.0), 4: (1.0, 1.0)}}, noise=0.003))
    assert said.headline == "made up: no speedup. 1, 2 and 4 threads take the same time (within 3 %)"
    assert line(said, "check") == "does the program use the thread count it is given?"


def test_counts_above_the_cpus_enter_no_verdict_law_or_knee(simulated):
    times = {n: (8 / min(n, 4), 8.0) for n in (1, 2, 3, 4, 5, 6, 8, 12)}
    folder = simulated({"none": times}, blocks=8, noise=0.005)
    study = Study.read(folder.path)
    assert study.analysis.verdict.headline.endswith("; every cpu is used")
    assert line(study.analysis.verdict, "rests on").endswith("; 5, 6, 8 and 12 above the 4 cpus left out")
    assert study.analysis.summaries["unpinned"].law.why.endswith("there are 4")
    rows = next(figure.rows for figure in study.figures if figure.name == "speedup")
    assert [row["threads"] for row in rows if row["above the cpus"]] == [5, 6, 8, 12]


def test_a_cold_base_is_questioned_and_makes_no_knee(simulated):
    curve = {n: (8 / n, 8.0) for n in (2, 3, 4, 6, 8, 12)} | {1: (16.0, 16.0)}
    study = Study.read(simulated({"cores-close": curve}, noise=0.005).path)
    assert "; T(1) is in doubt: 200 % efficiency at 2" in study.analysis.verdict.headline
    assert study.analysis.summaries["cores-close"].knee.verdict != "knee"


def test_the_price_of_the_best_count_is_said_beside_the_knee(simulated):
    slow = {n: (8 / n if n <= 8 else (n / 8) ** -0.07, 8.0) for n in (1, 2, 4, 8, 16, 32)}
    said = verdict(simulated({"cores-close": slow}, blocks=8, noise=0.003))
    assert line(said, "knee").startswith("7.98 threads [")
    assert line(said, "use").startswith("32 threads are 1.10x [")


def test_runs_too_short_are_the_verdict(simulated):
    said = verdict(simulated({"cores-close": {1: (0.0015, 0.001), 2: (0.0047, 0.004)}}, noise=0.01, copies={2: 0.0138}))
    assert said.headline == "made up: no verdict. Runs take 1.5 ms, most of it start-up"
    assert (said.status, line(said, "do")) == ("none", "give the program more work per run")
    assert line(said, "why") == ""


def test_rejected_runs_are_said_first(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (0.5, 1.0)}})
    specs = {spec["id"]: spec for spec in folder.read_plan()}

    def reject(one: dict) -> dict:
        wrong = specs[one["id"]]["threads"] == 2 and one["block"] < 4
        return one | ({"check": {"ok": False, "reason": "output differs"}} if wrong else {})

    rewrite(folder.records, reject)
    said = verdict(folder)
    assert line(said, "rejected") == "2 threads: 3 of 5 runs rejected (check failed: output differs)"


def test_the_headline_is_at_most_a_hundred_characters(simulated):
    said = verdict(simulated({"cores-close": {n: ideal(n) for n in (1, 2, 4)}}, name="x" * 300))
    assert len(said.headline) <= 100
    assert "4 threads are" in said.headline
    assert len(said.lines) <= 5


def test_without_two_good_blocks_nothing_is_said_about_speedup(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (0.5, 1.0)}})
    lines = folder.records.read_text().splitlines()
    lines = [lines[0], lines[1], *(line.replace('"code": 0', '"code": 1') for line in lines[2:])]
    folder.records.write_text("\n".join(lines) + "\n")
    assert verdict(folder).headline == "made up: no verdict. Too few good runs for an interval"


def test_one_thread_count_has_no_speedup(simulated):
    said = verdict(simulated({"cores-close": {1: (1.0, 1.0)}}))
    assert said.headline == "made up: only 1 thread was measured, so there is no speedup"


def test_a_study_whose_base_is_bad_gets_no_verdict(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (0.5, 1.0)}})
    text = folder.records.read_text()
    lines = [line.replace('"code": 0', '"code": 1') for line in text.splitlines()]
    folder.records.write_text("\n".join(lines) + "\n")
    said = verdict(folder)
    assert (said.status, "no verdict" in said.headline) == ("none", True)
    assert line(said, "rejected").startswith("1 thread: 5 of 5 runs rejected (exit status 1)")


def test_parts_of_the_ledger_add_up_to_the_loss(simulated):
    curve = {1: (8.0, 7.6), 2: (4.5, 8.2), 4: (2.9, 9.0), 8: (2.4, 11.0)}
    analysis = Study.read(simulated({"cores-close": curve}).path).analysis
    books = [one.ledger for one in analysis.ledgers["cores-close"]]
    assert [book.threads for book in books] == [2, 4, 8]
    for book in books:
        assert sum(book.value(part.name).value for part in book.entries) == pytest.approx(book.loss.value)


def test_the_kernels_choice_is_not_preferred_to_a_pinned_series(simulated):
    curves = {"none": {1: (1.0, 1.0), 2: (0.45, 1.0)}, "cores-close": {1: (1.0, 1.0), 2: (0.55, 1.0)}}
    assert "on cores-close" in line(verdict(simulated(curves)), "rests on")


def weak(folder) -> Verdict:
    with folder.study_spec.open("a") as file:
        file.write("[design]\nweak = { argument = 'n', one_thread = 9 }\n")
    return verdict(folder)


def test_where_the_input_grows_the_verdict_is_about_work(simulated):
    text = weak(simulated({"cores-close": {1: (1.0, 1.0), 2: (1.0, 2.0), 4: (1.12, 4.0)}}))
    assert text.headline.startswith("made up: 4 threads do 3.5")
    assert "] the work of 1 in the same time" in text.headline
    assert "as fast as" not in str(text)


@pytest.mark.parametrize(
    ("two", "noise", "says"),
    [
        (2.4, 0.01, "2 threads do less work than 1 in the same time (0.8"),
        (2.0, 0.2, "cannot tell. 2 threads do between"),
    ],
)
def test_where_the_input_grows_threads_that_do_not_help_do_no_more_work(simulated, two, noise, says):
    assert says in weak(simulated({"cores-close": {1: (1.0, 1.0), 2: (two, 2.0)}}, noise=noise, seed=3)).headline


def test_where_the_input_grows_series_are_compared_by_their_work(simulated):
    # Four threads on one of them take longer than one thread does, for four times the work.
    curves = {"cores-spread": {1: (0.9, 0.9), 4: (3.9, 4.0)}, "cores-close": {1: (1.0, 1.0), 4: (1.0, 4.0)}}
    assert "on cores-close" in line(weak(simulated(curves)), "rests on")


def test_a_knee_at_the_count_to_use_does_not_contradict_it(simulated):
    curve = {n: (8 / min(n, 4) * (1 + 0.02 * n), 8.0) for n in (1, 2, 3, 4, 6, 8, 12)}
    said = verdict(simulated({"cores-close": curve}, blocks=8, noise=0.002))
    assert re.search(r"; 12 are 1\d % \[.*\] slower$", said.headline)
    assert line(said, "knee").startswith("4.")


def test_calm_is_said_of_runs_that_were_watched(simulated):
    folder = simulated({"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}})
    assert "calm" not in line(verdict(folder), "rests on")
    rewrite(folder.records, lambda one: one | {"validity": VALID | {"other_busy": 0.0}})
    assert line(verdict(folder), "rests on").endswith(", all calm")
