"""Memory traffic of a run over thread counts: what came from memory of its own node, and what from that of others."""

from __future__ import annotations

from dataclasses import dataclass

from knee.plots.figure import Figure, Members, StudyData
from knee.plots.resources import spread
from knee.plots.resources.spread import FOR_ONE, Measure, Row, for_one
from knee.plots.style import Chart
from knee.store import Counted, Run, counted

LINE = 64
"""Bytes of a cache line."""

TRAFFIC = "traffic"

TITLE = "Memory traffic over threads"
SEES = (
    "Solid lines are traffic with memory of the thread's own node, dashed lines with memory of other nodes: medians "
    "over runs, with smallest and largest values. Traffic that grows with the threads no longer fits into the caches; "
    "a dashed line near the solid one means that much of the data is on other nodes."
)


@dataclass(frozen=True)
class Source:
    """Counters that distinguish local and remote traffic. ``remote`` is counted directly, or is ``total`` minus
    ``local``.
    """

    local: str
    remote: str = ""
    total: str = ""
    covers: str = ""


SOURCES = (
    Source("mbm_local_bytes", total="mbm_total_bytes", covers="what all L3 caches exchanged with memory"),
    Source("reads_local_dram", remote="reads_remote_dram", covers="lines that were read, on demand and by prefetch"),
    Source("local_dram", remote="remote_dram", covers="loads that memory answered, no prefetches and no stores"),
)
"""The first of which any run has both is drawn; see ``docs/reference/events.md``."""


def make(study: StudyData) -> list[Figure]:
    """Return the figure, where local and remote traffic was counted."""
    of = source(study.counting)
    if of is None:
        return []
    table = rows(study.counting, of)
    return [Figure("traffic", TITLE, sees(of, weak=study.weak), chart(table), table)]


def source(members: Members) -> Source | None:
    """Return the counters that distinguish local and remote traffic in the usable runs; None without any."""
    usable = [run for runs in members.values() for run in runs if run.bad is None]
    return next((one for one in SOURCES if any(_remote(run, one) is not None for run in usable)), None)


def rows(members: Members, of: Source) -> list[Row]:
    """Return the table: one row a cell and kind, in bytes or in what the counter counts.

    Where the work grows with the threads, it is the traffic for the work of one.
    """
    kinds: dict[str, Measure] = {"local": lambda run: _local(run, of), "remote": lambda run: _remote(run, of)}
    return [
        {"kind": kind, "unit": unit(members, of)} | row
        for kind, measure in kinds.items()
        for row in spread.rows(members, for_one(measure), TRAFFIC)
    ]


def unit(members: Members, of: Source) -> str:
    """Return ``bytes``, or what is counted if it is not bytes."""
    said = (counted(run.record).get(of.local) for runs in members.values() for run in runs)
    name = next((one.unit for one in said if one is not None and one.unit), "loads")
    return "bytes" if name == "lines" else name


def _local(run: Run, of: Source) -> float | None:
    return _amount(counted(run.record).get(of.local)) if _remote(run, of) is not None else None


def _remote(run: Run, of: Source) -> float | None:
    counts = counted(run.record)
    local = _amount(counts.get(of.local))
    other = _amount(counts.get(of.remote or of.total))
    if local is None or other is None:
        return None
    # Total and local are read one after the other, so without remote traffic the difference swings around 0.
    return other if of.remote else max(other - local, 0.0)


def _amount(count: Counted | None) -> float | None:
    if count is None or count.value is None:
        return None
    return count.value * LINE if count.unit == "lines" else count.value


def sees(of: Source, *, weak: bool = False) -> str:
    """Return the sentence that says what to see and what was counted; ``weak``: whether the work grows with threads."""
    return f"{SEES} Counted: {of.covers}." + (FOR_ONE if weak else "")


def chart(table: list[Row]) -> Chart:
    """Return the figure."""
    return spread.chart_of_kinds(table, TRAFFIC, f"{table[0]['unit']} a run")
