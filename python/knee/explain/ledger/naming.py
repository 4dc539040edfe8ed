"""The findings that may be named: both signs are there, the part is no small one, and no other cause explains it."""

from __future__ import annotations

from dataclasses import replace

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.cell import CLASSES, Cell
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import mean
from knee.explain.ledger.ledger import FEW, MACHINES, MORE, NOBODY, NOT_COMPUTED, ONE, UNCLASSED, WAITING, Ledger
from knee.explain.ledger.overlap import if_divided
from knee.explain.ledger.together import together
from knee.explain.signs.computing.collector import collector_costs
from knee.explain.signs.idle.waits import waits
from knee.explain.signs.relief import relief

SETTLES = 0.5
"""A changed setting that takes this share of a part away decides for its cause."""

LEAST = 0.05
"""A loss whose interval reaches below this is not explained, and a cause that holds less of it is not named; where
any of several causes may be the reason, they have to surely hold more.
"""

SMALL = 0.05
"""A cause that holds less than this share of the loss is not named: it is part of what is unexplained."""

OPEN_LEAST = 0.25
"""What is left open between several causes is named only where it surely is this share of its estimate."""

METHOD = 0.01, 0.03
"""Error of the parts of causes beyond chance: in logarithms, and as a share of the loss. Causes act on each other, and
a program has a little of most of them. Calibrated on the first half of the made-up instances (``bench/truth.py``).
"""

OF_CLASSES = (NOBODY, ONE, FEW, WAITING)
"""Parts of idle time by class, in the order of ``CLASSES``."""

IDLE_PARTS = frozenset({NOBODY, ONE, FEW, WAITING, UNCLASSED})
"""Parts of idle time."""

WAITED = IDLE_PARTS | {NOT_COMPUTED}
"""The same, with that of the base."""

SETTINGS = ("garbage collection", "allocator", "page faults", "interpreter lock")
"""Causes that a changed setting of the runtime tests, and that can look like others."""

TAKE = ("garbage collection", "page faults", "allocator")
"""Those of them that measure what the setting takes away, the first one first where two take away the same. An
interpreter's longer turns change only how often it is passed on.
"""

NOTHING = Part(0.0, 0.0, 0.0)

MEASURED = ("page placement",)
"""Causes whose own run measures their part, whatever else holds the same parts of the ledger."""


def candidates(found: Evidence, book: Ledger) -> list[Finding]:
    """Return the findings that may be named, unless the ledger as a whole is in doubt."""
    least = SMALL * book.loss.value
    named = [one for one in suspects(found, book) if _large(one, least)]
    settled = {name for one in named for name in one.settles if _covers(found, one, named, name, least)}
    kept = [one for one in named if one.cause not in settled and not _undecided(found, one)]
    apart = [_without_settings(found, one, kept) for one in kept]
    # What is not named takes nothing from others.
    sure = [one for one in apart if not one.may_be_nothing]
    some = [one for one in _within(sure, book) if not one.may_be_nothing]
    return [one for one in together(some, book) if not one.may_be_nothing and _large(one, least) and _certain(one)]


def _large(finding: Finding, least: float) -> bool:
    """Whether its part is no small one: surely so, where several causes are possible."""
    if finding.part is None:
        return True
    if not finding.left:
        return finding.part.value > least
    return finding.part.low > max(least, LEAST, OPEN_LEAST * finding.part.value)


def _certain(finding: Finding) -> bool:
    """Whether its part is above 0 beyond what chance makes of so many causes, if it is known."""
    return finding.part is None or finding.sure or finding.part.certain


def suspects(found: Evidence, book: Ledger) -> list[Finding]:
    """Return the findings of all causes, also of those that another one settles."""
    from knee.explain.causes.lists import CAUSES

    named = [one for cause in CAUSES if (one := cause.explain(found, book)) is not None] if found.asked else []
    error = METHOD[0] + METHOD[1] * max(0.0, book.loss.value)
    gained = [one if one.cause in (*SETTINGS, *MEASURED) else if_divided(found, book, one) for one in named]
    return [
        replace(one, part=_with_wakeups(found, book, one, one.part).with_error(error)) if one.part else one
        for one in gained
    ]


def _with_wakeups(found: Evidence, book: Ledger, finding: Finding, part: Part) -> Part:
    """Return a part whose interval allows for threads that have slept and wait for a cpu when they are woken.

    Where no more threads than cpus compute, they wait for the cpu of the thread that wakes them, although others are
    free. So that time may be the cause's for which they slept, as far as it is no longer than that.
    """
    slept = set(finding.holds) & {NOBODY, ONE, FEW} and WAITING not in finding.holds
    if not slept or found.threads > found.series.cpus or finding.cause in (*SETTINGS, *MEASURED):
        return part
    return replace(part, high=part.high + min(max(0.0, book.value(WAITING).value), max(0.0, part.value)))


def _undecided(found: Evidence, finding: Finding) -> bool:
    """Whether a setting may take most of a part away, but its runs vary too much to tell.

    It takes nothing of what copies show, which have the same setting.
    """
    if finding.cause in (*SETTINGS, *MEASURED) or finding.part is None or set(finding.holds) <= set(MACHINES):
        return False
    # On one cpu nobody waits for an allocator or an interpreter.
    tests = SETTINGS if set(finding.holds) - {MORE, *MACHINES} else ("garbage collection", "page faults")
    changes = [
        changed for name in tests if not _impossible(found, name, finding.part) and (changed := relief(found, name))
    ]
    most, idle = SETTLES * finding.part.value, bool(finding.holds) and set(finding.holds) <= WAITED
    # Idle time is a ratio inside each run, so it tells more than times; the rest of the loss is CPU time.
    # Which of several causes it is was left open; so it has to be sure that it is none of these.
    told = [
        (one.idle.value, one.idle_least)
        if idle
        else ((one.loss.interval.high if finding.left else one.loss.value) - one.idle.value, one.least - one.idle.value)
        for one in changes
    ]
    return any(value > most and not least > 0 for value, least in told)


def _impossible(found: Evidence, name: str, part: Part) -> bool:
    """Whether a setting cannot take most of a part away: threads hardly wait for an allocator, or a collector that has
    threads of its own hardly runs.
    """
    if name == "allocator":
        waiting = waits(found)
        return waiting is not None and waiting.passed_on is False
    return name == "garbage collection" and collector_costs(found) < SETTLES * part.value


def _without_settings(found: Evidence, finding: Finding, named: list[Finding]) -> Finding:
    """Return a finding without what a changed setting takes away from the same parts of the ledger."""
    # Page faults are named without a setting, too.
    tested = finding.cause in TAKE and (finding.cause != "page faults" or found.setting(finding.cause) is not None)
    if tested or finding.cause in MEASURED or finding.part is None:
        return finding
    part = finding.part
    for other in named:
        # What a cause measures by itself is no part of what another one does.
        takes = other.cause in TAKE or (other.idle is not None and finding.idle is None)
        if other.cause != finding.cause and takes and other.part is not None and set(other.holds) & set(finding.holds):
            part = part.less(_taken_from(found, finding, other))
    return replace(finding, part=part)


def _within(named: list[Finding], book: Ledger) -> list[Finding]:
    """Return findings of which settings that take away the same parts of the ledger hold no more than these are.

    Each setting is tried by itself, and two may take away the same waits, such as those for a lock that is held while
    the kernel gives pages. Who comes first in the list of them holds them.
    """
    order = {name: place for place, name in enumerate(TAKE)}
    kept: dict[str, Finding] = {}
    for one in sorted((one for one in named if one.cause in TAKE and one.part), key=lambda one: order[one.cause]):
        others = [other for other in kept.values() if set(other.holds) & set(one.holds)]
        part = one.part or NOTHING
        if others:
            left = Part.of(book.value(*{name for each in (one, *others) for name in each.holds}))
            for other in others:
                left = left.less(other.part or NOTHING)
            part = part.at_most(left)
        kept[one.cause] = replace(one, part=part, idle=one.idle.at_most(part) if one.idle and others else one.idle)
    return [kept.get(one.cause, one) for one in named]


def _taken_from(found: Evidence, finding: Finding, setting: Finding) -> Part:
    """Return how much of the parts that a finding holds a changed setting takes away: idle time, CPU time, or both."""
    whole, idle = setting.part or NOTHING, setting.idle
    kinds = {name in WAITED for name in finding.holds}
    if idle is None or len(kinds) > 1:
        return whole
    return idle.times(_of_classes(found, finding, setting)) if True in kinds else whole.less(idle)


def _of_classes(found: Evidence, finding: Finding, setting: Finding) -> float:
    """Return the share of the idle time that a setting takes away which is of the classes that a finding holds."""
    changed = found.setting(setting.cause)
    if changed is None:
        return 1.0
    gone = {
        part: _mean(found.watched, name) - _mean(changed, name) for name, part in zip(CLASSES, OF_CLASSES, strict=True)
    }
    every = sum(max(0.0, one) for one in gone.values())
    held = sum(max(0.0, one) for part, one in gone.items() if part in finding.holds)
    return held / every if every > 0 else 1.0


def _mean(cell: Cell, name: str) -> float:
    return mean(cell.idle(name) / cell.seconds).value


def _covers(found: Evidence, deciding: Finding, named: list[Finding], name: str, least: float) -> bool:
    """Whether a finding explains most of what another one would, and does not surely leave CPU time of it."""
    other = next((one for one in named if one.cause == name), None)
    if other is None or other.part is None or deciding.part is None:
        return False
    # What CPU times show beside a lock is no part of the waits for it.
    beside = other.idle is not None and deciding.cause not in MEASURED
    if beside or not set(deciding.holds) & set(other.holds):
        return False
    computing = not IDLE_PARTS & set(other.holds)
    if deciding.cause in SETTINGS and computing and other.part.less(_taken_from(found, other, deciding)).low > least:
        return False
    return deciding.part.value > SETTLES * other.part.value
