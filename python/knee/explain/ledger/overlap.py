"""What one thread does alone, while the others wait: hardware that threads share slows down none of it.

Copies of a program compute side by side all the time, and a program less than that. So what copies show is more than
shared hardware costs the program: with a share a of the base's CPU time alone, and copies that take g times the CPU
time of one, that is a + (1 - a) g.

And what is done alone would be slower, too, if it were divided. While it runs, n - 1 threads are idle, for n - 1 times
as long as it takes. Divided among n threads it takes g times as much CPU time, so g - 1 of that n - 1 is no gain.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.evidence import COPIES, Evidence
from knee.explain.evidence.means import against
from knee.explain.ledger.ledger import ONE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.ledger.side_by_side import alone_share

MOST = 0.95
"""Dividing what is done alone gains something: at least one twentieth of the idle time."""


def if_divided(found: Evidence, book: Ledger, finding: Finding) -> Finding:
    """Return a finding whose part is what the program would gain, since divided work computes side by side.

    Not where a run has measured the part, or where threads that wait compute, and so share the hardware, too.
    """
    measured = finding.idle is not None
    if finding.part is None or measured or ONE not in finding.holds or TOGETHER in finding.holds:
        return finding
    one, whole = book.value(ONE).value, book.value(*finding.holds).value
    if not (one > 0 and whole > 0):
        return finding
    share = min(1.0, one / whole) / (found.threads - 1)
    kept, least, most = (1 - min(MOST, share * max(0.0, more)) for more in _more(found, book))
    part = finding.part
    # Of an end below 0, less is nearer to 0.
    low, high = (
        _keep(end, share if end > 0 else least + most - share) for end, share in ((part.low, least), (part.high, most))
    )
    return replace(finding, part=Part(_keep(part.value, kept), low, high))


def _keep(part: float, share: float) -> float:
    """Return a share of the time that a part of the loss is, as a part again."""
    return float(-np.log1p(share * np.expm1(-part)))


def _more(found: Evidence, book: Ledger) -> tuple[float, float, float]:
    """Return what threads take longer side by side than alone, as a share: as is likely, at most, and at least."""
    copies = found.test(COPIES)
    if copies is not None and found.base.threads == 1:
        slower = against(copies.copy_cpu, found.base.cpu)
        value, low, high = (float(np.expm1(one)) for one in (slower.value, slower.interval.low, slower.interval.high))
        return value, high, low
    # What CPU time grows may be the program's own.
    grown, alone = book.value(UNDIVIDED).value, alone_share(found)
    most = float(np.expm1(grown)) / (1 - alone) if grown > 0 and alone < MOST else 0.0
    return most / 2, most, 0.0
