"""Verdicts on odd studies: ladders that end early, counts without a common block, workloads that differ."""

import json
import re

import pytest
from conftest import machine, rewrite

from knee.explain.verdict import form
from knee.explain.verdict.form import Verdict
from knee.opened import Study
from knee.store import Folder


def verdict(folder: Folder) -> Verdict:
    return Study.read(folder.path).analysis.verdict


def text(said: Verdict, label: str) -> list[str]:
    return [line.text for line in said.lines if line.label == label]


def without(folder: Folder, missing) -> Folder:
    """Leave out the records of runs that were not made."""
    left = {spec["id"] for spec in folder.read_plan() if not missing(spec["threads"], spec["block"])}
    lines = folder.records.read_text().splitlines()
    folder.records.write_text("".join(f"{line}\n" for line in lines if json.loads(line)["id"] in left))
    return folder


def works(folder: Folder) -> Folder:
    """Let placements stand for workloads."""

    def work(spec: dict) -> dict:
        cell = {"threads": spec["threads"], "placement": "cores-close", "workload": spec["cell"]["placement"]}
        return spec | {"cell": cell}

    rewrite(folder.plan, work)
    return folder


def falling(scale: float) -> dict[int, tuple[float, float]]:
    return {n: (scale / n, scale) for n in (1, 2, 4)}


def test_a_ladder_that_ends_before_the_machine_does_not_use_every_cpu(simulated):
    folder = simulated({"cores-close": {n: (8 / n, 8.0) for n in (1, 2, 3, 4, 6, 8)}})
    folder.machine.write_text(json.dumps(machine(64)))
    said = verdict(folder)
    assert said.headline.endswith("as fast as 1; no larger count was measured")
    assert text(said, "knee")[0].startswith("none: no larger count was measured, ")


def test_a_larger_count_that_shares_no_block_with_the_base_is_not_ignored(simulated):
    curve = {n: (8 / n, 8.0) for n in (1, 2, 4, 8)}
    folder = simulated({"cores-close": curve}, blocks=6)
    said = verdict(without(folder, lambda n, block: (n == 1 and block <= 3) or (n == 8 and block > 3)))
    assert said.headline.endswith("; cannot tell whether more threads help")
    assert said.status == "undecided"


def test_runs_too_short_of_one_workload_are_no_speedup_of_it(simulated):
    said = verdict(works(simulated({"a": falling(0.004), "b": falling(2.0)})))
    assert said.headline.startswith("made up: 1 of 2 workloads is faster on more threads (")
    assert text(said, "also")[0] == "a: no verdict. Runs take 4 ms, most of it start-up"


def test_workloads_without_good_runs_are_not_decided(simulated):
    said = verdict(works(simulated({"a": falling(8.0), "b": falling(2.0)}, blocks=1)))
    assert said.status == "none"


def test_rejected_runs_are_said_where_no_workload_is_faster(simulated):
    folder = works(simulated({name: {1: (1.0, 1.0), 2: (1.0, 2.0)} for name in "ab"}, noise=0.003))
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if one["block"] == 1 else {}))
    [said] = text(verdict(folder), "rejected")
    assert said.endswith(": 2 of 10 runs rejected (exit status 1); 2 at other counts")


def test_without_a_count_within_the_cpus_none_is_named(simulated):
    said = verdict(simulated({"none": {8: (2.0, 8.0), 16: (1.0, 8.0)}}))
    assert said.headline == "made up: no verdict. All thread counts are above the 4 cpus"


def test_many_equal_counts_are_a_range(simulated):
    said = verdict(simulated({"cores-close": dict.fromkeys(range(1, 49), (1.0, 1.0))}, noise=0.002))
    assert said.headline == "made up: no speedup. 1 to 48 threads take the same time (within 3 %)"


def test_a_loss_is_said_before_its_interval(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (1.1, 2.0), 4: (2.0, 4.0), 8: (9.0, 9.0)}})
    with folder.study_spec.open("a") as file:
        file.write("[design]\nweak = { argument = 'n', one_thread = 9 }\n")
    assert verdict(folder).headline.endswith("] the work of 1 in the same time; 8 are 2.28x slower")


def test_a_loss_is_said_before_all_of_a_name(simulated):
    curve = {n: (8 / n, 8.0) for n in (1, 2, 4, 8, 16, 32)} | {64: (0.5, 9.0), 128: (0.9, 10.0)}
    said = verdict(simulated({"cores-close": curve}, noise=0.003, name="a fairly long name of a study of things"))
    assert len(said.headline) <= 100
    assert said.headline.endswith("] as fast as 1; 128 are 3.61x [3.60, 3.62] slower")


def test_a_new_study_of_more_blocks_is_advised_where_they_would_tell(simulated):
    said = verdict(simulated({"cores-close": {n: (8 / n, 8.0) for n in (1, 2, 4, 8)}}, blocks=2, noise=0.2))
    (advice,) = text(said, "do")
    assert re.fullmatch(r"a new study of about (\d+) blocks would tell: --blocks \1", advice)


def test_a_larger_count_whose_runs_were_rejected_was_measured(simulated):
    folder = simulated({"cores-close": falling(8.0)})
    counts = {spec["id"]: spec["threads"] for spec in folder.read_plan()}
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if counts[one["id"]] == 4 else {}))
    assert "no larger count" not in str(verdict(folder))


@pytest.mark.parametrize("name", ["primes.py", "a name of twelve", "x" * 300, "words " * 50])
@pytest.mark.parametrize("said", [
    "no verdict. " + "other programs used many of the cpus " * 3,
    "8 threads are 3.99x [3.98, 4.00] as fast as 1, " + "and more so where it is cold, " * 3,
    "4 threads are 3.99x [3.98, 4.00] as fast as 1; " + "; ".join(["more threads give no measurable gain"] * 3),
    "a" * 120,
])  # fmt: skip
def test_a_headline_is_cut_once(name, said):
    headline = form.verdict("none", name, said, ()).headline
    assert len(headline) <= 100
    assert headline.count("…") <= 1
    assert headline[:7] == name[:7]


def test_an_interval_is_left_out_before_a_sentence_is_cut():
    said = "8 threads take 3.99x [3.98, 4.00] the time of 1, and much of that is the time that the kernel takes"
    assert form.verdict("none", "primes.py", said, ()).headline == f"primes.py: {said.replace(' [3.98, 4.00]', '')}"


@pytest.mark.parametrize(
    ("two", "says"),
    [
        (1.02, "made up: 2 of 2 workloads do more work on more threads (1.9"),
        (2.4, "2 do less work on more threads"),
    ],
)
def test_workloads_that_grow_with_the_threads_do_more_work(simulated, two, says):
    folder = works(simulated({name: {1: (1.0, 1.0), 2: (two, 2.0)} for name in "ab"}))
    with folder.study_spec.open("a") as file:
        file.write("[design]\nweak = { argument = 'n', one_thread = 9 }\n")
    assert says in verdict(folder).headline
