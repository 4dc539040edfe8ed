"""Claims about curves over thread counts: a slope, a bend, the order of two curves, and a knee."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from knee.explain.claims.cells import Cells, arithmetic, asked, divided, words
from knee.explain.claims.evidence import Claim, Evidence, NoNumberError, Number
from knee.explain.responses import COMPARED, pool
from knee.stats.distributions import Array
from knee.stats.extreme import largest, least
from knee.stats.intervals import Interval
from knee.stats.scaling.slope import bends, slopes


def slope_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the log-log slope over thread counts, fitted per block."""
    return _fitted(claim, evidence, "slope", slopes, 2)


def bend_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the change of the log-log slope in the middle of a range of thread counts, fitted per block."""
    return _fitted(claim, evidence, "bend", bends, 3)


def _fitted(claim: Claim, evidence: Evidence, kind: str, fit: Callable[[Array, Array], Array], fewest: int) -> Number:
    cells = _speeds(claim, evidence) if claim.get("response") == "speedup" else Cells.of(claim, evidence)
    chosen = claim[kind]
    counts = _counts(cells, claim, chosen)
    if len(counts) < fewest:
        least_of_all = {2: "two", 3: "three"}[fewest]
        raise NoNumberError(f"{_listed(counts)} between {_ends(claim)}: a {kind} needs at least {least_of_all}")
    values = np.array([cells.means({**chosen, "threads": count}) for count in counts]).T
    number = arithmetic(fit(np.array(counts, dtype=np.float64), values), "each count")
    return replace(number, where=f"over {_listed(counts)}")


def _speeds(claim: Claim, evidence: Evidence) -> Cells:
    """Return work over time: it has the same slope as the speedup, and also a value at the base."""
    runs = pool(evidence.runs, None)
    times = asked(runs, None)
    speeds = tuple(run.work / value for run, value in zip(times.runs, times.values, strict=True))
    return Cells(runs, divided(replace(times, values=speeds), runs, claim.get("per")))


def order_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the ratio of two series at the thread count where it is smallest, or largest for a claim of ``below``.

    The interval covers that ratio in at least 90 of 100 studies, however many counts there are: see
    :mod:`knee.stats.extreme`.
    """
    cells = Cells.of(claim, evidence)
    of, over = (claim["order"][side] for side in ("of", "over"))
    counts = _counts(cells, claim, of, over)
    if not counts:
        raise NoNumberError(f"no thread count between {_ends(claim)} was run with both")
    logs = [_log_ratios(cells, {**of, "threads": count}, {**over, "threads": count}) for count in counts]
    extreme = least(logs) if "above" in claim else largest(logs)
    ends = Interval(float(np.exp(extreme.interval.low)), float(np.exp(extreme.interval.high)))
    word = "smallest" if "above" in claim else "largest"
    where = f"{word} at threads={counts[extreme.place]}, of {_listed(counts)}"
    return Number(float(np.exp(extreme.estimate)), ends, where)


def _log_ratios(cells: Cells, of: dict[str, str | int | float], over: dict[str, str | int | float]) -> Array:
    apart = np.log(cells.means(of, over)) - np.log(cells.means(over, of))
    known = apart[np.isfinite(apart)]
    if known.size < 2:
        raise NoNumberError(f"fewer than two blocks have a good run of both with threads={of['threads']}")
    return known


def _counts(cells: Cells, claim: Claim, *chosen: dict[str, str | int | float]) -> list[int]:
    counts = cells.counts(claim["between"], *chosen)
    if cells.response.name in COMPARED:
        base = min(run.threads for run in cells.runs)
        return [count for count in counts if count != base]
    return counts


def _listed(counts: list[int]) -> str:
    return f"threads={','.join(map(str, counts))}" if counts else "no thread count"


def _ends(claim: Claim) -> str:
    return " and ".join(map(str, claim["between"]))


def knee_number(claim: Claim, evidence: Evidence) -> Number:
    """Return the knee of the only series with these levels."""
    chosen = claim["knee"]
    fitting = [
        one for one in evidence.series if all(one.levels.get(name) == str(level) for name, level in chosen.items())
    ]
    if len(fitting) != 1:
        raise NoNumberError(f"{len(fitting)} series have {words(chosen) or 'no levels'}: a claim must name one")
    knee = evidence.summaries[fitting[0].name].knee
    if knee.verdict != "knee":
        raise NoNumberError(f"no knee was found: {knee.why}")
    return Number(knee.threads, knee.interval)
