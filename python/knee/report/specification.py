"""The Vega-Lite specification of a figure, for the page and for pictures."""

from __future__ import annotations

from typing import Any

from knee.plots.figure import Figure
from knee.plots.style import PAPER_WIDTH, Ground, config


def specification(figure: Figure, ground: Ground | None = None, *, checked: bool = True) -> dict[str, Any]:
    """Return a figure's Vega-Lite specification, with the colours of a ground if one is given.

    ``checked`` validates it against Vega-Lite's schema.
    """
    spec: dict[str, Any] = figure.chart.to_dict(validate=checked)
    spec.pop("config", None)
    return spec if ground is None else spec | {"config": config(ground), "width": PAPER_WIDTH}
