"""A plan in words: how many runs, which levels, how long."""

from __future__ import annotations

from collections.abc import Sequence

from knee.store import RunSpec, role_of
from knee.store.records.twins import twins
from knee.study.design.cells import NAMED_PLACEMENTS
from knee.study.design.duration import limits, words
from knee.study.spec import StudySpec

UNKNOWN = "unknown; `knee plan --pilot` makes one run and estimates it"


def summary(study_spec: StudySpec, planned: Sequence[RunSpec], duration: str = UNKNOWN) -> str:
    """Return a plan in words.

    Parameters
    ----------
    study_spec, planned
        The study, and its runs.
    duration
        How long it takes.
    """
    cells = {str((role_of(spec), sorted(spec["cell"].items()))): spec["cell"] for spec in planned}
    blocks = len({spec["block"] for spec in planned})
    lines = [f"knee: {_many(len(planned), 'run')}: {_many(len(cells), 'combination')} x {_many(blocks, 'block')}"]
    lines[0] += ", each block in its own random order"
    for name in dict.fromkeys(name for cell in cells.values() for name in cell):
        levels = {str(cell[name]) for cell in cells.values() if name in cell}
        lines.append(f"      {name}: {', '.join(_ordered(study_spec, name, levels))}")
    lines += [f"      {line}" for line in twin_placements(planned)]
    controls = sorted({role_of(spec) for spec in planned} - {"measure"})
    lines += [f"      also runs: {', '.join(controls)}"] if controls else []
    lines += [f"      before each run: {_many(study_spec.warmup, 'warm-up run')}"] if study_spec.warmup else []
    lines.append(f"      time limit of a run: {words(study_spec.timeout_s)}")
    lines.append(f"      duration: {duration}")
    lines += [f"      {limit}" for limit in limits(study_spec)]
    return "\n".join(lines)


def twin_placements(planned: Sequence[RunSpec]) -> list[str]:
    """Say which placements are the same on this machine, so that a study measures both in vain."""
    same = twins(spec for spec in planned if role_of(spec) == "measure")
    return [
        f"{twin} puts threads on the same cpus here as {first}: one of them is enough" for twin, first in same.items()
    ]


def _ordered(study_spec: StudySpec, name: str, levels: set[str]) -> list[str]:
    """Return levels as the study lists them; numbers by size, default placements as knee lists them."""
    listed = {"placement": [*NAMED_PLACEMENTS, "none"], "workload": [*study_spec.workloads]}
    known = [str(level) for level in study_spec.factors.get(name, listed.get(name, []))]
    if name == "threads" or not known:
        return sorted(levels, key=lambda level: (not level.isdecimal(), int(level) if level.isdecimal() else 0, level))
    return [level for level in known if level in levels]


def _many(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("s" if number != 1 else "")
