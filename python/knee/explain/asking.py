"""Which runs would tell more about the loss, decided between two blocks of a running study (``knee study --explain``).

Nothing is asked before the first answer, and nothing where there is nothing to explain. Then the questions that can
tell something come first: where threads are idle, what they wait for; where CPU time grows, whether it grows on one cpu
and in copies. What these answer decides about the next ones. Each question is asked in at least three blocks, or not
at all, and all of them together take at most a share of the study's own time.

Choosing questions by what was measured biases nothing: their own runs are made afterwards, in random order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from knee.explain.causes.computing import page_faults
from knee.explain.ledger.evidence import (
    COPIES,
    INTERLEAVED,
    ON_CORES,
    ONE_CPU,
    SPREAD,
    SWITCHES,
    TWICE,
    Evidence,
    evidence,
)
from knee.explain.ledger.explanation import LEAST, explanation
from knee.explain.ledger.ledger import (
    DISTANT,
    FEW,
    IDLE,
    INFLATION,
    MACHINE,
    MORE,
    NOBODY,
    ONE,
    SIBLINGS,
    TOGETHER,
    UNDIVIDED,
    Ledger,
    ledger,
)
from knee.explain.ledger.memory import on_one_node
from knee.explain.ledger.naming import SETTINGS, SMALL, suspects
from knee.explain.ledger.placements import PLACED
from knee.explain.scaling.series import Series, group
from knee.explain.signs.beside import BUSY, PIRATE, STREAM, slower
from knee.explain.signs.relief import relief
from knee.explain.signs.waits import waits
from knee.store import Level, Run

FIRST_LAUNCHES = 6
"""The first answer comes after this many launches."""

BLOCKS = 3
"""A question is asked in at least this many blocks."""

FEWEST = 2
"""One that costs more than it was estimated to is asked in at least this many: fewer have no interval."""

GROWN = 0.03
"""Idle time or CPU time that grew by less than this, in logarithms, is not asked about."""

SLOWED = {BUSY: 1.1, PIRATE: 1.5, STREAM: 3.0}
"""How many times as long one thread is estimated to take beside other programs."""

MORE_TRAFFIC = 1.3
"""How many times as much other memory traffic slows one thread as copies do, estimated."""

BESIDE = (BUSY, PIRATE, STREAM)
"""Questions about the machine, asked where copies slow each other down, the cheapest first."""

MOSTLY = 0.8
"""What slows one thread by this share of what slows copies explains most of it."""

LONGER = 3.0
"""The fewer threads of a placement are estimated to take this many times as long as all."""

ANYWHERE = (SWITCHES, ONE_CPU, TWICE)
"""Questions that can be asked about any program, on any cpus."""

FAILS = 2
"""A question whose run failed this often, and never succeeded, is not asked again."""

COLLECTOR, INTERPRETER, ALLOCATOR, FAULTS, FILES = (
    "garbage collection",
    "interpreter lock",
    "allocator",
    "page faults",
    "I/O",
)
"""Causes that a setting of the program's runtime can test, where it has such a setting."""


@dataclass(frozen=True)
class Wanted:
    """A question for a block.

    Parameters
    ----------
    cell
        The cell that is explained.
    name
        The name of the question, or of a cause that a changed setting tests.
    block
        The block.
    cost_s
        Seconds that its runs take in a block, estimated.
    """

    cell: dict[str, Level]
    name: str
    block: int
    cost_s: float


@dataclass(frozen=True)
class Left:
    """What is left of a study: its blocks and its time for questions.

    Parameters
    ----------
    block, blocks
        The next block, and the number of blocks of the design.
    share
        Time for the questions, as a share of the study's own.
    testable
        Whether a question about cores or memory fits a cell's cpus, or a changed setting of its program can test a
        cause.
    """

    block: int
    blocks: int
    share: float
    testable: Callable[[dict[str, Level], str], bool]


def wanted(runs: Sequence[Run], allowed: int, left: Left) -> list[Wanted]:
    """Return the questions for the next block.

    Parameters
    ----------
    runs
        All runs so far.
    allowed
        Number of cpus that the study may use.
    left
        What is left of the study.
    """
    if len(runs) < first(left.blocks):
        return []
    own = [run for run in runs if run.role == "measure" and not run.replaced]
    made = max((run.spec["block"] for run in own), default=0)
    budget_s = left.share * _seconds(own) * left.blocks / max(1, made)
    left_s = budget_s - _seconds([run for run in runs if "test" in run.spec])
    targets = [evidence(one, threads) for one, threads in explained(group(list(runs), allowed))]
    chosen: list[Wanted] = []
    for found in targets:
        chosen += _affordable(found, left_s / len(targets), left)
    return chosen


def first(blocks: int) -> int:
    """Return after how many launches questions are asked: late enough to know what to ask, and in enough blocks."""
    return FIRST_LAUNCHES if blocks > BLOCKS + 2 else 1


def explained(series: Sequence[Series]) -> list[tuple[Series, int]]:
    """Return what is explained: of each combination of other factors the first placement, at the largest count."""
    chosen: dict[str, tuple[Series, int]] = {}
    for one in series:
        fitting = [count for count in one.fitting if count != one.curve.base]
        rest = str(sorted((name, level) for name, level in one.levels.items() if name != "placement"))
        if one.pinned and fitting and rest not in chosen:
            chosen[rest] = (one, max(fitting))
    return list(chosen.values())


def _affordable(found: Evidence, left_s: float, left: Left) -> list[Wanted]:
    """Return the questions that fit into the time and the blocks that are left, most telling first."""
    if not found.many.runs or not found.base.runs:
        return []
    cell, blocks = found.many.runs[0].cell, left.blocks - left.block + 1
    names = questions(found, lambda name: _askable(found, name) and (name in ANYWHERE or left.testable(cell, name)))
    done = {name: _done(found, name) for name in names}
    chosen: list[Wanted] = []
    # First each question as often as it must be asked; more often only when it is too late to begin others.
    later = _later(found)
    for name in names:
        missing, each = BLOCKS - done[name], cost_s(found, name)
        if name in later:
            # Its time is kept: what comes first may make it necessary.
            left_s -= missing * each
            continue
        once = max(each, _cpu_s(found)) if name == ONE_CPU and not done[name] else each
        if (done[name] or name == STREAM) and missing * each > left_s:
            missing = min(missing, FEWEST - done[name])
        if 0 < missing <= blocks and max(missing * each, once) <= left_s:
            chosen.append(Wanted(cell, name, left.block, each))
            left_s -= missing * each
    for name in names if blocks < BLOCKS else ():
        each = cost_s(found, name)
        if done[name] >= BLOCKS and blocks * each <= left_s:
            chosen.append(Wanted(cell, name, left.block, each))
            left_s -= blocks * each
    return chosen


def _done(found: Evidence, name: str) -> int:
    """Return in how many blocks a question was answered."""
    return max((len(cell.runs) for test, cell in found.tests.items() if test.partition(": ")[0] == name), default=0)


def _askable(found: Evidence, name: str) -> bool:
    failed = [many for test, (many, _) in found.failed.items() if test.partition(": ")[0] == name]
    return max(failed, default=0) < FAILS


def questions(found: Evidence, can: Callable[[str], bool]) -> list[str]:
    """Return the names of the questions that can tell something, most telling first.

    Parameters
    ----------
    found
        The answers so far.
    can
        Whether a question can be asked here.
    """
    book = ledger(found)
    known = np.isfinite(book.loss.interval.high)
    if not book.loss.value > GROWN or (known and book.loss.interval.high < LEAST):
        return []
    idle, inflation = book.group(IDLE).value, book.group(INFLATION).value
    copies = [COPIES] if found.base.threads == 1 else []
    # A collector or an interpreter's lock can look like any other wait.
    if idle >= inflation:
        basic = [ONE_CPU, TWICE, INTERPRETER, COLLECTOR, SWITCHES, *(copies if inflation > GROWN else [])]
    else:
        basic = [*(copies or [ONE_CPU]), TWICE, *([ONE_CPU, INTERPRETER, SWITCHES] if idle > GROWN else [])]
    basic = list(filter(can, basic))
    # Where copies would not do what the program does, its own placements tell what they would.
    placed = () if (copies and can(COPIES)) or inflation < GROWN else PLACED
    # Each once: what was asked for twice would be asked twice in a block.
    return list(dict.fromkeys([*basic, *filter(can, [*_further(found, book, basic), *placed])]))


def _further(found: Evidence, book: Ledger, basic: Sequence[str]) -> list[str]:
    """Return what the answers so far ask for."""
    if any(name in (*ANYWHERE, COPIES) and name not in found.tests for name in basic):
        return []
    rest = book.value(MORE, TOGETHER, UNDIVIDED).value
    memory = [INTERLEAVED] if on_one_node(found) else [INTERLEAVED, SPREAD]
    further: list[tuple[float, list[str]]] = [
        (book.value(MACHINE, SIBLINGS).value, [ON_CORES]),
        (book.value(MACHINE).value, _beside(found, book.value(MACHINE).value)),
        (rest, [ONE_CPU]),
        # Before settings of the runtime, since it needs fewer runs. What grows on one cpu is no matter of memory.
        (book.value(TOGETHER, UNDIVIDED, DISTANT).value, memory),
        (_in_kernel(found), [FAULTS]),
        (rest, [COLLECTOR]),
        (book.value(NOBODY, ONE, FEW).value, [COLLECTOR]),
        (book.value(NOBODY).value, [FILES]),
    ]
    least = max(GROWN, SMALL * book.loss.value)
    # Those about the largest part first; what cannot be told is NaN.
    asked = [names for value, names in sorted(further, key=lambda one: -np.nan_to_num(one[0])) if value > least]
    # A setting that was begun may have taken away the sign that asked for it.
    begun = [name for name in SETTINGS if found.setting(name) is not None]
    # Threads that give an interpreter's lock up themselves do so as often with longer turns; then processes tell.
    turns = relief(found, INTERPRETER)
    own = [COPIES] if turns is not None and not turns.waits.interval.high < 0 and found.base.threads == 1 else []
    waiting = waits(found)
    # Threads that allocate memory, or get pages for it, wait at locks that are not the program's own.
    locks = [ALLOCATOR, FAULTS] if waiting is not None and waiting.passed_on is not False else []
    first = [*begun, *own, *locks, *(name for one in suspects(found, book) for name in one.ask)]
    wanted = dict.fromkeys([*first, *(name for names in asked for name in names)])
    return [name for name in wanted if name != FAULTS or page_faults.often(found)]


def _beside(found: Evidence, machine: float) -> list[str]:
    """Return the questions about other programs beside one thread: each, unless one before explains most of it."""
    asked: list[str] = []
    explained = 0.0
    for name in BESIDE:
        asked.append(name)
        answer = slower(found, name)
        explained += answer.value if answer is not None else 0.0
        if explained > MOSTLY * machine:
            break
    return asked


def _later(found: Evidence) -> set[str]:
    """Return those of them that wait for an answer to the ones before."""
    known = [name in found.tests for name in BESIDE]
    first = known.index(False) if False in known else len(known)
    return set(BESIDE[first + 1 :])


def _in_kernel(found: Evidence) -> float:
    """Return by how much CPU time inside the kernel grew, over the CPU time of the base."""
    return float((np.nanmean(found.many.system) - np.nanmean(found.base.system)) / np.nanmean(found.base.cpu))


def cost_s(found: Evidence, name: str) -> float:
    """Return the seconds that the runs of a question take in a block: those of its own runs, or an estimate."""
    own = [cell for test, cell in found.tests.items() if test.partition(": ")[0] == name and cell.runs]
    if own:
        return sum(_seconds(cell.runs) / len(cell.runs) for cell in own)
    base, many = (_seconds(cell.runs) / len(cell.runs) for cell in (found.base, found.many))
    if name in PLACED:
        return LONGER * many
    known = {ONE_CPU: max(base, many), COPIES: base, SWITCHES: many, TWICE: many, INTERLEAVED: many}
    if name == STREAM and np.isfinite(machine := ledger(found).value(MACHINE).value):
        # Traffic of others slows one thread about as much as copies do.
        return MORE_TRAFFIC * float(np.exp(machine)) * base
    if name in SLOWED:
        return SLOWED[name] * base
    if name in (ON_CORES, SPREAD) and (copies := found.test(COPIES)) is not None and copies.runs:
        return _seconds(copies.runs) / len(copies.runs)
    return known.get(name, base if name in (ON_CORES, SPREAD) else base + many)


def _cpu_s(found: Evidence) -> float:
    """Return the CPU time of all threads: the longest that they take on one cpu, if it does not grow there."""
    return float(np.nanmean(found.many.cpu)) if np.isfinite(found.many.cpu).any() else 0.0


def _seconds(runs: Sequence[Run]) -> float:
    return sum(run.record["wall_ns"] / 1e9 for run in runs)


def answered(runs: Sequence[Run], allowed: int) -> list[str]:
    """Return the answers so far, a line for each combination of factors that is explained."""
    return [
        f"{one.name}: {explanation(evidence(one, threads)).first_words}"
        for one, threads in explained(group(list(runs), allowed))
    ]
