"""A machine of two sockets with 24 cores of two threads each, and a program like Peregrine's, which knee explains.

Its speedup bends slightly between 24 and 48 threads, where memory of the other node is used, and strongly after 48,
where threads share cores. Both causes are planted with known sizes (`made_up`), and the study is that of ``--explain``.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from made_up.drawn import Drawn
from made_up.machine import Machine
from made_up.noise import Noise
from made_up.play import play
from made_up.program import Program
from test_made_up import topology

from knee.explain.asking.targets import CHAIN
from knee.explain.asking.telling import BLOCKS
from knee.explain.evidence.evidence import COPIES, evidence
from knee.explain.ledger.choice import chosen
from knee.explain.ledger.explanation import Explanation, explanation
from knee.explain.scaling.series import Series, group

sys.path.append(str(Path(__file__).parents[2] / "bench"))

from planted.made_up import Study, explained

MACHINE = Machine(topology(2, 24, 2), node_gbs=200, link_gbs=100, smt_cost=0.0)
PROGRAM = Program(
    work_s=20.0, issue=0.85, memory=0.25, read_gbs=0.2, footprint_mib=0.01, pages="interleaved"
)  # fmt: skip
COUNTS = (1, 2, 12, 24, 48, 96)


def wall(program: Program, threads: int) -> float:
    spec = {"threads": threads, "cpus": list(range(threads)), "program": {"command": ["p"]}}
    return play(MACHINE, program, spec).wall_s


def loss(program: Program, threads: int) -> float:
    return math.log(threads * wall(program, threads) / wall(program, 1))


def drawn(counts: tuple[int, ...]) -> Drawn:
    return Drawn(
        0, MACHINE, PROGRAM, counts, (), {}, loss(PROGRAM, counts[-1]), Noise(0.01, 0.01, seed="two sockets"),
        switches=True,
    )  # fmt: skip


@cache
def series() -> Series:
    return group(Study(drawn(COUNTS), share=3.0).whole(), COUNTS[-1])[0]


@cache
def told(counts: tuple[int, ...]) -> Explanation:
    return explained(drawn(counts))


def test_the_curve_bends_as_it_was_planted():
    assert loss(PROGRAM, 24) < 0.01, "one socket is perfect"
    assert 0.05 < loss(PROGRAM, 48) < 0.25, "slightly flatter"
    assert loss(PROGRAM, 96) > 0.5, "strongly after the cores"
    assert loss(PROGRAM, 96) / loss(PROGRAM, 48) > 3


def test_both_causes_are_named_with_the_planted_shares():
    found = told(COUNTS)
    near, alone = replace(PROGRAM, memory=0.0), replace(PROGRAM, issue=0.4)
    truth = {"SMT sharing": loss(near, 96), "NUMA distance": loss(alone, 96)}
    parts = {one.cause: one.part for one in found.findings}
    assert set(parts) == set(truth), found.why
    for cause, planted in truth.items():
        part = parts[cause]
        assert part is not None
        assert part.value == pytest.approx(planted, abs=max(0.03, (part.high - part.low) / 2)), cause
    assert sum(part.value for part in parts.values() if part) == pytest.approx(loss(PROGRAM, 96), abs=0.05)


def test_the_chain_is_made_at_the_knee_as_well():
    about = {count: evidence(series(), count) for count in COUNTS[1:]}
    asked = {count: set(one.tests) for count, one in about.items() if one.asked}
    largest = asked.pop(COUNTS[-1])
    (knee,) = asked
    assert knee == 48, "where it bends most: of the six counts, siblings come after it"
    assert COPIES in asked[knee]
    assert asked[knee] <= CHAIN
    assert not largest <= CHAIN, "why a program loses more is asked where it loses most"
    for name, cell in about[knee].tests.items():
        assert len(cell.runs) >= BLOCKS, f"{name}: what was begun is of use only with an interval"
    assert {one.cause for one in explanation(about[knee]).findings} == {"NUMA distance"}
    shown = chosen({"s": [explanation(one) for one in about.values()]}, None, None, every=False)
    assert [one.threads for one in shown] == [96, knee]


def test_without_siblings_only_the_distance_is_named():
    found = told(COUNTS[:-1])
    assert [one.cause for one in found.findings] == ["NUMA distance"], found.why


def test_where_threads_use_their_own_memory_no_distance_is_named():
    here = replace(drawn(COUNTS), program=replace(PROGRAM, pages="local"))
    with_own = explained(here)
    assert "NUMA distance" not in {one.cause for one in with_own.findings}


def test_what_is_asked_takes_at_most_the_time_of_the_study():
    runs = Study(drawn(COUNTS)).whole()
    own, asked = (sum(r.time_s for r in runs if ("test" in r.spec) == question) for question in (False, True))
    assert 0 < asked < 1.05 * own
    series = group(runs, 96)[0]
    assert explanation(evidence(series, 96)).asked
