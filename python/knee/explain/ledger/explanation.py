"""The explanation of the loss at one thread count: its ledger, the causes that hold it, and what is left.

Nothing is named where there is nothing to explain, where a check fails, or where too much is unexplained.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from knee.explain.causes.cause import Finding
from knee.explain.ledger.checks import Check, checks
from knee.explain.ledger.evidence import Evidence, Mean, evidence
from knee.explain.ledger.ledger import IDLE, INFLATION, MACHINES, OTHERS, TAKEN, UNCLASSED, Ledger, ledger
from knee.explain.scaling.series import Series
from knee.explain.signs.relief import relief
from knee.explain.signs.words import plain
from knee.stats.intervals import Interval

LEAST = 0.05
"""A loss whose interval reaches below this is not explained."""

TOO_MUCH = 0.20
"""Share of the loss that may be unexplained. Where it cannot be told whether it is more, causes are named."""

SETTLES = 0.5
"""A changed setting that takes this share of a part away decides for its cause."""

SMALL = 0.05
"""A cause that holds less than this share of the loss is not named: it is part of what is unexplained."""

METHOD = 0.01, 0.03
"""Error of the parts of causes beyond chance: in logarithms, and as a share of the loss. Causes act on each other, and
a program has a little of most of them. Calibrated on the first half of the made-up instances (``bench/truth.py``).
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

    @property
    def threads(self) -> int:
        """The thread count."""
        return self.ledger.threads

    @property
    def asked(self) -> bool:
        """Whether runs were made that tell causes apart."""
        return self.questions > 0

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
    left = unexplained(book, possible)
    status, why = _status(found, book, checked, left)
    kept = tuple(possible) if status == "explained" else ()
    if status == "explained" and not kept:
        why = "no cause shows both of its signs"
    failed = tuple(f"{name}: {why}" for name, (_, why) in found.failed.items())
    many = len(found.tests) if found.asked else 0
    return Explanation(found.series.name, book, checked, kept, left, status, why, many, failed)


def candidates(found: Evidence, book: Ledger) -> list[Finding]:
    """Return the findings that may be named, unless the ledger as a whole is in doubt."""
    least = SMALL * book.loss.value
    named = [one for one in suspects(found, book) if one.part is None or one.part.value > least]
    settled = {name for one in named for name in one.settles if _covers(one, named, name)}
    kept = [one for one in named if one.cause not in settled and not _undecided(found, one)]
    if _disturbed(book):
        kept = [one for one in kept if not one.holds or not set(one.holds) <= set(MACHINES)]
    apart = [_without_settings(one, kept) for one in kept]
    return [one for one in apart if one.part is None or one.part.value > least]


def _disturbed(book: Ledger) -> bool:
    """Whether other programs may have taken so much that what they share slowed CPU time, too: caches, cores, clock."""
    return book.entry(TAKEN) is not None and book.value(TAKEN).value > TOO_MUCH * book.loss.value


def suspects(found: Evidence, book: Ledger) -> list[Finding]:
    """Return the findings of all causes, also of those that another one settles."""
    from knee.explain.causes.lists import CAUSES

    named = [one for cause in CAUSES if (one := cause.explain(found, book)) is not None] if found.asked else []
    error = METHOD[0] + METHOD[1] * max(0.0, book.loss.value)
    return [replace(one, part=one.part.with_error(error)) if one.part else one for one in named]


SETTINGS = ("garbage collection", "allocator", "page faults", "interpreter lock")
"""Causes that a changed setting of the runtime tests, and that can look like others."""


def _undecided(found: Evidence, finding: Finding) -> bool:
    """Whether a setting may take most of a part away, but its runs vary too much to tell."""
    if finding.cause in SETTINGS or finding.part is None:
        return False
    changes = [changed for name in SETTINGS if (changed := relief(found, name)) is not None]
    most = SETTLES * finding.part.value
    return any(one.loss.value > most and not one.least > 0 for one in changes)


def _without_settings(finding: Finding, named: list[Finding]) -> Finding:
    """Return a finding without what a changed setting takes away from the same parts of the ledger."""
    if finding.cause in SETTINGS or finding.part is None:
        return finding
    part = finding.part
    for other in named:
        if other.cause in SETTINGS and other.part is not None and set(other.holds) & set(finding.holds):
            part = part.less(other.part)
    return replace(finding, part=part)


def _covers(deciding: Finding, named: list[Finding], name: str) -> bool:
    """Whether a finding explains most of what another one would."""
    other = next((one for one in named if one.cause == name), None)
    parts = (deciding.part, other.part if other else None)
    return bool(parts[0] and parts[1] and parts[0].value > SETTLES * parts[1].value)


def unexplained(book: Ledger, findings: list[Finding]) -> Mean:
    """Return idle time of no class, and inflation that neither shared hardware nor a finding holds."""
    held = {*MACHINES, *(name for one in findings for name in one.holds)}
    names = [
        one.name
        for one in book.entries
        if one.name == UNCLASSED or (one.of == INFLATION and one.name not in held)
    ]  # fmt: skip
    return book.value(*names) if names else Mean(0.0, Interval(0.0, 0.0), book.loss.blocks)


def _status(found: Evidence, book: Ledger, checked: tuple[Check, ...], left: Mean) -> tuple[Status, str]:
    loss = book.loss
    if not loss.interval.low >= LEAST:
        return "nothing to explain", f"the loss at {found.threads} threads is {plain(loss)}, which may be below {LEAST}"
    if not found.asked:
        return (
            "not asked",
            "no run was made that could tell why: `knee study --explain` makes such runs, in a new study",
        )
    if loss.blocks < FEWEST or max(cell_blocks(found)) < FEWEST:
        return "provisional", f"fewer than {FEWEST} blocks: no cause is named yet"
    doubt = _doubt(book, checked, left)
    return ("not explained", doubt) if doubt else ("explained", "")


def _doubt(book: Ledger, checked: tuple[Check, ...], left: Mean) -> str | None:
    """Return why nothing may be named; None if something may."""
    own = book.value(*(one.name for one in book.entries if one.of != OTHERS))
    if book.entry(TAKEN) is not None and not own.interval.low >= LEAST:
        return f"other programs may have caused it: without them the loss is {plain(own)}"
    if failed := next((one for one in checked if one.ok is False), None):
        return failed.says
    if left.interval.low > TOO_MUCH * book.loss.value:
        return f"{100 * left.value / book.loss.value:.0f} % of the loss is of no known cause"
    return None


def cell_blocks(found: Evidence) -> list[int]:
    """Return how many good blocks each question has."""
    return [int(np.isfinite(cell.seconds).sum()) for cell in found.tests.values()]
