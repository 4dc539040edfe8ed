"""Responses of a run: its metric, wall and CPU time, phases, counters, and its speedup over the base run."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from knee.store import Run, StudyError, count_named, one_of
from knee.store.records.counts import THREAD
from knee.store.records.run import LARGEST

COMPARED = ("speedup", "work-inflation")
"""Responses that need the run on the fewest threads of the same block and levels."""

TIME = "time"
"""The response of a study of several workloads: for each, the phase that does its work."""

DERIVED = {
    "remote-share": ("mbm_local_bytes", "mbm_total_bytes"),
    "remote-bytes": ("mbm_local_bytes", "mbm_total_bytes"),
    "issue-rate": ("instructions",),
}
"""Responses computed from counters: remote memory traffic as a share and in bytes, and instructions per second."""

OF_CPU = ":cpu"
"""After the name of a phase, asks for its CPU time."""

MEASURED = "measured:"
"""Before the name of a counter, asks for its count in the measured phase, whatever each workload calls that."""

SECONDS = "s"
"""Unit of times."""

TIMED = frozenset({SECONDS, "times", "1/s", "as reported"})
"""Units of responses that other programs change."""

COUNTED = ("pages", "far pages")
"""How results of probes begin that are no times."""

SWITCHES = "switches"
"""Part of the names of counts that other programs change."""

LONGEST = 40
"""Characters of the text before a number that are its name."""

NO_VALUES = "no values: "
"""How the error begins that no run has a response."""

Value = float | str
"""The value of a run, or the reason why it has none."""


@dataclass(frozen=True)
class Response:
    """Values with their runs, in running order; ``left_out`` gives the reason for every run without one, by id."""

    name: str
    unit: str
    runs: tuple[Run, ...]
    values: tuple[float, ...]
    left_out: dict[str, str]
    bases: dict[str, Run] = field(default_factory=dict[str, Run])
    """For a response of :data:`COMPARED`: the run that each is compared with, by id."""

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long of each run, by its id, values are about that are times; CPU time is that of a phase, or of all."""
        ids = [run.spec["id"] for run in self.runs]
        if self.name.endswith(OF_CPU):
            phase = self.name.removesuffix(OF_CPU)
            return dict(zip(ids, (_wall_s(run, phase) for run in self.runs), strict=True))
        return dict(zip(ids, self.values, strict=True)) if self.unit == SECONDS and self.name != "cpu" else {}

    @property
    def timed(self) -> bool:
        """Whether other programs change it. Counts of bytes, pages, steals and instructions stay what they are."""
        counted = self.unit == "as reported" and self.name.startswith(COUNTED)
        return (self.unit in TIMED and not counted) or SWITCHES in self.name


def response(runs: list[Run], name: str | None) -> Response:
    """Return a response of a study's runs; without a name, the one that the study measures.

    Raises
    ------
    StudyError
        When the response is unknown, or no run has a value.
    """
    asked = _asked(pool(runs, None), name, names(runs))
    designed = pool(runs, asked)
    measure, unit = _measure(designed, asked)
    values: dict[str, float] = {}
    left_out: dict[str, str] = {}
    for run in designed:
        value = measure(run) if run.bad is None else run.bad
        if isinstance(value, str):
            left_out[run.spec["id"]] = value
        elif not abs(value) < LARGEST:
            left_out[run.spec["id"]] = f"{value:g} is too large"
        elif 0 < abs(value) <= 1 / LARGEST:
            left_out[run.spec["id"]] = f"{value:g} is too small"
        else:
            values[run.spec["id"]] = value
    if not values:
        others = [one for one in names(runs) if one != asked]
        reason = Counter(left_out.values()).most_common(1)[0][0] if left_out else "the study has no runs yet"
        raise StudyError(
            f"{NO_VALUES}{asked}: {reason}",
            hint=f"other responses: {', '.join(others)}",
        )
    kept = tuple(run for run in designed if run.spec["id"] in values)
    called = _called(designed, asked)
    bases = _bases(designed) if asked in COMPARED else {}
    beside = {run.spec["id"]: bases[_place(run)] for run in kept if _place(run) in bases}
    return Response(called, unit, kept, tuple(values[run.spec["id"]] for run in kept), left_out, beside)


def pool(runs: list[Run], name: str | None) -> list[Run]:
    """Return the runs that have a response: timed runs, or counting runs for a counter."""
    designed = [run for run in runs if not run.is_control]
    counting = [run for run in runs if run.role == "counting"]
    # A counter may be divided by another response of the same runs; then only counting runs are left.
    if counting and (not designed or (name is not None and name not in names(designed))):
        return counting
    return designed


def names(runs: list[Run]) -> list[str]:
    """Return the names of all responses, whether or not they have values."""
    metrics = sorted({name for run in runs if (name := _metric(run))})
    offered = ["wall", "cpu", *metrics, *([TIME] if len(metrics) > 1 else [])]
    if len({run.threads for run in runs}) > 1:
        offered += COMPARED
    phases = sorted({phase["name"] for run in runs for phase in run.record["phases"]})
    offered += [*phases, *(phase + OF_CPU for phase in phases)]
    counted = {counter for run in runs for counter in run.record["counters"]}
    offered += [*sorted(counted), *(name for name, of in DERIVED.items() if set(of) <= counted)]
    offered += sorted(MEASURED + name for name in counted if set(metrics) & set(phases))
    offered += sorted({name for run in runs for name in _own(run)})
    offered += sorted({name for run in runs for name in _reported(run)})
    return list(dict.fromkeys(offered))


def _metric(run: Run) -> str | None:
    metric = run.record.get("metric")
    return str(metric["name"]) if metric else None


def _called(runs: list[Run], name: str) -> str:
    """Return what a response is called: a time that a regex finds in the output, by the text before the number."""
    if not any((run.spec.get("metric") or {}).get("regex") == name for run in runs):
        return name
    return re.split(r"[\\()\[\].*+?^$|{}]", name)[0].strip(" :=,;\n")[:LONGEST] or "printed time"


def _asked(runs: list[Run], name: str | None, known: list[str]) -> str:
    metrics = list(dict.fromkeys(metric for run in runs if (metric := _metric(run))))
    measured = TIME if len(metrics) > 1 else [*metrics, "wall"][0]
    asked = measured if name in (None, "metric") else name.replace(" ", "-") if name == "work inflation" else name
    if asked not in known:
        raise StudyError(f"unknown response {asked!r}", hint=f"one of {one_of(known)}")
    return asked


OF_THE_RUN: dict[str, Callable[[Run], Value]] = {
    "wall": lambda run: run.record["wall_ns"] / 1e9,
    "cpu": lambda run: (run.record["user_ns"] + run.record["system_ns"]) / 1e9,
}


def _measure(runs: list[Run], name: str) -> tuple[Callable[[Run], Value], str]:
    """Return the function that measures a run, and its unit. If names coincide, the first match wins."""
    if name in OF_THE_RUN:
        return OF_THE_RUN[name], SECONDS
    if name in COMPARED:
        return _against_base(runs, name), "times"
    metrics = {metric for run in runs if (metric := _metric(run))}
    # With one metric, `time` can only be a number that a workload reports.
    if name in metrics or (name == TIME and len(metrics) > 1):
        return lambda run: run.time_s, SECONDS
    phases = {phase["name"] for run in runs for phase in run.record["phases"]}
    if name in phases:
        return lambda run: _phase(run, name, "wall_ns"), SECONDS
    if (phase := name.removesuffix(OF_CPU)) in phases:
        return lambda run: _phase(run, phase, "cpu_ns"), SECONDS
    return _of_counts(runs, name)


def _of_counts(runs: list[Run], name: str) -> tuple[Callable[[Run], Value], str]:
    if name in DERIVED:
        return lambda run: _derived(run, name), {"remote-share": "share", "remote-bytes": "bytes"}.get(name, "1/s")
    if name.startswith(MEASURED):
        plain = name.removeprefix(MEASURED)
        return lambda run: _in_phase(run, plain), _counter_unit(runs, plain)
    asked_for = any(name in run.record["counters"] for run in runs)
    if not asked_for and any(name in _own(run) for run in runs):
        return lambda run: _own(run).get(name, f"the program did not count {name}"), _own_unit(runs, name)
    if any(name in _reported(run) for run in runs):
        return lambda run: _reported(run).get(name, f"the workload did not report {name}"), "as reported"
    return lambda run: _counted(run, name), _counter_unit(runs, name)


def _counter_unit(runs: list[Run], name: str) -> str:
    return str(next((count["unit"] for run in runs if "unit" in (count := _counter(run, name))), None) or "events")


def _phase(run: Run, name: str, which: Literal["wall_ns", "cpu_ns"]) -> Value:
    times = [phase[which] for phase in run.record["phases"] if phase["name"] == name]
    if not times:
        return f"no phase {name}"
    return sum(times) / 1e9


def _counter(run: Run, name: str) -> dict[str, Any]:
    count = run.record["counters"].get(name, {"unavailable": "it was not requested"})
    return count if isinstance(count, dict) else {"value": count}


def _counted(run: Run, name: str) -> Value:
    count = _counter(run, name)
    if "value" not in count:
        return f"unavailable: {count.get('unavailable', 'it has no value')}"
    return float(count["value"])


def _in_phase(run: Run, counter: str) -> Value:
    """Return what a counter counted in the measured phase, or why it has no value there."""
    whole = _counted(run, counter)
    if isinstance(whole, str):
        return whole
    phase = _metric(run)
    return _own(run).get(f"{phase}:{counter}", f"{counter} was not counted in the phase {phase}")


def _derived(run: Run, name: str) -> Value:
    values = [_counted(run, counter) for counter in DERIVED[name]]
    for value in values:
        if isinstance(value, str):
            return value
    if name == "issue-rate":
        return float(values[0]) / (run.record["wall_ns"] / 1e9)
    local, all_ = map(float, values)
    if name == "remote-bytes":
        return all_ - local
    return 1 - local / all_ if all_ > 0 else "there was no traffic"


def _own(run: Run) -> dict[str, float]:
    """Return what the program itself counted in its phases.

    A plain name is the count of the measured phase, or of the only phase that has it; others are ``PHASE:NAME``, as are
    all of a counter that counts the whole run as well.
    """
    found: dict[str, float] = {}
    phases: dict[str, set[str]] = {}
    for phase in run.record["phases"]:
        for name, value in (phase.get("counters") or {}).items():
            phases.setdefault(name, set()).add(phase["name"])
            whole = f"{phase['name']}:{name}"
            found[whole] = found.get(whole, 0.0) + value
    for name, having in phases.items():
        chosen = having & {_metric(run)} or having
        if len(chosen) == 1 and name not in run.record["counters"]:
            found[name] = found.pop(f"{next(iter(chosen))}:{name}")
    return found


def _own_unit(runs: list[Run], name: str) -> str:
    """Return the unit of a program's own count, from the list of counts; per-thread counters keep their unit."""
    base = name.rpartition(":")[2]
    if ":" in name and any(base in run.record["counters"] for run in runs):
        return _counter_unit(runs, base)
    if listed := count_named(base):
        return listed.unit
    if base.startswith(THREAD):
        return _counter_unit(runs, base.removeprefix(THREAD))
    return "as counted"


def _reported(run: Run) -> dict[str, float]:
    """Return the numbers that a workload reported: results of a probe, the size of an input."""
    numbers: dict[str, float] = {}
    for name, text in (run.record.get("facts") or {}).items():
        with contextlib.suppress(ValueError, TypeError):
            numbers[name] = float(text)
    return numbers


def _against_base(runs: list[Run], name: str) -> Callable[[Run], Value]:
    """Compare a run with the base run of its block and levels, on the fewest threads. The base itself has no value."""
    base, bases = min(run.threads for run in runs), _bases(runs)

    def compared(run: Run) -> Value:
        if run.threads == base:
            return f"it is the base (threads={base})"
        one = bases.get(_place(run))
        if one is None:
            return f"no good run with threads={base} in its block"
        grown = run.work / one.work
        if name == "speedup":
            return one.time_s / run.time_s * grown
        if not one.cpu_s or run.cpu_s is None:
            return "CPU time is unknown"
        return run.cpu_s / one.cpu_s / grown

    return compared


def _bases(runs: list[Run]) -> dict[str, Run]:
    """Return the good runs on the fewest threads by their place."""
    base = min(run.threads for run in runs)
    return {_place(run): run for run in runs if run.threads == base and run.bad is None}


def _wall_s(run: Run, phase: str) -> float:
    return sum(one["wall_ns"] for one in run.record["phases"] if one["name"] == phase) / 1e9


def _place(run: Run) -> str:
    levels = sorted((name, str(level)) for name, level in run.spec["cell"].items() if name != "threads")
    return f"{run.spec['block']} {levels}"
