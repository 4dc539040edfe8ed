"""How long threads waited for locks on files, as samples of their system calls show.

Somebody has such a lock while another thread waits for it, which is not so at a futex, where an idle pool waits, too.
Processes that have no memory in common still wait for each other there.
"""

from __future__ import annotations

import numpy as np

from knee.explain.evidence.evidence import TWICE, Evidence
from knee.explain.evidence.means import Mean, over
from knee.stats.intervals import combined

SOME = 0.25
"""From this share of the idle time on it is that of a lock on a file."""

TINY = 1e-3
"""Thread-seconds that are added to the idle time, so that there always is a ratio."""


def at_file_locks(found: Evidence) -> Mean:
    """Return the time that threads waited for locks on files, over their idle time; NaN without samples."""
    many = found.many
    return over(many.at_file_locks, found.threads * many.seconds - many.cpu + TINY)


def at_files(found: Evidence) -> bool:
    """Whether much of the idle time is waiting for locks on files."""
    return at_file_locks(found).value > SOME


def grows_with_twice(found: Evidence) -> bool:
    """Whether twice the threads surely wait longer for locks on files: more of them want the same at a time."""
    twice = found.test(TWICE)
    if twice is None or not found.told:
        return False
    more, before = (each[np.isfinite(each)] for each in (twice.at_file_locks, found.many.at_file_locks))
    return bool(combined(more, [(-1.0, before)])[1].low > 0)
