"""Series: the runs of a study grouped into curves, one for each combination of levels other than threads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.stats.contrasts import Array, Ratio, ratio
from knee.stats.scaling import Curve, curve
from knee.store import Run


@dataclass(frozen=True)
class Series:
    """One curve with the runs behind it."""

    name: str
    levels: dict[str, str]
    runs: tuple[Run, ...]
    curve: Curve
    cpus: int
    copies: dict[int, Ratio]
    """Number of copies to their time over that of one, where the study ran copies."""

    @property
    def pinned(self) -> bool:
        """Whether knee chose the cpus."""
        return self.levels.get("placement") != "none"


def group(runs: list[Run], allowed: int) -> list[Series]:
    """Return the series of a study, those with a usable base only, in the order in which they were planned."""
    found: dict[str, list[Run]] = {}
    factors = {name for run in runs for name in run.spec["cell"] if name not in ("threads", "baseline", "copies")}
    varying = {name for name in factors if len({run.spec["cell"].get(name) for run in runs if _counts(run)}) > 1}
    for run in sorted(runs, key=_sort_key):
        if _counts(run):
            found.setdefault(_name(run, varying), []).append(run)
    made = [_series(name, members, allowed) for name, members in found.items()]
    return [series for series in made if series is not None]


def _counts(run: Run) -> bool:
    return "baseline" not in run.spec["cell"]


def _sort_key(run: Run) -> list[str]:
    cell = run.spec["cell"]
    # `none` is the negative control: it comes last.
    return [
        str(cell.get("placement") == "none"),
        *(f"{k}={cell[k]}" for k in sorted(cell) if k not in ("threads", "copies")),
    ]


def _name(run: Run, varying: set[str]) -> str:
    cell = run.spec["cell"]
    shown = [name for name in cell if name in varying] or ["placement"]
    return ", ".join(str(cell[n]) if n in ("placement", "runtime") else f"{n}={cell[n]}" for n in shown if n in cell)


def _series(name: str, members: list[Run], allowed: int) -> Series | None:
    runs = [run for run in members if "copies" not in run.spec["cell"]]
    if not runs:
        return None
    blocks = max(run.spec["block"] for run in members)
    times = {n: table(runs, n, blocks, cpu=False) for n in sorted({run.threads for run in runs})}
    cpu = {n: table(runs, n, blocks, cpu=True) for n in times}
    fitted = curve(times, cpu)
    if fitted is None:
        return None
    copies = [run for run in members if "copies" in run.spec["cell"]]
    slowed = {
        n: ratio(table(copies, n, blocks, cpu=False), times[fitted.base]) for n in {run.threads for run in copies}
    }
    levels = {key: str(level) for key, level in runs[0].spec["cell"].items() if key != "threads"}
    return Series(name, levels, tuple(runs), fitted, allowed, slowed)


def table(runs: list[Run], threads: int, blocks: int, *, cpu: bool) -> Array:
    """Return times or CPU times by block, shape (blocks,), NaN where there is no good run."""
    values = np.full(blocks, np.nan)
    for run in runs:
        if run.threads == threads and run.bad is None:
            value = run.cpu_s if cpu else run.time_s
            values[run.spec["block"] - 1] = value or np.nan
    return values
