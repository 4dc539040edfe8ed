"""The figures of a study, in reading order; the list of them is here."""

from __future__ import annotations

from knee.plots import runs
from knee.plots.factorial import effects, interaction, residuals
from knee.plots.figure import Figure, FigureFile, StudyData
from knee.plots.machine import latency, matrix, owners, placements, reads
from knee.plots.resources import cpu_time, cpu_use, instructions, over_time, traffic, work_over_time
from knee.plots.scaling import efficiency, loss, run_time, speedup

FIGURES: tuple[FigureFile, ...] = (
    speedup,
    loss,
    efficiency,
    run_time,
    instructions,
    cpu_time,
    traffic,
    cpu_use,
    over_time,
    work_over_time,
    owners,
    reads,
    placements,
    effects,
    interaction,
    residuals,
    latency,
    matrix,
    runs,
)
"""Every figure, in reading order. A figure is a module with ``TITLE``, ``SEES`` and ``make(study) -> list[Figure]``."""


OF_THE_MACHINE: tuple[FigureFile, ...] = (instructions, cpu_time, traffic, cpu_use, over_time, work_over_time)
"""Figures of what this machine did, which in a rehearsal is to run the simulator."""


def figures(study: StudyData) -> list[Figure]:
    """Return every figure that the study has data for; those of one response stay together."""
    files = [one for one in FIGURES if not (study.rehearsed and one in OF_THE_MACHINE)]
    made = [figure for one in files for figure in one.make(study)]
    responses = list(study.models)
    places = [place for place, figure in enumerate(made) if figure.response is not None]
    by_response = sorted(places, key=lambda place: responses.index(made[place].response or ""))
    order = dict(zip(places, by_response, strict=True))
    return [made[order.get(place, place)] for place in range(len(made))]
