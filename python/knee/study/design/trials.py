"""Plans trials of remedies: blocks at the end of the plan, each with the run as it is and one run for each remedy."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, cast

from knee.store import RunSpec, StudyError, role_of
from knee.study.design.placements import NAMES
from knee.study.design.repeats import names
from knee.study.kinds.near import suggestion
from knee.study.remedies.remedy import Remedy

AS_IS = "as is"
"""The ``test`` of runs without a remedy."""

OF_A_DESIGN = ("id", "block", "repeats", "role", "test")
"""Fields of a run spec that a trial does not take over."""

LEAST = 3
"""Blocks with fewer runs say too little."""

AROUND_S = 0.1
"""Seconds that a run takes beside its own time."""


def chosen(
    plan: Sequence[RunSpec], study_spec: Mapping[str, Any], allowed: int, at: Mapping[str, str]
) -> tuple[RunSpec, list[RunSpec]]:
    """Return the run to improve, and the runs of the same levels on fewer threads, the largest count first.

    It is the one with most threads that has a cpu for each. Of several series, the first one is taken, pinned ones
    first; ``at`` chooses by levels.

    Raises
    ------
    StudyError
        When no run has these levels.
    """
    cells = {str(sorted(spec["cell"].items())): spec for spec in reversed(plan) if role_of(spec) == "measure"}
    found = [spec for spec in cells.values() if all(str(spec["cell"].get(n)) == level for n, level in at.items())]
    if not found:
        raise _no_such_level(list(cells.values()), at)
    factors: dict[str, Any] = study_spec.get("factors", {})
    first = min(found, key=lambda spec: _rank(spec, factors))
    series = [spec for spec in found if _levels(spec) == _levels(first)]
    fitting = [spec for spec in series if spec["threads"] <= (len(set(spec["cpus"])) or allowed)]
    as_is = max(fitting, key=_threads) if fitting else min(series, key=_threads)
    # Also where `at` chooses the thread count.
    alike = [spec for spec in cells.values() if _levels(spec) == _levels(first)]
    lower = sorted((spec for spec in alike if spec["threads"] < as_is["threads"]), key=_threads, reverse=True)
    return as_is, lower


def _threads(spec: RunSpec) -> int:
    return spec["threads"]


def _no_such_level(specs: Sequence[RunSpec], at: Mapping[str, str]) -> StudyError:
    known = {name: sorted({str(spec["cell"].get(name)) for spec in specs}) for name in at}
    wrong = next((name for name, level in at.items() if level not in known[name]), None)
    if wrong is None:
        return StudyError("--at: no run of the study has all of these levels", hint="leave one out")
    hint = suggestion(at[wrong], known[wrong], f"{wrong} has {', '.join(known[wrong])}")
    return StudyError(f"--at: {wrong}={at[wrong]}: the study has no such level", hint=hint)


def _levels(spec: RunSpec) -> dict[str, Any]:
    return {name: level for name, level in spec["cell"].items() if name != "threads"}


def _rank(spec: RunSpec, factors: Mapping[str, Any]) -> list[tuple[bool, int, str]]:
    """Return a key that sorts series as the study file lists their levels."""
    ranks: list[tuple[bool, int, str]] = []
    for name, level in sorted(_levels(spec).items()):
        given: object = factors.get(name, NAMES if name == "placement" else [])
        listed = [str(one) for one in cast("list[object]", given)] if isinstance(given, list) else [str(given)]
        known = str(level) in listed
        ranks.append((level == "none", listed.index(str(level)) if known else len(listed), str(level)))
    return ranks


def trials(
    plan: Sequence[RunSpec], as_is: RunSpec, remedies: Sequence[Remedy], blocks: int, seed: int
) -> list[RunSpec]:
    """Return the runs to append to the plan: blocks in random order, each with the run as it is and every remedy."""
    first = max(spec["block"] for spec in plan) + 1
    ids = names(plan)
    kept = {name: value for name, value in as_is.items() if name not in OF_A_DESIGN}
    parts = [(AS_IS, kept), *((one.name, _changed(kept, one)) for one in remedies)]
    added: list[RunSpec] = []
    for block in range(first, first + blocks):
        draw = random.Random(f"{seed} trial {block}")
        for name, spec in draw.sample(parts, len(parts)):
            added.append({**spec, "id": next(ids), "block": block, "role": "remedy", "test": name})  # pyright: ignore[reportArgumentType]
    return added


def _changed(kept: Mapping[str, Any], remedy: Remedy) -> dict[str, Any]:
    return {name: value for name, value in {**kept, **remedy.change}.items() if value is not None}


def affordable(
    remedies: Sequence[Remedy], as_is: RunSpec, run_s: float, budget_s: float, most: int
) -> tuple[list[Remedy], int]:
    """Return the remedies that fit into a time, the first ones preferred, and in how many blocks.

    Remedies are left out before blocks become fewer than :data:`LEAST`.
    """
    fitting: list[Remedy] = []
    for one in remedies:
        if min(LEAST, most) * block_s([*fitting, one], as_is, run_s) <= budget_s:
            fitting.append(one)
    return fitting, min(most, int(budget_s / block_s(fitting, as_is, run_s)))


def block_s(remedies: Sequence[Remedy], as_is: RunSpec, run_s: float) -> float:
    """Return how many seconds a block takes if the run as it is takes ``run_s``.

    A run on fewer threads is expected to take as much longer as it would if the program scaled perfectly.
    """
    threads = as_is["threads"]
    runs = [run_s, *(run_s * threads / one.change.get("threads", threads) for one in remedies)]
    return sum(runs) + AROUND_S * len(runs)
