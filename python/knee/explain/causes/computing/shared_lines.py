"""Shared cache lines.

What it sees
    CPU time grows only where threads run at the same time. Copies and all threads on one cpu take what one thread
    takes.
Why the curve bends
    A cache line that several cores write to moves from core to core, and a store waits for it each time: true sharing
    if they write to the same data, false sharing if only the line is the same.
How to test it
    Run all threads on one cpu: no line moves between cores. Run copies: they share no data. The addresses that samples
    of all threads meet tell false from true sharing, and so does padding.
How to move it
    Put data that different threads write to on separate cache lines; collect results per thread.

Where samples have no registers, false and true sharing have the same signs without hardware counters. Work that several
threads do at the same time (each computes what is not there yet) is listed as well then, unless CPU time grows at a few
instructions that take hardly any time on one thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from knee.explain.causes.cause import LINES, OPEN, Finding, Part
from knee.explain.causes.computing import instruction_growth, spinning
from knee.explain.evidence.evidence import SWITCHES, Evidence
from knee.explain.evidence.means import against
from knee.explain.ledger.ledger import INFLATION, MACHINES, MORE, TOGETHER, Ledger
from knee.explain.ledger.memory import distance_untold, remote, untold
from knee.explain.signs.beside import STREAM, slower
from knee.explain.signs.computing.growth import Growth, growth
from knee.explain.signs.computing.hotspots import grown, said
from knee.explain.signs.computing.kernel import lock_passed_on, of_turns
from knee.explain.signs.computing.lines import Lines, at_lines, lines
from knee.explain.signs.idle.doubled import (
    COLLAPSE,
    LONGER,
    SLEPT,
    Doubled,
    doubled,
    may_wait_actively,
    waits_actively,
)
from knee.explain.signs.idle.futexes import mostly_timed
from knee.explain.signs.idle.processes import separate
from knee.explain.signs.idle.waits import LOADED, SPIN, own_waits
from knee.explain.signs.relief import relief
from knee.explain.signs.words import as_ratio

NAME = "shared cache lines"

LEFT = (*LINES, "duplicated work")
COSTLY = ("spinning", "duplicated work")

LEAST = 0.02
"""A smaller part is not examined."""

MACHINE_SHARE = 0.25
"""Share of the CPU time that grows which the machine may hold where growth over the curve tells anything."""

INEXACT = 0.05
"""Copies may miss this share of what the machine adds."""

MOSTLY = 0.7
"""Share of what grows side by side that does not go with twice the threads."""

NOT_OWN = r"(?i)alloc|free|arena|tcache|lock|mutex|futex|operator (new|delete)|^(_?je|mi|tc)_"
"""Names of functions that get memory, or wait for a lock."""

HALF = 0.5
"""Share of what grows side by side that memory of other nodes may cost; and of what grows that further runs show."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    together = book.side_by_side
    # Copies may miss a little of what the machine adds.
    least = LEAST + INEXACT * np.nan_to_num(book.value(*MACHINES).value)
    if own_waits(found) is None or not together.interval.low > least:
        return None
    met, at = at_lines(found, book), lines(found)
    if distance_untold(found) and met is False:
        return None
    # Threads that wait inside an allocator compute more as well; only the run with another one would tell, or code of
    # the program's own at which they meet.
    untested = _inside_allocator(found) and not (met and at is not None and _own(at))
    if untested or _surely_otherwise(found, book) or of_turns(found) or not _again(found, book):
        return None
    if met and at is not None:
        return _met(found, book, at)
    return _left_open(found, book, refuted=met is False)


def _left_open(found: Evidence, book: Ledger, *, refuted: bool) -> Finding | None:
    """Return the finding where samples do not meet threads at lines that they use in turn, or do not tell."""
    together, on_one, twice = book.side_by_side, book.value(MORE), doubled(found)
    over_the_curve, spots = growth(found, book), grown(found)
    if twice is None or _otherwise(found, book, twice, over_the_curve):
        return None
    # A store that waits for its line is met at the same instruction.
    if spots is not None and spots.again:
        return None
    # Duplicated work grows in proportion to the threads, lines have a limit, and a lock may hardly show on one cpu.
    if not on_one.interval.high < together.value / 2 and (over_the_curve is None or over_the_curve.limited is None):
        return None
    more_work = instruction_growth.explain(found, book) is not None
    left = LEFT if over_the_curve is None else _left(book, twice, over_the_curve, more_work=more_work)
    if left == LEFT and spots is not None and spots.waits:
        left = LINES
    if refuted:
        left = COSTLY
    # No work that is done again is at a few instructions to which one thread never gets.
    loops = left == COSTLY and spots is not None and spots.loops and spinning.explain(found, book) is None
    # What waiting threads compute on one cpu is theirs, too.
    spins = loops or (left == COSTLY and on_one.interval.low > 0 and not more_work)
    holds = (MORE, TOGETHER) if spins else (TOGETHER,)
    return Finding(
        series=found.series.name,
        cause=COSTLY[0] if loops else OPEN,
        says=(
            "threads that wait try again and again"
            if loops
            else f"CPU time grows only where threads run at the same time: {_or(left)}"
        ),
        signs=(
            f"CPU time that needs threads on several cpus: {as_ratio(together)}",
            f"CPU time of all threads on one cpu over that of 1 thread: {as_ratio(on_one)}",
            f"twice the threads on the same cpus take {as_ratio(twice.cpu)} times the CPU time",
            *said(found),
        ),
        refute=(
            "let waiting threads sleep: if CPU time falls, they were spinning; if not, they duplicate work"
            if left == COSTLY
            else "count instructions: if they grow, threads duplicate work; if not, pad data that threads write to"
        ),
        remedy=(
            "use locks that sleep, or compute once what several threads need"
            if left == COSTLY
            else "put data that different threads write to on separate cache lines"
        ),
        left=() if loops else left,
        settles=("instruction growth",) if loops else (),
        threads=found.threads,
        part=Part.of(book.value(*holds) if spins else together),
        holds=holds,
    )


@dataclass(frozen=True)
class Words:
    """What is said of shared lines."""

    says: str
    refute: str
    remedy: str


WORDS: dict[tuple[str, ...], Words] = {
    LINES: Words(
        "threads write to the same cache lines, which move from core to core",
        "pad data that threads write to: if the loss stays, it is the data that they share",
        "put data that different threads write to on separate cache lines",
    ),
    ("false sharing",): Words(
        "threads write to different data on the same cache lines, which move from core to core",
        "pad data of different threads to whole cache lines: if the loss stays, it is not false sharing",
        "pad data of different threads to whole cache lines",
    ),
    ("true sharing",): Words(
        "threads write to the same data, whose cache lines move from core to core",
        "give each thread data of its own, on lines of its own: if the loss stays, it is not what they share",
        "let each thread count or collect by itself, and add up at the end",
    ),
}


def _met(found: Evidence, book: Ledger, at: Lines) -> Finding:
    """Return the finding where samples meet threads at lines that they use in turn."""
    kinds, words = at.kinds, WORDS[at.kinds]
    return Finding(
        series=found.series.name,
        cause=kinds[0] if len(kinds) == 1 else OPEN,
        says=words.says,
        signs=(
            f"CPU time that needs threads on several cpus: {as_ratio(book.side_by_side)}",
            at.said,
            f"CPU time of all threads on one cpu over that of 1 thread: {as_ratio(book.value(MORE))}",
        ),
        refute=words.refute,
        remedy=words.remedy,
        left=kinds if len(kinds) > 1 else (),
        threads=found.threads,
        part=Part.of(book.side_by_side),
        holds=(TOGETHER,),
    )


def _surely_otherwise(found: Evidence, book: Ledger) -> bool:
    """Whether something else costs that CPU time, or as likely, wherever samples meet the threads."""
    # Memory of other nodes costs time side by side as well.
    distant = untold(found) > HALF * book.value(TOGETHER).value
    # Processes do not write to the same data.
    return separate(found) or lock_passed_on(found, book) or distant or _one_node(found)


def _inside_allocator(found: Evidence) -> bool:
    """Whether threads may wait inside an allocator, and none was tried instead of it."""
    waiting = own_waits(found)
    waits = waiting is not None and waiting.passed_on is not False
    # Waits with a time limit are for an interpreter.
    inside = (waits and found.mapped(LOADED) and not mostly_timed(found)) or found.mapped(SPIN)
    return inside and relief(found, "allocator") is None


def _own(at: Lines) -> bool:
    """Whether threads meet in a function of the program's own, which neither gets memory nor is a lock's."""
    return at.function is not None and re.search(NOT_OWN, at.function) is None


def _otherwise(found: Evidence, book: Ledger, twice: Doubled, grown: Growth | None) -> bool:
    """Whether something else costs that CPU time, or as likely, where samples do not tell."""
    # With twice the threads as many run at the same time, so lines move as often, unless threads are in step.
    goes = twice.cpu.interval.high < SLEPT and -twice.cpu.value > MOSTLY * book.value(TOGETHER).value
    comes = grown is None and twice.cpu.interval.low > LONGER
    changed = goes or comes or twice.seconds.interval.low > COLLAPSE
    # Threads of OpenMP that wait for others compute while they do; only a run in which they sleep tells.
    active = waits_actively(found, book) or (may_wait_actively(found, book) and relief(found, "spinning") is None)
    return changed or active


def _again(found: Evidence, book: Ledger) -> bool:
    """Whether the same run, made once more for another question, shows the CPU time as well."""
    again = found.test(SWITCHES)
    grown = book.group(INFLATION).value
    return again is None or against(again.cpu, found.base.cpu).value > HALF * grown


def _one_node(found: Evidence) -> bool:
    """Whether one node has the pages, and traffic slows threads: its channels then cost more than copies show."""
    far, stream = remote(found), slower(found, STREAM)
    return far is not None and far.one_node and stream is not None and stream.interval.low > LEAST


def _left(book: Ledger, twice: Doubled, grown: Growth, *, more_work: bool) -> tuple[str, ...]:
    """Return the causes that are left, as growth over the curve and twice the threads tell."""
    on_one = book.value(MORE)
    if not twice.cpu.interval.low > 0 and grown.limited is None:
        return LEFT
    # What the machine adds, and more work for the same answer, grow in their own ways.
    machine = book.value(*MACHINES).interval.low > MACHINE_SHARE * book.group(INFLATION).value
    tells = not machine and not more_work
    if tells and grown.limited:
        return LINES
    # Only waiting threads compute more with twice the threads, or on one cpu as well.
    waits = grown.limited is False if more_work else twice.cpu.interval.low > 0
    spins = grown.goes_on or grown.how == "accelerates" or on_one.interval.low > 0
    return COSTLY if waits or (tells and spins) else LEFT


def _or(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])}, or {names[-1]}" if len(names) > 2 else " or ".join(names)
