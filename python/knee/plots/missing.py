"""Figures for which a study counted something that this machine cannot count: what each of them needs."""

from __future__ import annotations

from knee.plots.figure import Figure, StudyData
from knee.plots.resources import instructions, over_time, traffic

INSTRUCTIONS = "Instructions and their rate, over threads"
"""Where they are unknown, another figure stands in their place, under the same title."""

NEEDED = {
    traffic.TITLE: [name for of in traffic.SOURCES for name in (of.total or of.remote, of.local)],
    over_time.TITLE: [over_time.TOTAL],
    INSTRUCTIONS: [instructions.INSTRUCTIONS],
}
"""The counters that a figure is made of, those that are looked for first at the beginning."""


def missing(study: StudyData, drawn: list[Figure]) -> list[tuple[str, str]]:
    """Return the titles of figures that stay empty though the study asked for their counters, each with the reason."""
    titles = {INSTRUCTIONS if figure.name == "instructions" else figure.title for figure in drawn}
    reasons = _reasons(study)
    models = [(f"Effects, interactions and residuals of {name}", why) for name, why in study.unmodelled.items()]
    found = [(title, [name for name in needed if name in reasons]) for title, needed in NEEDED.items()]
    figures = [(title, f"{names[0]}: {reasons[names[0]]}") for title, names in found if names and title not in titles]
    same = [
        (f"A curve of {name} apart from that of {other}", "both put threads on the same cpus here")
        for name, other in study.same.items()
    ]
    return [*figures, *models, *same]


def _reasons(study: StudyData) -> dict[str, str]:
    """Return why a counter has no value in any run, by name."""
    reasons: dict[str, str] = {}
    known: set[str] = set()
    for runs in study.counting.values():
        for name, count in (item for run in runs for item in run.record["counters"].items()):
            if isinstance(count, dict) and "unavailable" in count:
                reasons.setdefault(name, str(count["unavailable"]))
            else:
                known.add(name)
    return {name: why for name, why in reasons.items() if name not in known}
