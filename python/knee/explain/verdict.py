"""The verdict: one sentence that claims no more than the data can carry."""

from __future__ import annotations

from knee.explain.cause import Finding
from knee.explain.series import Series
from knee.stats.scaling import Curve, Point

COUNTS_FOR_A_LAW = 6
"""With fewer thread counts no law is fitted and no knee is claimed."""


CLEARLY_SLOWER = 0.99
"""A speedup whose interval ends below this is called slower; closer to 1 the printed digits would not show it."""


def main_series(series: list[Series]) -> Series | None:
    """Return the series the verdict speaks of: a pinned one before the kernel's choice, then the one of least time."""
    return min(series, key=lambda one: (not one.pinned, one.curve.best().mean_s), default=None)


def sentence(name: str, series: list[Series], findings: list[Finding]) -> str:
    """Return the verdict on a study."""
    chosen = main_series(series)
    if chosen is None:
        return f"{name}: no verdict: the runs that every speedup is compared with are missing or bad."
    where = f"with {chosen.name}" if "=" in chosen.name else f"on {chosen.name}"
    if chosen.name == "none":
        where = "where the kernel puts them"
    parts = [_scaling(chosen.curve, where)]
    parts += [_says(finding, chosen) for finding in findings if finding.cause != "oversubscription"]
    parts.append(_knee(chosen.curve))
    return f"{name}: " + ". ".join(part[0].upper() + part[1:] for part in parts) + "."


def _says(finding: Finding, chosen: Series) -> str:
    return finding.says if finding.series == chosen.name else f"with {finding.series}, {finding.says}"


def _scaling(curve: Curve, where: str) -> str:
    base = _threads(curve.base)
    gains = [point for point in curve.points if point.threads > curve.base and point.speedup.interval.low > 1]
    if len(curve.points) == 1:
        return f"only {base} was measured, so there is no speedup"
    if all(point.speedup.blocks < 2 for point in curve.points if point.threads > curve.base):
        return f"too few good runs {where} for an interval, so nothing is said about speedup"
    if not gains:
        top = curve.points[-1]
        worse = top.speedup.interval.high < CLEARLY_SLOWER
        than = f"slower than {base}" if worse else f"not faster than {base}, as far as the interval can see"
        return f"{_threads(top.threads)} {where} are {than} ({_speedup(top)})"
    enough = curve.enough
    text = f"{_threads(enough.threads)} {where} run {_speedup(enough)} as fast as {base}"
    text += f", at {100 * enough.efficiency:.0f} % efficiency"
    beyond = [point for point in curve.points if point.threads > enough.threads]
    if beyond:
        text += f"; more gain nothing that the interval can see (at {beyond[-1].threads}: {_speedup(beyond[-1])})"
    return text


def _knee(curve: Curve) -> str:
    counts = sum(1 for point in curve.points if point.speedup.blocks > 1)
    if counts < COUNTS_FOR_A_LAW:
        return (
            f"{counts} thread count{'s are' if counts > 1 else ' is'} too few for a law or a knee, so none is claimed"
        )
    return _bend(curve)


def _bend(curve: Curve) -> str:
    enough = curve.enough
    if enough.threads == curve.points[-1].threads:
        return f"speedup still grows at {enough.threads}, the largest count measured"
    return f"the curve bends at {enough.threads}: no larger count is faster than it, as far as the interval can see"


def _threads(n: int) -> str:
    return f"{n} thread" if n == 1 else f"{n} threads"


def _speedup(point: Point) -> str:
    if point.speedup.blocks < 2:
        return "too few good runs to say"
    ends = point.speedup.interval
    return f"{point.speedup.estimate:.2f}x [{ends.low:.2f}, {ends.high:.2f}]"
