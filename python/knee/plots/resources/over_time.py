"""CPU use and memory traffic over time, all series in one figure, one thread count at a time.

Both come from samples that count up since the run began: the rate in a bin is the difference over its length. Memory
traffic is what resctrl counted in every L3 (``mbm_total_bytes``); a bin in which a reading of any of them is missing
has no rate, because a part of the machine is not the machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from knee.plots.figure import Figure, Members, StudyData
from knee.plots.resources import phase_ends
from knee.plots.resources.cpu_use import bins_of, representative
from knee.plots.style import HEIGHT, Chart, legend, tips
from knee.stats.growth import computed, grown, steps
from knee.store import Run, Series, counted, samples

TOTAL, LOCAL = "mbm_total_bytes", "mbm_local_bytes"

TITLE = "CPU use and memory traffic over time"
BUSY_TITLE = "Cpus busy over time"
SEES = "Traffic that does not grow with the threads may be at the memory's limit."

LINES = {
    "cpus busy": ("cpus busy", [1, 0]),
    "GB/s": ("memory traffic", [8, 4]),
    "remote GB/s": ("remote part of it", [2, 3]),
}
"""Columns of the table that are drawn: what each is called in the legend, and its dash."""

LENGTH = 400
"""Squared length of a line in the legend: a dash has to be visible in it."""

BINS = 48
MOST_ROWS = 3000
"""Rows of the figure's table, about 0.3 MB: the report is one file that fits into a mail."""

FOR_A_LINE = 3
"""Fewest bins for a line without points: short runs have only one."""

Row = dict[str, Any]


def make(study: StudyData) -> list[Figure]:
    """Return the figure, where there are samples."""
    table = rows(study.counting, study.folder.path)
    if not table:
        return []
    first = first_count(study.counting, len(study.machine["allowed"]["cpus"]))
    title = TITLE if "GB/s" in table[0] else BUSY_TITLE
    ends = phase_ends.ends(study.counting)
    said = sees(study.counting, table) + (f" {phase_ends.SEES}" if ends else "")
    return [Figure("over-time", title, said, chart(table, first, ends), table)]


def rows(members: Members, folder: Path) -> list[Row]:
    """Return the table: mean rates in bins of one run of each cell, None where nothing is known.

    Samples that cannot be read are left out, and so are thread counts for which there is no room, small ones first.
    """
    chosen = representative(members)
    table: list[Row] = []
    for threads in sorted({run.threads for _, run in chosen}, reverse=True):
        of_count = [(name, run) for name, run in chosen if run.threads == threads]
        if table and not _fits(table, of_count):
            break
        for name, run in of_count:
            table += [{"series": name, "threads": threads} | bin_ for bin_ in bins(run, folder)]
    known = [column for column in LINES if any(row[column] is not None for row in table)]
    plain = ("series", "threads", "time s")
    return [{key: row[key] for key in (*plain, *known)} for row in table if known]


def _fits(table: list[Row], of_count: list[tuple[str, Run]]) -> bool:
    return len(table) + len(of_count) * BINS <= MOST_ROWS


def _left_out(members: Members, table: list[Row]) -> list[int]:
    """Return the thread counts that were left out: the first that did not fit, and all below."""
    chosen, least = representative(members), min(row["threads"] for row in table)
    counts = sorted({run.threads for _, run in chosen if run.threads < least})
    full = [n for n in counts if not _fits(table, [one for one in chosen if one[1].threads == n])]
    return [n for n in counts if full and n <= full[-1]]


def no_room(left: Sequence[int]) -> str:
    """Return the sentence about thread counts that were left out; empty where none was."""
    return f" To keep the report small {', '.join(map(str, left))} threads are not in the menu." if left else ""


def bins(run: Run, folder: Path) -> list[Row]:
    """Return what one run did in every bin, from its first sample to its last."""
    path, said = folder / str(run.record.get("samples")), counted(run.record)
    threads = samples(path, "cpu_ns")
    # The record has no sum where a cache could never be read: then the others are not the machine's traffic either.
    asked = [name for name in (TOTAL, LOCAL) if name in said and said[name].value is not None]
    traffic = {name: _caches(path, name) for name in asked}
    ticks = sorted({t for found in (threads, *traffic.values()) for series in found.values() for t, _ in series})
    if len(ticks) < 2:
        return []
    # Bins finer than the samples would have no data.
    edges = np.linspace(ticks[0], ticks[-1], min(bins_of(ticks[-1] - ticks[0]), len(ticks) - 1) + 1)
    length = steps(edges)
    busy = computed(list(threads.values()), edges) / length
    # Bytes a nanosecond are 10^9 bytes a second.
    rate = {name: grown(list(found.values()), ticks, edges) / length for name, found in traffic.items()}
    nothing = np.full(len(edges) - 1, np.nan)
    total, local = (rate.get(name, nothing) for name in (TOTAL, LOCAL))
    # The two are read one after the other, so without remote traffic the difference swings around 0.
    remote = np.maximum(total - local, 0.0)
    middle = (edges[1:] + edges[:-1]) / 2e9
    columns = ("time s", *LINES)
    found = zip(*(map(_plain, values) for values in (middle, busy, total, remote)), strict=True)
    return [dict(zip(columns, values, strict=True)) for values in found]


def _caches(path: Path, name: str) -> dict[str, Series]:
    return {source: series for source, series in samples(path, name).items() if source.startswith("resctrl:L3:")}


def _plain(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None


def first_count(members: Members, allowed: int) -> int:
    """Return the thread count to show first: the largest for which each thread has a place, else the largest.

    ``allowed`` is how many cpus there are where the kernel decides.
    """
    counts = {run.threads for _, run in representative(members)}
    fitting = {run.threads for _, run in representative(members) if run.threads <= (len(run.spec["cpus"]) or allowed)}
    return max(fitting or counts)


def sees(members: Members, table: list[Row]) -> str:
    """Return the sentence that says what to see, and which traffic is missing and why."""
    having = {row["series"] for row in table if row.get("GB/s") is not None}
    runs = {name: run for name, run in representative(members) if any(row["series"] == name for row in table)}
    lacking: dict[str, list[str]] = {}
    for name, run in runs.items():
        if name not in having:
            lacking.setdefault(_lacks(run), []).append(name)
    left = _left_out(members, table)
    room = no_room(left)
    if not having:
        return f"Lines are busy cpus. Memory traffic is not drawn: {'; '.join(lacking)}.{room}"
    remote = ", dotted lines its part with memory of other nodes" if "remote GB/s" in table[0] else ""
    words = [
        f"Solid lines are busy cpus, dashed lines memory traffic{remote}.",
        SEES,
        *(["A gap is where a reading is missing."] if any(_gap(row, having) for row in table) else []),
        *(f"No traffic is known of {', '.join(names)}: {why}." for why, names in lacking.items()),
    ]
    scopes = {found.scope for run in runs.values() if (found := counted(run.record).get(TOTAL)) and found.scope}
    return " ".join([*words, *(f"What was counted: {scope}." for scope in sorted(scopes))]) + room


def _gap(row: Row, having: set[str]) -> bool:
    return row["series"] in having and row["GB/s"] is None


def _lacks(run: Run) -> str:
    found = counted(run.record).get(TOTAL)
    if found is None:
        return f"the study did not ask for it (--counters {TOTAL},{LOCAL})"
    return found.unavailable or "the samples of these runs are too few"


def chart(table: list[Row], first: int, ends: Sequence[Row] = ()) -> Chart:
    """Return the figure, with a menu of the thread counts that shows ``first`` to begin with.

    ``ends`` are where measured phases begin and end.
    """
    counts = sorted({row["threads"] for row in table})
    menu = alt.param(
        name="count",
        value=first if first in counts else counts[-1],
        bind=alt.BindRadioSelect(input="select", options=counts, name="threads  "),
    )
    drawn = [column for column in LINES if column in table[0]]
    busy = [_line(table, column, drawn) for column in drawn if column == "cpus busy"]
    traffic = [_line(table, column, drawn) for column in drawn if column != "cpus busy"]
    axes = alt.Resolve(scale=alt.ScaleResolveMap(y="independent"))
    layers = [*busy, *([alt.layer(*traffic)] if traffic else [])]
    names = list(dict.fromkeys(row["series"] for row in table))
    lines = [phase_ends.layer(ends, names, "datum.threads === count")] if ends else []
    return (
        alt.layer(*layers, *lines, data=alt.Data(values=tuple(table)), resolve=axes)
        .transform_filter("datum.threads === count")
        .add_params(menu)
        .properties(width="container", height=HEIGHT)
    )


def _line(table: list[Row], column: str, drawn: list[str]) -> Chart:
    """Return the lines of one column, and the points that carry its tooltips, invisible if there are lines."""
    names = list(dict.fromkeys(row["series"] for row in table))
    dashes = alt.Scale(domain=[LINES[one][0] for one in drawn], range=[LINES[one][1] for one in drawn])
    title, side = ("cpus busy", "left") if column == "cpus busy" else ("memory traffic, GB/s", "right")
    axis = alt.Axis(title=title, grid=side == "left", orient=side)
    place = alt.Chart().encode(
        x=alt.X("time s:Q", title="time, s", scale=alt.Scale(nice=False, zero=True), axis=alt.Axis(tickCount=8)),
        y=alt.Y(f"{column}:Q", axis=axis, scale=alt.Scale(zero=True)),
    )
    colour = alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(domain=names),
        legend=legend(names, symbolType="stroke", symbolSize=LENGTH),
    )
    # Below, because both legends in one line are cut off on a narrow page.
    grey = alt.Legend(orient="bottom", symbolSize=LENGTH, symbolStrokeColor="#888888")
    dash = alt.StrokeDash("line:N", title=None, scale=dashes, legend=grey if len(drawn) > 1 else None)
    bins = Counter((row["series"], row["threads"]) for row in table)
    # A series of one point has no line.
    seen = int(max(bins.values()) < FOR_A_LINE or min(bins.values()) == 1)
    shown = [*tips("series:N"), alt.Tooltip("time s:Q", format=".3f"), *(alt.Tooltip(f"{one}:Q") for one in drawn)]
    line = place.transform_calculate(line=f"'{LINES[column][0]}'").mark_line().encode(color=colour, strokeDash=dash)
    return alt.layer(line, place.mark_point(opacity=seen).encode(color=colour, tooltip=shown))
