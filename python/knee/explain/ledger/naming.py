"""The findings that may be named: both signs are there, the part is no small one, and no other cause explains it."""

from __future__ import annotations

from dataclasses import replace

from knee.explain.causes.cause import Finding, Part
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import FEW, MACHINES, NOBODY, ONE, TAKEN, UNCLASSED, WAITING, Ledger
from knee.explain.signs.relief import relief

TOO_MUCH = 0.20
"""Share of the loss that other programs may have taken while parts of the machine are named."""

SETTLES = 0.5
"""A changed setting that takes this share of a part away decides for its cause."""

SMALL = 0.05
"""A cause that holds less than this share of the loss is not named: it is part of what is unexplained."""

METHOD = 0.01, 0.03
"""Error of the parts of causes beyond chance: in logarithms, and as a share of the loss. Causes act on each other, and
a program has a little of most of them. Calibrated on the first half of the made-up instances (``bench/truth.py``).
"""

IDLE_PARTS = frozenset({NOBODY, ONE, FEW, WAITING, UNCLASSED})
"""Parts of idle time."""

SETTINGS = ("garbage collection", "allocator", "page faults", "interpreter lock")
"""Causes that a changed setting of the runtime tests, and that can look like others."""


def candidates(found: Evidence, book: Ledger) -> list[Finding]:
    """Return the findings that may be named, unless the ledger as a whole is in doubt."""
    least = SMALL * book.loss.value
    named = [one for one in suspects(found, book) if one.part is None or one.part.value > least]
    settled = {name for one in named for name in one.settles if _covers(one, named, name, least)}
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


def _undecided(found: Evidence, finding: Finding) -> bool:
    """Whether a setting may take most of a part away, but its runs vary too much to tell."""
    if finding.cause in SETTINGS or finding.part is None:
        return False
    changes = [changed for name in SETTINGS if (changed := relief(found, name)) is not None]
    most, idle = SETTLES * finding.part.value, bool(finding.holds) and set(finding.holds) <= IDLE_PARTS
    # Idle time is a ratio inside each run, so it tells more than times.
    told = [(one.idle.value, one.idle_least) if idle else (one.loss.value, one.least) for one in changes]
    return any(value > most and not least > 0 for value, least in told)


def _without_settings(finding: Finding, named: list[Finding]) -> Finding:
    """Return a finding without what a changed setting takes away from the same parts of the ledger."""
    if finding.cause in SETTINGS or finding.part is None:
        return finding
    part = finding.part
    for other in named:
        if other.cause in SETTINGS and other.part is not None and set(other.holds) & set(finding.holds):
            part = part.less(_taken_from(finding, other))
    return replace(finding, part=part)


def _taken_from(finding: Finding, setting: Finding) -> Part:
    """Return how much of the parts that a finding holds a changed setting takes away: idle time, CPU time, or both."""
    whole, idle = setting.part or Part(0.0, 0.0, 0.0), setting.idle
    kinds = {name in IDLE_PARTS for name in finding.holds}
    if idle is None or len(kinds) > 1:
        return whole
    return idle if True in kinds else whole.less(idle)


def _covers(deciding: Finding, named: list[Finding], name: str, least: float) -> bool:
    """Whether a finding explains most of what another one would, and does not surely leave CPU time of it."""
    other = next((one for one in named if one.cause == name), None)
    if other is None or other.part is None or deciding.part is None:
        return False
    computing = not IDLE_PARTS & set(other.holds)
    if deciding.cause in SETTINGS and computing and other.part.less(_taken_from(other, deciding)).low > least:
        return False
    return deciding.part.value > SETTLES * other.part.value
