"""The residuals: over fitted values, against normal quantiles, and in the order in which the runs were made."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from knee.plots.figure import Figure, Model, StudyData, of_response
from knee.plots.style import HEIGHT, Chart, of_rows
from knee.stats.linear.diagnostics import Diagnostics

TITLE = "Residuals"
SEES = "No slope, no bend and an even width mean that the model leaves only noise."
QUANTILES_SEES = "Points on the line are normal errors; ends off the line are heavier or lighter tails."

ORDER_SEES = (
    "If they are level and equally wide, the machine did not change during the study. A slope or a wave is drift, "
    "which blocks remove only if it is slower than a block."
)

GROUP = "residuals"

ROUNDING = 1e-9
"""Residuals that are no larger beside the fitted values are what rounding left."""

FOR_A_CURVE = 12
"""From this many runs on, a local mean shows more than the points do."""

Row = dict[str, Any]


def make(study: StudyData) -> list[Figure]:
    """Return three figures of the residuals of each factorial analysis."""
    orders = {run.spec["id"]: run.order + 1 for run in study.runs}
    return [figure for name, model in study.models.items() for figure in of_response(name, _residuals(model, orders))]


def _residuals(model: Model, orders: dict[str, int]) -> list[Figure]:
    left = model.diagnostics
    if float(np.abs(left.residuals).max()) <= ROUNDING * float(np.abs(left.fitted).max()):
        return []
    scale, unit = (f"{model.scale} of {model.response}", model.scale)
    if model.scale == "none":
        scale, unit = f"{model.response}, {model.unit}", model.unit
    residual = f"residual, {unit}"
    fitted, quantiles = fitted_rows(left), quantile_rows(left)
    ordered = order_rows(left, [orders[name] for name in model.run_ids])
    over, against, drift = (
        fitted_chart(fitted, scale, residual),
        quantile_chart(quantiles, residual),
        order_chart(ordered, residual),
    )
    return [
        Figure("residuals", TITLE, SEES, over, fitted, GROUP, "over fitted values"),
        Figure("quantiles", TITLE, QUANTILES_SEES, against, quantiles, GROUP, "against normal errors"),
        Figure("residuals-order", TITLE, ORDER_SEES, drift, ordered, GROUP, "in running order"),
    ]


def _digits(value: float) -> float:
    """Return a value with six significant digits, since responses may be small."""
    return float(f"{value:.6g}")


def fitted_rows(left: Diagnostics) -> list[Row]:
    """Return one row a run."""
    pairs = zip(left.fitted.tolist(), left.residuals.tolist(), strict=True)
    return [{"fitted": _digits(fitted), "residual": _digits(residual)} for fitted, residual in pairs]


def quantile_rows(left: Diagnostics) -> list[Row]:
    """Return the points of the Q-Q plot, in ascending order."""
    pairs = zip(left.expected.tolist(), left.ordered.tolist(), strict=True)
    return [{"normal": _digits(expected), "residual": _digits(ordered)} for expected, ordered in pairs]


def order_rows(left: Diagnostics, orders: list[int]) -> list[Row]:
    """Return one row a run; ``orders`` is each run's place in the order in which all were made."""
    pairs = zip(orders, left.residuals.tolist(), strict=True)
    return [{"order": order, "residual": _digits(residual)} for order, residual in pairs]


def fitted_chart(rows: list[Row], scale: str, residual: str) -> Chart:
    """Return residuals over fitted values, with the line at 0."""
    base = of_rows(rows)
    x = alt.X("fitted:Q", title=f"fitted, {scale}", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=10))
    points = base.mark_point(size=24).encode(x=x, y=alt.Y("residual:Q", title=residual))
    level = of_rows([{"residual": 0}]).mark_rule(strokeDash=[4, 4]).encode(y=alt.Y("residual:Q"))
    return alt.layer(level, points).properties(width="container", height=HEIGHT)


def quantile_chart(rows: list[Row], residual: str) -> Chart:
    """Return the Q-Q plot, with the line through its quartiles."""
    low, high = (rows[round(share * (len(rows) - 1))] for share in (0.25, 0.75))
    across = high["normal"] - low["normal"]
    slope = (high["residual"] - low["residual"]) / across if across else 0.0
    ends = [
        {"normal": one["normal"], "residual": low["residual"] + slope * (one["normal"] - low["normal"])}
        for one in (rows[0], rows[-1])
    ]
    x = alt.X("normal:Q", title="normal quantile")
    y = alt.Y("residual:Q", title=residual)
    points = of_rows(rows).mark_point(size=24).encode(x=x, y=y)
    line = of_rows(ends).mark_line(strokeDash=[4, 4], opacity=0.7).encode(x=x, y=y)
    return alt.layer(line, points).properties(width="container", height=HEIGHT)


def order_chart(rows: list[Row], residual: str) -> Chart:
    """Return residuals in running order, with the line at 0 and their local mean."""
    base = of_rows(rows)
    scale = alt.Scale(zero=False, nice=False, padding=12)
    x = alt.X("order:Q", title="running order", scale=scale, axis=alt.Axis(format="d", tickMinStep=1))
    y = alt.Y("residual:Q", title=residual)
    level = of_rows([{"residual": 0}]).mark_rule(strokeDash=[4, 4]).encode(y=alt.Y("residual:Q"))
    smooth = base.transform_loess("order", "residual", bandwidth=0.5).mark_line(opacity=0.7).encode(x=x, y=y)
    layers = [level, base.mark_point(size=24).encode(x=x, y=y), *([smooth] if len(rows) >= FOR_A_CURVE else [])]
    return alt.layer(*layers).properties(width="container", height=HEIGHT)
