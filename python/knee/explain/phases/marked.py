"""The time in marked phases, by block: wall time and CPU time that add up to those of the run.

A phase whose calls fill its span holds the phases that lie inside its span; its own time is then what is left beside
them. Phases of other kinds may run side by side, in several threads. Where they do, their times together exceed the
run's, and they do not add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knee.stats.intervals import Array
from knee.store import Run

OUTSIDE = "outside of phases"
"""What no phase covers."""

REST = ", the rest"
"""Follows the name of a phase that has phases inside."""

FILLED = 0.98
"""A phase whose wall time is this share of its span has no gaps, so what lies in its span lies in the phase."""

ROOM = 0.01
"""Share of the run by which phases may exceed it: clocks are read one after the other."""


@dataclass(frozen=True)
class Marked:
    """Seconds by block, shape (blocks,); NaN where there is no good run."""

    wall: dict[str, Array]
    """Wall time by phase; with what no phase covers it adds up to ``run_s`` if ``whole``."""
    cpu: dict[str, Array]
    """CPU time by phase, adding up likewise; empty where it is that of some threads only."""
    run_s: Array
    """Wall time of the run."""
    whole: bool
    """Whether phases follow each other, so that their times add up."""


def holders(runs: Sequence[Run]) -> dict[str, str]:
    """Return the smallest phase that holds each phase in all runs; phases that lie in no other are left out."""
    possible: dict[str, dict[str, int]] = {}
    for run in runs:
        found = run.record["phases"]
        filled = [one for one in found if one["wall_ns"] >= FILLED * (one["end_ns"] - one["begin_ns"])]
        for inner in found:
            before, span = possible.get(inner["name"]), inner["end_ns"] - inner["begin_ns"]
            around = {
                outer["name"]: outer["end_ns"] - outer["begin_ns"]
                for outer in filled
                if outer["begin_ns"] <= inner["begin_ns"] and inner["end_ns"] <= outer["end_ns"]
            }
            possible[inner["name"]] = {
                name: size for name, size in around.items() if size > span and (before is None or name in before)
            }
    return {name: min(around, key=lambda one: around[one]) for name, around in possible.items() if around}


def marked(runs: Sequence[Run], inside: dict[str, str], threads: int, blocks: int) -> Marked:
    """Return the time in the phases of the runs on one thread count.

    Parameters
    ----------
    runs
        Good runs, one per block.
    inside
        Which phase lies in which (:func:`holders`).
    threads
        The thread count.
    blocks
        Number of blocks of the study.
    """
    run_s, run_cpu = np.full(blocks, np.nan), np.full(blocks, np.nan)
    wall: dict[str, Array] = {}
    cpu: dict[str, Array] = {}
    for run in runs:
        block = run.spec["block"] - 1
        run_s[block] = run.record["wall_ns"] / 1e9
        run_cpu[block] = (run.record["user_ns"] + run.record["system_ns"]) / 1e9
    known = np.where(np.isfinite(run_s), 0.0, np.nan)
    for run in runs:
        for phase in run.record["phases"]:
            for times, of in ((wall, "wall_ns"), (cpu, "cpu_ns")):
                times.setdefault(phase["name"], known.copy())[run.spec["block"] - 1] += phase[of] / 1e9
    wall, cpu = _without_inner(wall, inside), _without_inner(cpu, inside)
    wall[OUTSIDE], cpu[OUTSIDE] = run_s - sum(wall.values()), run_cpu - sum(cpu.values())
    whole = not bool((wall[OUTSIDE] < -ROOM * run_s).any())
    # Where a thread marks what others do, and shows only its own CPU time, too much is left for the time outside.
    most = threads * wall[OUTSIDE] + ROOM * threads * run_s
    divided = whole and not bool((cpu[OUTSIDE] > most).any() or (cpu[OUTSIDE] < -ROOM * threads * run_s).any())
    return Marked(wall, cpu if divided else {}, run_s, whole)


def _without_inner(times: dict[str, Array], inside: dict[str, str]) -> dict[str, Array]:
    """Return the times by phase, of those that hold others only the rest."""
    own = dict(times)
    for inner, outer in inside.items():
        if inner in times and outer in own:
            own[outer] = own[outer] - times[inner]
    return {name + REST * (name in inside.values()): values for name, values in own.items()}
