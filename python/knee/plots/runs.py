"""Every run in the order in which it was made, also the bad ones."""

from __future__ import annotations

from typing import Any

import altair as alt

from knee.plots.style import HEIGHT, legend, of_rows, tips
from knee.store import Run, counted

SEES = "Rows should be level: a slope is drift, a lone mark an outlier. Crosses are bad runs; they count nowhere else."


def rows(runs: list[Run], unlike: list[str], disturbed: dict[str, str]) -> list[dict[str, Any]]:
    """Return the figure's table: one row a run, with a column for each counter that was asked for and is in any."""
    found = {run.spec["id"]: {name: one.value for name, one in counted(run.record).items()} for run in runs}
    asked = dict.fromkeys(name for run in runs for name in run.spec.get("counters", []))
    known = [name for name in asked if any(values.get(name) is not None for values in found.values())]
    rows: list[dict[str, Any]] = [
        {
            "order": run.order + 1,
            "run": run.spec["id"],
            "block": run.spec["block"],
            "cell": ", ".join(f"{name}={level}" for name, level in run.spec["cell"].items()),
            "threads": run.threads,
            "time_s": run.time_s if run.bad is None else None,
            "wall_s": run.record["wall_ns"] / 1e9 or None,
            "cpu_s": (run.record["user_ns"] + run.record["system_ns"]) / 1e9,
            "state": _state(run, unlike, disturbed),
            "why": run.bad or "; ".join(_marks(run, disturbed)),
        }
        for run in runs
    ]
    # What a run is stays what it is, should a counter of somebody's own table be called the same.
    return [row | {name: found[row["run"]].get(name) for name in known if name not in row} for row in rows]


def _state(run: Run, unlike: list[str], disturbed: dict[str, str]) -> str:
    if run.bad is not None:
        return "bad"
    if run.spec["id"] in unlike:
        return "unlike its cell"
    return "disturbed" if _marks(run, disturbed) else "good"


def _marks(run: Run, disturbed: dict[str, str]) -> list[str]:
    """Return what disturbed a run, and held facts that had changed when it was made."""
    during = [disturbed[run.spec["id"]]] if run.spec["id"] in disturbed else []
    return during + [f"{one['fact']}={one['found']} instead of {one['held']}" for one in run.changed]


def chart(table: list[dict[str, Any]]) -> alt.Chart:
    """Return the figure. A bad run stands at its wall time."""
    states = ["good", "disturbed", "unlike its cell", "bad"]
    shown = legend(states)
    marks = alt.Scale(domain=states, range=["circle", "diamond", "triangle-up", "cross"])
    colours = alt.Scale(domain=states, range=["#4A9FD8", "#E69F00", "#CC79A7", "#D55E00"])
    return (
        of_rows(table)
        .transform_calculate(shown="datum.time_s === null ? datum.wall_s : datum.time_s")
        .mark_point()
        .encode(
            x=alt.X(
                "order:Q",
                title="running order",
                scale=alt.Scale(zero=False, nice=False, padding=12),
                axis=alt.Axis(format="d", tickMinStep=1),
            ),
            y=alt.Y("shown:Q", title="run time, s", scale=alt.Scale(type="log", nice=False, padding=12)),
            color=alt.Color("state:N", title=None, scale=colours, legend=shown),
            shape=alt.Shape("state:N", title=None, scale=marks, legend=shown),
            tooltip=tips("run:N", "cell:N", "block:Q", "shown:Q", "state:N", "why:N"),
        )
        .properties(width="container", height=HEIGHT)
    )
