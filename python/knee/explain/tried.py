"""Remedies that were tried (``knee try``): what each gained, compared block by block with the run as it is.

Several remedies are tried at once, so some would look faster by chance. Answers are corrected for their number by
Holm's procedure, up and down: if no remedy changes anything, one time in twenty some remedy is called faster or slower.
That holds for a number of blocks that was fixed beforehand: adding more until a remedy is faster finds one more often.
"Equal" needs no correction. Intervals are those of single remedies, 90 %.

A remedy is rejected if a run with it fails, does not pass the study's check, or prints something else, while the run as
it is does not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from knee.explain.disturbance import taken
from knee.stats.answers import Answer
from knee.stats.intervals import Array, Interval, Ratio, ratio
from knee.stats.paired import Comparison, allowing, answers_apart, paired
from knee.store import Folder, Level, Noted, Run, read_trials

AS_IS = "as is"
"""The ``test`` of runs without a remedy (``knee.study.design.trials``)."""


@dataclass(frozen=True)
class Tried:
    """A remedy, and how runs with it compare with runs without.

    ``time`` and ``cpu`` are ratios of the run with the remedy over the run as it is: below 1 the remedy is faster, or
    uses less CPU time. ``rejected`` is the reason why it must not be used.
    """

    remedy: str
    treats: tuple[str, ...]
    does: str
    note: str
    cell: dict[str, Level]
    threads: int
    time: Comparison
    cpu: Ratio
    answer: Answer
    rejected: str | None

    @property
    def gain(self) -> Ratio:
        """How many times as fast it is as the run as it is."""
        ends = self.time.interval
        return Ratio(1 / self.time.estimate, Interval(1 / ends.high, 1 / ends.low), self.time.values)

    def tried_at(self, threads: int) -> bool:
        """Whether its gain is over the program on this many threads. A remedy may itself run on fewer."""
        return self.cell.get("threads") == threads

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "gain": asdict(self.gain)}


def tried(folder: Folder, runs: Sequence[Run], allowed: int) -> list[Tried]:
    """Return every remedy that was tried, in the order of their names in the notes.

    ``allowed`` is the number of cpus that an unpinned run may use.
    """
    by_cell: dict[str, list[Run]] = {}
    for run in runs:
        if run.role == "remedy":
            by_cell.setdefault(json.dumps(run.cell, sort_keys=True), []).append(run)
    if not by_cell:
        return []
    noted = {one.name: one for one in read_trials(folder).remedies}
    return [one for members in by_cell.values() for one in _of_cell(members, noted, allowed)]


def best(found: Sequence[Tried]) -> Tried | None:
    """Return the remedy that gained most; None if none is shown to be faster."""
    faster = [one for one in found if one.rejected is None and one.answer == "faster"]
    return min(faster, key=lambda one: one.time.estimate, default=None)


def _of_cell(runs: Sequence[Run], noted: dict[str, Noted], allowed: int) -> list[Tried]:
    by_test: dict[str, list[Run]] = {}
    for run in runs:
        by_test.setdefault(str(run.spec.get("test")), []).append(run)
    as_is = by_test.pop(AS_IS, [])
    order = {name: number for number, name in enumerate(noted)}
    names = sorted(by_test, key=lambda name: (order.get(name, len(order)), name))
    blocks = sorted({run.spec["block"] for run in runs})
    rejected = {name: _rejected(by_test[name], as_is) for name in names}
    compared = {name: _compared(as_is, by_test[name], blocks, allowed) for name in names}
    usable = [name for name in names if rejected[name] is None]
    words = dict(zip(usable, answers_apart([compared[name] for name in usable]), strict=True)) if usable else {}
    found: list[Tried] = []
    for name in names:
        note = noted.get(name, Noted(name, (), ""))
        cpu = ratio(_by_block(by_test[name], blocks, cpu=True), _by_block(as_is, blocks, cpu=True))
        one = by_test[name][0]
        found.append(
            Tried(name, note.treats, note.does, note.note, dict(one.cell), one.threads, compared[name], cpu,
                  words.get(name, "cannot tell"), rejected[name])
        )  # fmt: skip
    return found


def _compared(as_is: Sequence[Run], changed: Sequence[Run], blocks: Sequence[int], allowed: int) -> Comparison:
    sides = [(_by_block(runs, blocks), _taken(runs, blocks, allowed)) for runs in (as_is, changed)]
    return allowing(paired, sides[0][0], sides[1][0], sides[0][1], sides[1][1])


def _by_block(runs: Sequence[Run], blocks: Sequence[int], *, cpu: bool = False) -> Array:
    """Return times or CPU times by block; NaN without a good run."""
    values = dict.fromkeys(blocks, np.nan)
    for run in runs:
        if run.bad is None:
            values[run.spec["block"]] = (run.cpu_s if cpu else run.time_s) or np.nan
    return np.array(list(values.values()))


def _taken(runs: Sequence[Run], blocks: Sequence[int], allowed: int) -> Array:
    values = dict.fromkeys(blocks, 0.0)
    for run in runs:
        if run.bad is None:
            values[run.spec["block"]] = taken(run, allowed)
    return np.array(list(values.values()))


def _rejected(changed: Sequence[Run], as_is: Sequence[Run]) -> str | None:
    """Return why a remedy is rejected. A run that fails without the remedy, too, says nothing about it."""
    anyway = {run.spec["block"] for run in as_is if run.bad is not None}
    bad = [run for run in changed if run.bad is not None and run.spec["block"] not in anyway]
    return f"{bad[0].bad} ({len(bad)} of {len(changed)} runs)" if bad else None
