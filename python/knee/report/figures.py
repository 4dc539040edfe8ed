"""The figures of a report, in reading order, each with its table and the sentence that says what to see."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from knee.explain.scaling.counterfactual import counterfactuals
from knee.plots import runs as run_list
from knee.plots.machine import memory
from knee.plots.machine import placements as machine_map
from knee.plots.resources import cpu_use, over_time
from knee.plots.scaling import efficiency, run_time, speedup
from knee.report.factorial_figures import factorial_figures
from knee.report.figure import Figure
from knee.report.use_figures import traffic_figures, work_figures
from knee.stats.scaling.curve import Curve

if TYPE_CHECKING:
    from knee.opened import Study


def figures(study: Study) -> list[Figure]:
    """Return every figure that the study has data for."""
    analysis = study.analysis
    curves = {series.name: series.curve for series in analysis.series}
    members = {series.name: series.runs for series in analysis.series}
    counting = {series.name: series.counting for series in analysis.series}
    weak = any(series.weak for series in analysis.series)
    found: list[Figure] = []
    if curves:
        dashed = counterfactuals(analysis.series, study.machine)
        found += _speedup(curves, dashed)
        times = run_time.chart(curves, members, dashed)
        found.append(Figure("run-time", "Run time", run_time.sees(weak=weak), times, run_time.rows(curves)))
        found += work_figures(members, counting, study.machine, dashed, weak=weak)
        found += traffic_figures(counting, weak=weak)
        used = cpu_use.rows(members, study.folder.path)
        if used:
            said = cpu_use.sees(members, used)
            found.append(Figure("cpu-use", "CPU use over time", said, cpu_use.chart(used), used))
        found += _over_time(study, counting)
    orders = _orders(study)
    if orders:
        places = machine_map.rows(study.machine, orders)
        found.append(Figure("machine", "Where threads are put", machine_map.SEES, machine_map.chart(places), places))
    if analysis.factorial:
        found += factorial_figures(analysis.factorial, study.runs)
    for name, other in analysis.responses.items():
        found += [] if isinstance(other, str) else factorial_figures(other, study.runs, name)
    found += _of_memory(study)
    if study.runs:
        table = study.rows()
        found.append(Figure("runs", "Every run", run_list.SEES, run_list.chart(table), table))
    return found


def _speedup(curves: dict[str, Curve], dashed: Collection[str]) -> list[Figure]:
    """Return speedup and efficiency, where any series has more than the count that it is compared with."""
    if all(len(curve.points) == 1 for curve in curves.values()):
        return []
    found: list[Figure] = []
    table, sees = speedup.rows(curves), speedup.sees(curves, dashed)
    for kind, choice in (("speedup", "linear"), ("speedup-log", "logarithmic")):
        chart = speedup.chart(curves, dashed, logarithmic=choice == "logarithmic")
        found.append(Figure(kind, "Speedup", sees, chart, table, "speedup", choice))
    paid = efficiency.chart(curves, dashed)
    return [*found, Figure("efficiency", "Efficiency", efficiency.SEES, paid, efficiency.rows(curves))]


def _over_time(study: Study, members: over_time.Members) -> list[Figure]:
    """Return CPU use and memory traffic over time, where there are samples."""
    table = over_time.rows(members, study.folder.path)
    if not table:
        return []
    first = over_time.first_count(members, len(study.machine["allowed"]["cpus"]))
    title = "CPU use and memory traffic over time" if "GB/s" in table[0] else "Cpus busy over time"
    return [Figure("over-time", title, over_time.sees(members, table), over_time.chart(table, first), table)]


def _of_memory(study: Study) -> list[Figure]:
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


def _orders(study: Study) -> dict[str, list[int]]:
    """Each placement's order as far as a run of the plan uses it."""
    orders: dict[str, list[int]] = {}
    for spec in study.folder.read_plan():
        name, cpus = str(spec["cell"].get("placement", "")), spec["cpus"]
        if name and cpus and len(cpus) >= len(orders.get(name, [])):
            orders[name] = cpus
    return orders
