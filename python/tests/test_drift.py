"""A machine that is faster in some blocks than in others, and parts that chance alone could make."""

import math
from dataclasses import replace

import numpy as np
import pytest
from told import Made, evidence_of, named, runs, series_of

from knee.explain.evidence.drift import WALKS, machine_level
from knee.explain.evidence.evidence import evidence
from knee.explain.signs.relief import relief

BASE, MANY = Made(1.0, 1.0, sleeps=9), Made(0.7, 1.4, sleeps=9)
SETTING = "allocator: jemalloc as allocator"


def drifting(asked, slow, by=1.3):
    """Return evidence of two threads that are slower in some blocks, and a setting that changes nothing, in others."""
    tests = {SETTING: MANY, f"{SETTING}, base": BASE, "copies": Made(1.0, 2.0)}
    made = []
    for run in runs(BASE, MANY, tests, blocks=12, noise=0.01):
        test, block = run.spec.get("test"), run.spec["block"]
        if test is not None and block not in asked:
            continue
        late = by if block in slow and run.threads == 2 and test != "copies" else 1.0
        made.append(replace(run, time_s=run.time_s * late, cpu_s=run.cpu_s * late))
    return evidence(series_of(made), 2)


@pytest.mark.parametrize("asked", [range(4, 7), range(10, 13), (3, 4, 12)])
def test_a_setting_is_compared_with_runs_at_the_same_speed_of_the_machine(asked):
    found = drifting(asked, slow=range(7, 13))
    ends = relief(found, "allocator").loss.interval
    assert ends.low < 0 < ends.high
    # What the runs themselves took differs by far more.
    raw = found.tests[SETTING].seconds * found.tests[SETTING].slower
    many = found.many.seconds
    away = math.log(raw[[block - 1 for block in asked]].mean() / many.mean())
    assert abs(away) > 0.03 or asked == (3, 4, 12)


def test_copies_share_no_data_so_they_stay_as_they_are():
    found = drifting(range(4, 7), slow=range(7, 13))
    assert found.tests["copies"].slower == 1
    assert found.tests[f"{SETTING}, base"].slower == pytest.approx(1, abs=0.005)
    assert found.tests[SETTING].slower == pytest.approx(1.3**-0.4, abs=0.02)


def test_chance_alone_changes_hardly_any_time_on_a_calm_machine():
    found = drifting(range(4, 7), slow=())
    assert {name: cell.slower for name, cell in found.tests.items()} == pytest.approx(
        dict.fromkeys(found.tests, 1.0), abs=0.006
    )
    few = evidence_of(BASE, MANY, {SETTING: MANY}, blocks=4)
    assert not machine_level(few.many.seconds).any(), "four runs tell no speed"


@pytest.mark.parametrize(("varies", "is_named"), [(0.03, True), (0.1, False)])
def test_a_part_that_chance_could_make_is_not_named(varies, is_named):
    tests = {"one cpu": Made(1.12, 1.12, sleeps=9), "copies": Made(1.0, 2.0), "twice the threads": Made(0.62, 1.24)}
    found = evidence_of(BASE, Made(0.56, 1.12, sleeps=9), tests)
    cell = found.tests["one cpu"]
    shaken = [replace(run, cpu_s=1.12 * by) for run, by in zip(cell.runs, (1 - varies, 1 + varies) * 3, strict=True)]
    found.tests["one cpu"] = replace(cell, runs=tuple(shaken))
    assert (("instruction growth",) in named(found)) is is_named


@pytest.mark.parametrize(("left", "is_named"), [(4, True), (1500, False)])
def test_where_all_waits_go_with_another_allocator_there_is_no_doubt_but_what_it_costs(left, is_named):
    many = Made(0.7, 1.2, {"one": 0.2}, sleeps=2000, system=0.1)
    with_it = Made(0.62, 1.14, {"one": 0.1}, sleeps=left)
    tests = {
        SETTING: with_it,
        f"{SETTING}, base": BASE,
        "one cpu": BASE,
        "twice the threads": replace(many, sleeps=3000),
    }
    found = evidence_of(BASE, many, tests)
    cell = found.tests[SETTING]
    by = (0.88, 1.12) * 3
    found.tests[SETTING] = replace(
        cell,
        runs=tuple(replace(run, time_s=0.62 * one, cpu_s=1.14 * one) for run, one in zip(cell.runs, by, strict=True)),
    )
    assert (("allocator",) in named(found)) is is_named


def level_by_matrices(seconds):
    """Return the machine's level by matrices of all blocks, of the most likely walk, whether or not it surely walks."""
    logs = np.log(seconds)
    known, times = np.isfinite(logs), np.arange(1.0, logs.size + 1)
    own, at = logs[known], times[known]

    def fit(walk):
        covariance = np.eye(at.size) + walk * np.minimum.outer(at, at)
        inverse = np.linalg.inv(covariance)
        mean = (inverse.sum(0) @ own) / inverse.sum()
        weighted = inverse @ (own - mean)
        likelihood = (at.size - 1) * np.log((own - mean) @ weighted) + np.linalg.slogdet(covariance)[1]
        return -likelihood - np.log(inverse.sum()), mean + walk * np.minimum.outer(times, at) @ weighted

    level = max((fit(walk) for walk in WALKS), key=lambda one: one[0])[1]
    return level - level[known].mean()


@pytest.mark.parametrize("blocks", [8, 60])
def test_the_level_is_that_of_matrices_of_all_blocks(blocks):
    draw = np.random.default_rng(blocks)
    seconds = np.exp(np.repeat([0.0, 0.4], blocks // 2) + draw.normal(0, 0.01, blocks))
    seconds[[1, blocks // 2 + 1]] = math.nan
    level = machine_level(seconds)
    assert level[0] < -0.1 < 0.1 < level[-1]
    assert level == pytest.approx(level_by_matrices(seconds), abs=1e-9)


def test_a_level_of_very_many_blocks_needs_no_matrix_of_them():
    seconds = np.exp(np.repeat([0.0, 0.4], 100_000))
    seconds *= np.exp(np.random.default_rng(1).normal(0, 0.01, seconds.size))
    level = machine_level(seconds)
    assert level[0] == pytest.approx(-0.2, abs=0.02)
    assert level[-1] == pytest.approx(0.2, abs=0.02)
