"""The third check of an explanation: the gain predicted for a remedy against the gain measured (``knee try``).

A cause that holds a part of the loss predicts that the program gains as much without it. If the remedy gains less, the
cause is another one, or the remedy takes only some of it away; if it gains more, it does more than treat the cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from knee.explain.causes.cause import Finding
from knee.explain.ledger.checks import Check
from knee.explain.ledger.evidence import Mean
from knee.explain.tried import Tried
from knee.stats.intervals import Interval


def predictions(findings: Iterable[Finding], tried: Sequence[Tried]) -> list[Check]:
    """Return one check for each cause and remedy that treats it, at the same thread count."""
    return [
        _check(finding, one)
        for finding in findings
        if finding.part is not None and not finding.may_be_nothing and not finding.left
        for one in tried
        if one.rejected is None and one.threads == finding.threads and _treats(one, finding.cause)
    ]


def _treats(tried: Tried, cause: str) -> bool:
    # Remedies have some causes under their full names: "page faults, mmap lock".
    return any(name.partition(",")[0] == cause for name in tried.treats)


def _check(finding: Finding, tried: Tried) -> Check:
    part, gain = finding.part, tried.gain
    assert part is not None  # noqa: S101 -- chosen above
    measured, ends = gain.log()
    off = measured - part.value
    half = float(np.hypot((part.high - part.low) / 2, (ends.high - ends.low) / 2))
    ok = None if half != half else bool(abs(off) <= half)
    how = "cannot be compared with" if ok is None else "agrees with" if ok else "differs from"
    says = (
        f"{finding.cause} predicts that the program without it is {np.exp(part.value):.2f}x as fast "
        f"[{np.exp(part.low):.2f}, {np.exp(part.high):.2f}]; that {how} {tried.remedy}: {gain.estimate:.2f}x "
        f"[{gain.interval.low:.2f}, {gain.interval.high:.2f}]"
    )
    return Check(f"remedy: {tried.remedy}", says, ok, Mean(off, Interval(off - half, off + half), gain.blocks))
