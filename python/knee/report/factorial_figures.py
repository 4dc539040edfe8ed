"""The figures of a factorial study: effects, interactions, and what the model leaves over."""

from __future__ import annotations

import dataclasses
import re

from knee.explain.factorial.analysis import FactorialAnalysis
from knee.plots.factorial import effects, interaction, residuals
from knee.report.figure import Figure
from knee.store import Run


def factorial_figures(found: FactorialAnalysis, runs: list[Run], of: str = "") -> list[Figure]:
    """Return the figures of an analysis of these runs; ``of`` is a response other than what the study measures."""
    made = [*_effects(found), *_interactions(found), *_residuals(found, runs)]
    return [_named(figure, of) for figure in made] if of else made


def _named(figure: Figure, of: str) -> Figure:
    prefix = re.sub(r"[^A-Za-z0-9]+", "-", of)
    group = f"{prefix}-{figure.group}" if figure.group else ""
    return dataclasses.replace(figure, name=f"{prefix}-{figure.name}", title=f"{figure.title}: {of}", group=group)


def _effects(found: FactorialAnalysis) -> list[Figure]:
    table = effects.rows(found.effects, found.scale)
    return [
        Figure("effects", "Effects", effects.sees(table), effects.chart(table, found.scale, found.response), table),
    ]


def _interactions(found: FactorialAnalysis) -> list[Figure]:
    made: list[Figure] = []
    for one in found.interactions:
        levels = {name: found.factors[name] for name in one.factors}
        chart = interaction.chart(one.means, levels, found.scale, f"{found.response}, {found.unit}")
        table, name = interaction.rows(one.means, found.response), f"interaction-{len(made) + 1}"
        sees, choice = interaction.sees(one.share, one.p), " x ".join(one.factors)
        title = "Interactions" if len(found.interactions) > 1 else f"Interaction of {' and '.join(one.factors)}"
        made.append(Figure(name, title, sees, chart, table, "interactions", choice))
    return made


def _residuals(found: FactorialAnalysis, runs: list[Run]) -> list[Figure]:
    looks, group, title = found.diagnostics, "residuals", "Residuals"
    scale = found.response if found.scale == "none" else f"{found.scale} of {found.response}"
    orders = {run.spec["id"]: run.order + 1 for run in runs}
    fitted, quantiles = residuals.fitted_rows(looks), residuals.quantile_rows(looks)
    over, against = residuals.fitted_chart(fitted, scale), residuals.quantile_chart(quantiles)
    ordered = residuals.order_rows(looks, [orders[name] for name in found.run_ids])
    drift = residuals.order_chart(ordered)
    return [
        Figure("residuals", title, residuals.FITTED_SEES, over, fitted, group, "over fitted values"),
        Figure("quantiles", title, residuals.QUANTILES_SEES, against, quantiles, group, "against normal errors"),
        Figure("residuals-order", title, residuals.ORDER_SEES, drift, ordered, group, "in running order"),
    ]
