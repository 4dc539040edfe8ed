"""How long a study takes: estimated from one pilot run, unknown without."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from knee.store import RunSpec, role_of
from knee.study.design.blocks import blocks_made
from knee.study.spec import StudySpec

WORTH = 3
"""Blocks from which on a study makes a pilot run: with fewer, the first block itself shows how long it takes."""


def pilot_of(plan: Sequence[RunSpec]) -> RunSpec:
    """Return the run to time: one with as many threads as the geometric mean of the plan's thread counts.

    Where a program scales, its time there is near the mean over all counts; where it does not, all are equal.
    """
    timed = [spec for spec in plan if role_of(spec) == "measure"]
    middle = sum(math.log(spec["threads"]) for spec in timed) / len(timed)
    return min(timed, key=lambda spec: (abs(math.log(spec["threads"]) - middle), spec["id"]))


def estimate(plan: Sequence[RunSpec], run_s: float, design: Mapping[str, Any]) -> str:
    """Say how long a plan takes if a run takes so many seconds, with hooks, warm-ups and controls.

    Parameters
    ----------
    plan
        The runs.
    run_s
        Seconds of a run.
    design
        The design as declared: it may end the study before its last block.

    Examples
    --------
    >>> plan = [RunSpec({"block": block}) for block in range(1, 6) for _ in range(12)]
    >>> estimate(plan, 2.17, {})
    'about 2 min 10 s: 5 blocks x 12 runs of 2.2 s'
    """
    planned = len({spec["block"] for spec in plan})
    in_block = len(plan) // planned
    blocks = blocks_made(design, planned, in_block * run_s)
    each = f"{in_block} run{'s' if in_block > 1 else ''} of {words(run_s)}"
    return f"about {words(in_block * blocks * run_s)}: {blocks} block{'s' if blocks > 1 else ''} x {each}"


def limits(study_spec: StudySpec) -> list[str]:
    """Say what may make a study shorter or longer than its plan."""
    said: list[str] = []
    if study_spec.at_least_s is not None:
        least = words(study_spec.at_least_s)
        said.append(f"it ends after {study_spec.blocks} blocks or more, once its own runs took {least}")
    if study_spec.width is not None:
        said.append("it may end after fewer blocks, once every interval is narrow enough")
    if study_spec.explain is not None:
        said.append(f"questions join it, for at most {study_spec.explain:g} times as long again")
    if study_spec.counters and not study_spec.together:
        said.append("runs that count are left out from the second block on where no counter has a value")
    if study_spec.budget_s is not None:
        said.append(f"it stops before a block would exceed {words(study_spec.budget_s)}, after two blocks or more")
    if study_spec.wait_quiet_s is not None:
        said.append(f"it may wait {words(study_spec.wait_quiet_s)} in all for a quiet machine")
    if study_spec.rerun_disturbed:
        said.append(f"blocks that other programs disturb are repeated, at most {study_spec.blocks}")
    return said


def words(seconds: float) -> str:
    """Write a time in the two largest units that it has.

    Examples
    --------
    >>> words(0.0123), words(1.94), words(130.2), words(3600), words(100_000)
    ('12 ms', '1.9 s', '2 min 10 s', '1 h', '1 d 4 h')
    """
    if seconds < 0.0995:
        return f"{max(1, round(seconds * 1000))} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    for unit, smaller, size, parts in (("d", "h", 86400, 24), ("h", "min", 3600, 60), ("min", "s", 60, 60)):
        whole, rest = divmod(round(seconds * parts / size), parts)
        if whole:
            return f"{whole} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{seconds:.0f} s"
