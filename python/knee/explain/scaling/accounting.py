"""The accounting of lost time: where the thread-seconds of a run went.

With n threads and time T_n the loss against ideal is M = ln(n·T_n / T_1). Three terms add up to it exactly::

    M = ln(CPU_n / CPU_1)      inflation: the same answer took more CPU time
      + ln(n·T_n / CPU_n)      idle: threads (or the cpus asked for) did not compute
      - ln(T_1 / CPU_1)        what the base run itself did not compute

Terms are signed: a negative one is a gain. Without hardware counters inflation stays undivided: more instructions and
slower ones look the same in CPU time.

Where others disturbed runs, a part of the time in which nothing was computed is not the program's. At most a share q
of T_n was taken (``explain/disturbance.py``), and no more than what was not computed, q <= 1 - CPU_n / (n·T_n). It
becomes a term of its own, so that idle is what is left at least; with T_1 likewise::

    ln(n·T_n / CPU_n) = ln(n·T_n·(1 - q) / CPU_n) - ln(1 - q)
                        idle, at least              taken by other programs, at most
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.scaling.series import Series
from knee.stats.intervals import Array, Interval, t_interval

TAKEN, TAKEN_FROM_BASE = "taken by other programs, at most", "taken from the base, at most"
BOUNDS = (TAKEN, TAKEN_FROM_BASE)
"""Parts that are bounds: what others took is at most that, and what stands beside it as idle is at least that."""


@dataclass(frozen=True)
class Part:
    """One named part in natural-log units, with its interval."""

    name: str
    value: float
    interval: Interval


@dataclass(frozen=True)
class Account:
    """The parts at one thread count; they add up to ``loss``."""

    threads: int
    loss: Part
    parts: tuple[Part, ...]


def account(series: Series, threads: int) -> Account | None:
    """Return where the time went at a thread count, or None where CPU time is not known.

    The unit is the block: every term is computed in each block and averaged, so that the means add up as well.
    """
    base = series.curve.base
    t1, tn = (series.seconds(n) for n in (base, threads))
    c1, cn = (series.seconds(n, cpu=True) for n in (base, threads))
    whole = np.isfinite(t1) & np.isfinite(tn) & np.isfinite(c1) & np.isfinite(cn)
    if threads == base or int(whole.sum()) < 2:
        return None
    t1, tn, c1, cn = (values[whole] for values in (t1, tn, c1, cn))
    kept_1 = 1 - np.minimum(series.taken(base)[whole], _not_computed(base * t1, c1))
    kept_n = 1 - np.minimum(series.taken(threads)[whole], _not_computed(threads * tn, cn))
    terms = {
        "inflation of CPU time": np.log(cn / c1),
        "idle": np.log(threads * tn * kept_n / cn),
        "what the base did not compute": -np.log(base * t1 * kept_1 / c1),
    }
    if (kept_1 < 1).any() or (kept_n < 1).any():
        terms |= {TAKEN: np.log(1 / kept_n), TAKEN_FROM_BASE: np.log(kept_1)}
    loss = np.log(threads / base * tn / t1)
    return Account(threads, _part("loss", loss), tuple(_part(name, values) for name, values in terms.items()))


def _not_computed(thread_seconds: Array, cpu_s: Array) -> Array:
    """Return which share of the thread-seconds was not computed."""
    return np.maximum(0.0, 1 - cpu_s / thread_seconds)


def _part(name: str, values: Array) -> Part:
    return Part(name, float(values.mean()), t_interval(values))
