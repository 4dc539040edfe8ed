"""Where the measured phase begins and ends in figures over time, as dashed lines in the colours of the series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from knee.plots.figure import Members
from knee.plots.resources.cpu_use import representative
from knee.plots.style import of_rows

SEES = "Dashed lines are where the measured phase begins and ends."

Row = dict[str, Any]


def ends(members: Members) -> list[Row]:
    """Return the beginning and the end of the measured phase in the run of each cell that is drawn, one row each."""
    table: list[Row] = []
    for name, run in representative(members):
        measured = (run.spec.get("metric") or {}).get("phase")
        spans = [(one["begin_ns"], one["end_ns"]) for one in run.record["phases"] if one["name"] == measured]
        if spans:
            both = (min(begin for begin, _ in spans), max(end for _, end in spans))
            table += [{"series": name, "threads": run.threads, "at": at / 1e9} for at in both]
    return table


def layer(table: Sequence[Row], names: Sequence[str], shown: str) -> alt.Chart:
    """Return the lines; ``names`` are all series of the figure, ``shown`` is the condition for a row to be drawn."""
    return (
        of_rows(table)
        .transform_filter(shown)
        .mark_rule(strokeDash=[2, 4], opacity=0.8)
        .encode(x="at:Q", color=alt.Color("series:N", scale=alt.Scale(domain=list(names)), legend=None))
    )
