"""The explanation of the loss at one thread count: its ledger, the causes that hold it, and what is left.

Nothing is named where there is nothing to explain, where a check fails, or where too much is unexplained.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.evidence import Evidence, evidence
from knee.explain.evidence.means import Mean
from knee.explain.ledger.checks import Check, checks
from knee.explain.ledger.inflation import factors
from knee.explain.ledger.ledger import (
    IDLE,
    INFLATION,
    MACHINES,
    MORE,
    OTHERS,
    TAKEN,
    TAKEN_FROM_BASE,
    UNCLASSED,
    Ledger,
    ledger,
)
from knee.explain.ledger.naming import LEAST, candidates
from knee.explain.ledger.placements import Placements, placements
from knee.explain.scaling.series import Series
from knee.explain.signs.computing.polling import polled
from knee.explain.signs.words import plain
from knee.stats.intervals import Interval

TOO_MUCH = 0.20
"""Share of the loss that may be unexplained. Where it cannot be told whether it is more, causes are named."""

OTHERS_MAY = 0.20
"""Share of the loss that other programs may have taken. Beyond it they may also have changed what runs tell of causes:
who waits for whom, how fast caches, memory and the clock are, and what a changed setting gains.
"""

FEWEST = 3
"""An answer from fewer blocks is provisional and names no cause."""

Status = Literal["explained", "provisional", "nothing to explain", "not explained", "not asked"]


@dataclass(frozen=True)
class Explanation:
    """Where the loss of a series at one thread count comes from.

    ``findings`` is empty unless the status is ``explained``; ``why`` says why nothing is named.
    """

    series: str
    ledger: Ledger
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    unexplained: Mean
    status: Status
    why: str
    questions: int = 0
    """How many questions were asked about this thread count."""
    failed: tuple[str, ...] = ()
    """Questions whose runs failed, and why."""
    factors: tuple[tuple[str, Mean], ...] = ()
    """Inflation divided in a second way: instructions, cycles per instruction and clock, where counters tell."""
    placements: Placements | None = None
    """What placements of fewer threads cost, where copies would not do what the program does."""
    left_out: int = 0
    """How many runs are left out since other programs, or a clock that changed, disturbed them."""

    @property
    def threads(self) -> int:
        """The thread count."""
        return self.ledger.threads

    @property
    def asked(self) -> bool:
        """Whether runs were made that tell causes apart."""
        return self.questions > 0

    @property
    def left_out_said(self) -> str | None:
        """Which runs are left out, as a sentence; None if none are."""
        if not self.left_out:
            return None
        left, them = ("1 run is", "it") if self.left_out == 1 else (f"{self.left_out} runs are", "them")
        return f"{left} left out, since other programs or a changing clock disturbed {them}"

    @property
    def first_words(self) -> str:
        """Return the loss and how it divides, in a line."""
        book = self.ledger
        loss, idle, inflation = book.loss, book.group(IDLE), book.group(INFLATION)
        return (
            f"{self.threads} threads take {np.exp(loss.value):.2f}x [{np.exp(loss.interval.low):.2f}, "
            f"{np.exp(loss.interval.high):.2f}] the time of perfect scaling "
            f"(idle {idle.value:+.2f}, CPU time {inflation.value:+.2f})"
        )

    def to_json(self) -> dict[str, Any]:
        """Return it for analysis.json."""
        parts = [{"name": one.name, "of": one.of, **asdict(self.ledger.value(one.name))} for one in self.ledger.entries]
        return {
            "series": self.series,
            "threads": self.threads,
            "base": self.ledger.base,
            "loss": asdict(self.ledger.loss),
            "parts": parts,
            "unexplained": asdict(self.unexplained),
            "findings": [asdict(one) for one in self.findings],
            "checks": [asdict(one) for one in self.checks],
            "status": self.status,
            "why": self.why,
            "failed": self.failed,
            "inflation": [{"name": name, **asdict(value)} for name, value in self.factors],
            "placements": asdict(self.placements) if self.placements else None,
            "left_out": self.left_out,
        }


def explanations(series: Series) -> list[Explanation]:
    """Return the explanation of every thread count but the base, the smallest count first."""
    counts = [point.threads for point in series.curve.points if point.threads != series.curve.base]
    made = [explanation(evidence(series, threads)) for threads in counts]
    return [one for one in made if one.ledger.loss.blocks]


def explanation(found: Evidence) -> Explanation:
    """Return the explanation of one thread count."""
    book = ledger(found)
    checked, possible = checks(found, book), candidates(found, book)
    left = unexplained(book, possible, polled(found))
    status, why = _status(found, book, checked, left)
    # What a smaller one costs, the program may have anyway; it is no part of what is unexplained.
    named = tuple(one for one in possible if one.part is None or one.part.value >= LEAST)
    kept = named if status == "explained" else ()
    if status == "explained" and not kept:
        why = f"no cause holds {LEAST} of the loss" if possible else "no cause shows both of its signs"
    failed = tuple(f"{name}: {why}" for name, (_, why) in found.failed.items())
    many = len(found.tests) if found.asked else 0
    divided = tuple(factors(found))
    return Explanation(
        found.series.name, book, checked, kept, left, status, why, many, failed, divided, placements(found),
        found.left_out,
    )  # fmt: skip


def unexplained(book: Ledger, findings: list[Finding], looks: Mean | None = None) -> Mean:
    """Return idle time of no class, and inflation that neither shared hardware nor a finding holds.

    A finding that a changed setting measures explains as much CPU time as the setting takes away, and no more. So do
    threads that only look whether others are done, which is no cause (``looks``); what more there is to do has it.
    """
    inflation = {one.name for one in book.entries if one.of == INFLATION and one.name not in MACHINES}
    held = {name for one in findings if one.idle is None for name in one.holds}
    names = [one.name for one in book.entries if one.name == UNCLASSED or one.name in inflation - held]
    if not names:
        return Mean(0.0, Interval(0.0, 0.0), book.loss.blocks)
    left = book.value(*names)
    taken = [_cpu_time(one) for one in findings if set(one.holds) & (inflation - held)]
    taken += [Part.of(looks)] if looks is not None and MORE not in held else []
    for part in (one for one in taken if one is not None):
        after = Part.of(left).less(part)
        # More than there is cannot be explained.
        over = max(0.0, -after.value)
        left = Mean(after.value + over, Interval(after.low + over, after.high + over), left.blocks)
    return left


def _cpu_time(finding: Finding) -> Part | None:
    """Return how much CPU time a changed setting takes away."""
    part, idle = finding.gain or finding.part, finding.idle
    return None if part is None or idle is None else part.less(idle)


def _status(found: Evidence, book: Ledger, checked: tuple[Check, ...], left: Mean) -> tuple[Status, str]:
    loss = book.loss
    if loss.blocks < 2:
        return "provisional", f"fewer than {FEWEST} blocks: no cause is named yet"
    if not loss.interval.low >= LEAST:
        nothing = f"the loss at {found.threads} threads is {plain(loss)}, which may be below {LEAST}"
        hidden = _hidden(book)
        return ("not explained", hidden) if hidden else ("nothing to explain", nothing)
    if not found.asked and found.failed:
        return "not explained", "every run that could tell why failed"
    if not found.asked:
        return (
            "not asked",
            "no run was made that could tell why: `knee study --explain` makes such runs, in a new study",
        )
    if loss.blocks < FEWEST or max(cell_blocks(found)) < FEWEST:
        return "provisional", f"fewer than {FEWEST} blocks: no cause is named yet"
    doubt = _doubt(book, checked, left)
    return ("not explained", doubt) if doubt else ("explained", "")


def _hidden(book: Ledger) -> str | None:
    """Return that other programs may hide a loss, since they slowed the base down; None if they may not."""
    if book.entry(TAKEN_FROM_BASE) is None:
        return None
    most = -book.value(TAKEN_FROM_BASE).value
    # What may be a small loss without them is none that they hide.
    if most < LEAST or book.loss.value + most < LEAST:
        return None
    slowed = f"other programs may have slowed the base down by up to {most:.2f}, which would hide one"
    return f"the loss is {plain(book.loss)}, but {slowed}"


def _doubt(book: Ledger, checked: tuple[Check, ...], left: Mean) -> str | None:
    """Return why nothing may be named; None if something may."""
    own = book.value(*(one.name for one in book.entries if one.of != OTHERS))
    if book.entry(TAKEN) is not None and not own.interval.low >= LEAST:
        return f"other programs may have caused it: without them the loss is {plain(own)}"
    if book.entry(TAKEN) is not None and book.value(TAKEN).value > OTHERS_MAY * book.loss.value:
        return f"other programs may have taken {plain(book.value(TAKEN))} of the loss of {plain(book.loss)}"
    if failed := next((one for one in checked if one.ok is False), None):
        return failed.says
    if left.interval.low > TOO_MUCH * book.loss.value:
        return f"{100 * left.value / book.loss.value:.0f} % of the loss is of no known cause"
    return None


def cell_blocks(found: Evidence) -> list[int]:
    """Return how many good blocks each question has."""
    return [int(np.isfinite(cell.seconds).sum()) for cell in found.tests.values()]
