"""Work over thread counts: instructions and how fast they are issued, or what stands in for them without counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from knee.plots.resources import spread
from knee.plots.resources.spread import FOR_ONE, Members, Row, for_one
from knee.plots.style import Chart
from knee.store import Run, counted

INSTRUCTIONS, RATE, CPU, SWITCHES = "instructions", "instructions/s", "CPU seconds", "switches"

KINDS = {"voluntary": "voluntary_switches", "involuntary": "involuntary_switches"}

INSTRUCTIONS_SEES = (
    "Medians over runs, from the least to the most. A line that rises does more work for the same answer: locks that "
    "are spun on, tasks that are made, work done twice. A level one that takes longer does it more slowly."
)
RATE_SEES = (
    "The fastest run of each cell, down to the slowest, over its wall time with start and end. Where the line is "
    "level, threads wait for something that they share: issue slots of a core, memory, or each other."
)
CPU_SEES = (
    "Medians over runs of user and system time, from the least to the most. A line that rises means that the same "
    "answer takes more CPU time: more work or slower work, which look the same here."
)
SWITCHES_SEES = (
    "Medians over runs, from the least to the most. Voluntary switches are threads that sleep and wait for others; "
    "involuntary ones are threads that the kernel puts off a cpu for another."
)

SWITCHES_GROW = " They are those of whole runs, and in this study runs do more work on more threads."


def has_instructions(members: Members) -> bool:
    """Whether any usable run counted instructions."""
    return any(run.bad is None and _instructions(run) is not None for runs in members.values() for run in runs)


def instruction_rows(members: Members) -> list[Row]:
    """Return the instructions of a run, for the work of one thread where it grows with them: one row a cell."""
    return spread.rows(members, for_one(_instructions), INSTRUCTIONS)


def rate_rows(members: Members) -> list[Row]:
    """Return how many instructions a second all threads together issued at most: one row a cell."""
    return [row | {RATE: row["most"]} for row in spread.rows(members, _rate, RATE)]


def cpu_rows(members: Members) -> list[Row]:
    """Return the user and system time of a run in seconds, likewise: one row a cell."""
    return spread.rows(members, for_one(_cpu), CPU)


def switch_rows(members: Members) -> list[Row]:
    """Return the context switches of a run: one row a cell and kind."""
    return [
        {"kind": kind} | row
        for kind, name in KINDS.items()
        for row in spread.rows(members, lambda run, name=name: run.record["rusage"].get(name), SWITCHES)
    ]


def sees(name: str, *, weak: bool) -> str:
    """Return the sentence that says what to see; ``weak`` says whether the work grows with the threads."""
    said = {INSTRUCTIONS: INSTRUCTIONS_SEES, RATE: RATE_SEES, CPU: CPU_SEES, SWITCHES: SWITCHES_SEES}[name]
    if not weak:
        return said
    return said + {SWITCHES: SWITCHES_GROW, RATE: ""}.get(name, FOR_ONE)


def _cpu(run: Run) -> float:
    return (run.record["user_ns"] + run.record["system_ns"]) / 1e9


def _instructions(run: Run) -> float | None:
    found = counted(run.record).get(INSTRUCTIONS)
    return None if found is None else found.value


def _rate(run: Run) -> float | None:
    count = _instructions(run)
    return None if count is None or not run.record["wall_ns"] else count / (run.record["wall_ns"] / 1e9)


def stand_in(members: Members, machine: dict[str, Any]) -> str:
    """Return the sentence that says why CPU time and switches are shown and not instructions."""
    said = Counter(
        found.unavailable
        for runs in members.values()
        for run in runs
        if (found := counted(run.record).get(INSTRUCTIONS)) and found.unavailable
    )
    hardware = machine["facts"].get("hardware_counters")
    if said:
        why = said.most_common(1)[0][0]
    elif isinstance(hardware, dict):
        why = str(hardware["unavailable"])  # pyright: ignore[reportUnknownArgumentType]
    else:
        why = "they were not asked for, as --counters instructions does"
    return f"This stands in for instructions and the rate at which they are issued: {why}."


def lacking(members: Members, table: list[Row]) -> str:
    """Return the sentence that names series without instructions; none where all have them."""
    having = {row["series"] for row in table}
    without = [name for name in members if name not in having]
    return f" There is nothing of {', '.join(without)}: no run counted instructions." if without else ""


def chart(table: list[Row], name: str, dashed: Collection[str]) -> Chart:
    """Return the figure of one of the measures, with ``dashed`` series dashed where a dash is free."""
    if name == SWITCHES:
        return spread.chart_of_kinds(table, SWITCHES, "context switches a run")
    if name == CPU:
        # A prefix of a thousandth would make minutes of seconds.
        return spread.chart(table, CPU, "CPU time, s", dashed, numbers="~r")
    titles = {INSTRUCTIONS: "instructions", RATE: "instructions a second"}
    return spread.chart(table, name, titles[name], dashed)
