"""Plans with known answers, for the self-test: a workload against itself, and against itself with more work.

A comparison is a few blocks of four runs in the order A B B A, so that a linear drift affects both sides equally. Its
cell has what is compared (``against``), the number of the comparison, and the side.
"""

from __future__ import annotations

import math
from typing import Any

from knee import _binary
from knee.store import Level, RunSpec
from knee.study.design import plan
from knee.study.design.cells import cells_of, placements_of
from knee.study.spec import StudySpec

WORKLOAD, SIZE, SAMPLE_SIZE = "mandel", "size", 256
"""Its work is the points of a square, so it grows with the square of the size."""

MORE = 0.10
"""The planted difference: this share of more work."""

ABBA = "ABBA"
BLOCKS = 3
"""Blocks of four runs in each comparison: six pairs."""

RUN_S = 0.05
"""Seconds of the measured part of a run: long enough for the clock, short enough for many runs."""


def study_spec(size: int, more: int) -> StudySpec:
    """Return the study spec: one thread, two sizes of the work."""
    words = ["workloads", "--resolve", WORKLOAD, f"--{SIZE}", str(size), "--runtime", "serial"]
    resolved = _binary.ask(*words)
    program: dict[str, Any] = {"workload": WORKLOAD, "args": resolved["args"]}
    factors: dict[str, list[Level]] = {"threads": [1], "placement": ["cores-close"], SIZE: [size, more]}
    return StudySpec(name="selftest", program=program, factors=factors, blocks=2, metric={"phase": resolved["phase"]})


def sizes(sample_s: float) -> tuple[int, int]:
    """Return the size whose run takes about ``RUN_S``, and the size of the planted difference.

    Parameters
    ----------
    sample_s
        Seconds that a run of ``SAMPLE_SIZE`` took.
    """
    size = max(64, round(SAMPLE_SIZE * math.sqrt(RUN_S / sample_s)))
    return size, round(size * math.sqrt(1 + MORE))


def templates(study_spec: StudySpec, machine: dict[str, Any]) -> list[RunSpec]:
    """Return one run spec for each of the two sizes, the smaller first."""
    placements = placements_of(study_spec, machine)
    specs = plan.run_specs(study_spec, cells_of(study_spec, machine, placements), placements, machine)
    return sorted((spec for spec in specs if spec["block"] == 1), key=lambda spec: int(spec["cell"][SIZE]))


def run_specs(pair: list[RunSpec], comparisons: int) -> list[RunSpec]:
    """Return the plan: comparisons of A with A and of A with more work, alternating."""
    same, more = pair
    planned: list[RunSpec] = []
    for number in range(1, comparisons + 1):
        for against, other in (("itself", same), ("more", more)):
            for block in range(1, BLOCKS + 1):
                for side in ABBA:
                    chosen = same if side == "A" else other
                    cell = {**chosen["cell"], "against": against, "comparison": number, "side": side}
                    name = f"{len(planned) + 1:06d}"
                    planned.append(
                        RunSpec({**chosen, "id": name, "cell": cell, "block": (number - 1) * BLOCKS + block})
                    )
    _binary.validate(planned)
    return planned
