"""CPU use of every thread over time, one run at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from knee.plots.figure import Figure, Members, StudyData
from knee.plots.style import HEIGHT, of_rows, tips
from knee.stats.growth import begun
from knee.store import Run, samples

TITLE = "CPU use over time"
SEES = "A bright row is a thread that computed all the time; dark stretches are waiting, or less work."

BINS = 48
"""Bins of a run at most: more would be finer than a page is wide."""

SHORTEST_NS = 40_000_000
"""A kernel may note the CPU time of a running thread only every 4 ms, which is a tenth of a bin at most."""

MOST_THREADS = 64
MOST_ROWS = 6000
"""Rows of the figure's table, about 0.4 MB: the report is one file that fits into a mail."""


def make(study: StudyData) -> list[Figure]:
    """Return the figure, where there are samples."""
    table = rows(study.timed, study.folder.path)
    return [Figure("cpu-use", TITLE, sees(study.timed, table), chart(table), table)] if table else []


def representative(members: Members) -> list[tuple[str, Run]]:
    """Return one run of each cell that has samples, the one of median time, with the name of its series."""
    chosen: list[tuple[str, Run]] = []
    for name, runs in members.items():
        for threads in sorted({run.threads for run in runs}):
            good = [r for r in runs if r.threads == threads and r.bad is None and "samples" in r.record]
            if good:
                middle = sorted(good, key=lambda run: run.time_s)[len(good) // 2]
                chosen.append((name, middle))
    return chosen


def bins_of(length_ns: float) -> int:
    """Return into how many bins a time is divided."""
    return max(1, min(BINS, int(length_ns // SHORTEST_NS)))


def rows(members: Members, folder: Path) -> list[dict[str, Any]]:
    """Return the table: CPU use in every time bin of every thread. Samples that cannot be read are left out."""
    table: list[dict[str, Any]] = []
    # Large thread counts first: they are what a reader asks about when there is no room for all.
    for series_name, run in sorted(representative(members), key=lambda one: -one[1].threads):
        name = _called(series_name, run)
        series = read(folder / str(run.record.get("samples")))
        end = run.record["wall_ns"]
        # Threads that hardly ran (a main thread that waits) come last, and the busiest first.
        busiest = sorted(series, key=lambda tid: -series[tid][1][-1])[:MOST_THREADS]
        if table and len(table) + len(busiest) * BINS > MOST_ROWS:
            continue
        for rank, tid in enumerate(busiest):
            times, cpu = series[tid]
            edges = np.linspace(0.0, end, bins_of(end) + 1)
            used = np.diff(np.interp(edges, np.append(times, end), np.append(cpu, cpu[-1])))
            table += [
                {
                    "run": name,
                    "thread": rank,
                    "from_s": low / 1e9,
                    "to_s": high / 1e9,
                    "use": min(1.0, part / (high - low)),
                }
                for low, high, part in zip(edges, edges[1:], used, strict=False)
            ]
    return [{key: round(v, 4) if isinstance(v, float) else v for key, v in row.items()} for row in table]


def sees(members: Members, table: list[dict[str, Any]]) -> str:
    """Return the sentence that says what to see, and what is left out."""
    shown, chosen = {row["run"] for row in table}, representative(members)
    left = sorted({run.threads for name, run in chosen if _called(name, run) not in shown})
    number = sum(_called(name, run) not in shown for name, run in chosen)
    words = [SEES]
    if number:
        of = f"{number} of {len(chosen)} runs, of {', '.join(map(str, left))} threads"
        words.append(f"Not in the menu, to keep the report small or because samples cannot be read: {of}.")
    if any(run.threads > MOST_THREADS for _, run in chosen):
        words.append(f"Of more than {MOST_THREADS} threads the busiest {MOST_THREADS} are drawn.")
    return " ".join(words)


def _called(series: str, run: Run) -> str:
    return f"{series}, {run.threads} thread{'s' if run.threads > 1 else ''}"


def read(path: Path) -> dict[str, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Return thread to (times, CPU time so far) in ns, shape (samples,), from its beginning on; empty when nothing can
    be read.
    """
    threads = {name: [(begun(*series[0]), 0), *series] for name, series in samples(path, "cpu_ns").items()}
    return {name: (np.array([t for t, _ in pairs]), np.array([c for _, c in pairs])) for name, pairs in threads.items()}


def chart(table: list[dict[str, Any]]) -> alt.Chart:
    """Return the figure, with a menu of the runs."""
    names = list(dict.fromkeys(row["run"] for row in table))
    menu = alt.param(
        name="run",
        value=names[0] if names else "",
        bind=alt.BindRadioSelect(input="select", options=names, name="run  "),
    )
    return (
        of_rows(table)
        .mark_rect()
        .encode(
            x=alt.X("from_s:Q", title="time, s", scale=alt.Scale(nice=False), axis=alt.Axis(labelFlush=False)),
            x2=alt.X2("to_s:Q"),
            y=alt.Y("thread:O", title="thread, busiest first"),
            color=alt.Color("use:Q", title="CPU use", scale=alt.Scale(domain=[0, 1], scheme="viridis")),
            tooltip=[*tips("thread:O"), alt.Tooltip("from_s:Q", format=".3f"), alt.Tooltip("use:Q", format=".0%")],
        )
        .add_params(menu)
        .transform_filter("datum.run === run")
        .properties(width="container", height=min(HEIGHT, 160))
    )
