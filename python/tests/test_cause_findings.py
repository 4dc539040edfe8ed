"""Findings on curves with known causes: no cause is named that the signs do not prove."""

import pytest
from conftest import THREAD, VALID, rewrite

from knee.explain.causes.symptoms.growing_cpu_time import CAUSES, LINES, MACHINE, SPINNING, WORK
from knee.opened import Study
from knee.report.page import page

BUSY = {1: (1.0, 1.0), 2: (0.98, 1.95)}
"""Two cpus are busy, and the run time does not fall."""

FALSE_SHARING = {1: (1.0, 1.0), 2: (1.79, 3.3)}
"""As seen of a program whose two threads write to one cache line: 0.56x, CPU time 3.3x; copies took 0.99 as long."""


def findings(folder):
    return Study.read(folder.path).analysis.findings


def with_one_cpu(folder, placement="0") -> None:
    """Pin all threads of a placement to one cpu."""
    rewrite(folder.plan, lambda spec: spec | ({"cpus": [0]} if spec["cell"]["placement"] == placement else {}))


def with_instructions(folder, growth: float) -> None:
    threads = {spec["id"]: spec["threads"] for spec in folder.read_plan()}
    rewrite(folder.plan, lambda spec: spec | {"counters": ["instructions"]})
    counted = {name: int(1e9 * (growth if n > 1 else 1)) for name, n in threads.items()}
    rewrite(folder.records, lambda one: one | {"counters": {"instructions": counted[one["id"]]}})


def test_false_sharing_is_never_called_duplicated_work(simulated):
    folder = simulated({"cores-close": FALSE_SHARING}, copies={2: 0.99})
    (found,) = findings(folder)
    assert (found.cause, found.left) == ("growing CPU time", (WORK, SPINNING, LINES))
    assert "2 threads on one cpu" in found.refute
    assert "CPU time grows 3.3" in found.says
    lines = {line.label: line.text for line in Study.read(folder.path).analysis.verdict.lines}
    assert "not named" in lines["why"]
    assert "2 threads on one cpu" in lines["decide"]


@pytest.mark.parametrize(
    ("on_one_cpu", "cause", "left"),
    [(1.0, "growing CPU time", (WORK, SPINNING, LINES)), (3.2, "duplicated work or spinning", ())],
)
def test_threads_on_one_cpu_distinguish_work_from_cache_lines(simulated, on_one_cpu, cause, left):
    alone = {1: (1.0, 1.0), 2: (on_one_cpu, on_one_cpu)}
    folder = simulated({"cores-close": FALSE_SHARING, "0": alone}, copies={2: 0.99})
    with_one_cpu(folder)
    (found,) = findings(folder)
    assert (found.series, found.cause, found.left) == ("cores-close", cause, left)
    assert any("CPU time of 2 threads on one cpu over that of 1" in sign for sign in found.signs)


@pytest.mark.parametrize(
    ("growth", "copies", "cause", "left"),
    [
        (1.0, {2: 0.99}, "sharing of cache lines", ()),
        (3.2, {2: 0.99}, "duplicated work or spinning", ()),
        (1.6, {2: 0.99}, "growing CPU time", (WORK, SPINNING, LINES)),
        # Nothing was changed in any run, so no cause is named.
        (3.2, {}, "growing CPU time", (WORK, SPINNING)),
        (1.0, {}, "growing CPU time", (LINES, MACHINE)),
    ],
)
def test_instructions_and_an_intervention_distinguish_work_from_cache_lines(simulated, growth, copies, cause, left):
    folder = simulated({"cores-close": FALSE_SHARING}, copies=copies)
    with_instructions(folder, growth)
    (found,) = findings(folder)
    assert (found.cause, found.left) == (cause, left)


def test_contradicting_signs_exclude_no_cause(simulated):
    folder = simulated({"cores-close": FALSE_SHARING, "0": {1: (1.0, 1.0), 2: (3.2, 3.2)}}, copies={2: 0.99})
    with_one_cpu(folder)
    with_instructions(folder, 1.0)
    (found,) = findings(folder)
    assert (found.cause, found.left) == ("growing CPU time", CAUSES)


def test_without_copies_only_the_symptom_is_reported(simulated):
    (found,) = findings(simulated({"cores-close": BUSY}, noise=0.0005))
    assert (found.cause, found.left) == ("growing CPU time", CAUSES)
    assert "--copies" in found.refute


def test_copies_that_slow_down_as_much_show_that_it_is_the_machine(simulated):
    (found,) = findings(simulated({"cores-close": BUSY}, noise=0.0005, copies={2: 1.9}))
    assert (found.cause, found.left) == ("shared hardware", ())


def test_copies_that_slow_down_partly_exclude_no_cause(simulated):
    (found,) = findings(simulated({"cores-close": BUSY}, noise=0.0005, copies={2: 1.4}))
    assert (found.cause, found.left) == ("growing CPU time", CAUSES)
    assert any("shared hardware is part of the cause" in sign for sign in found.signs)


def test_undecided_copies_exclude_no_cause(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (2.0, 4.0)}}, noise=0.12, copies={2: 1.38}, blocks=4, seed=3)
    (found,) = findings(folder)
    assert found.left == CAUSES
    assert not any("shared hardware is part of the cause" in sign for sign in found.signs)


def test_copies_that_others_disturbed_decide_nothing(simulated):
    folder = simulated({"cores-close": BUSY}, noise=0.0005, copies={2: 1.9})
    copies = {spec["id"] for spec in folder.read_plan() if spec["role"] == "copies"}
    disturbed = {"validity": VALID | {"other_busy": 0.5}}
    rewrite(folder.records, lambda one: one | (disturbed if one["id"] in copies else {}))
    (found,) = findings(folder)
    assert (found.cause, found.left) == ("growing CPU time", CAUSES)
    assert any("times as long as one, allowing for other programs" in sign for sign in found.signs)
    assert "quiet machine" in found.refute


def test_a_run_time_that_others_may_have_kept_from_falling_is_no_sign(simulated):
    folder = simulated({"cores-close": BUSY}, noise=0.0005, copies={2: 1.01})
    two = {spec["id"] for spec in folder.read_plan() if spec["threads"] == 2}
    disturbed = {"validity": VALID | {"other_busy": 0.25}}
    rewrite(folder.records, lambda one: one | (disturbed if one["id"] in two else {}))
    assert findings(folder) == []


def test_copies_that_others_cannot_have_slowed_down_decide_in_spite_of_them(simulated):
    folder = simulated({"cores-close": FALSE_SHARING}, copies={2: 0.99})
    copies = {spec["id"] for spec in folder.read_plan() if spec["role"] == "copies"}
    disturbed = {"validity": VALID | {"other_busy": 0.5}}
    rewrite(folder.records, lambda one: one | (disturbed if one["id"] in copies else {}))
    (found,) = findings(folder)
    assert found.left == (WORK, SPINNING, LINES)


def test_a_program_that_grows_on_a_slower_machine_names_no_memory(simulated):
    study = Study.read(simulated({"cores-close": BUSY}, noise=0.0005, copies={2: 1.01}).path)
    assert "CPU time grows 1.95x from 1 to 2 threads, but the run time does not fall" in study.analysis.findings[0].says
    assert "memory" not in str(study.verdict).lower()
    assert "bandwidth" not in str(study.verdict).lower()


@pytest.mark.parametrize(
    "two",
    [(0.7, 1.35), (0.5, 1.0), (1.0, 1.0), (0.98, 1.3)],
    ids=["some inflation and some gain", "ideal", "idle", "little inflation"],
)
def test_growing_cpu_time_with_a_speedup_is_no_finding(simulated, two):
    found = findings(simulated({"cores-close": {1: (1.0, 1.0), 2: two}}))
    assert [one for one in found if one.cause != "one busy cpu"] == []


def test_a_difference_within_noise_gives_no_cause(simulated):
    assert findings(simulated({"cores-close": BUSY}, blocks=3, noise=0.6)) == []


def with_delays(folder, cpus: int, delays: dict[int, float]) -> None:
    """Pin runs to this many cpus; by thread count, threads wait this share of the run time for a cpu."""
    threads = {spec["id"]: spec["threads"] for spec in folder.read_plan()}

    def waited(one: dict) -> dict:
        delay = int(delays.get(threads[one["id"]], 0) * one["wall_ns"])
        return one | {
            "observed_threads": [THREAD | {"run_delay_ns": delay}],
            "validity": VALID | {"other_busy": 0.0},
        }

    rewrite(folder.plan, lambda spec: spec | {"cpus": spec["cpus"][:cpus]})
    rewrite(folder.records, waited)


def test_oversubscription_counts_the_cpus_that_threads_were_pinned_to(simulated):
    folder = simulated({"0,1": {1: (2.0, 2.0), 2: (1.0, 2.0), 4: (1.1, 2.0)}})
    with_delays(folder, 2, {4: 1.0})
    (found,) = findings(folder)
    assert found.says == "4 threads on 2 cpus are no faster than 2: they take turns"
    assert any("times as long as 2: slower" in sign for sign in found.signs)


def test_no_oversubscription_if_more_threads_may_be_faster(simulated):
    # Seen: a speedup of 2.80 [1.59, 4.92] beyond the cpus against one of 2.2 that fits.
    folder = simulated({"0,1": {1: (2.0, 2.0), 2: (1.0, 2.0), 4: (1.0, 2.0)}}, noise=0.3, seed=2)
    with_delays(folder, 2, {4: 1.0})
    assert findings(folder) == []


def test_no_oversubscription_if_more_threads_are_faster(simulated):
    folder = simulated({"0,1": {1: (2.0, 2.0), 2: (1.0, 2.0), 4: (0.5, 2.0)}})
    with_delays(folder, 2, {4: 1.0})
    assert findings(folder) == []


def test_no_oversubscription_without_an_interval(simulated):
    # The best count that fits has one good run: its speedup has an interval without ends.
    folder = simulated({"0,1": {1: (2.0, 2.0), 2: (1.0, 2.0), 4: (0.27, 2.0)}})
    with_delays(folder, 2, {4: 1.0})
    two = [spec["id"] for spec in folder.read_plan() if spec["threads"] == 2]
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if one["id"] in two[1:] else {}))
    assert findings(folder) == []


def test_no_oversubscription_if_threads_wait_with_enough_cpus(simulated):
    folder = simulated({"0,1": {1: (2.0, 2.0), 2: (1.0, 2.0), 4: (1.1, 2.0)}})
    with_delays(folder, 2, {2: 0.5, 4: 1.0})
    assert findings(folder) == []


def test_threads_on_a_single_cpu_are_no_finding(simulated):
    folder = simulated({"0": {1: (2.0, 2.0), 2: (2.0, 2.0), 4: (2.1, 2.0)}})
    with_delays(folder, 1, {2: 1.0, 4: 1.0})
    assert findings(folder) == []


def test_one_busy_cpu_is_seen_and_not_named_and_the_run_that_decides_is_listed(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (1.0, 1.0), 4: (1.01, 1.03)}}, noise=0.003)
    (found,) = findings(folder)
    assert (found.cause, len(found.left)) == ("one busy cpu", 2)
    assert found.says.startswith("threads never kept more than one cpu busy (at most 1.02): ")
    opened = Study.read(folder.path)
    lines = {line.label: line.text for line in opened.analysis.verdict.lines}
    assert lines["why"].startswith("not named: threads never kept more than one cpu busy")
    assert lines["decide"].startswith("run processes instead of threads")
    text = page(opened)
    assert text.index("No cause is named") < text.index("Signs that name no cause</h3>")
    assert "<p>To decide: run processes instead of threads" in text


@pytest.mark.parametrize(
    "curve",
    [
        {1: (1.0, 1.0), 2: (0.5, 1.0)},
        {1: (1.0, 1.0), 2: (1.0, 1.2)},
        {1: (1.0, 0.1), 2: (1.0, 0.1)},
        {1: (1.0, 1.0)},
    ],
    ids=["it is faster", "more than one is busy", "it waits", "one count"],
)
def test_one_busy_cpu_is_not_seen_where_it_is_not(simulated, curve):
    assert [one.cause for one in findings(simulated({"cores-close": curve})) if one.cause == "one busy cpu"] == []
