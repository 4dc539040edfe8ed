"""The design behind a factorial analysis: which factors vary, which cells were run, and what can be the error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from knee.explain.responses import Response
from knee.stats.linear.design import Design, Factor, NotEstimableError
from knee.stats.linear.least_squares import fit
from knee.stats.practical import SMALLEST
from knee.store import StudyError

Scale = Literal["auto", "none", "log", "sqrt", "inverse"]


@dataclass(frozen=True)
class Asked:
    """What is to be analysed and how; see ``knee analyze --help``. Without ``factors`` all that vary."""

    response: str | None = None
    factors: tuple[str, ...] = ()
    block: bool = True
    transform: Scale = "auto"
    smallest: float = SMALLEST
    contrasts: tuple[str, ...] = ()
    order: int | None = None
    within: str | None = None


def designed(measured: Response, asked: Asked) -> tuple[Design, list[str]]:
    """Return a design that the runs can be fitted to, and what was done to get it."""
    factors, notes = factors_of(measured, asked)
    names = [str(run.spec["block"]) for run in measured.runs]
    several = asked.block and len(set(names)) > 1
    block = Factor.of(_block_name(factors), names) if several else None
    if not asked.block:
        notes.append("The blocks are left out of the model, as asked: their differences are in the error.")
    design = Design(factors, block, asked.order)
    try:
        freedom = fit(np.zeros(design.runs), design).freedom
    except NotEstimableError as error:
        raise _insufficient(measured, design, error) from error
    if design.missing:
        many = f"{len(design.missing)} of {_cells(design)} cells have no run"
        notes.append(f"{many}: their predictions rest on what the other cells say.")
    if freedom == 0:
        design = _one_run_each(measured, design, notes)
    return design, notes


def _one_run_each(measured: Response, design: Design, notes: list[str]) -> Design:
    """Take the largest interaction for the error, where there is one."""
    largest = max(design.terms, key=len)
    if len(largest) < 2:
        raise StudyError(
            f"one run of each level only: {measured.name}: nothing tells noise from effects",
            hint="make more blocks: `knee study --blocks 5`",
        )
    notes.append(
        f"There is one run of each cell only: the interaction {' x '.join(largest)} serves as the error, so it "
        "cannot be told from noise."
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
        hint="`--order 1` leaves interactions out; `--factors` chooses factors that were fully crossed",
    )


def _cells(design: Design) -> int:
    return int(np.prod([len(one.levels) for one in design.factors]))


def _block_name(factors: tuple[Factor, ...]) -> str:
    return "block of runs" if any(one.name == "block" for one in factors) else "block"


def factors_of(measured: Response, asked: Asked) -> tuple[tuple[Factor, ...], list[str]]:
    """Return the factors of a response's runs that vary, or those asked for; and what is left to the error."""
    cells = [run.spec["cell"] for run in measured.runs]
    known = list(dict.fromkeys(name for cell in cells for name in cell))
    varying = [name for name in known if len({str(cell.get(name, "-")) for cell in cells}) > 1]
    for name in asked.factors:
        if name not in varying:
            why = "has one level only" if name in known else "is not in the study"
            raise StudyError(f"no such factor: {name}: it {why}", hint=f"one of {', '.join(varying) or 'none'}")
    if not varying:
        raise StudyError(f"nothing varies: all runs with a {measured.name} are of one cell", hint="study two levels")
    chosen = [name for name in varying if not asked.factors or name in asked.factors]
    notes = [f"{name} varies too, and is left to the error." for name in varying if name not in chosen]
    return tuple(_factor(name, [str(cell.get(name, "-")) for cell in cells]) for name in chosen), notes


def _factor(name: str, values: list[str]) -> Factor:
    """Return a factor with numbers ascending, or words in their order: that of the plan is random."""
    levels = set(values)
    numbers = all(level.isdecimal() for level in levels)
    return Factor.of(name, values, sorted(levels, key=int) if numbers else sorted(levels))
