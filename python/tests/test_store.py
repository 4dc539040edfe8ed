"""Folders that are incomplete, edited, mixed up, or written by another version."""

import json

import pytest
from conftest import THREAD, record, rewrite

from knee import store
from knee.store import Folder, StudyError
from knee.store.records.run import joined

TWO = {"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}}


def test_an_incomplete_last_line_is_ignored(simulated):
    folder = simulated(TWO)
    whole = folder.records.read_bytes()
    folder.records.write_bytes(whole + b'{"schema": 1, "output": "\xc3')
    assert len(folder.read_records()) == 10
    folder.records.write_bytes(whole[:-20])
    assert len(folder.read_records()) == 9
    folder.cut_torn_record()
    assert folder.records.read_bytes() == whole[: whole[:-20].rfind(b"\n") + 1]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda lines: [lines[0], *lines], "run 0001 was recorded twice"),
        (lambda lines: ["{", *lines[1:]], "cannot read line 1"),
        (
            lambda lines: [lines[0].replace('"schema": 1', '"schema": 2'), *lines[1:]],
            "schema 2, this version of knee reads 1",
        ),
        (lambda lines: ["[]", *lines[1:]], "it is not an object"),
        (lambda lines: [lines[0].replace('"id": "0001"', '"id": "9999"'), *lines[1:]], "run 9999 is not in the plan"),
    ],
)
def test_damage_is_one_clear_error_and_nothing_is_overwritten(simulated, damage, reason):
    folder = simulated(TWO)
    lines = folder.records.read_text().splitlines()
    folder.records.write_text("\n".join(damage(lines)) + "\n")
    before = folder.records.read_bytes()
    with pytest.raises(StudyError, match=reason):
        store.runs(folder)
    assert folder.records.read_bytes() == before


def test_a_folder_without_a_study_names_the_missing_file(tmp_path):
    with pytest.raises(StudyError, match=r"it has no study\.toml"):
        Folder(tmp_path).check()


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"exit": {"code": 3}}, "exit status 3"),
        ({"exit": {"signal": 9}}, "ended by signal 9"),
        ({"exit": {"signal": 9, "memory_kills": 1}}, "ended by signal 9: out of memory"),
        ({"exit": {"code": 1, "memory_kills": 2}}, "exit status 1: out of memory"),
        ({"exit": {"timeout_s": 5.0}}, "stopped after 5.0 s"),
        ({"exit": {"error": "cannot run x"}}, "cannot run x"),
        ({"check": {"ok": False, "reason": "wrong"}}, "check failed: wrong"),
        ({"metric": {"name": "m", "unavailable": "nothing matches"}}, "no m: nothing matches"),
        ({"metric": {"name": "m", "value": 0.0, "unit": "s"}}, "m is 0.0, not a positive time"),
    ],
)
def test_a_bad_run_says_why(simulated, more, why):
    folder = simulated(TWO)
    lines = folder.records.read_text().splitlines()
    first = json.loads(lines[0])
    lines[0] = json.dumps(first | more)
    folder.records.write_text("\n".join(lines) + "\n")
    runs = store.runs(folder)
    assert [run.bad for run in runs] == [why] + [None] * 9


SPEC = {"schema": 1, "id": "1", "cell": {}, "block": 1, "program": {}, "threads": 1, "cpus": [], "bind": "set"}


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("VM Thread",), "the serial collector"),
        (("VM Thread", "C2 CompilerThre", "GC Thread#0"), "the parallel collector"),
        (("GC Thread#0", "G1 Conc#0", "VM Thread"), "G1"),
        (("ZDriver", "VM Thread"), "ZGC"),
        (("GC Thread#0", "G1 Conc#0"), None),
        (("VM Thread", "VM Thread", "G1 Conc#0"), None),
        ((), None),
    ],
)
def test_a_collector_of_java_is_known_by_its_threads(names, kind):
    threads = [THREAD | {"tid": 2 + number, "name": name, "helper": True} for number, name in enumerate(names)]
    threads.append(THREAD | {"name": "G1 of the program"})
    assert joined(0, SPEC, record("1", 1, 9.0, 9.0, observed_threads=threads)).collector_kind == kind


def test_what_the_kernel_counted_is_that_of_the_phase_which_is_measured():
    def counted(wall_s: float, **more: object):
        phase = {"name": "solve", "wall_ns": int(wall_s * 1e9), "cpu_ns": 0, "begin_ns": 0, "end_ns": 0, **more}
        metric = {"name": "solve", "value": wall_s, "unit": "s"}
        whole = record("1", 1, 9.0, 9.0, phases=[phase, phase], metric=metric, system_ns=7)
        return joined(0, SPEC, whole).in_kernel

    own = {"system_ns": 5, "minor_faults": 4, "voluntary_switches": 3, "involuntary_switches": 2}
    assert counted(3.0, kernel=own) == {name: 2 * value for name, value in own.items()}
    assert counted(3.0) is None, "a region of a command"
    whole = counted(8.9)
    assert whole
    assert whole["system_ns"] == joined(0, SPEC, record("1", 1, 9.0, 9.0, system_ns=7)).in_kernel["system_ns"] == 7


@pytest.mark.parametrize(("names", "seconds"), [(["ghc_ticker"], None), (["G1 Conc#0", "C2"], 2.0), ([], None)])
def test_a_runtime_whose_collector_has_no_name_tells_nothing_of_it(names, seconds):
    threads = [THREAD | {"name": name, "helper": True, "cpu_ns": 2_000_000_000} for name in names]
    assert joined(0, SPEC, record("1", 1, 9.0, 9.0, observed_threads=threads)).collector_s == seconds


@pytest.mark.parametrize(
    ("more", "seconds"),
    [
        ({"sampling": {"ready": [0, 30, 10]}, "futex": {"file_locks": 10}}, 0.5),
        ({"sampling": {"ready": [0, 30, 10]}, "futex": {"waits": 3}}, None),
        ({"sampling": {"ready": [0, 30, 10]}, "futex": {"unavailable": "no"}}, None),
        ({"futex": {"file_locks": 10}}, None),
    ],
)
def test_waits_for_locks_on_files_are_as_long_as_samples_say(more, seconds):
    assert joined(0, SPEC, record("1", 1, 2.0, 2.0, **more)).file_locks_s == seconds


@pytest.mark.parametrize(
    ("threads", "sleeps"),
    [
        ([(100, 7), (90, 5), (10, 900)], 12),
        ([(100, 7), (90, 5), (30, 900)], 12),
        ([(100, 7), (90, 5), (60, 900)], 912),
        ([(100, 7), (90, None)], None),
        ([(100, 7), (10, 900)], None),
        ([(2, 1)] * 100, None),
        ([], None),
    ],
    ids=[
        "it hands out work",
        "it starts a VM",
        "it works, too",
        "not known of each",
        "one works",
        "come and go",
        "none",
    ],
)
def test_sleeps_of_threads_that_work_are_counted_alone(threads, sleeps):
    helper = THREAD | {"cpu_ns": 500, "helper": True, "switches": {"voluntary": 40}}
    seen = [THREAD | {"cpu_ns": time, "switches": {"voluntary": often}} for time, often in threads]
    spec = SPEC | {"threads": 2}
    assert joined(0, spec, record("1", 1, 2.0, 2.0, observed_threads=[helper, *seen])).own_sleeps == sleeps
    assert joined(0, spec, record("1", 1, 2.0, 2.0, observed_threads=[THREAD | {"switches": 3}])).own_sleeps is None


def test_a_metric_has_its_own_time_and_a_phase_its_own_cpu_time():
    phases = [{"name": "match", "wall_ns": 2_000_000_000, "cpu_ns": 3_000_000_000}]
    metric = {"name": "match", "value": 2.0, "unit": "s"}
    run = joined(0, SPEC, record("1", 1, 9.0, 9.0, phases=phases, metric=metric))
    assert (run.time_s, run.cpu_s) == (2.0, 3.0)
    printed = joined(0, SPEC, record("1", 1, 9.0, 9.0, metric={"name": "r", "value": 250.0, "unit": "ms"}))
    assert (printed.time_s, printed.cpu_s) == (0.25, None)


def test_observed_threads_are_checked_when_they_are_read(simulated):
    folder = simulated({"cores-close": {1: (2.0, 2.0)}}, blocks=2)
    rewrite(folder.records, lambda one: one | {"observed_threads": [THREAD | {"cpu_ns": "7"}]})
    assert len(store.runs(folder)) == 2
    with pytest.raises(StudyError, match=r"cannot read line 2: .*: observed_threads 1 cpu_ns is not a whole number"):
        store.observed_threads(folder, ["0002"])
