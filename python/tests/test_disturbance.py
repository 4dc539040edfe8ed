"""Disturbance: its bound for each run, its dependence on the thread count, and its effect on the verdict."""

import pytest
from conftest import THREAD, VALID, rewrite

from knee.explain.disturbance import disturbances, taken
from knee.opened import Study
from knee.report.tables.facts import contrast_rows

TWO = {"cores-close": {1: (1.0, 1.0), 2: (1.25, 1.2)}}


def beside(folder, busy: dict[int, float], waited: dict[int, float] | None = None) -> Study:
    """The study with other programs using a share of the cpus, and its threads waiting for a cpu, by thread count."""
    specs = {spec["id"]: spec for spec in folder.read_plan()}

    def disturbed(one: dict) -> dict:
        n = specs[one["id"]]["threads"]
        threads = [] if waited is None else [THREAD | {"run_delay_ns": int(waited[n] * one["wall_ns"])}]
        return one | {"validity": VALID | {"other_busy": busy[n]}, "observed_threads": threads}

    rewrite(folder.records, disturbed)
    return Study.read(folder.path)


def test_run_delay_bounds_the_disturbance(simulated):
    study = beside(simulated(TWO), {1: 0.0, 2: 0.25}, {1: 0.0, 2: 0.5})
    shares = {run.threads: taken(run, 4) for run in study.runs}
    assert shares == {1: 0.0, 2: pytest.approx(0.5)}


def test_threads_that_wait_for_each_other_lose_no_more_than_others_used(simulated):
    study = beside(simulated(TWO), {1: 0.0, 2: 0.1}, {1: 0.0, 2: 0.5})
    share = {1: (1.0,), 2: (0.45, 0.45, 0.1)}

    def computed(one: dict) -> dict:
        (thread,), cpu_ns = one["observed_threads"], one["user_ns"]
        n = 2 if thread["run_delay_ns"] else 1
        each = [thread | {"cpu_ns": int(part * cpu_ns), "run_delay_ns": thread["run_delay_ns"]} for part in share[n]]
        return one | {"observed_threads": each}

    rewrite(study.folder.records, computed)
    # Three threads that compute on two cpus waited 1.5 times the run's time, of which others used a tenth of both cpus.
    assert {run.threads: taken(run, 4) for run in Study.read(study.folder.path).runs} == {1: 0.0, 2: pytest.approx(0.2)}


def test_time_in_which_a_quota_stops_the_threads_is_nobody_elses(simulated):
    study = beside(simulated(TWO), {1: 0.0, 2: 0.1}, {1: 0.0, 2: 0.5})
    stopped = {"group": "/quota", "nr_periods": 10, "nr_throttled": 0, "throttled_ns": int(0.375e9)}

    def throttled(one: dict) -> dict:
        return one | {"cgroup": {"own": stopped}, "validity": one["validity"] | {"own_share": 0.9}}

    rewrite(study.folder.records, throttled)
    shares = {run.threads: taken(run, 4) for run in Study.read(study.folder.path).runs}
    # Each run takes about 1.25 s; of the stopped time other programs may have had a tenth, as of the cpus.
    assert shares == {1: 0.0, 2: pytest.approx(0.5 - 0.9 * 0.375 / 1.25, abs=0.02)}


def test_ticks_in_step_with_a_quota_tell_little(simulated):
    def throttled(one: dict) -> dict:
        stopped = {"group": "/quota", "nr_periods": 62, "nr_throttled": 60, "throttled_ns": int(0.3e9)}
        return one | {"cgroup": {"own": stopped}}

    folder = simulated(TWO)
    rewrite(folder.records, throttled)
    assert disturbances(beside(folder, {1: 0.1, 2: 0.15}).runs, 4) is None
    assert disturbances(beside(folder, {1: 0.5, 2: 0.5}).runs, 4) is not None


def test_of_short_runs_only_several_ticks_of_others_count(simulated):
    folder = simulated({"cores-close": {1: (0.06, 0.05), 2: (0.06, 0.06)}}, noise=0.0)
    # A third of one cpu is 20 ms, which rounding can be; of two cpus it is 40 ms.
    study = beside(folder, {1: 0.33, 2: 0.33})
    assert {run.threads: taken(run, 4) for run in study.runs} == {1: 0.0, 2: pytest.approx(0.66)}


def test_a_run_that_never_began_was_disturbed_by_nothing(simulated):
    folder = simulated(TWO)
    rewrite(folder.records, lambda one: one | {"wall_ns": 0, "validity": VALID | {"other_busy": 0.5}})
    assert disturbances(Study.read(folder.path).runs, 4) is None


def test_without_run_delay_other_programs_cpu_time_is_the_bound(simulated):
    study = beside(simulated(TWO), {1: 0.2, 2: 0.25})
    shares = {run.threads: taken(run, 4) for run in study.runs}
    assert shares == {1: pytest.approx(0.2), 2: pytest.approx(0.5)}


def test_an_unpinned_run_may_use_all_that_are_allowed(simulated):
    study = beside(simulated({"none": {1: (1.0, 1.0), 2: (0.6, 1.0)}}), {1: 0.1, 2: 0.1})
    assert [taken(run, 4) for run in study.runs] == pytest.approx([0.4] * 10)


def test_of_many_cpus_that_an_unpinned_run_may_use_a_small_share_is_many_ticks(simulated):
    study = beside(simulated({"none": {1: (0.4, 0.4)}}, noise=0.0), {1: 0.06})
    assert [taken(run, 1) for run in study.runs] == [0.0] * 5
    assert all(taken(run, 64) > 0.9 for run in study.runs)
    assert disturbances(study.runs, 64) is not None


def test_two_disturbances_take_no_less_than_one(simulated):
    folder = simulated(TWO)
    beside(folder, {1: 0.06, 2: 0.06}, {1: 0.01, 2: 0.01})
    changed = VALID | {"clock_before_ns": 1.0, "clock_after_ns": 1.4}
    rewrite(folder.records, lambda one: one | {"validity": changed | {"other_busy": one["validity"]["other_busy"]}})
    both = [taken(run, 4) for run in Study.read(folder.path).runs]
    rewrite(folder.records, lambda one: one | {"validity": changed})
    alone = [taken(run, 4) for run in Study.read(folder.path).runs]
    assert all(one > other for one, other in zip(both, alone, strict=True))


def test_a_part_of_a_run_may_have_lost_all_that_was_taken(simulated):
    study = beside(simulated(TWO), {1: 0.1, 2: 0.1}, {1: 0.06, 2: 0.06})
    run = study.runs[0]
    assert taken(run, 4, of_s=run.time_s / 10) == pytest.approx(10 * taken(run, 4))


def test_series_with_equal_counts_are_averaged(simulated):
    folder = simulated(TWO | {"none": {1: (1.0, 1.0), 2: (0.6, 1.0)}}, blocks=6)
    placed = {spec["id"]: (spec["cell"]["placement"], spec["threads"]) for spec in folder.read_plan()}
    busy = {("none", 2): 0.4}
    rewrite(folder.records, lambda one: one | {"validity": VALID | {"other_busy": busy.get(placed[one["id"]], 0.0)}})
    found = disturbances(Study.read(folder.path).runs, 4)
    assert found.by_threads == {1: 0.0, 2: pytest.approx(0.2)}
    assert (found.more, found.less) == (2, 1)


def test_a_bound_never_takes_all_of_the_time(simulated):
    study = beside(simulated(TWO), {1: 0.9, 2: 0.9}, {1: 1.5, 2: 3.0})
    assert all(taken(run, 4) < 1 for run in study.runs)


def test_a_calm_study_was_not_disturbed(simulated):
    study = beside(simulated(TWO), {1: 0.02, 2: 0.04}, {1: 0.3, 2: 0.3})
    assert disturbances(study.runs, 4) is None
    assert all(taken(run, 4) == 0 for run in study.runs)


def test_disturbance_that_depends_on_the_thread_count_leaves_no_verdict(simulated):
    """One thread ran free, two shared: knee said 'slower, use n = 1'."""
    verdict = beside(simulated(TWO), {1: 0.0, 2: 0.5}, {1: 0.0, 2: 0.5}).analysis.verdict
    assert verdict.status == "disturbed"
    assert verdict.headline == (
        "made up: no verdict. Other programs used 50 % of the cpus, more at 2 threads than at 1"
    )
    lines = {line.label: line.text for line in verdict.lines}
    assert lines["seen"].startswith("2 threads 0.79x [0.78, 0.80]; without the other programs between 0.78x and 1.60x")
    assert "--wait-quiet --rerun-disturbed" in lines["do"]


def test_the_headline_about_a_script_is_whole_beside_other_programs(simulated):
    verdict = beside(simulated(TWO, name="primes.py"), {1: 0.4, 2: 0.5}, {1: 0.4, 2: 0.5}).analysis.verdict
    assert (
        verdict.headline == "primes.py: no verdict. Other programs used 45 % of the cpus, more at 2 threads than at 1"
    )


def test_equal_disturbance_at_all_counts_is_not_tied_to_one(simulated):
    study = beside(simulated(TWO), {1: 0.5, 2: 0.5}, {1: 0.5, 2: 0.5})
    found = disturbances(study.runs, 4)
    assert (found.more, found.less, found.disturbed, found.runs) == (None, None, 10, 10)
    assert study.analysis.verdict.headline == "made up: no verdict. Other programs used 50 % of the cpus"


def test_a_gain_that_others_cannot_explain_stands(simulated):
    curve = {"cores-close": {1: (8.0, 8.0), 4: (2.0, 8.0)}}
    verdict = beside(simulated(curve), {1: 0.1, 4: 0.1}, {1: 0.1, 4: 0.1}).analysis.verdict
    assert verdict.status == "decided"
    assert "4 threads are between 3.5" in verdict.headline
    assert any(line.label == "disturbed" and line.text.startswith("10 of 10 runs") for line in verdict.lines)


def test_disturbance_is_in_the_analysis(simulated):
    found = beside(simulated(TWO), {1: 0.0, 2: 0.5}, {1: 0.0, 2: 0.5}).analysis.to_json()
    assert found["disturbance"]["by_threads"] == {"1": 0.0, "2": 0.5}
    assert found["verdict"]["status"] == "disturbed"


def test_too_much_disturbance_leaves_no_verdict(simulated):
    curve = {n: (8 / n, 8.0) for n in (1, 2, 4)}
    busy = dict.fromkeys(curve, 0.5)
    said = beside(simulated({"cores-close": curve}), busy, {n: n * 0.5 for n in curve}).analysis.verdict
    assert (said.status, said.headline) == ("disturbed", "made up: no verdict. Other programs used 50 % of the cpus")


def test_where_others_leave_the_choice_open_a_quiet_machine_is_waited_for(simulated):
    curve = {n: (8 / n, 8.0) for n in (1, 2, 4)}
    said = beside(simulated({"cores-close": curve}), dict.fromkeys(curve, 0.2), {1: 0.2, 2: 0.4, 4: 0.8})
    said = beside(said.folder, dict.fromkeys(curve, 0.2), {1: 0.1, 2: 0.6, 4: 0.6}).analysis.verdict
    assert said.status == "undecided"
    assert next(line.text for line in said.lines if line.label == "do").startswith("wait for a quiet machine")


@pytest.mark.parametrize(
    ("validity", "says"),
    [
        ({"clock_after_ns": 1.3}, "the clock of the cpus changed by more than 5 % during runs"),
        ({"steal": 0.3}, "a hypervisor took 30 % of the cpus"),
        ({"other_busy": 0.06, "steal": 0.3}, "a hypervisor took 30 % of the cpus"),
        ({"other_busy": 0.5, "steal": 0.03}, "other programs used 50 % of the cpus"),
    ],
)
def test_what_disturbed_the_runs_is_named(simulated, validity, says):
    folder = simulated(TWO)
    rewrite(folder.records, lambda one: one | {"validity": VALID | validity})
    assert disturbances(Study.read(folder.path).runs, 4).says == says


def test_a_series_is_not_called_faster_where_others_may_have_slowed_the_other(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0)}, "cores-spread": {1: (0.8, 0.8)}})
    assert [row["it is"] for row in contrast_rows(Study.read(folder.path).analysis)] == ["faster"]
    close = {spec["id"] for spec in folder.read_plan() if spec["cell"]["placement"] == "cores-close"}
    loud = {"validity": VALID | {"other_busy": 0.4}}
    rewrite(folder.records, lambda one: one | (loud if one["id"] in close else {}))
    assert [row["it is"] for row in contrast_rows(Study.read(folder.path).analysis)] == ["cannot tell"]
