"""The third check of an explanation: the gain predicted for a remedy against the gain measured (``knee try``).

A cause that holds a part of the loss predicts that the program gains as much without it. If the remedy gains less, the
cause is another one, or the remedy takes only some of it away; if it gains more, it does more than treat the cause.

A remedy that runs m in place of n threads has m/n of what computes, so m/n of the gain is predicted for it. It may gain
more, since fewer threads lose less to other causes, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.means import Mean
from knee.explain.ledger.checks import Check
from knee.explain.tried import Tried
from knee.stats.intervals import Interval


def predictions(findings: Iterable[Finding], tried: Sequence[Tried]) -> list[Check]:
    """Return one check for each cause and each remedy that treats it and was tried at the cause's thread count."""
    return [
        _check(finding, finding.gain or finding.part, finding.threads, one)
        for finding in findings
        if finding.part is not None and finding.threads is not None and not finding.may_be_nothing and not finding.left
        for one in tried
        if one.rejected is None and one.tried_at(finding.threads) and _treats(one, finding.cause)
    ]


def _treats(tried: Tried, cause: str) -> bool:
    # Remedies have some causes under their full names: "page faults, mmap lock".
    return any(name.partition(",")[0] == cause for name in tried.treats)


def _check(finding: Finding, part: Part, threads: int, tried: Tried) -> Check:
    gain, (measured, ends) = tried.gain, tried.gain.log()
    share = min(1.0, tried.threads / threads)
    off = measured - part.value - float(np.log(share))
    half = float(np.hypot((part.high - part.low) / 2, (ends.high - ends.low) / 2))
    differs = off < -half or (share == 1 and off > half)
    ok = None if half != half else not differs
    how = "cannot be compared with" if ok is None else "agrees with" if ok else "differs from"
    fewer = f", and at least {_times(part, share)} on {tried.threads} of {threads} threads" if share < 1 else ""
    says = (
        f"{finding.cause} predicts that the program without it is {_times(part)} as fast{fewer}; that {how} "
        f"{tried.remedy}: {gain.estimate:.2f}x [{gain.interval.low:.2f}, {gain.interval.high:.2f}]"
    )
    return Check(f"remedy: {tried.remedy}", says, ok, Mean(off, Interval(off - half, off + half), gain.blocks))


def _times(part: Part, share: float = 1.0) -> str:
    value, low, high = (share * float(np.exp(end)) for end in (part.value, part.low, part.high))
    return f"{value:.2f}x [{low:.2f}, {high:.2f}]"
