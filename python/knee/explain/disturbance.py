"""Disturbance: how much of each run's time other programs and the hypervisor may have cost.

A run is disturbed when other programs used more than 5 % of its cpus, or a hypervisor more than 2 % (steal).
Undisturbed, it would have taken between T (1 - taken) and T, where ``taken`` is an upper bound on the cost:

- a thread that is ready but has no cpu loses time, and at worst the losses of all threads add up, since a barrier makes
  all wait for one. So the kernel's run delay, summed over threads, is an upper bound. While a quota stops them nobody
  takes anything from them;
- where more threads compute than there are cpus, they also wait for each other: those of a runtime count, too, such as
  a collector's. Then the bound is at most the time that other programs were busy on the run's cpus. So it is if the
  kernel does not report run delay, or the run was too short to sample its threads often;
- steal is added.

None of these includes effects on caches, memory and the clock.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from knee.stats.intervals import t_interval
from knee.store import Run
from knee.store.records.threads import computing
from knee.store.seam import Throttling

LIMITS = {"other_busy": 0.05, "steal": 0.02}
"""A run is disturbed when other programs, or a hypervisor, used more than this share of its cpus."""

SEVERAL_TICKS = 0.03
"""Seconds below which a share of time, which the kernel counts in ticks of 10 ms, is a rounding error."""

KERNEL_TICK_S = 0.004
"""How often the kernel looks what its cpus do: usually 250 times a second."""

CLOCK_CHANGE = 0.05
"""A run is disturbed when the clock proxy changed by more than this while it ran."""

LONG_ENOUGH_S = 0.1
"""Threads of shorter runs are sampled too rarely for their run delay to be known."""

MOST = 0.99
"""Bounds are cut here, so that logarithms stay finite; larger ones say nothing anyway."""

TIED_LEVEL = 0.90
"""Joint confidence level at which the differences between thread counts must exclude zero."""

TIED = 0.05
"""Disturbance depends on the thread count if other programs used this much more of the cpus at one count than another.
"""


def disturbance(run: Run, allowed: int) -> str | None:
    """Return what disturbed a run; None if nothing did. Nothing disturbs virtual time.

    ``allowed`` is the number of cpus that an unpinned run may use.
    """
    if run.rehearsed:
        return None
    return by_others(run, allowed) or clock_changed(run)


def by_others(run: Run, allowed: int) -> str | None:
    """Return how busy other programs were during a run, or a hypervisor where that is further beyond its limit; None
    if neither is beyond its own.
    """
    shares = _shares(run)
    shares = {**shares, "other_busy": _surely_busy(run, shares)}
    beyond = {
        name: shares[name] / limit
        for name, limit in LIMITS.items()
        if shares.get(name, 0.0) > limit and shares[name] * _capacity_s(run, allowed) > SEVERAL_TICKS
    }
    if not beyond:
        return None
    most = max(beyond, key=beyond.__getitem__)
    return f"{most.replace('_', ' ')} {100 * shares[most]:.0f} %"


def clock_changed(run: Run) -> str | None:
    """Return how the clock of the cpus changed during a run; None if it hardly did."""
    if clock_step(run) <= CLOCK_CHANGE:
        return None
    shares = _shares(run)
    return f"clock proxy from {shares['clock_before_ns']:.2f} to {shares['clock_after_ns']:.2f} ns"


def observed(run: Run) -> bool:
    """Whether it is known how busy other programs were during the run."""
    return "other_busy" in _shares(run)


def clock_step(run: Run) -> float:
    """Return by how much the clock of the cpus changed during a run, in logarithms; 0 where that is not known."""
    shares = _shares(run)
    before, after = shares.get("clock_before_ns"), shares.get("clock_after_ns")
    # An edited record may hold any number.
    if run.rehearsed or before is None or after is None or min(before, after) <= 0:
        return 0.0
    return abs(math.log(after) - math.log(before))


def taken(run: Run, allowed: int, *, clock: bool = True, of_s: float | None = None) -> float:
    """Return the largest share of the run's time that other programs may have cost; 0 for an undisturbed run.

    Parameters
    ----------
    run
        The run.
    allowed
        The number of cpus that an unpinned run may use.
    clock
        Whether a clock that changed counts as well. Over several runs it does so in either direction, by chance, and
        their interval holds that already.
    of_s
        The seconds of the run that are asked about, such as those of a phase; None for its metric.
    """
    if run.rehearsed:
        return 0.0
    lost = 0.0 if by_others(run, allowed) is None else _taken(run, allowed, run.time_s if of_s is None else of_s)
    if clock and clock_changed(run) is not None:
        lost = 1 - (1 - lost) * math.exp(-clock_step(run))
    return min(MOST, lost)


def _taken(run: Run, allowed: int, of_s: float) -> float:
    """Return the largest share of some seconds of a run that other programs may have taken."""
    shares, cpus = _shares(run), len(run.spec["cpus"]) or allowed
    wall = run.record["wall_ns"] / 1e9
    # Each cpu on which other programs were busy may have delayed the whole program.
    busy = _surely_busy(run, shares) * cpus
    waited = None if run.waited_ns is None else max(0.0, run.waited_ns / 1e9 - _stopped_s(run)) / wall
    others = busy
    if waited is not None and wall >= LONG_ENOUGH_S and run.threads > 0:
        others = min(busy, waited) if max(run.threads, computing(run.shares)) > cpus else waited
    # If only a part of the run is asked about, the whole disturbance may have fallen into that part.
    part = max(1.0, wall / of_s) if of_s > 0 else 1.0
    return min(MOST, (others + shares.get("steal", 0.0) * cpus) * part)


def _surely_busy(run: Run, shares: dict[str, float]) -> float:
    """Return the share of the cpus that other programs used, less what ticks may have counted wrongly.

    Ticks count a cpu as busy or idle by what it does at that moment. A quota lets threads run and stops them in step
    with ticks, so in each period and on each cpu up to a tick of idle time may be counted as busy.
    """
    wrongly = max((group.get("nr_throttled", 0) for group in _groups(run)), default=0) * KERNEL_TICK_S
    wall = run.record["wall_ns"] / 1e9
    return max(0.0, shares.get("other_busy", 0.0) - wrongly / wall) if wall > 0 else 0.0


def _stopped_s(run: Run) -> float:
    """Return for how many thread-seconds a quota stopped the run's threads. Where other programs run, too, these may
    have had their part of it, as of the cpus.
    """
    stopped = max((group.get("throttled_ns", 0) for group in _groups(run)), default=0) / 1e9
    shares = _shares(run)
    own, others = shares.get("own_share", 1.0), _surely_busy(run, shares)
    return stopped * own / (own + others) if own + others > 0 else 0.0


def _groups(run: Run) -> list[Throttling]:
    """Return what is known of the quotas of the run's control groups."""
    groups = run.record.get("cgroup") or {}
    return [cast("Throttling", group) for group in groups.values() if isinstance(group, dict)]


@dataclass(frozen=True)
class Disturbance:
    """The disturbance of a study's runs, by thread count.

    ``share`` is the share of their cpus that other programs, or the hypervisor, took of the runs that ``kind``
    disturbed, on average, from 0 to 1; 0 for a clock. ``by_threads`` is the mean of both over all runs of each count;
    ``more`` and ``less`` are the counts with the most and the least, if that difference is significant.
    """

    share: float
    disturbed: int
    runs: int
    by_threads: dict[int, float]
    more: int | None
    less: int | None
    kind: str = "other"
    """What disturbed most of the runs: ``other`` programs, ``steal`` by a hypervisor, or the ``clock``."""

    @property
    def says(self) -> str:
        """Return the disturbance as a clause: ``other programs used 50 % of the cpus``."""
        if self.kind == "clock":
            return f"the clock of the cpus changed by more than {100 * CLOCK_CHANGE:.0f} % during runs"
        took = "a hypervisor took" if self.kind == "steal" else "other programs used"
        said = f"{took} {100 * self.share:.0f} % of the cpus"
        if self.more is None or self.less is None:
            return said
        return f"{said}, more at {_threads(self.more)} than at {self.less}"


def disturbances(runs: Sequence[Run], allowed: int) -> Disturbance | None:
    """Return the disturbance of these runs; None if no run was disturbed."""
    reasons = {run.spec["id"]: why for run in runs if (why := disturbance(run, allowed)) is not None}
    kinds = Counter(why.split()[0] for why in reasons.values())
    if not kinds:
        return None
    many, kind = kinds.total(), kinds.most_common(1)[0][0]
    used = {run.spec["id"]: _used(run) for run in runs}
    counts = sorted({run.threads for run in runs})
    blocks = max(run.spec["block"] for run in runs)
    # Over the series that have this count in a block.
    shares = {n: [list[float]() for _ in range(blocks)] for n in counts}
    for run in runs:
        shares[run.threads][run.spec["block"] - 1].append(used[run.spec["id"]])
    table = {n: np.array([np.mean(one) if one else np.nan for one in of]) for n, of in shares.items()}
    means = {n: round(float(np.nanmean(values)), 4) for n, values in table.items()}
    more, less = max(counts, key=means.__getitem__), min(counts, key=means.__getitem__)
    # Corrected for picking the two extremes among all pairs of counts.
    level = 1 - (1 - TIED_LEVEL) / max(1, len(counts) * (len(counts) - 1) / 2)
    apart = table[more] - table[less]
    ends = t_interval(apart[np.isfinite(apart)], level)
    tied = ends.low > 0 and means[more] - means[less] > TIED
    took = {"other": "other_busy", "steal": "steal"}.get(kind)
    those = [_shares(run) for run in runs if reasons.get(run.spec["id"], "").split()[:1] == [kind]]
    share = float(np.mean([shares.get(took, 0.0) for shares in those])) if took is not None else 0.0
    return Disturbance(share, many, len(runs), means, more if tied else None, less if tied else None, kind)


def _used(run: Run) -> float:
    """Return the share of the run's cpus that other programs and the hypervisor used."""
    shares = _shares(run)
    return shares.get("other_busy", 0.0) + shares.get("steal", 0.0)


def _shares(run: Run) -> dict[str, float]:
    # Parts that were not measured are missing or null.
    measured = cast("dict[str, float | None]", run.record.get("validity") or {})
    return {name: min(value, 1.0) if name in LIMITS else value for name, value in measured.items() if value is not None}


def _capacity_s(run: Run, allowed: int) -> float:
    return run.record["wall_ns"] / 1e9 * (len(run.spec["cpus"]) or max(1, allowed))


def _threads(n: int) -> str:
    return f"{n} thread" if n == 1 else f"{n} threads"
