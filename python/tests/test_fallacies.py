"""Well-known fallacies, one test each: what looks like an answer and is none, and what knee says instead."""

import json
import math

import pytest
from conftest import rewrite

from knee.explain.factorial.analysis import analyze
from knee.explain.factorial.design import Asked
from knee.explain.ledger.ledger import IDLE, INFLATION
from knee.opened import Study
from knee.report.page import page


def wide(folder, cores: int = 16):
    """Let a made-up machine have more cores."""
    machine = json.loads(folder.machine.read_text())
    machine["allowed"]["cpus"] = list(range(cores))
    folder.machine.write_text(json.dumps(machine))
    return Study.read(folder.path)


RISING = {n: (8.0 / n * (1 + 0.012 * n * (n - 1)), 8.0 * (1 + 0.012 * n * (n - 1))) for n in (1, 2, 3, 4, 6, 8, 12)}
"""Every thread computes all the time, and ever more for the same answer."""


def test_a_small_share_of_the_variation_is_not_a_small_effect(simulated):
    # Threads cause nearly all variation; the placement costs 30 % all the same.
    scale = {"cores-close": 1.0, "cores-spread": 1.3}
    folder = simulated({name: {n: (8.0 * k / n, 8.0 * k) for n in (1, 2, 4, 8)} for name, k in scale.items()})
    study = wide(folder)
    found = analyze(study.runs, Asked(response="wall", transform="none"))
    assert found.anova.of("placement").share < 0.08
    (pair,) = (one for one in found.pairs if one.factor == "placement" and not one.inside)
    assert pair.size == "matters"
    assert found.small_but_matters() == ["placement"]


def test_a_rising_karp_flatt_fraction_is_not_synchronisation(simulated):
    study = wide(simulated({"cores-close": RISING}))
    fractions = [point.karp_flatt for point in study.analysis.series[0].curve.points[1:]]
    assert fractions == sorted(fractions)
    assert [one.cause for one in study.analysis.findings if not one.left] == []
    book = study.analysis.ledgers["cores-close"][-1].ledger
    assert abs(book.group(IDLE).value) < 0.02, "no thread waits for another"
    assert book.group(INFLATION).value == pytest.approx(book.loss.value, abs=0.02)


def test_a_fitted_coefficient_is_not_coherence(simulated):
    study = wide(simulated({"cores-close": RISING}, blocks=8, noise=0.003))
    law = study.analysis.summaries["cores-close"].law
    closest = law.best or law.closest
    assert closest is not None
    assert "coheren" not in page(study).lower()
    assert "coheren" not in study.verdict.lower()
    assert [one.cause for one in study.analysis.findings if not one.left] == []


def test_busy_cpus_are_not_useful_ones(simulated):
    study = wide(simulated({"cores-close": {1: (4.0, 4.0), 2: (3.9, 7.8)}}))
    (one,) = study.analysis.ledgers["cores-close"]
    assert study.analysis.series[0].curve.at(2).busy == pytest.approx(2.0, abs=0.05)
    assert one.ledger.group(INFLATION).value == pytest.approx(math.log(2 * 3.9 / 4), abs=0.03)
    assert "no speedup" in study.verdict
    (finding,) = study.analysis.findings
    assert finding.left, "spinning, work done twice and shared hardware keep cpus busy as well"


def test_high_bandwidth_is_not_its_cause(simulated):
    folder = simulated({"cores-close": {1: (4.0, 4.0), 2: (3.0, 6.0), 4: (2.9, 11.6)}})
    counts = {"mbm_total_bytes": {"value": 60_000_000_000, "unit": "bytes"}}
    rewrite(folder.records, lambda one: one | {"counters": counts})
    study = wide(folder)
    assert "memory bandwidth" not in [one.cause for one in study.analysis.findings]
    assert "memory bandwidth" not in study.verdict


def test_a_slow_single_thread_is_not_scaling(simulated):
    folder = simulated({"cores-close": {1: (8.0, 8.0), 2: (4.0, 8.0)}})

    def serial(spec: dict) -> dict:
        if spec["threads"] == 1:
            return {**spec, "role": "measure"}
        return spec

    rewrite(folder.plan, serial)
    plan = [json.loads(line) for line in folder.plan.read_text().splitlines()]
    records = {one["id"]: one for one in map(json.loads, folder.records.read_text().splitlines())}
    for spec in [one for one in plan if one["threads"] == 1]:
        name = f"9{spec['id'][1:]}"
        best = {"id": name, "role": "baseline", "cell": {}, "program": {"command": ["serial"]}}
        plan.append({**spec, **best})
        records[name] = {**records[spec["id"]], "id": name, "wall_ns": int(3.8e9), "user_ns": int(3.8e9)}
    folder.plan.write_text("".join(json.dumps(one) + "\n" for one in plan))
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in records.values()))
    study = wide(folder)
    ratio = study.analysis.baseline["cores-close"]
    assert ratio.interval.low > 2, "2.0x on two threads is no faster than the serial version"
    assert "as long as the best serial version" in page(study)


def test_superlinear_speedup_is_not_credited_to_the_program(simulated):
    study = wide(simulated({"cores-close": {1: (8.0, 8.0), 2: (3.0, 6.0), 4: (1.6, 6.4)}}))
    assert study.analysis.summaries["cores-close"].knee.verdict != "knee"
    assert "T(1) is in doubt" in study.verdict
    assert all(one.status == "nothing to explain" for one in study.analysis.ledgers["cores-close"])
    assert study.analysis.findings == []
