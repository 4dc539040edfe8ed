"""A study opened in Python: frames, charts, findings. numpy and altair are imported on first use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knee import store

if TYPE_CHECKING:
    from knee.explain.analysis import Analysis
    from knee.explain.factorial.analysis import FactorialAnalysis
    from knee.plots.figure import Figure, StudyData
    from knee.plots.style import Chart


@dataclass(frozen=True, repr=False)
class Study:
    """A study as it was read from its folder. Open it again to see newer runs."""

    folder: store.Folder
    machine: dict[str, Any]
    runs: list[store.Run]
    planned: int
    name: str

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Study:
        """Read a study's folder.

        Raises
        ------
        knee.store.StudyError
            When it is not a study, is damaged, or was written by another version.
        """
        contents = store.Contents.read(Path(path))
        return cls(contents.folder, contents.machine, contents.runs, contents.planned, contents.name)

    @cached_property
    def analysis(self) -> Analysis:
        """The analysis of all runs: curves, comparisons, findings, claims, and the verdict."""
        from knee.explain.analysis import analyze

        study_spec = self.folder.read_study_spec()
        responses = study_spec.get("measure", {}).get("responses", [])
        weak = "weak" in study_spec.get("design", {})
        claims = study_spec.get("claim", [])
        return analyze(self.name, self.folder, self.runs, self.planned, self.machine, claims, responses, weak=weak)

    @property
    def verdict(self) -> str:
        """The verdict as plain text: a headline and a few lines."""
        return self._told(str(self.analysis.verdict))

    def _told(self, text: str) -> str:
        """Name the study's own folder where a verdict says what to do with it."""
        from knee.explain.verdict.form import FOLDER

        return text.replace(FOLDER, self.folder.quoted)

    def __repr__(self) -> str:
        """Return name, runs and folder; nothing is analysed for it."""
        made = f"{len(self.runs)} of {self.planned} runs"
        return f"<knee study {self.name!r}: {made} in {str(self.folder.path)!r}>"

    def _repr_html_(self) -> str:
        """Return the verdict as a notebook shows it, and where the figures and runs are."""
        from html import escape

        verdict = self.analysis.verdict
        rows = "".join(
            f'<tr><td style="text-align:left">{escape(store.shown(line.label))}</td>'
            f'<td style="text-align:left">{escape(store.shown(self._told(line.text)))}</td></tr>'
            for line in verdict.lines
        )
        runs = f"{len(self.runs)} of {self.planned} runs, {len(self.analysis.bad)} rejected"
        return (
            f"<p><b>{escape(store.shown(verdict.headline))}</b></p><table>{rows}</table>"
            f"<p>{runs}. <code>.charts</code> has the figures, <code>.frame()</code> the runs.</p>"
        )

    def factorial(self, **asked: Any) -> FactorialAnalysis:
        """Return the factorial analysis that ``knee analyze`` prints; the report shows ``analysis.factorial``.

        Parameters
        ----------
        asked
            Any of ``response`` (a name), ``factors`` (a tuple of names), ``order`` (most factors in an interaction),
            ``block`` (False takes blocks out of the model), ``transform`` (``auto``, ``none``, ``log``, ``sqrt`` or
            ``inverse``), ``smallest`` (the smallest effect that matters, 0.05), ``contrasts`` (a tuple of texts) and
            ``within`` (a factor), as in :class:`knee.explain.factorial.design.Asked`.

        Raises
        ------
        knee.store.StudyError
            When the response, a factor or a level is unknown, or there are too few runs for the model.
        TypeError
            For an unknown argument.
        """
        from knee.explain.factorial.analysis import analyze
        from knee.explain.factorial.design import Asked

        return analyze(self.runs, Asked(**asked), len(self.machine["allowed"]["cpus"]))

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per run: order, cell, times in seconds, state."""
        from knee.explain.run_table import run_rows

        return run_rows(self.runs, self.analysis.outliers, self.analysis.disturbed)

    @cached_property
    def ledger(self) -> list[dict[str, Any]]:
        """Parts of the loss of every series at every thread count: one dictionary for each part, with its interval."""
        from knee.explain.ledger.rows import ledger_rows

        return ledger_rows(one for explained in self.analysis.ledgers.values() for one in explained)

    @cached_property
    def phases(self) -> list[dict[str, Any]]:
        """Marked phases of every series at every thread count: shares of the time, speedups, parts of the loss."""
        from knee.explain.ledger.rows import phase_rows

        return phase_rows(one for found in self.analysis.phases.values() for one in found)

    def frame(self, kind: str = "pandas") -> Any:
        """Return the runs as a data frame of pandas or polars.

        Parameters
        ----------
        kind
            ``pandas`` or ``polars``.

        Raises
        ------
        ValueError
            For any other kind.
        ImportError
            When that library is not installed; knee itself needs neither.
        """
        if kind not in ("pandas", "polars"):
            raise ValueError(f"unknown kind of frame {kind!r}; expected pandas or polars")
        import importlib

        # By itself polars looks at a hundred rows, and a counter may have its first value or fraction later.
        more: dict[str, Any] = {"infer_schema_length": None} if kind == "polars" else {}
        return importlib.import_module(kind).DataFrame(self.rows(), **more)

    @cached_property
    def charts(self) -> dict[str, Chart]:
        """Figures by name, as Altair charts, which a notebook displays."""
        return {figure.name: figure.chart for figure in self.figures}

    @cached_property
    def figures(self) -> list[Figure]:
        """Figures in reading order, each with its chart, its table and a sentence on what it shows."""
        from knee.plots.figures import figures

        return figures(self._drawn_from)

    @property
    def missing(self) -> list[tuple[str, str]]:
        """Figures that stay empty though the study asked for what they show: title, and what this machine lacks."""
        from knee.plots.missing import missing

        return missing(self._drawn_from, self.figures)

    @cached_property
    def _drawn_from(self) -> StudyData:
        from knee.explain.responses import NO_VALUES
        from knee.explain.scaling.counterfactual import counterfactuals
        from knee.explain.scaling.series import same_placements
        from knee.explain.verdict.predicted import predicted_rows
        from knee.plots.figure import StudyData

        analysis = self.analysis
        models = {"": analysis.factorial, **analysis.responses}
        return StudyData(
            folder=self.folder,
            machine=self.machine,
            runs=self.runs,
            table=self.rows(),
            curves={series.name: series.curve for series in analysis.series},
            timed={series.name: series.runs for series in analysis.series},
            counting={series.name: series.counting for series in analysis.series},
            cpus={series.name: series.cpus for series in analysis.series},
            counterfactuals=counterfactuals(analysis.series, self.machine),
            memory=self.folder.read_memory() or {},
            weak=any(series.weak for series in analysis.series),
            # A response that cannot be analysed has a sentence in place of a model.
            models={name: model for name, model in models.items() if model is not None and not isinstance(model, str)},
            unmodelled={
                name: one.removeprefix(f"{NO_VALUES}{name}: ")
                for name, one in analysis.responses.items()
                if isinstance(one, str) and one.startswith(NO_VALUES)
            },
            same=same_placements(analysis.series),
            losses=self.ledger,
            predicted=predicted_rows(analysis.series, analysis.ledgers, analysis.tried),
        )
