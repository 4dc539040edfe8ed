"""Which questions can tell something about the loss, as far as the answers so far say: the most telling first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from knee.explain.causes.computing import page_faults
from knee.explain.evidence.evidence import (
    COPIES,
    INTERLEAVED,
    ON_CORES,
    ONE_CPU,
    SPREAD,
    SWITCHES,
    TWICE,
    Evidence,
    answers,
)
from knee.explain.evidence.means import mean
from knee.explain.ledger.ledger import (
    DISTANT,
    FEW,
    IDLE,
    INFLATION,
    MACHINE,
    MACHINES,
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
from knee.explain.ledger.naming import LEAST, SETTINGS, SMALL, suspects
from knee.explain.ledger.placements import PLACED
from knee.explain.signs.beside import BUSY, PIRATE, STREAM, slower
from knee.explain.signs.computing.collector import hardly_collects
from knee.explain.signs.computing.kernel import in_kernel
from knee.explain.signs.computing.samples import HOTSPOTS
from knee.explain.signs.idle.doubled import OPENMP, SLEPT, doubled
from knee.explain.signs.idle.futexes import at_futexes, hardly_timed, mostly_timed
from knee.explain.signs.idle.waits import SPIN, waits
from knee.explain.signs.relief import FEWER, relief

BLOCKS = 3
"""A question is asked in at least this many blocks."""

GROWN = 0.03
"""Idle time or CPU time that grew by less than this, in logarithms, is not asked about."""

BESIDE = (BUSY, PIRATE, STREAM)
"""Questions about the machine, asked where copies slow each other down, the cheapest first."""

MOST = 0.6
"""Where copies show so much of what is lost, it is the machine's, and other questions tell less."""

ON_DISK = 0.2
"""Share of the time off the cpus from which on waits for a disk are asked about first."""

MOSTLY = 0.8
"""What slows one thread by this share of what slows copies explains most of it."""

ANYWHERE = (SWITCHES, ONE_CPU, TWICE)
"""Questions that can be asked about any program, on any cpus."""

COLLECTOR, INTERPRETER, ALLOCATOR, FAULTS, FILES, SPINNING = (
    "garbage collection",
    "interpreter lock",
    "allocator",
    "page faults",
    "I/O",
    "spinning",
)
"""Causes that a setting of the program's runtime can test, where it has such a setting."""


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
    machine, always = np.nan_to_num(book.value(*MACHINES).value), []
    # A collector whose own threads hardly compute costs nothing, nor does an interpreter that nobody waits for.
    free = {COLLECTOR: hardly_collects(found, SMALL * book.loss.value), INTERPRETER: bool(hardly_timed(found))}

    def possible(name: str) -> bool:
        return can(name) and not free.get(name, False)

    # A collector or an interpreter's lock can look like any other wait, and a collector like any work.
    if idle >= inflation:
        disk, grown = [FILES] if _on_disk(found) else [], copies if inflation > GROWN else []
        basic, last = [ONE_CPU, *disk, TWICE, INTERPRETER, COLLECTOR, SWITCHES, *grown], []
    elif possible(COLLECTOR):
        basic, last = [*copies, ONE_CPU, COLLECTOR, TWICE], [SWITCHES]
    elif machine > MOST * max(inflation, idle):
        # What the program does itself is asked about last.
        basic, always, last = copies, [ONE_CPU, TWICE], [SWITCHES]
    else:
        basic, last = [*(copies or [ONE_CPU]), TWICE, *([ONE_CPU] if idle > GROWN else [])], [SWITCHES]
    # Whose lock it is tells more than how exactly threads were idle.
    if SWITCHES in basic and _locks(found):
        basic.remove(SWITCHES)
        last = [SWITCHES]
    # What else could tell something comes before more of the same copies.
    again = copies_undecided(found, book)
    basic = [name for name in basic if possible(name) and not (again and name == COPIES)]
    # Where copies would not do what the program does, its own placements tell what they would.
    placed = () if (copies and can(COPIES)) or inflation < GROWN else PLACED
    # Each once: what was asked for twice would be asked twice in a block.
    rest = [*_further(found, book, basic), *placed, *always, *(last if idle > GROWN else [])]
    names = list(dict.fromkeys([*basic, *filter(possible, rest)]))
    # What was begun is of use only with an interval.
    return sorted(names, key=lambda name: not 0 < done(found, name) < BLOCKS)


def _further(found: Evidence, book: Ledger, basic: Sequence[str]) -> list[str]:
    """Return what the answers so far ask for."""
    if any(name in (*ANYWHERE, COPIES) and name not in found.tests for name in basic):
        return []
    rest = book.value(MORE, TOGETHER, UNDIVIDED).value
    machine, distant = book.value(MACHINE).value, book.value(TOGETHER, UNDIVIDED, DISTANT).value
    least = max(GROWN, SMALL * book.loss.value)
    memory = [INTERLEAVED] if on_one_node(found) else [INTERLEAVED, SPREAD]
    further: list[tuple[float, list[str]]] = [
        (book.value(MACHINE, SIBLINGS).value, [ON_CORES]),
        (machine, [*([COPIES] if copies_undecided(found, book) else []), *_beside(found, machine)]),
        (rest, [ONE_CPU]),
        # Before samples and settings of the runtime, since it needs fewer runs. What grows on one cpu is no matter of
        # memory.
        (rest if distant > least else distant, memory),
        (rest, [HOTSPOTS]),
        (in_kernel(found).value, [FAULTS]),
        (rest, [COLLECTOR]),
        (book.value(TOGETHER).value, [ALLOCATOR] if found.mapped(SPIN) else []),
        (book.value(NOBODY, ONE, FEW).value, [INTERPRETER, COLLECTOR]),
        # What a thread executes while it works alone.
        (book.value(ONE).value, [HOTSPOTS]),
        (book.value(NOBODY).value, [FILES]),
    ]
    # Those about the largest part first; what cannot be told is NaN.
    asked = [names for value, names in sorted(further, key=lambda one: -np.nan_to_num(one[0])) if value > least]
    # A setting that was begun may have taken away the sign that asked for it.
    begun = [name for name in SETTINGS if found.setting(name) is not None]
    # Threads that give an interpreter's lock up themselves do so as often with longer turns; then processes tell.
    turns = relief(found, INTERPRETER)
    own = [COPIES] if turns is not None and not turns.waits.interval.high < FEWER and found.base.threads == 1 else []
    # Only a run in which they sleep tells whether threads that wait actively cost time.
    twice = doubled(found)
    active = [SPINNING] if found.mapped(OPENMP) and twice is not None and twice.cpu.value < SLEPT else []
    first = [*begun, *own, *active, *_locks(found), *(name for one in suspects(found, book) for name in one.ask)]
    wanted = dict.fromkeys([*first, *(name for names in asked for name in names)])
    return [name for name in wanted if name != FAULTS or page_faults.often(found)]


def _on_disk(found: Evidence) -> bool:
    """Whether threads surely wait for a disk for much of their time off the cpus."""
    off = mean(found.threads * found.many.seconds - found.many.cpu).value
    return bool(mean(found.many.on_disk).interval.low > ON_DISK * off > 0)


def _locks(found: Evidence) -> list[str]:
    """Return what tells whose locks threads wait at: those that get memory wait at locks that are not the program's."""
    waiting = waits(found)
    if waiting is None or waiting.passed_on is False:
        return []
    # Those for an interpreter have a time limit, and those for pages are inside the kernel.
    return [*([] if mostly_timed(found) else [ALLOCATOR]), *([] if at_futexes(found) else [FAULTS])]


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


def later(found: Evidence) -> set[str]:
    """Return those of them that wait for an answer to the ones before."""
    known = [name in found.tests for name in BESIDE]
    first = known.index(False) if False in known else len(known)
    return set(BESIDE[first + 1 :])


def blocks_for(found: Evidence, name: str) -> int:
    """Return in how many blocks a question must be asked: twice as many as others where copies do not tell yet."""
    return 2 * BLOCKS if name == COPIES and copies_undecided(found, ledger(found)) else BLOCKS


def copies_undecided(found: Evidence, book: Ledger) -> bool:
    """Whether copies were made as often as other runs, and may be slower by much, or not at all.

    On a machine that others use, too, their times vary most; and later questions are about what slows them down.
    """
    machine = book.value(MACHINE)
    large = machine.value > max(GROWN, SMALL * book.loss.value)
    return done(found, COPIES) >= BLOCKS and large and not machine.interval.low > GROWN


def done(found: Evidence, name: str) -> int:
    """Return in how many blocks a question was answered."""
    return max((len(cell.runs) for test, cell in found.tests.items() if answers(test, name)), default=0)
