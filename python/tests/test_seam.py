"""Plans and records obey the published schemas, and the Python types have every field."""

import json
import subprocess
from typing import get_type_hints

import jsonschema
import pytest
from conftest import ROOT

from knee.store import Record, RunSpec
from knee.store.seam import RECORD
from knee.study.design.repeats import repeats

MINE = """
name = "mine"
title = "A part that does not exist"
vendor = "intel"
cpus = [{ family = 6, models = "250" }]
[[event]]
measure = "my_loads"
pmu = "cpu"
unit = "loads"
scale = 1
meaning = "What is counted."
not_counted = "What is not."
encodings = [{ name = "LOADS", code = 0xd3, umask = 0x01, checked = "not checked: made up" }]
"""

UNPLANNED = {"test", "beside", "switches", "hotspots"}
"""Fields of a run spec that no study plans yet."""


def schema(name: str) -> dict:
    return json.loads((ROOT / "schema" / f"{name}.schema.json").read_text())


def lines(*words: str, **more) -> list[dict]:
    done = subprocess.run(words, capture_output=True, text=True, check=True, **more)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def plan(binary, tmp_path_factory) -> list[dict]:
    events = tmp_path_factory.mktemp("events") / "mine.toml"
    events.write_text(MINE)
    levels = ["--factor", "threads=1,2", "--factor", "memory=local", "--factor", "placement=cores-close"]
    measured = ["--check", "x", "--metric", "(1)", "--hold", "kernel", "--census-ms", "0"]
    measured += ["--counters", "minor-faults,software/config=2/,my_loads", "--together", "--events", str(events)]
    around = ["--warmup", "1", "--cache", "warm", "--prepare", "true {cpus}", "--conclude", "true"]
    words = ["plan", "--blocks", "2", *levels, *measured, *around, "--for", "rayon", "--bind", "each", "--skip", "7"]
    planned = lines(binary, *words, "--", "echo", "{threads}", "x1")
    return planned + repeats(planned, [2], seed=1, pair=None)


def test_a_plan_obeys_the_schema_and_runs_without_python(binary, plan):
    for spec in plan:
        jsonschema.validate(spec, schema("run-spec"))
    assert set().union(*plan) >= set(schema("run-spec")["properties"]) - UNPLANNED
    text = "".join(json.dumps(spec) + "\n" for spec in plan)
    records = lines(binary, "run", "--stdin", input=text)
    assert [record["id"] for record in records] == [spec["id"] for spec in plan]
    for record in records:
        jsonschema.validate(record, schema("record"))
        assert record["exit"] == {"code": 0}
        assert record["metric"]["value"] == 1.0
        assert list(record["counters"]) == sorted(["minor-faults", "my_loads", "software/config=2/"])
        assert record["counters"]["minor-faults"] > 0
        # The table is for a part that does not exist: the reason is in the record, and the study was made all the same.
        assert record["counters"]["my_loads"]["unavailable"]


def test_a_run_beside_others_obeys_the_schemas(binary):
    beside = [{"workload": "spin", "cpus": [0]}, {"workload": "pirate", "cpus": [0], "bytes": 1 << 20}]
    more = {"test": "clock", "beside": beside, "switches": True, "role": "co-runner", "sample_ms": 10}
    spec = {"schema": 1, "id": "b", "program": {"command": ["sleep", "0.1"]}, "threads": 1, **more}
    jsonschema.validate(spec, schema("run-spec"))
    record = lines(binary, "run", "--stdin", input=json.dumps(spec))[0]
    jsonschema.validate(record, schema("record"))
    assert RECORD.mismatch(record) is None
    assert [one["workload"] for one in record["beside"]] == ["spin", "pirate"]
    assert {"switches", "cgroup", "psi"} <= record.keys()


def test_the_machine_obeys_the_schema(binary):
    done = subprocess.run([binary, "machine", "--json"], capture_output=True, check=True)
    jsonschema.validate(json.loads(done.stdout), schema("machine"))


@pytest.mark.parametrize(("name", "ours"), [("run-spec", RunSpec), ("record", Record)])
def test_types_here_have_the_fields_of_the_schema(name, ours):
    theirs = set(schema(name)["properties"])
    known = set(get_type_hints(ours))
    assert known <= theirs
    assert theirs - known <= {"facts"} if name == "record" else theirs == known


def test_a_workload_record_obeys_the_schema(binary):
    record = lines(binary, "run", "--json", "-n", "1", "mine", "count", "rmat:6")[0]
    jsonschema.validate(record, schema("record"))
    assert [phase["name"] for phase in record["phases"]] == ["load", "prepare", "match"]
