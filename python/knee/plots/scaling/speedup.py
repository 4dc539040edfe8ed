"""Speedup over thread counts, with intervals, against the ideal."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import altair as alt

from knee.plots.figure import Figure, StudyData
from knee.plots.style import HEIGHT, Chart, channels, of_rows, threads_axis, tips, with_intervals
from knee.stats.scaling.curve import Curve

TITLE = "Speedup"
GREY = "#888888"
DASHES = {"predicted": [4, 3], "measured": [1, 0]}
"""Lines of predicted speedups, and of those that were measured with a remedy."""

HOLLOW, REMEDY = ("triangle-up", "triangle-down", "triangle-right", "triangle-left", "square", "cross"), "diamond"
"""Marks of predicted speedups, and of those with a remedy."""

APART = alt.ScaleResolveMap(color="independent", shape="independent", strokeDash="independent")
"""The shapes of series and those of what is beside them are two scales, each with a legend of its own."""

CHOICES = {"linear": "", "logarithmic": "-log"}
"""What a reader switches between, and how the name of the figure ends."""

CROWDED, ROOM = 3, 1.5
"""An ideal more than 3 times as high as all points leaves the figure, at 1.5 times the height of the highest."""

SEES = "Below the dotted line threads bring less than full speedup; where the curve is flat they bring none."

ABOVE = "Ringed points have more threads than cpus and are not used for law and knee."

PREDICTED = "Hollow marks are predictions: the speedup without a cause that was named."

MEASURED = "Diamonds are measured with the best remedy, beside runs of the program as it is."

COUNTERFACTUAL = "Dashed curves are there for comparison, the same program on another placement: "
SHARED, UNPINNED = "threads share cores while other cores are free", "the kernel places them"


def make(study: StudyData) -> list[Figure]:
    """Return speedup on linear and on logarithmic axes, where any series has more than one thread count."""
    if not study.scales:
        return []
    curves, dashed = study.curves, study.counterfactuals
    table = rows(curves, study.cpus)
    beside = [row for row in study.predicted if row["series"] in curves]
    kinds = {row["kind"] for row in beside}
    added = (
        (ABOVE, any(row["above the cpus"] for row in table)),
        (PREDICTED, "predicted" in kinds),
        (MEASURED, "measured" in kinds),
    )
    said = " ".join([sees(curves, dashed), *(text for text, there in added if there)])
    charts = {
        choice: chart(curves, dashed, study.cpus, beside, logarithmic=choice == "logarithmic") for choice in CHOICES
    }
    return [
        Figure("speedup" + suffix, TITLE, said, charts[choice], table, "speedup", choice)
        for choice, suffix in CHOICES.items()
    ]


def sees(curves: dict[str, Curve], dashed: Collection[str]) -> str:
    """Return the sentence that says what to see; ``dashed`` are the names of counterfactual series."""
    kinds = [SHARED] if any(not _unpinned(name) for name in dashed) else []
    kinds += [UNPINNED] if any(map(_unpinned, dashed)) else []
    words = [SEES, *([f"{COUNTERFACTUAL}{', or '.join(kinds)} ({'; '.join(dashed)})."] if dashed else [])]
    bases = sorted({curve.base for curve in curves.values()})
    if len(bases) > 1:
        named = (f"{base} of {', '.join(n for n, curve in curves.items() if curve.base == base)}" for base in bases)
        words.append(
            f"Speedup is relative to the fewest threads of each series, with an ideal of its own: {'; '.join(named)}."
        )
    return " ".join(words)


def _unpinned(name: str) -> bool:
    return "unpinned" in name.split(", ")


def rows(curves: dict[str, Curve], cpus: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the figure's table: one row a point. ``cpus`` is how many each series could use, where that is known."""
    return [
        {
            "series": name,
            "threads": point.threads,
            "speedup": point.speedup.estimate,
            "low": point.speedup.interval.low,
            "high": point.speedup.interval.high,
            "blocks": point.speedup.blocks,
            "above the cpus": point.threads > cpus.get(name, point.threads),
        }
        for name, curve in curves.items()
        for point in curve.points
    ]


def chart(
    curves: dict[str, Curve],
    dashed: Collection[str] = (),
    cpus: Mapping[str, int] | None = None,
    beside: Sequence[dict[str, Any]] = (),
    *,
    logarithmic: bool = False,
) -> Chart:
    """Return the figure, with ``dashed`` series dashed; ``logarithmic`` sets both axes.

    ``beside`` are speedups without a cause or with a remedy, a row each.
    """
    kind = "log" if logarithmic else "linear"
    table = rows(curves, cpus or {})
    counts = sorted({point.threads for curve in curves.values() for point in curve.points})
    bases = sorted({curve.base for curve in curves.values()})
    ideal = [{"threads": n, "ideal": n / base, "base": base} for base in bases for n in counts if n >= base]
    top = _top([*table, *beside], max((row["ideal"] for row in ideal), default=1.0))
    plain = alt.Scale(zero=True) if top is None else alt.Scale(zero=True, domainMax=top)
    scale = alt.Scale(type=kind, base=2, nice=False) if logarithmic else plain
    x = threads_axis(counts, logarithmic=logarithmic)
    series = channels([*curves], dashed)
    line = of_rows(ideal).mark_line(strokeDash=[2, 3], color=GREY, clip=True)
    known = of_rows(table)
    above = [row for row in table if row["above the cpus"]]
    tooltip = [*tips("series:N", "threads:Q"), *tips("speedup:Q", "low:Q", "high:Q", numbers=".3f")]
    ringed = of_rows(above).mark_point(filled=False, size=160, strokeWidth=2)
    own = [
        line.encode(x=x, y=alt.Y("ideal:Q", scale=scale, title="speedup"), detail="base:N"),
        known.mark_area(opacity=0.2).encode(
            x=x, y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q"), color=series.colour
        ),
        *with_intervals(known, "speedup", x=x, scale=scale, series=series, tooltip=tooltip),
        *([ringed.encode(x=x, y=alt.Y("speedup:Q", scale=scale), color=series.colour)] if above else []),
    ]
    drawn = alt.layer(*own)
    if beside:
        others = alt.layer(*_beside(beside, x, scale, [*curves]))
        drawn = alt.layer(drawn, others, resolve=alt.Resolve(scale=APART))
    return drawn.properties(width="container", height=HEIGHT)


def _top(rows: Sequence[dict[str, Any]], ideal: float) -> float | None:
    """Return where a linear axis ends if the ideal would push all points to the bottom; None if it ends by itself."""
    known = [row[name] for row in rows for name in ("speedup", "high") if math.isfinite(row[name])]
    highest = max(known, default=ideal)
    return ROOM * highest if ideal > CROWDED * highest else None


def _beside(rows: Sequence[dict[str, Any]], x: alt.X, scale: alt.Scale, names: list[str]) -> list[alt.Chart]:
    """Return the layers of speedups without a cause and with a remedy, in the colours of their series."""
    y = alt.Y("speedup:Q", scale=scale, title="speedup")
    colour = alt.Color("series:N", scale=alt.Scale(domain=names), legend=None)
    tooltip = [*tips("what:N", "series:N", "threads:Q"), *tips("speedup:Q", "low:Q", "high:Q", numbers=".3f")]
    shape = _shapes(rows)
    layers: list[alt.Chart] = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own, dash = of_rows([row for row in rows if row["kind"] == kind]), DASHES[kind]
        mark = own.mark_point(filled=kind == "measured", size=90, strokeWidth=2, opacity=1)
        layers += [
            own.mark_line(strokeDash=dash, strokeWidth=1.5).encode(x=x, y=y, color=colour, detail="what:N"),
            own.mark_rule(strokeDash=dash).encode(
                x=x, y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q"), color=colour
            ),
            mark.encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
        ]
    return layers


def _shapes(rows: Sequence[dict[str, Any]]) -> alt.Shape:
    """Return a shape for each cause, and that of remedies; their legend is in the corner above the ideal."""
    kinds = {row["what"]: row["kind"] for row in rows}
    hollow = itertools.cycle(HOLLOW)
    shapes = [next(hollow) if kind == "predicted" else REMEDY for kind in kinds.values()]
    legend = alt.Legend(orient="top-left", title=None, offset=4, symbolOpacity=1)
    return alt.Shape("what:N", scale=alt.Scale(domain=[*kinds], range=shapes), legend=legend)
