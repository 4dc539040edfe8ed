"""Repeated blocks: which runs count if blocks were repeated because other programs disturbed them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from knee.store.records.counters import counts_cells, uncounted
from knee.store.records.run import Run
from knee.store.seam import RunSpec


def design_block(spec: RunSpec) -> int:
    """Return the block of the design that a run belongs to, also for a run of a repeated block."""
    return spec.get("repeats") or spec["block"]


def in_force(plan: Iterable[RunSpec], done: Collection[str]) -> set[int]:
    """Return the blocks whose runs count: for each block of the design, its last complete repeat, or the block itself.

    An incomplete repeat does not count yet; until it is complete, the block that it repeats counts.
    """
    stands_for: dict[int, int] = {}
    missing = Counter[int]()
    for spec in plan:
        stands_for[spec["block"]] = design_block(spec)
        missing[spec["block"]] += spec["id"] not in done
    whole = sorted((block, of) for block, of in stands_for.items() if block == of or not missing[block])
    return set({of: block for block, of in whole}.values())


def counting(runs: Sequence[Run], plan: Sequence[RunSpec]) -> list[Run]:
    """Return the runs that count, each under its block of the design.

    Failed runs of repeated blocks are kept and marked: they enter no result, but a failure must not disappear because
    other programs disturbed the block. Counting runs that show why nothing can be counted are not repeated.
    """
    if not any("repeats" in spec for spec in plan):
        return list(runs)
    left_out = uncounted(plan, (run.record for run in runs))
    blocks = in_force(plan, left_out | {run.spec["id"] for run in runs})
    kept: list[Run] = []
    for run in runs:
        replaced = run.spec["block"] not in blocks and not (left_out and counts_cells(run.spec))
        if not replaced or run.bad is not None:
            spec: RunSpec = {**run.spec, "block": design_block(run.spec)}
            kept.append(dataclasses.replace(run, spec=spec, replaced=replaced))
    return kept
