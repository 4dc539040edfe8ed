"""The verdict: one sentence that claims no more than the data can carry."""

from __future__ import annotations

from knee.explain.causes.cause import Finding
from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import ScalingSummary, knee_words, use_words
from knee.stats.scaling.curve import Curve, Point
from knee.stats.scaling.laws import COUNTS_FOR_A_LAW

CLEARLY_SLOWER = 0.99
"""A speedup whose interval ends below this is called slower; closer to 1 the printed digits would not show it."""


def main_series(series: list[Series]) -> Series | None:
    """Return the series the verdict speaks of: a pinned one before the kernel's choice, then the one of least time for
    the same work.
    """
    return min(series, key=lambda one: (not one.pinned, _least_s(one)), default=None)


def _least_s(series: Series) -> float:
    best = series.curve.best()
    # The best counts of two series may differ, and where the input grows with the threads so does their work.
    return best.mean_s / (best.threads if series.weak else 1)


def sentence(name: str, series: list[Series], findings: list[Finding], summaries: dict[str, ScalingSummary]) -> str:
    """Return the verdict on a study. ``summaries`` has one for each series, by name."""
    works = list(dict.fromkeys(one.work for one in series))
    if len(works) > 1:
        return f"{name}: {_of_works(works, series, summaries)}"
    chosen = main_series(series)
    if chosen is None:
        return f"{name}: no verdict: the runs that every speedup is compared with are missing or bad."
    where = f"with {chosen.name}" if "=" in chosen.name else f"on {chosen.name}"
    if chosen.name == "none":
        where = "where the kernel puts them"
    parts = [_scaling(chosen.curve, where, weak=chosen.weak)]
    parts += [_says(finding, chosen) for finding in findings if finding.cause != "oversubscription"]
    parts += _knee_and_use(chosen.curve, summaries[chosen.name])
    return f"{name}: " + ". ".join(part[0].upper() + part[1:] for part in parts) + "."


def _of_works(works: list[str], series: list[Series], summaries: dict[str, ScalingSummary]) -> str:
    """Return what is said of several workloads, each of its series of least time; what holds for all of them once."""
    members = [[one for one in series if one.work == work] for work in works]
    if all(len(one.curve.points) == 1 for one in series):
        return "Each with one thread count only, so there is no speedup."
    said = [sentence(work, own, [], summaries) for work, own in zip(works, members, strict=True)]
    common = [part for part in said[0].split(". ") if all(part.rstrip(".") in one for one in said)]
    for part in common:
        said = [one.replace(f". {part.rstrip('.')}", "") for one in said]
    return " ".join([*said, *(f"{part.rstrip('.')}." for part in common)])


def _says(finding: Finding, chosen: Series) -> str:
    return finding.says if finding.series == chosen.name else f"with {finding.series}, {finding.says}"


def _scaling(curve: Curve, where: str, *, weak: bool) -> str:
    base = _threads(curve.base)
    gains = [point for point in curve.points if point.threads > curve.base and point.speedup.interval.low > 1]
    if len(curve.points) == 1:
        return f"only {base} {'was' if curve.base == 1 else 'were'} measured, so there is no speedup"
    if all(point.speedup.blocks < 2 for point in curve.points if point.threads > curve.base):
        return f"too few good runs {where} for an interval, so nothing is said about speedup"
    if not gains:
        top = curve.points[-1]
        return f"{_threads(top.threads)} {where} {_no_gain(top, base, weak=weak)} ({_speedup(top)})"
    enough = curve.enough
    text = f"{_threads(enough.threads)} {where} {_gain(enough, base, weak=weak)}"
    text += f", at {100 * enough.efficiency:.0f} % efficiency"
    beyond = [point for point in curve.points if point.threads > enough.threads]
    if beyond:
        text += f"; more gain nothing that the interval can see (at {beyond[-1].threads}: {_speedup(beyond[-1])})"
    return text


def _gain(point: Point, base: str, *, weak: bool) -> str:
    # In a weak study no run is faster: it does more.
    does = f"do {_speedup(point)} the work of {base} in the same time"
    return does if weak else f"run {_speedup(point)} as fast as {base}"


def _no_gain(point: Point, base: str, *, weak: bool) -> str:
    if point.speedup.interval.high < CLEARLY_SLOWER:
        return f"do less work than {base} in the same time" if weak else f"are slower than {base}"
    same = f"do no more work than {base} in the same time" if weak else f"are not faster than {base}"
    return f"{same}, as far as the interval can see"


def _knee_and_use(curve: Curve, summary: ScalingSummary) -> list[str]:
    counts = sum(1 for point in curve.points if point.speedup.blocks > 1)
    use = use_words(summary) if len(curve.points) > 1 else None
    if counts == 0:
        return []
    return [_knee(counts, summary), *([use] if use else [])]


def _knee(counts: int, summary: ScalingSummary) -> str:
    if counts < COUNTS_FOR_A_LAW:
        return (
            f"{counts} thread count{'s are' if counts > 1 else ' is'} too few for a law or a knee, so none is claimed"
        )
    if summary.knee.verdict == "knee":
        # These two laws have no corner: another choice of counts would put the join elsewhere.
        gradually = ", gradually," if summary.law.law in ("Amdahl", "USL") else ""
        return f"the curve bends{gradually} at {knee_words(summary)}"
    if summary.knee.verdict == "none":
        return f"no knee within the counts measured: {summary.knee.why}"
    return f"where it bends is undecided: {summary.knee.why}"


def _threads(n: int) -> str:
    return f"{n} thread" if n == 1 else f"{n} threads"


def _speedup(point: Point) -> str:
    if point.speedup.blocks < 2:
        return "too few good runs to say"
    ends = point.speedup.interval
    return f"{point.speedup.estimate:.2f}x [{ends.low:.2f}, {ends.high:.2f}]"
