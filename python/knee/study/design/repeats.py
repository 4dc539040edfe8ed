"""Repeats blocks that other programs disturbed: whole blocks, each in its own random order.

A block is repeated because of the disturbance, never because of its times: repeating single or slow runs would bias
results.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from knee.store import RunSpec, role_of
from knee.study.design.plan import together


def repeats(plan: Sequence[RunSpec], blocks: Sequence[int], seed: int, pair: str | None) -> list[RunSpec]:
    """Return the runs that repeat these blocks, to append to the plan."""
    first = max(spec["block"] for spec in plan) + 1
    free = names(plan)
    added: list[RunSpec] = []
    for number, block in enumerate(blocks, first):
        specs = [spec for spec in plan if spec["block"] == block]
        groups = together(specs, pair, lambda spec: (role_of(spec), spec.get("test"), spec["cell"]))
        draw = random.Random(f"{seed} {number}")
        for group in draw.sample(groups, len(groups)):
            # A pair keeps the order of the repeated block.
            added.extend({**spec, "id": next(free), "block": number, "repeats": block} for spec in group)
    return added


def names(plan: Sequence[RunSpec]) -> Iterator[str]:
    """Yield ids that a plan does not have."""
    known, width = {spec["id"] for spec in plan}, max(len(spec["id"]) for spec in plan)
    numbers = (f"{number:0{width}d}" for number in itertools.count(len(plan) + 1))
    return (name for name in numbers if name not in known)
