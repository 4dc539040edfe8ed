"""Another program that comes and goes beside the runs of a study, as a compiler or a backup would.

It computes for some seconds, and then does nothing for some. It has a thread on each cpu, or one alone. The kernel
gives a cpu to both in turns, so what a thread of the run would do in a second there takes two.

- On each cpu: all threads take twice as long.
- On one: the thread on that cpu does, and the others wait for it at the end of what they do side by side.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

COMPUTES_S, PAUSES_S = 6.0, 12.0
"""Means of how long it computes, and does nothing."""

REFILLED = 0.03
"""Share of the CPU time by which a thread computes longer beside it, since it finds less in the caches."""


class Others:
    """What is beside the runs of one study, one after the other."""

    def __init__(self, seed: str, cpus: int, *, everywhere: bool) -> None:
        """Begin.

        Parameters
        ----------
        seed
            Names what is drawn.
        cpus
            Those of the machine.
        everywhere
            Whether it has a thread on each of them, or one alone.
        """
        self._draw = random.Random(f"others {seed}")
        self._cpus, self._everywhere = cpus, everywhere
        self._computes = self._draw.random() < COMPUTES_S / (COMPUTES_S + PAUSES_S)
        self._left_s = 0.0

    def beside(self, spec: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
        """Return the record of a run as it is beside the other program."""
        seats = len(set(spec["cpus"]))
        share = self._share(record["wall_ns"] / 1e9)
        if not self._everywhere and self._draw.random() > seats / self._cpus:
            # It is on a cpu that the run does not use.
            return record
        return self._slowed(record, share, seats) if share > 0 else record

    def _share(self, seconds: float) -> float:
        """Return in which share of the next seconds it computes."""
        left, beside = seconds, 0.0
        while left > 0:
            if self._left_s <= 0:
                self._computes = not self._computes
                self._left_s = self._draw.expovariate(1 / (COMPUTES_S if self._computes else PAUSES_S))
            step = min(left, self._left_s)
            beside += step * self._computes
            left, self._left_s = left - step, self._left_s - step
        return beside / seconds if seconds else 0.0

    def _slowed(self, record: dict[str, Any], share: float, seats: int) -> dict[str, Any]:
        sampling, switches = record["sampling"], record.get("switches", {})
        profile = switches.get("concurrency")
        ready = profile["runnable_ns"] if profile else [count * 1e7 for count in sampling["ready"]]
        more_ns = self._later(ready, share, seats)
        wall_ns = record["wall_ns"] + round(more_ns)
        made = record | {"wall_ns": wall_ns, "observed_threads": self._threads(record, share, more_ns)}
        longer = 1 + REFILLED * share * (1.0 if self._everywhere else 1 / max(1, seats))
        made |= {name: round(record[name] * longer) for name in ("user_ns", "system_ns")}
        samples = self._stretched(sampling["ready"], share, seats)
        made["sampling"] = sampling | {"ready": [round(count) for count in samples], "count": round(sum(samples))}
        if profile:
            running = self._in_turns(profile["running_ns"], share, seats)
            running[0] += wall_ns - sum(running)
            stretched = profile | {
                "runnable_ns": _whole(self._stretched(ready, share, seats)),
                "running_ns": _whole(running),
            }
            made["switches"] = switches | {"concurrency": stretched, "end_ns": wall_ns}
        busy = self._busy(ready, share, seats) / wall_ns
        return made | {"validity": record["validity"] | {"other_busy": min(1.0, busy)}}

    def _later(self, ready: Sequence[float], share: float, seats: int) -> float:
        """Return how much longer a run takes of which so many threads were ready for so long."""
        return sum(share * each * self._met(many, seats) for many, each in enumerate(ready))

    def _met(self, many: int, seats: int) -> float:
        """Return how probable it is that a thread of so many is on a cpu of the other program."""
        return float(many > 0) if self._everywhere else min(1.0, many / seats)

    def _stretched(self, times: Sequence[float], share: float, seats: int) -> list[float]:
        """Return for how long so many threads are ready."""
        made = [*times, 0.0, 0.0][: max(2, len(times))]
        for many, each in enumerate(times):
            # A thread that alone is late is ready by itself.
            made[many if self._everywhere else 1] += share * each * self._met(many, seats)
        return made

    def _in_turns(self, times: Sequence[float], share: float, seats: int) -> list[float]:
        """Return for how long so many threads are on a cpu: each of them half of the time where both want it."""
        made = [*times, 0.0, 0.0][: max(2, len(times))]
        for many, each in enumerate(times):
            met = share * each * self._met(many, seats)
            made[many] -= met
            if self._everywhere:
                for on in range(many + 1):
                    made[on] += 2 * met * math.comb(many, on) / 2**many
            elif met:
                made[many] += met / 2
                made[many - 1] += met / 2
                made[1] += met / 2
                made[0] += met / 2
        return made

    def _busy(self, ready: Sequence[float], share: float, seats: int) -> float:
        """Return how long it computes on a cpu of the run, in the mean of these."""
        whole = share * sum(ready)
        if not self._everywhere:
            return whole / seats
        # It has half of a cpu for twice the time, or all of one that nobody else wants.
        return whole + share * sum(each * (1 - min(1.0, many / seats)) for many, each in enumerate(ready) if many)

    def _threads(self, record: dict[str, Any], share: float, more_ns: float) -> list[dict[str, Any]]:
        """Return the threads: those on its cpus wait for these."""
        threads: list[dict[str, Any]] = [dict(one) for one in record["observed_threads"]]
        if self._everywhere:
            for one in threads:
                one["run_delay_ns"] += round(share * one["cpu_ns"])
        elif threads:
            max(threads, key=lambda one: one["cpu_ns"])["run_delay_ns"] += round(more_ns)
        return threads


def _whole(times: Sequence[float]) -> list[int]:
    return [round(max(0.0, each)) for each in times]
