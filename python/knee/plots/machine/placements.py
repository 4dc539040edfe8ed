"""A map of the machine: cores as columns, their hardware threads as rows, and in which order a placement fills them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import altair as alt

from knee.plots.figure import Figure, StudyData
from knee.plots.style import Chart, legend, of_rows, tips
from knee.store import RunSpec

TITLE = "Where threads are put"
SEES = "The number is the thread that the placement puts there. Empty fields are not used, grey ones not allowed."
AS_A_SET = (
    "Where fields have no numbers, threads are kept to the blue ones together, and the kernel chooses. Empty fields "
    "are not used, grey ones not allowed."
)

MOST = 3
"""Threads on one hardware thread that a field names."""


def make(study: StudyData) -> list[Figure]:
    """Return the figure, where any placement chose cpus."""
    orders = used_orders(study.folder.read_plan())
    if not orders:
        return []
    each = pinned_each(study.folder.read_plan())
    table = rows(study.machine, orders, each)
    said = SEES if orders.keys() <= each else f"{SEES.partition('. ')[0]}. {AS_A_SET}" if each else AS_A_SET
    return [Figure("machine", TITLE, said, chart(table), table)]


def pinned_each(plan: Sequence[RunSpec]) -> set[str]:
    """Return the placements whose threads are pinned each to its own cpu, as those of workloads are by default."""
    usual = {True: "each", False: "set"}
    tied = [spec for spec in plan if spec.get("bind", usual["workload" in spec["program"]]) == "each"]
    return {str(spec["cell"].get("placement", "")) for spec in tied}


def used_orders(plan: Sequence[RunSpec]) -> dict[str, list[int]]:
    """Return each placement's order as far as a run of the plan uses it."""
    orders: dict[str, list[int]] = {}
    for spec in plan:
        name, cpus = str(spec["cell"].get("placement", "")), spec["cpus"]
        if name and cpus and len(cpus) >= len(orders.get(name, [])):
            orders[name] = cpus
    return orders


def rows(
    machine: dict[str, Any], orders: dict[str, list[int]], each: Container[str] | None = None
) -> list[dict[str, Any]]:
    """Return the figure's table: one row for each hardware thread and placement.

    ``each`` are the placements that pin thread by thread, by default all; threads of others have no numbers.
    """
    allowed = set(machine["allowed"]["cpus"])
    core_of = {cpu: core for core in machine["cores"] for cpu in core["cpus"]}
    table: list[dict[str, Any]] = []
    for name, order in orders.items():
        for cpu, core in sorted(core_of.items()):
            placed = [str(place) for place, used in enumerate(order) if used == cpu]
            table.append(
                {
                    "placement": name,
                    "cpu": cpu,
                    "core": core["id"],
                    "sibling": core["cpus"].index(cpu),
                    "socket": f"socket {core['socket']}, node {core['node']}",
                    "thread": _named(placed) if each is None or name in each else "",
                    "state": "used" if placed else "free" if cpu in allowed else "not allowed",
                }
            )
    return table


def _named(placed: list[str]) -> str:
    return " ".join(placed[:MOST]) + (" …" if len(placed) > MOST else "")


def chart(table: list[dict[str, Any]]) -> Chart:
    """Return the figure, with a menu of the placements."""
    names = list(dict.fromkeys(row["placement"] for row in table))
    menu = alt.param(
        name="placement", value=names[0], bind=alt.BindRadioSelect(input="select", options=names, name="placement  ")
    )
    deep = max((row["sibling"] for row in table), default=0) + 1
    sockets = len({row["socket"] for row in table})
    base = (
        of_rows(table)
        .transform_filter("datum.placement === placement")
        .transform_calculate(row="datum.socket + ', hardware thread ' + datum.sibling")
        .encode(
            x=alt.X("core:O", title="core", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("row:N", title=None, axis=alt.Axis(labelExpr="split(datum.label, ', ')", labelOffset=-14)),
        )
    )
    states = ["used", "free", "not allowed"]
    scale = alt.Scale(domain=states, range=["#56B4E9", "#00000000", "#999999bb"])
    fill = alt.Color("state:N", title=None, scale=scale, legend=legend(states))
    return (
        alt.layer(
            base.mark_rect(stroke="#888888", cornerRadius=3).encode(
                color=fill, tooltip=tips("cpu:Q", "core:O", "socket:N", "thread:N")
            ),
            base.mark_text(fontSize=13, color="#1b1b1b").encode(text=alt.Text("thread:N")),
        )
        .add_params(menu)
        .properties(width="container", height=max(60, 48 * deep * sockets))
    )
