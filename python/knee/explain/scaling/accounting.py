"""Accounting of lost time: where the thread-seconds of a run went.

With n threads and time T_n the loss against ideal is M = ln(n·T_n / T_1). Three terms add up to it exactly::

    M = ln(CPU_n / CPU_1)      inflation: the same answer took more CPU time
      + ln(n·T_n / CPU_n)      idle: threads (or the cpus asked for) did not compute
      - ln(T_1 / CPU_1)        time in which the base run itself did not compute

Terms are signed: a negative one is a gain. Without hardware counters inflation is not divided further, since CPU time
alone cannot distinguish more instructions from slower ones.

If other programs disturbed runs, a part of the idle time is not the program's own. They took at most a share q of T_n
(``explain/disturbance.py``), and at most the idle time, q <= 1 - CPU_n / (n·T_n). This share becomes a term of its own,
so that the program's idle time is a lower bound; likewise for T_1::

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
"""Parts that are upper bounds; the idle part beside them is then a lower bound."""


@dataclass(frozen=True)
class Part:
    """A named part of the loss in natural logarithms, with its interval."""

    name: str
    value: float
    interval: Interval


@dataclass(frozen=True)
class Account:
    """The parts of the loss at one thread count, which add up to ``loss``."""

    threads: int
    loss: Part
    parts: tuple[Part, ...]


def account(series: Series, threads: int) -> Account | None:
    """Return the account of a thread count; None if CPU time is unknown.

    Every term is computed per block and then averaged, so that the means add up as well.
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
    """Return the share of the thread-seconds without computing."""
    return np.maximum(0.0, 1 - cpu_s / thread_seconds)


def _part(name: str, values: Array) -> Part:
    return Part(name, float(values.mean()), t_interval(values))
