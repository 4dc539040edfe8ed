"""The input of a figure, and the figure: a chart with its caption and its table."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from knee.plots.style import Chart
from knee.stats.linear.diagnostics import Diagnostics
from knee.stats.linear.effects import Effect
from knee.stats.linear.interactions import Interaction
from knee.stats.scaling.curve import Curve
from knee.store import Folder, Run

Members = Mapping[str, Sequence[Run]]
"""Runs by the name of their series."""


@dataclass(frozen=True)
class Figure:
    """A chart with its caption and its table.

    ``group`` joins figures that a reader switches between, ``choice`` is what the switch says. ``response`` is what a
    factorial analysis is about: empty for what the study measures, None for figures that show no such analysis.
    """

    name: str
    title: str
    sees: str
    chart: Chart
    rows: Sequence[dict[str, Any]] = field(repr=False)
    group: str = ""
    choice: str = ""
    response: str | None = None


class Model(Protocol):
    """What figures show of a factorial analysis."""

    @property
    def response(self) -> str:
        """Name of the response."""
        ...

    @property
    def unit(self) -> str:
        """Its unit."""
        ...

    @property
    def scale(self) -> str:
        """The scale that it is analysed on."""
        ...

    @property
    def factors(self) -> Mapping[str, list[str]]:
        """Levels of each factor."""
        ...

    @property
    def run_ids(self) -> Sequence[str]:
        """The runs in the order of the residuals."""
        ...

    @property
    def effects(self) -> Sequence[Effect]:
        """All effects."""
        ...

    @property
    def interactions(self) -> Sequence[Interaction]:
        """Interactions of two factors."""
        ...

    @property
    def diagnostics(self) -> Diagnostics:
        """What the model leaves over."""
        ...


@dataclass(frozen=True)
class StudyData:
    """What figures are made from: the runs of a study and what is concluded from them."""

    folder: Folder
    machine: dict[str, Any]
    runs: Sequence[Run]
    table: Sequence[dict[str, Any]]
    """One row a run."""
    curves: dict[str, Curve]
    """The curve of each series."""
    timed: Members
    """The runs behind each curve."""
    counting: Members
    """Runs with counters, which may be others than the timed ones."""
    cpus: Mapping[str, int]
    """How many cpus each series could use; points with more threads are marked."""
    counterfactuals: Sequence[str]
    """Names of series that are drawn dashed: the same program on placements that only serve as a comparison."""
    memory: dict[str, Any]
    """Results of the memory probes; empty without probes."""
    weak: bool
    """Whether the work grows with the threads."""
    models: Mapping[str, Model]
    """Factorial analyses by response; the empty name is what the study measures."""
    unmodelled: Mapping[str, str] = field(default_factory=dict[str, str])
    """Responses of which a study asks for an analysis and no run has a value, with the reason."""
    same: Mapping[str, str] = field(default_factory=dict[str, str])
    """Placements that put threads on the same cpus here as another one, each with that one."""
    losses: Sequence[dict[str, Any]] = ()
    """Parts of the loss, one row for each part at each thread count (``knee.explain.ledger.rows``)."""
    predicted: Sequence[dict[str, Any]] = ()
    """Speedups without a cause and with a remedy (``knee.explain.verdict.predicted``)."""

    @property
    def rehearsed(self) -> bool:
        """Whether all runs are rehearsals, in virtual time on a described machine."""
        return bool(self.runs) and all(run.rehearsed for run in self.runs)

    @property
    def scales(self) -> bool:
        """Whether any series has a second thread count."""
        return any(len(curve.points) > 1 for curve in self.curves.values())


class FigureFile(Protocol):
    """A file that makes a figure, or several that a reader switches between."""

    @property
    def TITLE(self) -> str:  # noqa: N802 -- a constant of the file
        """Headline of the figure."""
        ...

    @property
    def SEES(self) -> str:  # noqa: N802
        """The sentence that says what to see."""
        ...

    def make(self, study: StudyData) -> list[Figure]:
        """Return the figures; none where the study has no data for them."""
        ...


PLAIN = re.compile(r"[A-Za-z0-9:_-]+")
"""Names of responses that keep apart when other characters become dashes."""


def of_response(response: str, figures: Sequence[Figure]) -> list[Figure]:
    """Return figures of a factorial analysis, with their response in name and title unless it is the study's own."""
    named = [replace(figure, response=response) for figure in figures]
    if not response:
        return named
    prefix = re.sub(r"[^A-Za-z0-9_]+", "-", response)
    if not PLAIN.fullmatch(response):
        # Other names may become the same one: figures are files, and keys of the page.
        prefix += f"-{zlib.crc32(response.encode(errors='replace')):08x}"
    return [
        replace(
            figure,
            name=f"{prefix}-{figure.name}",
            title=f"{figure.title}: {response}",
            group=f"{prefix}-{figure.group}" if figure.group else "",
        )
        for figure in named
    ]
