"""The figures of a report, in reading order, each with its table and the sentence that says what to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from knee.plots import cpu_use, efficiency, machine_map, memory, run_list, run_time, speedup
from knee.plots.style import Chart

if TYPE_CHECKING:
    from knee.opened import OpenedStudy


@dataclass(frozen=True)
class Figure:
    """A chart with its words and its numbers. ``group`` joins figures that a reader switches between."""

    name: str
    title: str
    sees: str
    chart: Chart
    rows: list[dict[str, Any]]
    group: str = ""
    choice: str = ""


def figures(study: OpenedStudy) -> list[Figure]:
    """Return every figure that the study has data for."""
    analysis = study.analysis
    curves = {series.name: series.curve for series in analysis.series}
    members = {series.name: series.runs for series in analysis.series}
    found: list[Figure] = []
    if curves:
        table = speedup.rows(curves)
        for kind, choice in (("speedup", "linear"), ("speedup-log", "logarithmic")):
            chart = speedup.chart(curves, logarithmic=choice == "logarithmic")
            found.append(Figure(kind, "Speedup", speedup.SEES, chart, table, "speedup", choice))
        found += [
            Figure("efficiency", "Efficiency", efficiency.SEES, efficiency.chart(curves), efficiency.rows(curves)),
            Figure("run-time", "Run time", run_time.SEES, run_time.chart(curves, members), run_time.rows(curves)),
        ]
        used = cpu_use.rows(members, study.folder.path)
        if used:
            found.append(Figure("cpu-use", "CPU use over time", cpu_use.SEES, cpu_use.chart(used), used))
    orders = _orders(study)
    if orders:
        places = machine_map.rows(study.machine, orders)
        found.append(Figure("machine", "Where threads are put", machine_map.SEES, machine_map.chart(places), places))
    found += _of_memory(study)
    if study.runs:
        table = study.rows()
        found.append(Figure("runs", "Every run", run_list.SEES, run_list.chart(table), table))
    return found


def _of_memory(study: OpenedStudy) -> list[Figure]:
    """Return what was probed into the study's folder."""
    probed = study.folder.read_memory()
    if probed is None:
        return []
    found: list[Figure] = []
    table = memory.curve_rows(probed)
    if table:
        chart = memory.curve(probed, table)
        found.append(Figure("memory-latency", "Latency of this machine's memory", memory.CURVE_SEES, chart, table))
    for probe in memory.SQUARES:
        table = memory.square_rows(probed, probe)
        if table:
            title = f"This machine's memory: {probe}"
            chart = memory.squares(table, probe)
            found.append(Figure(f"memory-{probe}-squares", title, memory.SQUARES_SEES, chart, table))
    return found


def _orders(study: OpenedStudy) -> dict[str, list[int]]:
    """Each placement's order as far as a run of the plan uses it."""
    orders: dict[str, list[int]] = {}
    for spec in study.folder.read_plan():
        name, cpus = str(spec["cell"].get("placement", "")), spec["cpus"]
        if name and cpus and len(cpus) >= len(orders.get(name, [])):
            orders[name] = cpus
    return orders
