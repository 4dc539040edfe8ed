"""The role of a run is kept from the plan to the record and the analysis."""

import json
import subprocess
from typing import get_args

import pytest
from conftest import rewrite

from knee.opened import Study
from knee.store import Role, runs

ROLES = get_args(Role)
TWO = {"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}}


def test_every_role_may_be_planned_run_and_read(binary, simulated):
    folder = simulated({"cores-close": {n: (8.0 / n, 8.0) for n in (1, 2)}}, blocks=len(ROLES))
    rewrite(
        folder.plan,
        lambda spec: spec | {"role": ROLES[spec["block"] - 1], "cpus": [], "program": {"command": ["true"]}},
    )
    asked = [json.loads(line) for line in folder.plan.read_text().splitlines()]
    done = subprocess.run([binary, "run", "--stdin"], input=folder.plan.read_bytes(), capture_output=True, check=True)
    folder.records.write_bytes(done.stdout)
    made = runs(folder)
    assert [(run.spec["id"], run.role) for run in made] == [(spec["id"], spec["role"]) for spec in asked]
    assert all(run.bad is None and run.is_control == (run.role != "measure") for run in made)
    # Everything but the design's own runs stays out of the curve.
    (series,) = Study.read(folder.path).analysis.series
    assert {run.role for run in series.runs} == {"measure"}
    assert [row["role"] for row in Study.read(folder.path).rows()] == [run.role for run in made]


@pytest.mark.parametrize("role", [role for role in ROLES if role != "measure"])
def test_a_control_changes_no_number_of_the_design(simulated, role):
    folder = simulated(TWO)
    before = Study.read(folder.path).analysis.series
    specs, lines = folder.read_plan(), folder.read_records()
    for spec, one in list(zip(specs, lines, strict=True)):
        specs.append({**spec, "id": f"c{spec['id']}", "role": role})
        lines.append({**one, "id": f"c{spec['id']}", "wall_ns": 3 * one["wall_ns"]})
    folder.plan.write_text("".join(json.dumps(one) + "\n" for one in specs))
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in lines))
    after = Study.read(folder.path).analysis.series
    assert [(one.name, repr(one.curve)) for one in after] == [(one.name, repr(one.curve)) for one in before]


def test_a_role_that_nobody_knows_is_refused_before_it_runs(binary):
    line = json.dumps({"schema": 1, "id": "1", "role": "guest", "threads": 1, "program": {"command": ["true"]}})
    done = subprocess.run([binary, "run", "--stdin"], input=line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "bad run spec" in done.stderr
