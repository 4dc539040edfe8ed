"""The figures of what runs used over thread counts: work, and memory traffic."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from knee.plots.resources import traffic, work
from knee.plots.resources.spread import Members
from knee.report.figure import Figure

TITLE, GROUP = "Work over threads", "work"


def work_figures(
    members: Members, counting: Members, machine: dict[str, Any], dashed: Collection[str], *, weak: bool
) -> list[Figure]:
    """Return instructions and their rate, or CPU time and context switches where no run counted instructions.

    ``counting`` are the runs that count, which may be others than those that are timed; ``weak`` says whether the work
    grows with the threads.
    """
    if work.has_instructions(counting):
        counts, rates = work.instruction_rows(counting), work.rate_rows(counting)
        lacking = work.lacking(counting, counts)
        return [
            Figure("instructions", TITLE, work.sees(work.INSTRUCTIONS, weak=weak) + lacking,
                   work.chart(counts, work.INSTRUCTIONS, dashed), counts, GROUP, "instructions"),
            Figure("issue-rate", TITLE, work.sees(work.RATE, weak=weak) + lacking,
                   work.chart(rates, work.RATE, dashed), rates, GROUP, "highest issue rate"),
        ]  # fmt: skip
    seconds, switches, why = work.cpu_rows(members), work.switch_rows(members), work.stand_in(counting, machine)
    return [
        Figure("cpu-seconds", TITLE, f"{work.sees(work.CPU, weak=weak)} {why}",
               work.chart(seconds, work.CPU, dashed), seconds, GROUP, "CPU seconds"),
        Figure("switches", TITLE, f"{work.sees(work.SWITCHES, weak=weak)} {why}",
               work.chart(switches, work.SWITCHES, dashed), switches, GROUP, "context switches"),
    ]  # fmt: skip


def traffic_figures(members: Members, *, weak: bool) -> list[Figure]:
    """Return local and remote traffic, where it was counted."""
    of = traffic.source(members)
    if of is None:
        return []
    table = traffic.rows(members, of)
    return [Figure("traffic", "Memory traffic over threads", traffic.sees(of, weak=weak), traffic.chart(table), table)]
