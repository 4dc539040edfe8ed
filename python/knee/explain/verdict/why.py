"""The lines of a verdict about causes: why the curve bends, what would move the knee, and what was tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from knee.explain.causes.cause import Finding, Part
from knee.explain.causes.machine import clock
from knee.explain.ledger.explanation import FEWEST, Explanation
from knee.explain.ledger.naming import LEAST
from knee.explain.phases.phases import Phase
from knee.explain.scaling.series import Series
from knee.explain.tried import Tried, best
from knee.explain.verdict.form import Line
from knee.explain.verdict.words import threads
from knee.stats.intervals import Ratio

MOST = 3
"""Causes in a verdict; `knee explain` prints all of them."""

UNSURE = "this part of the loss may be 0, so nothing is recommended"
"""What is said in place of advice."""

FIXED = (clock.NAME,)
"""Causes about which a program can do nothing."""


def why(findings: Sequence[Finding], explained: Sequence[Explanation], series: Series) -> list[Line]:
    """Return the lines about a series: its causes, the largest part first, or why none is named."""
    on_most = _on_most(findings, {series.name: explained})
    own = sorted((one for one in on_most if one.series == series.name), key=_size, reverse=True)
    if not own:
        return _doubt(explained)
    by_threads = {one.threads: one for one in explained}
    lines = [line for one in own[:MOST] for line in cause(one, by_threads.get(one.threads or 0))]
    return [*lines, *_move(own, {series.name: series})]


def of_several(
    findings: Sequence[Finding],
    ledgers: Mapping[str, Sequence[Explanation]],
    series: Sequence[Series],
    tried: Sequence[Tried],
) -> list[Line]:
    """Return the lines about several series together: their largest causes, and what was tried on each.

    Of symptoms without a known part only the first is shown.
    """
    by_name = {one.name: one for one in series}
    sized = [one for one in _on_most(findings, ledgers) if one.part is not None and one.series in by_name]
    own = sorted(sized, key=_size, reverse=True)[:MOST] or list(findings[:1])
    lines: list[Line] = []
    for one in own:
        explained = next((each for each in ledgers.get(one.series, ()) if each.threads == one.threads), None)
        lines += cause(one, explained, of=f"{one.series}: ")
    lines += _move(own, by_name)
    for one in series:
        lines += [Line(line.label, f"{one.name}: {line.text}") for line in attempts(tried, one)]
    return lines


def _move(own: Sequence[Finding], series: Mapping[str, Series]) -> list[Line]:
    """Return what would move the knee, and what the program would gain without that cause.

    These are two statements: advice may take away only some of the cause.
    """
    chosen = next((one for one in own if advice(one) and one.part), None)
    if chosen is None or own[0].left:
        return []
    of = f"{chosen.series}: " if len(series) > 1 else ""
    gain = Line("without", f"{of}{chosen.cause}: {without(chosen, series[chosen.series])}")
    return [Line("move", f"{of}{advice(chosen)}"), gain]


def _doubt(explained: Sequence[Explanation]) -> list[Line]:
    """Return why no cause is named, on the most threads that were asked about."""
    for one in reversed(explained):
        if one.asked and one.status == "provisional":
            return [Line("why", f"not named yet: fewer than {FEWEST} blocks")]
        if one.asked and (one.status == "not explained" or (one.status == "explained" and not one.findings)):
            return [Line("why", f"not named: {one.why}")]
    return []


def _on_most(findings: Sequence[Finding], ledgers: Mapping[str, Sequence[Explanation]]) -> list[Finding]:
    """Return the findings on the most threads of each series that were asked about, and those about a whole curve.

    The same cause on fewer threads is no further one, and a cause of the knee is not that of the end of the curve.
    """
    most = {
        name: max((one.threads for one in explained if one.asked), default=0) for name, explained in ledgers.items()
    }
    for one in findings:
        if one.part is not None:
            most[one.series] = max(most.get(one.series, 0), one.threads or 0)
    return [one for one in findings if one.part is None or (one.threads or 0) == most[one.series]]


def _size(finding: Finding) -> float:
    return finding.part.value if finding.part else np.inf


def cause(finding: Finding, explained: Explanation | None = None, of: str = "") -> list[Line]:
    """Name the cause, with its share of the loss; or describe the symptom, and the run that would decide."""
    share = share_of(finding, explained)
    if finding.left:
        return [Line("why", f"{of}not named{share}: {finding.says}"), Line("decide", finding.refute)]
    name = f"{finding.cause}{share}: " if share else ""
    return [Line("why", f"{of}{name}{finding.says}")]


def share_of(finding: Finding, explained: Explanation | None) -> str:
    """Return the finding's share of the loss in brackets; nothing if it is unknown."""
    part = finding.part
    if part is None or explained is None or not explained.ledger.loss.value > 0:
        return ""
    loss = explained.ledger.loss
    value = part.value / loss.value
    # Both have errors. A larger loss makes the share smaller.
    below = np.hypot(part.value - part.low, value * np.nan_to_num(loss.interval.high - loss.value)) / loss.value
    above = np.hypot(part.high - part.value, value * np.nan_to_num(loss.value - loss.interval.low)) / loss.value
    low, value, high = (100 * share for share in (value - below, value, value + above))
    doubt = ", may be 0" if finding.may_be_nothing else ""
    return f" ({value:.0f} % of the loss [{low:.0f}, {high:.0f}]{doubt})"


@dataclass(frozen=True)
class Speedup:
    """A speedup with its 90 % interval."""

    value: float
    low: float
    high: float


def speedup_without(finding: Finding, series: Series) -> Speedup | None:
    """Return the speedup that the program would have without the cause: its own, with the part's loss taken off.

    Nothing is predicted from a part that may be 0, or that several causes may hold.
    """
    part, count = finding.gain or finding.part, finding.threads
    if part is None or count is None or finding.left or finding.may_be_nothing:
        return None
    return gained(series.curve.at(count).speedup, part)


def gained(speedup: Ratio, part: Part) -> Speedup:
    """Return a speedup to which a part of the loss is added, with the errors of both."""
    now, ends = speedup.log()
    center = now + part.value
    below = np.hypot(now - ends.low, part.value - part.low)
    above = np.hypot(ends.high - now, part.high - part.value)
    return Speedup(float(np.exp(center)), float(np.exp(center - below)), float(np.exp(center + above)))


def without(finding: Finding, series: Series) -> str:
    """Return what becomes of the speedup without the cause, in words; nothing where nothing is predicted."""
    would, count = speedup_without(finding, series), finding.threads
    if would is None or count is None:
        return ""
    now = series.curve.at(count).speedup.estimate
    then = f"{would.value:.2f}x [{would.low:.2f}, {would.high:.2f}]"
    return f"{now:.2f}x on {count} threads would become {then}"


def advice(finding: Finding) -> str:
    """Return what would move the knee.

    It is nothing where the cause is not named, where its part of the loss may be 0, or where no program can move it.
    """
    return "" if finding.left or finding.may_be_nothing or finding.cause in FIXED else finding.remedy


def slowest_phase(phases: Sequence[Phase], series: Series) -> list[Line]:
    """Return the phase that adds most to the loss on the most threads that fit, if it does not scale."""
    if any(run.spec.get("metric") for run in series.runs):
        return []  # The user has chosen a part of the run.
    own = [one for one in phases if one.threads == max(series.fitting, default=0) and one.part.interval.low >= LEAST]
    slowest = max(own, key=lambda one: one.part.value, default=None)
    return [] if slowest is None or slowest.answer in ("scales", "cannot tell") else [Line("phases", slowest.sentence)]


def attempts(tried: Sequence[Tried], series: Series) -> list[Line]:
    """Return what was tried on a series, on the most threads of those: the best remedy, or that none gained.

    Where that is not the largest count that fits, which the verdict is about, the count is said.
    """
    own = of_levels(tried, series.levels)
    if not own:
        return []
    at = max(_count(one) for one in own)
    mine = [one for one in own if _count(one) == at]
    where = f" at {threads(at)}" if 0 < at < max(series.fitting, default=0) else ""
    found = best(mine)
    if found is None:
        many = len(mine)
        return [Line("tried", f"{many} {'remedy' if many == 1 else 'remedies'}{where}, none shown to be faster")]
    ends = found.gain.interval
    said = f"{found.remedy}{where}: {found.gain.estimate:.2f}x [{ends.low:.2f}, {ends.high:.2f}] as fast"
    return [Line("tried", f"{said}, the best of {len(mine)}" if len(mine) > 1 else said)]


def _count(tried: Tried) -> int:
    """Return on how many threads the program ran as it is; 0 where that is not known."""
    count = tried.cell.get("threads", 0)
    return count if isinstance(count, int) else 0


def of_levels(tried: Sequence[Tried], cells: Mapping[str, str]) -> list[Tried]:
    """Return the remedies that were tried at these levels."""
    return [one for one in tried if _levels(one) == dict(cells)]


def _levels(tried: Tried) -> dict[str, str]:
    return {name: str(level) for name, level in tried.cell.items() if name != "threads"}
