"""The design of a factorial analysis: which factors vary, which cells have runs, and what estimates the error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from knee.explain.factorial.twins import SAME
from knee.explain.responses import COMPARED, Response
from knee.explain.scaling.series import word_of
from knee.stats.linear.design import Design, Factor, NotEstimableError, numeric
from knee.stats.linear.least_squares import fit
from knee.stats.practical import SMALLEST
from knee.store import Run, StudyError, one_of

Scale = Literal["auto", "none", "log", "sqrt", "inverse"]


@dataclass(frozen=True)
class Asked:
    """Options of an analysis; see ``knee analyze --help``. Without ``factors``, all factors that vary."""

    response: str | None = None
    factors: tuple[str, ...] = ()
    block: bool = True
    transform: Scale = "auto"
    smallest: float = SMALLEST
    contrasts: tuple[str, ...] = ()
    order: int | None = None
    within: str | None = None


def designed(measured: Response, asked: Asked) -> tuple[Design, list[str]]:
    """Return a design that can be fitted to the runs, and notes on how it was chosen."""
    factors, notes = factors_of(measured, asked)
    names = [str(run.spec["block"]) for run in measured.runs]
    several = asked.block and len(set(names)) > 1
    block = Factor.of(_block_name(factors), names) if several else None
    if not asked.block:
        notes.append("Blocks are left out of the model (--no-block): differences between blocks are part of the error.")
    design = Design(factors, block, asked.order)
    try:
        freedom = fit(np.zeros(design.runs), design).freedom
    except NotEstimableError as error:
        raise _insufficient(measured, design, error) from error
    if design.missing:
        many = f"{len(design.missing)} of {_cells(design)} cells have no run"
        notes.append(f"{many}: they are predicted from the other cells.")
    if freedom == 0:
        design = _one_run_each(measured, design, notes)
    return design, notes


def _one_run_each(measured: Response, design: Design, notes: list[str]) -> Design:
    """Use the largest interaction as the error, if there is one."""
    largest = max(design.terms, key=len)
    if len(largest) < 2:
        raise StudyError(
            f"only one run per level: {measured.name}: noise cannot be separated from effects",
            hint="measure more blocks: `knee study --blocks 5`",
        )
    notes.append(
        f"Each cell has only one run: the interaction {' x '.join(largest)} serves as the error, so it "
        "cannot be separated from noise."
    )
    return design.with_order(len(largest) - 1)


def _insufficient(measured: Response, design: Design, error: NotEstimableError) -> StudyError:
    if not design.missing:
        return StudyError(f"too few runs: {measured.name}: {error}", hint="`--order 1` leaves interactions out")
    shown = "; ".join(", ".join(f"{k}={v}" for k, v in cell.items()) for cell in design.missing[:3])
    more = f" and {len(design.missing) - 3} more" if len(design.missing) > 3 else ""
    many = f"{len(design.missing)} of {_cells(design)} have no good run of {measured.name}"
    return StudyError(
        f"cells missing: {many}: {shown}{more}",
        hint="`--order 1` leaves interactions out; `--factors` restricts the analysis to fully crossed factors",
    )


def _cells(design: Design) -> int:
    return int(np.prod([len(one.levels) for one in design.factors]))


def _block_name(factors: tuple[Factor, ...]) -> str:
    return "block of runs" if any(one.name == "block" for one in factors) else "block"


def factors_of(measured: Response, asked: Asked) -> tuple[tuple[Factor, ...], list[str]]:
    """Return the factors that vary, or those requested, and notes on factors that are part of the error."""
    known = list(dict.fromkeys(name for run in measured.runs for name in run.cell))
    values = {name: [level_of(run, name) for run in measured.runs] for name in known}
    varying = [name for name in known if len(set(values[name])) > 1]
    for name in asked.factors:
        if name not in varying:
            why = _one_level(measured) if name in known else "is not in the study"
            raise StudyError(f"unknown factor {name!r}: it {why}", hint=f"one of {one_of(varying)}")
    if not varying:
        raise _nothing_varies(measured)
    chosen = [name for name in varying if not asked.factors or name in asked.factors]
    notes = [f"{name} varies too; its effect is part of the error." for name in varying if name not in chosen]
    return tuple(_factor(name, values[name]) for name in chosen), notes


def _nothing_varies(measured: Response) -> StudyError:
    if measured.name in COMPARED and measured.left_out:
        counts = ", ".join(map(str, sorted({run.threads for run in measured.runs})))
        return StudyError(
            f"nothing varies: {measured.name} compares with the fewest threads, which leaves only threads={counts}",
            hint="`--response cpu` compares all thread counts; or give another factor two levels",
        )
    return StudyError(
        f"nothing varies: all runs with a value of {measured.name} belong to one cell",
        hint="give a factor at least two levels",
    )


def _one_level(measured: Response) -> str:
    same = next((why for why in measured.left_out.values() if SAME in why), "")
    return f"has only one level{f' ({same})' if same else ''}"


def level_of(run: Run, factor: str) -> str:
    """Return what a run's level of a factor is called; a dash where its cell has none."""
    return word_of(factor, run.cell.get(factor, "-"))


def _factor(name: str, values: list[str]) -> Factor:
    """Return a factor with sorted levels, since the order of the plan is random."""
    levels = set(values)
    return Factor.of(name, values, sorted(levels, key=int) if numeric(levels) else sorted(levels))
