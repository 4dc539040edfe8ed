"""The verdict on curves whose truth is known: it says no more than they carry."""

import pytest

from knee.opened import Study


def verdict(folder) -> str:
    return Study.read(folder.path).verdict


def ideal(n: int) -> tuple[float, float]:
    return 8 / n, 8.0


def test_with_few_thread_counts_no_law_and_no_knee_is_claimed(simulated):
    text = verdict(simulated({"cores-close": {n: ideal(n) for n in (1, 2, 4)}}))
    assert "3 thread counts are too few for a law or a knee" in text
    assert "bends at" not in text
    assert "4 threads on cores-close run 3.9" in text or "4 threads on cores-close run 4.0" in text


def test_with_enough_counts_the_bend_is_where_it_was_put(simulated):
    curve = {n: (8 / min(n, 4), 8.0 * n / min(n, 4)) for n in (1, 2, 3, 4, 6, 8, 12)}
    text = verdict(simulated({"cores-close": curve}, blocks=8))
    assert "the curve bends at 4" in text.lower()


def test_the_count_to_use_is_said_where_the_data_carry_it(simulated):
    curve = {n: (8 / min(n, 4), 8.0) for n in (1, 2, 3, 4, 6, 8, 12)}
    study = Study.read(simulated({"cores-close": curve}, blocks=8, noise=0.005).path)
    use = study.analysis.to_json()["series"][0]["use"]
    assert (use["threads"], use["decided"]) == (4, True)
    assert "Use n = 4: " in study.verdict


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
    assert study.analysis.bases["none"].equivalence.answer == "slower"


def test_a_curve_that_still_grows_has_no_bend(simulated):
    text = verdict(simulated({"cores-close": {n: ideal(n) for n in (1, 2, 3, 4, 6, 8)}}))
    assert "still grows at 8" in text


def test_threads_that_do_not_help_are_said_not_to(simulated):
    text = verdict(simulated({"cores-close": {1: (1.0, 1.0), 2: (1.2, 1.2)}}))
    assert "2 threads on cores-close are slower than 1 thread" in text


def test_a_difference_inside_the_noise_is_not_called_one(simulated):
    text = verdict(simulated({"cores-close": {1: (1.0, 1.0), 2: (0.98, 1.0)}}, noise=0.2))
    assert "not faster than 1 thread, as far as the interval can see" in text


def test_without_two_good_blocks_nothing_is_said_about_speedup(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (0.5, 1.0)}})
    lines = folder.records.read_text().splitlines()
    lines = [lines[0], lines[1], *(line.replace('"code": 0', '"code": 1') for line in lines[2:])]
    folder.records.write_text("\n".join(lines) + "\n")
    assert "Too few good runs on cores-close for an interval" in verdict(folder)


def test_one_thread_count_has_no_speedup(simulated):
    assert "Only 1 thread was measured" in verdict(simulated({"cores-close": {1: (1.0, 1.0)}}))


def test_a_study_whose_base_is_bad_gets_no_verdict(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (0.5, 1.0)}})
    text = folder.records.read_text()
    lines = [line.replace('"code": 0', '"code": 1') for line in text.splitlines()]
    folder.records.write_text("\n".join(lines) + "\n")
    assert "no verdict" in verdict(folder)


def test_parts_of_the_account_add_up_to_the_loss(simulated):
    curve = {1: (8.0, 7.6), 2: (4.5, 8.2), 4: (2.9, 9.0), 8: (2.4, 11.0)}
    analysis = Study.read(simulated({"cores-close": curve}).path).analysis
    accounts = analysis.accounts["cores-close"]
    assert [account.threads for account in accounts] == [2, 4, 8]
    for account in accounts:
        assert sum(part.value for part in account.parts) == pytest.approx(account.loss.value)


def test_the_kernels_choice_is_not_preferred_to_a_pinned_series(simulated):
    curves = {"none": {1: (1.0, 1.0), 2: (0.45, 1.0)}, "cores-close": {1: (1.0, 1.0), 2: (0.55, 1.0)}}
    assert "on cores-close" in verdict(simulated(curves))


def weak(folder) -> str:
    with folder.study_spec.open("a") as file:
        file.write("[design]\nweak = { argument = 'n', one_thread = 9 }\n")
    return verdict(folder)


def test_where_the_input_grows_the_verdict_is_about_work(simulated):
    text = weak(simulated({"cores-close": {1: (1.0, 1.0), 2: (1.0, 2.0), 4: (1.12, 4.0)}}))
    assert "4 threads on cores-close do 3.5" in text
    assert "the work of 1 thread in the same time, at " in text
    assert "as fast as" not in text


@pytest.mark.parametrize(
    ("two", "noise", "says"),
    [
        (2.4, 0.01, "2 threads on cores-close do less work than 1 thread in the same time (0.8"),
        (2.0, 0.2, "2 threads on cores-close do no more work than 1 thread in the same time, as far as the interval"),
    ],
)
def test_where_the_input_grows_threads_that_do_not_help_do_no_more_work(simulated, two, noise, says):
    assert says in weak(simulated({"cores-close": {1: (1.0, 1.0), 2: (two, 2.0)}}, noise=noise))


def test_where_the_input_grows_series_are_compared_by_their_work(simulated):
    # Four threads on one of them take longer than one thread does, for four times the work.
    curves = {"cores-spread": {1: (0.9, 0.9), 4: (3.9, 4.0)}, "cores-close": {1: (1.0, 1.0), 4: (1.0, 4.0)}}
    assert "4 threads on cores-close do" in weak(simulated(curves))
