"""Well-known fallacies, one test each: what looks like an answer and is none, and what knee says instead."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import rewrite
from told import Made, runs, written

from knee.explain.factorial.analysis import analyze
from knee.explain.factorial.design import Asked
from knee.explain.ledger.explanation import Explanation
from knee.explain.ledger.ledger import IDLE, INFLATION
from knee.opened import Study
from knee.report.page import page
from knee.store import Folder


def wide(folder, cores: int = 16):
    """Let a made-up machine have more cores."""
    machine = json.loads(folder.machine.read_text())
    machine["allowed"]["cpus"] = list(range(cores))
    folder.machine.write_text(json.dumps(machine))
    return Study.read(folder.path)


COUNTS = (1, 2, 3, 4, 6, 8, 12)


def rising(n: int) -> Made:
    """Every thread computes all the time, and ever more for the same answer."""
    grown = 1 + 0.012 * n * (n - 1)
    return Made(8.0 / n * grown, 8.0 * grown)


def waiting(n: int) -> Made:
    """Runs that take as long as those of :func:`rising`, but threads sleep instead and wake each other."""
    seconds = rising(n).seconds
    return Made(seconds, 8.0, {"few": n * seconds - 8.0}, sleeps=20_000 if n > 1 else 0)


def questions(many: Made, copies_s: float = 8.0, stream_s: float = 8.0) -> dict[str, Made]:
    """Return runs that each change one thing, at 12 threads: on one cpu CPU time does not grow, and nobody waits."""
    return {
        "one cpu": Made(8.0, 8.0, sleeps=4),
        "twice the threads": many,
        "switches": many,
        "copies": Made(copies_s, 12 * copies_s),
        "stream beside": Made(stream_s, stream_s),
        "pirate beside": Made(7.9, 7.9),
        "busy cores beside": Made(8.0, 8.0),
    }


def asked(path: Path, program: Callable[[int], Made], tests: dict[str, Made]) -> Folder:
    """Write a study of a program that was asked why it loses time on 12 threads of a machine with 16 cores."""
    between = {n: program(n) for n in COUNTS[1:-1]}
    made = runs(program(1), program(12), tests, n=12, blocks=8, noise=0.003, between=between)
    return written(path / "study", made, cores=16)


def explained(study: Study) -> Explanation:
    """Return the explanation of 12 threads: all questions are answered, so that causes can be named."""
    one = study.analysis.ledgers["cores-close"][-1]
    assert (one.threads, one.asked, one.status) == (12, True, "explained")
    assert list(one.findings) == study.analysis.findings
    return one


def test_a_small_share_of_the_variation_is_not_a_small_effect(simulated):
    # Threads cause nearly all variation; the placement costs 30 % all the same.
    scale = {"cores-close": 1.0, "cores-spread": 1.3}
    folder = simulated({name: {n: (8.0 * k / n, 8.0 * k) for n in (1, 2, 4, 8)} for name, k in scale.items()})
    study = wide(folder)
    found = analyze(study.runs, Asked(response="wall", transform="none"), 4)
    assert found.anova.of("placement").share < 0.08
    (pair,) = (one for one in found.pairs if one.factor == "placement" and not one.inside)
    assert pair.size == "matters"
    assert found.small_but_matters() == ["placement"]


SLOWER = rising(12).cpu
"""Seconds of copies that slow each other down as much as the threads of the program."""

LEFT = ("spinning", "duplicated work")


@pytest.mark.parametrize(
    ("program", "tests", "names", "part"),
    [
        (rising, questions(rising(12)), LEFT, INFLATION),
        (rising, questions(rising(12), SLOWER, 1.2 * SLOWER), ("memory bandwidth",), INFLATION),
        (waiting, questions(waiting(12)), ("sleeping lock",), IDLE),
    ],
)
def test_a_rising_karp_flatt_fraction_is_not_synchronisation(tmp_path, program, tests, names, part):
    # All three have the same times, and so the same fractions.
    study = Study.read(asked(tmp_path, program, tests).path)
    fractions = [point.karp_flatt for point in study.analysis.series[0].curve.points[1:]]
    assert fractions == sorted(fractions)
    one = explained(study)
    assert [finding.names for finding in one.findings] == [names]
    book = one.ledger
    assert book.group(part).value == pytest.approx(book.loss.value, abs=0.02)
    other = IDLE if part == INFLATION else INFLATION
    assert abs(book.group(other).value) < 0.02


def test_a_fitted_coefficient_is_not_coherence(tmp_path):
    # Copies share neither data nor cache lines, and slow each other down as much.
    study = Study.read(asked(tmp_path, rising, questions(rising(12), SLOWER, 1.2 * SLOWER)).path)
    best = study.analysis.summaries["cores-close"].law.best
    assert best is not None
    assert best.law == "USL"
    coefficient = {one.name: one for one in best.parameters}["b"]
    assert coefficient.interval.low > 0, "what is called coherence in textbooks"
    assert [finding.names for finding in explained(study).findings] == [("memory bandwidth",)]
    for text in (page(study).lower(), study.verdict.lower()):
        assert "coheren" not in text
        assert "cache line" not in text
        assert "true sharing" not in text


def test_busy_cpus_are_not_useful_ones(simulated):
    study = wide(simulated({"cores-close": {1: (4.0, 4.0), 2: (3.9, 7.8)}}))
    (one,) = study.analysis.ledgers["cores-close"]
    assert study.analysis.series[0].curve.at(2).busy == pytest.approx(2.0, abs=0.05)
    assert one.ledger.group(INFLATION).value == pytest.approx(math.log(2 * 3.9 / 4), abs=0.03)
    assert "no speedup" in study.verdict
    (finding,) = study.analysis.findings
    assert finding.left, "spinning, work done twice and shared hardware keep cpus busy as well"


def test_high_bandwidth_is_not_its_cause(tmp_path):
    # Other traffic slows one thread, too, but copies that move as much do not slow each other down.
    folder = asked(tmp_path, rising, questions(rising(12), stream_s=10.4))
    counts = {"mbm_total_bytes": {"value": 60_000_000_000, "unit": "bytes"}}
    rewrite(folder.records, lambda one: one | {"counters": counts})
    rewrite(folder.plan, lambda spec: spec | {"counters": list(counts)})
    study = Study.read(folder.path)
    assert {one.value for one in study.analysis.counters.medians} == {6e10}
    assert [finding.names for finding in explained(study).findings] == [LEFT]
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
