"""CPU time and context switches over thread counts, drawn where no run counted instructions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from knee.plots.figure import Figure, Members, StudyData
from knee.plots.resources import instructions, spread
from knee.plots.resources.spread import FOR_ONE, Row, for_one
from knee.plots.style import Chart
from knee.store import Run, counted

CPU, SWITCHES = "CPU seconds", "switches"

KINDS = {"voluntary": "voluntary_switches", "involuntary": "involuntary_switches"}

TITLE, GROUP = "Work over threads", "work"
SEES = "User and system time of {}: medians, with smallest and largest values."
RISES = (
    " A line that rises means that the same answer takes more CPU time: more work or slower work, which look the same "
    "here."
)
SWITCHES_SEES = (
    "Medians over runs, with smallest and largest values. At a voluntary switch a thread sleeps or waits for another; "
    "at an involuntary one the kernel takes the cpu away for another thread."
)
SWITCHES_GROW = " They are counts of whole runs, and in this study runs do more work on more threads."


def make(study: StudyData) -> list[Figure]:
    """Return CPU time and context switches, where no run counted instructions."""
    if not study.curves or instructions.was_counted(study.counting):
        return []
    seconds, switches, why = rows(study.timed), switch_rows(study.timed), _why(study.counting, study.machine)
    seen = SEES.format(_of(study.timed)) + (RISES if study.scales else "")
    cpu_said, switches_said = (FOR_ONE, SWITCHES_GROW) if study.weak else ("", "")
    cpu_chart, switches_chart = chart(seconds, study.counterfactuals), switch_chart(switches)
    return [
        Figure("cpu-seconds", TITLE, f"{seen}{cpu_said} {why}", cpu_chart, seconds, GROUP, "CPU seconds"),
        Figure("switches", TITLE, f"{SWITCHES_SEES}{switches_said} {why}", switches_chart, switches, GROUP,
               "context switches"),
    ]  # fmt: skip


def rows(members: Members) -> list[Row]:
    """Return the CPU time of what is measured in seconds, for the work of one thread where it grows with them.

    There is one row a cell.
    """
    return spread.rows(members, for_one(_cpu), CPU)


def switch_rows(members: Members) -> list[Row]:
    """Return the context switches of a run: one row a cell and kind."""
    return [
        {"kind": kind} | row
        for kind, name in KINDS.items()
        for row in spread.rows(members, lambda run, name=name: run.record["rusage"].get(name), SWITCHES)
    ]


def chart(table: list[Row], dashed: Collection[str]) -> Chart:
    """Return the figure of CPU time, with ``dashed`` series dashed."""
    # A prefix of a thousandth would make minutes of seconds.
    return spread.chart(table, CPU, "CPU time, s", dashed, numbers="~r")


def switch_chart(table: list[Row]) -> Chart:
    """Return the figure of context switches."""
    return spread.chart_of_kinds(table, SWITCHES, "context switches a run")


def _cpu(run: Run) -> float:
    # Of a time that the program prints itself, the CPU time is not known.
    return (run.record["user_ns"] + run.record["system_ns"]) / 1e9 if run.cpu_s is None else run.cpu_s


def _of(members: Members) -> str:
    """Return what the CPU time is of: the phase that the study measures, or whole runs."""
    measured = [run for runs in members.values() for run in runs]
    phases = {(run.spec.get("metric") or {}).get("phase") for run in measured if run.cpu_s is not None}
    phase = phases.pop() if len(phases) == 1 else None
    return f"the phase {phase}" if phase else "whole runs"


def _why(members: Members, machine: dict[str, Any]) -> str:
    """Return why this is shown instead of instructions."""
    said = Counter(
        count.unavailable
        for runs in members.values()
        for run in runs
        if (count := counted(run.record).get(instructions.INSTRUCTIONS)) and count.unavailable
    )
    hardware = machine["facts"].get("hardware_counters")
    if said:
        why = said.most_common(1)[0][0]
    elif isinstance(hardware, dict):
        why = str(hardware["unavailable"])  # pyright: ignore[reportUnknownArgumentType]
    else:
        why = "the study did not ask for them (--counters instructions)"
    return f"Shown instead of instructions and their rate: {why}."
