"""The self-test: a short real one, and its evaluation of simulated runs."""

import json
import os
import random
import subprocess
import sys

import pytest
from conftest import record

from knee.explain.selftest import evaluate
from knee.stats.proportion import clopper_pearson
from knee.store.records.run import joined
from knee.study.design import pairs


def made_up(comparisons: int, *, more: float, noise: float = 0.02, alarms: float = 1.0):
    """Return runs of a self-test; ``alarms`` is the time ratio of B to A for equal programs."""
    draw, runs = random.Random(1), []
    for number in range(1, comparisons + 1):
        for against, factor in (("itself", alarms), ("more", more)):
            for _ in range(pairs.BLOCKS):
                for side in pairs.ABBA:
                    cell = {"threads": 1, "against": against, "comparison": number, "side": side}
                    name = f"{len(runs) + 1:06d}"
                    spec = {"id": name, "cell": cell, "block": 1, "program": {"command": ["x"]}, "threads": 1}
                    wall = 0.05 * (factor if side == "B" else 1.0) * draw.lognormvariate(0, noise)
                    runs.append(joined(len(runs), spec, record(name, 1, wall, wall)))
    return runs


def test_equal_programs_and_a_planted_difference_are_distinguished():
    found = evaluate(made_up(40, more=1.1), 1.1)
    assert found.passed
    assert (found.found.hits, found.found.trials) == (40, 40)
    assert found.alarms.interval.low <= 0.05
    assert found.measured == pytest.approx(1.1, rel=0.01)
    assert found.noise == pytest.approx(0.02 * 2**0.5, rel=0.2)


def test_too_many_alarms_or_too_few_finds_do_not_pass():
    assert not evaluate(made_up(20, more=1.1, alarms=1.1), 1.1).passed
    assert not evaluate(made_up(20, more=1.0), 1.1).passed
    assert not evaluate([], 1.1).passed


def test_clopper_pearson_by_the_book():
    """20 of 200, 95 %: Clopper and Pearson's interval as in every table."""
    ends = clopper_pearson(20, 200, 0.95)
    assert (ends.low, ends.high) == pytest.approx((0.0622, 0.1502), abs=1e-4)


def test_every_comparison_is_planned_in_the_order_a_b_b_a(monkeypatch):
    monkeypatch.setattr(pairs._binary, "validate", lambda _specs: None)
    template = {"schema": 1, "id": "x", "cell": {"size": 100}, "block": 1, "program": {"size": "small"}}
    planned = pairs.run_specs([template, template | {"program": {"size": "large"}}], 2)
    assert len(planned) == 2 * 2 * pairs.BLOCKS * 4
    assert "".join(str(spec["cell"]["side"]) for spec in planned) == "ABBA" * (len(planned) // 4)
    large = {(spec["cell"]["against"], spec["cell"]["side"]) for spec in planned if spec["program"]["size"] == "large"}
    assert large == {("more", "B")}
    assert len({spec["id"] for spec in planned}) == len(planned)


def test_a_short_one_for_real(binary, tmp_path):
    words = [sys.executable, "-P", "-m", "knee", "selftest", "--pairs", "1", "--json"]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "80"}
    )
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    assert (found["alarms"]["trials"], found["found"]["trials"], found["bad"]) == (1, 1, 0)
    assert 1.09 < found["planted"] < 1.11
    assert "runs of mandel, about" in done.stderr
    assert list(tmp_path.iterdir()) == []
