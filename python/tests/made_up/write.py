"""Writes the course of a run as a record of the runner, with the errors that its instruments have."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from made_up.machine import Machine
from made_up.play import Course, Lived
from made_up.speeds import clock
from made_up.spots import Code, hotspots

SAMPLE_S = 0.01
"""Time between two samples."""

PERIOD_S = 0.1
"""Period of a quota."""

CLOCK_ERROR = 0.003
"""Error of what is known of the clock, as a logarithm."""

ASKED = 8
"""Sleeping threads that are asked at a sample what they wait for, at most."""

FUTEXES = {"interpreter": True, "lock": False, "allocator": False, "turn": False}
"""What threads sleep for at a futex, and whether with a time limit. They sleep for pages inside the kernel."""


def record(
    spec: dict[str, Any],
    course: Course,
    factor: float,
    machine: Machine,
    *,
    switches: bool,
    mapped: Sequence[str] = (),
    code: Code | None = None,
) -> dict[str, Any]:
    """Return the record of a run.

    Parameters
    ----------
    spec
        The run spec.
    course
        What happened.
    factor
        By what noise multiplies all times.
    machine
        The machine.
    switches
        Whether the kernel gave records of context switches; else states come from samples, and have their error.
    mapped
        Names of the libraries of the program, beside the usual ones.
    code
        The program's instructions; without them there are no samples of those.
    """
    draw, first = random.Random(f"record {spec['id']}"), random.Random(f"first {spec['id']}").random()
    wall, threads = course.wall_s * factor, course.threads
    system = sum(thread.system_s for thread in threads) * factor
    threads_ns = [_thread(number, one, course, factor, draw, switches) for number, one in enumerate(threads, 1)]
    rusage = {
        "max_rss_bytes": 50 << 20,
        "minor_faults": round(course.faults),
        "major_faults": 0,
        "voluntary_switches": round(sum(one.waits for one in threads)),
        "involuntary_switches": round(sum(one.turns for one in threads)),
    }
    return {
        "schema": 1,
        "id": spec["id"],
        "block": spec["block"],
        "launch": 1,
        "start": "2026-01-01T00:00:00.000Z",
        "wall_ns": _ns(wall),
        "user_ns": _ns(sum(one.cpu_s for one in threads) * factor - system),
        "system_ns": _ns(system),
        "phases": [],
        "exit": {"code": 0},
        "rusage": rusage,
        "counters": {},
        "pages": {str(node): round(share * 10_000) for node, share in course.pages.items()} or {"0": 10_000},
        "mapped": {"programs": ["/made-up"], "libraries": ["libc.so.6", *mapped]},
        "bind": spec.get("bind", "set"),
        "observed_threads": threads_ns,
        "sampling": {"period_ms": 10, "count": round(wall / SAMPLE_S), "cost_ns": 0,
                     "ready": _ready(course, factor, first)},
        "futex": _futex(course, factor, draw),
        "switches": _switches(course, factor) if switches else {"mechanism": "samples", "count": 0, "lost": 0,
                                                               "odd": 0, "cost_ns": 0, "unavailable": "made up"},
        "cgroup": _cgroup(machine, course, factor),
        "psi": {"unavailable": "made up"},
        "validity": {"own_share": 1.0, "clock_before_ns": 1.0, "clock_after_ns": 1.0, "other_busy": 0.0, "steal": 0.0},
        "output": {"stdout_bytes": 0},
        "simulated": True,
        "beside": _beside(spec, machine, draw),
        **({"hotspots": hotspots(spec, course, factor, code)} if code and spec.get("hotspots") else {}),
    }  # fmt: skip


def _beside(spec: dict[str, Any], machine: Machine, draw: random.Random) -> list[dict[str, Any]]:
    """Return what programs beside the run did: only what the clock of its first cpu is while they compute."""
    cpus = {cpu for one in spec.get("beside", []) for cpu in one["cpus"]}
    first = (spec.get("cpus") or machine.cpus)[0]
    step = math.exp(draw.gauss(0, CLOCK_ERROR)) / clock(machine, first, {first, *cpus})
    return [
        one | {"wall_ns": 0, "cpu_ns": 0, "rate": 0.0, "unit": "", "clock_ns": step} for one in spec.get("beside", [])
    ]


def _thread(tid: int, one: Lived, course: Course, factor: float, draw: random.Random, switches: bool) -> dict[str, Any]:
    times = {"ready": one.ready_s, "asleep": one.asleep_s, "disk": one.disk_s}
    seen = {name: _sampled(seconds * factor, draw) for name, seconds in times.items()}
    counted = {
        "running": one.cpu_s * factor,
        "runnable": seen["ready"],
        "sleeping": seen["asleep"],
        "disk": seen["disk"],
    }
    states = {name: round(seconds / SAMPLE_S) for name, seconds in counted.items()} | {"other": 0}
    if switches:
        off = {"source": "records", "ready": _ns(one.ready_s * factor),
               "asleep": _ns((one.asleep_s + one.disk_s) * factor)}  # fmt: skip
    else:
        off = {"source": "samples", "stopped": 0} | {name: _ns(seconds) for name, seconds in seen.items()}
    return {
        "tid": tid,
        "pid": 1,
        **({"name": one.name, "helper": True} if one.name else {}),
        "cpu": one.cpu,
        "cpu_ns": _ns(one.cpu_s * factor),
        "run_delay_ns": _ns(one.ready_s * factor),
        "states": states,
        "off_ns": off,
        "migrations": 0,
        "first_seen_ns": 0,
        "last_seen_ns": _ns(course.wall_s * factor),
    }


def _futex(course: Course, factor: float, draw: random.Random) -> dict[str, Any]:
    """Return what sleeping threads were found waiting for: each reason has a futex of its own."""
    most = ASKED * course.wall_s
    asked = min(1.0, most / max(most, sum(course.slept.values())))
    seen = {name: round(_sampled(seconds * asked * factor, draw) / SAMPLE_S) for name, seconds in course.slept.items()}
    hottest = [
        {
            "pid": 1,
            "address": f"{0x1000 * place:#x}",
            "waits": seen.get(name, 0),
            "timed": seen.get(name, 0) * timed,
            "threads": min(seen.get(name, 0), len(course.threads)),
        }
        for place, (name, timed) in enumerate(FUTEXES.items(), 1)
        if seen.get(name, 0)
    ]
    hottest.sort(key=lambda one: -one["waits"])
    waits, timed = (sum(one[name] for one in hottest) for name in ("waits", "timed"))
    return {"asleep": sum(seen.values()), "waits": waits, "timed": timed, "file_locks": 0, "hottest": hottest}


def _sampled(seconds: float, draw: random.Random) -> float:
    """Return what samples make of a time: it has the error of counting."""
    # Differences of times may be a little below 0.
    samples = max(0.0, seconds) / SAMPLE_S
    return max(0.0, draw.gauss(samples, samples**0.5)) * SAMPLE_S


def _ready(course: Course, factor: float, first: float) -> list[int]:
    """Return how many samples found so many threads ready: one each period, the first after this share of one."""
    most = max(course.at_once, default=0)
    seen, passed = [0] * (most + 1), 1 - first
    for many in range(most + 1):
        before, passed = passed, passed + course.at_once.get(many, 0.0) * factor / SAMPLE_S
        seen[many] = int(passed) - int(before)
    return seen


def _switches(course: Course, factor: float) -> dict[str, Any]:
    at_once, running = (
        [_ns(found.get(many, 0.0) * factor) for many in range(max(found, default=0) + 1)]
        for found in (course.at_once, course.running)
    )
    given = {"on_ns": _ns(sum(one.cpu_s for one in course.threads) * factor),
             "ready_ns": _ns(sum(one.ready_s for one in course.threads) * factor),
             "asleep_ns": _ns(sum(one.asleep_s + one.disk_s for one in course.threads) * factor),
             "voluntary": round(sum(one.waits for one in course.threads)),
             "involuntary": round(sum(one.turns for one in course.threads))}  # fmt: skip
    found: dict[str, Any] = {
        "mechanism": "records",
        "count": 2 * (given["voluntary"] + given["involuntary"]),
        "lost": 0,
        "odd": 0,
        "cost_ns": 0,
        "begin_ns": 0,
        "end_ns": _ns(course.wall_s * factor),
        "total": {"threads": len(course.threads), **given},
        "concurrency": {"running_ns": running, "runnable_ns": at_once},
    }
    if course.alone:
        by_thread: dict[int, float] = {}
        for number, seconds, _ in course.alone:
            by_thread[number] = by_thread.get(number, 0.0) + seconds
        tid, most_s = max(by_thread.items(), key=lambda item: item[1])
        lengths = [seconds / intervals for _, seconds, intervals in course.alone]
        found["concurrency"]["alone"] = {
            "tid": tid + 1,
            "most_ns": _ns(most_s * factor),
            "intervals": round(sum(intervals for *_, intervals in course.alone)),
            "median_ns": _ns(sorted(lengths)[len(lengths) // 2] * factor),
            "longest_ns": _ns(max(lengths) * factor),
        }
    return found


def _cgroup(machine: Machine, course: Course, factor: float) -> dict[str, Any]:
    if machine.quota_cpus is None:
        return {"unavailable": "made up"}
    periods = course.wall_s * factor / PERIOD_S
    return {
        "own": {
            "group": "/made-up",
            "quota_cpus": machine.quota_cpus,
            "nr_periods": round(periods),
            "nr_throttled": round(periods) if course.throttled_s else 0,
            "throttled_ns": _ns(course.throttled_s * factor),
        }
    }


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)
