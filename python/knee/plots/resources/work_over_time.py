"""What the program itself counted over time, as a rate: all series in one figure, one count and thread count each.

Samples have the sum over all threads so far; the rate in a bin is the difference over its length. Before its first
sample a count was 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from knee.plots.figure import Figure, Members, StudyData
from knee.plots.resources import phase_ends
from knee.plots.resources.cpu_use import representative
from knee.plots.resources.over_time import BINS, MOST_ROWS, first_count, no_room
from knee.plots.style import HEIGHT, Chart, legend, tips
from knee.stats.growth import columns, steps
from knee.store import Run, Series, count_named, published, samples

TITLE = "Work over time"
SEES = (
    "Lines are what the program counted, per second. Where one falls while cpus stay busy, each unit costs more time."
)

Row = dict[str, Any]


def make(study: StudyData) -> list[Figure]:
    """Return the figure, where programs published what they counted."""
    table = rows(study.counting, study.folder.path)
    if not table:
        return []
    first = first_count(study.counting, len(study.machine["allowed"]["cpus"]))
    ends = phase_ends.ends(study.counting)
    room = no_room(left_out(study.counting, study.folder.path, table))
    said = sees(table) + (f" {phase_ends.SEES}" if ends else "") + room
    return [Figure("work-over-time", TITLE, said, chart(table, first, ends), table)]


def rows(members: Members, folder: Path) -> list[Row]:
    """Return the table: mean rates in bins of one run of each cell; whole thread counts, large ones first."""
    chosen, table = representative(members), list[Row]()
    for threads in sorted({run.threads for _, run in chosen}, reverse=True):
        more = [
            {"series": name, "threads": threads} | row
            for name, run in chosen
            if run.threads == threads
            for row in rates(run, folder)
        ]
        if table and len(table) + len(more) > MOST_ROWS:
            break
        table += more
    return table


def left_out(members: Members, folder: Path, table: list[Row]) -> list[int]:
    """Return the thread counts that had no room: those below the smallest of the table whose runs counted anything."""
    least = min(row["threads"] for row in table)
    lower = [run for _, run in representative(members) if run.threads < least]
    return sorted({run.threads for run in lower if rates(run, folder)})


def rates(run: Run, folder: Path) -> list[Row]:
    """Return the rate of every count of one run in every bin, from its first sample to its last."""
    path = folder / str(run.record.get("samples"))
    found = published(path)
    ticks = sorted({t for series in (*found.values(), *samples(path, "cpu_ns").values()) for t, _ in series})
    if not found or len(ticks) < 2:
        return []
    # Bins finer than the samples would have no data.
    edges = np.linspace(ticks[0], ticks[-1], min(BINS, len(ticks) - 1) + 1)
    middle, length = (edges[1:] + edges[:-1]) / 2e9, steps(edges) / 1e9
    return [
        {"time s": float(f"{at:.4g}"), "count": name, "per second": float(f"{rate:.4g}")}
        for name, series in found.items()
        for at, rate in zip(middle, steps(np.interp(edges, *columns(_begun(series, ticks)))) / length, strict=True)
    ]


def _begun(series: Series, ticks: list[int]) -> Series:
    """Return a count with the last sample before it began, at which it was 0."""
    earlier = [t for t in ticks if t < series[0][0]]
    return [(earlier[-1], 0), *series] if earlier else series


def sees(table: list[Row]) -> str:
    """Return the sentence that says what to see, and what was counted."""
    names = dict.fromkeys(row["count"] for row in table)
    meant = [f"{name}: {known.meaning}." for name in names if (known := count_named(name))]
    return " ".join([SEES, *meant])


def chart(table: list[Row], first: int, ends: Sequence[Row] = ()) -> Chart:
    """Return the figure, with menus of the thread counts, ``first`` to begin with, and of what was counted.

    ``ends`` are where measured phases begin and end.
    """
    threads, counts = sorted({row["threads"] for row in table}), list(dict.fromkeys(row["count"] for row in table))
    names = list(dict.fromkeys(row["series"] for row in table))
    shown = first if first in threads else threads[-1]
    menus = [_menu("threadcount", threads, shown, "threads  "), _menu("counted", counts, counts[0], "count  ")]
    colour = alt.Color("series:N", title=None, scale=alt.Scale(domain=names), legend=legend(names, symbolType="stroke"))
    lines = [phase_ends.layer(ends, names, "datum.threads === threadcount")] if ends else []
    place = alt.Chart().encode(
        x=alt.X("time s:Q", title="time, s", scale=alt.Scale(nice=False, zero=True), axis=alt.Axis(tickCount=8)),
        y=alt.Y("per second:Q", title="per second", scale=alt.Scale(zero=True), axis=alt.Axis(format="~s")),
        color=colour,
    )
    told = [
        *tips("series:N", "count:N"),
        alt.Tooltip("time s:Q", format=".3f"),
        alt.Tooltip("per second:Q", format=".4s"),
    ]
    return (
        alt.layer(
            place.mark_line(),
            place.mark_point(opacity=0).encode(tooltip=told),
            *lines,
            data=alt.Data(values=tuple(table)),
        )
        .transform_filter("datum.threads === threadcount && datum.count === counted")
        .add_params(*menus)
        .properties(width="container", height=HEIGHT)
    )


def _menu(name: str, options: list[Any], value: object, label: str) -> alt.Parameter:
    return alt.param(name=name, value=value, bind=alt.BindRadioSelect(input="select", options=options, name=label))
