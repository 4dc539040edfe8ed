"""Copies of a built-in workload: processes of their own, of which the first reports its phases."""

import json
import subprocess
from pathlib import Path

from told import Made, runs, series_of

from knee.explain.evidence.evidence import evidence
from knee.explain.ledger.ledger import MACHINE, ledger
from knee.store.records.idle import idle_of


def test_a_workload_runs_as_so_many_processes_with_a_thread_each(binary: str, tmp_path: Path):
    spec = {
        "schema": 1, "id": "1", "role": "copies", "cell": {"threads": 2}, "block": 1, "threads": 2, "cpus": [0, 1],
        "program": {"workload": "sumeuler", "args": {"n": "6000"}}, "metric": {"phase": "sum"}, "bind": "set",
        "sample_ms": 5, "timeout_s": 60.0,
    }  # fmt: skip
    done = subprocess.run(
        [binary, "run", "--stdin"], input=json.dumps(spec), capture_output=True, text=True, check=True, cwd=tmp_path
    )
    told = json.loads(done.stdout)
    assert told["exit"] == {"code": 0}
    assert told["check"]["ok"]
    (phase,) = (one for one in told["phases"] if one["name"] == "sum")
    # A sampler that got no cpu for a while saw a copy last when it had done a part of its work.
    working = {one["pid"] for one in told["observed_threads"] if one["cpu_ns"] > 0.05 * phase["cpu_ns"]}
    assert len(working) == 2, "each copy is a process that does the whole work"
    assert phase["cpu_ns"] < 0.85 * (told["user_ns"] + told["system_ns"]), "a phase is that of one copy"


def test_the_cpu_time_of_a_phase_is_that_of_one_copy():
    made = runs(Made(1.0, 1.0), Made(0.75, 1.5), {"copies": Made(1.5, 3.0), "one cpu": Made(1.0, 1.0)}, noise=0.001)
    whole = ledger(evidence(series_of(made), 2)).value(MACHINE).value
    for run in made:
        run.spec["metric"] = {"phase": "sum"}
    half = ledger(evidence(series_of(made), 2)).value(MACHINE).value
    assert abs(half - whole - 0.693) < 0.01


def test_threads_that_wake_up_while_others_run_leave_nobody_idle():
    second = 1_000_000_000
    profile = {"running_ns": [0, second, 9 * second], "runnable_ns": [0, second, 0, 0, 9 * second]}
    asleep = {"mechanism": "records", "count": 1, "lost": 0, "odd": 0, "cost_ns": 0, "concurrency": profile}
    threads = [{"run_delay_ns": 6 * second}] * 4

    def one(profile: dict) -> float:
        record = {"switches": {**asleep, "concurrency": profile}, "observed_threads": threads, "wall_ns": 10 * second}
        found = idle_of(record, 2)
        assert found is not None
        return found.one

    assert 0.3 < one(profile) <= 1.0, "most of them waited while two others ran"
    assert one({"running_ns": [0, second, 9 * second], "runnable_ns": [0, second, 9 * second]}) == 0.0
