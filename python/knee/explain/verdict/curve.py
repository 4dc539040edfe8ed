"""The verdict on one curve: which thread count is how much faster, and what more threads bring."""

from __future__ import annotations

from dataclasses import dataclass

from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import ANYTHING, ScalingSummary
from knee.explain.verdict.form import FOLDER, Line, Status
from knee.explain.verdict.words import between, counted, listed, no_verdict, slower, threads, times
from knee.stats.answers import MARGIN
from knee.stats.intervals import Interval, Ratio
from knee.stats.scaling.decision import Decision
from knee.stats.scaling.laws import COUNTS_FOR_A_LAW


@dataclass(frozen=True)
class CurveVerdict:
    """The status of a curve, its headline without the study's name, and lines about it."""

    status: Status
    headline: str
    lines: tuple[Line, ...]


def of_curve(series: Series, summary: ScalingSummary, disturbed: str | None) -> CurveVerdict:
    """Return the verdict on a curve.

    ``disturbed`` describes what other programs took, where that may matter.
    """
    decision, careful = summary.decision, summary.careful
    if decision is None or careful is None:
        return CurveVerdict("none", _nothing(series), ())
    if disturbed is not None and summary.disturbed:
        seen = Line("seen", _as_measured(series, decision, careful))
        return CurveVerdict("disturbed", no_verdict(disturbed), (seen, WAIT))
    # The verdict must hold whatever part of the time other programs took.
    said = {
        "faster": _faster,
        "equal": _equal,
        "not faster": _not_faster,
        "slower": _slower,
        "cannot tell": _cannot_tell,
    }[careful.answer](series, careful)
    undecided = careful.answer == "cannot tell" or (careful.answer == "faster" and careful.use is None)
    lines = [*_knee(series, summary, careful), *_use(series, summary, careful), *_more(series, decision, careful)]
    return CurveVerdict("undecided" if undecided else "decided", said, tuple(lines))


LISTED = 8
"""Most thread counts that are listed one by one; of more, only the first and the last are."""

WAIT = Line("do", f"wait for a quiet machine: knee study --resume {FOLDER} --wait-quiet --rerun-disturbed")


def _nothing(series: Series) -> str:
    measured = [point.threads for point in series.curve.points]
    if len(measured) > 1 and not series.fitting:
        return f"no verdict. All thread counts are above the {counted(series.cpus, 'cpu')}"
    if len(measured) > 1 and len(series.fitting) < 2:
        return f"no verdict. All thread counts but {listed(series.fitting)} are above the {counted(series.cpus, 'cpu')}"
    if len(measured) > 1:
        return "no verdict. Too few good runs for an interval"
    return f"only {threads(measured[0])} {'was' if measured[0] == 1 else 'were'} measured, so there is no speedup"


def _as_measured(series: Series, decision: Decision, careful: Decision) -> str:
    n = decision.threads
    free = careful.speedup.interval if careful.threads == n else None
    said = f"{threads(n)} {_times(series, n)}"
    if free is None:
        return f"{said} with the other programs"
    if free.high / free.low > ANYTHING:
        return f"{said}; without the other programs: unknown"
    return f"{said}; without the other programs {between(free)}"


def _speedup(series: Series, n: int) -> Ratio:
    return series.curve.at(n).speedup


def _times(series: Series, n: int) -> str:
    one = _speedup(series, n)
    return times(one.estimate, one.interval)


def _faster(series: Series, said: Decision) -> str:
    n = said.threads
    much = between(said.speedup.interval) if widened(series, said) else _times(series, n)
    # In weak scaling a run is not faster: it does more work.
    gain = (
        f"do {much} the work of {said.base} in the same time" if series.weak else f"are {much} as fast as {said.base}"
    )
    return f"{threads(n)} {gain}; {_beyond(series, said)}".removesuffix("; ")


def widened(series: Series, said: Decision) -> bool:
    """Whether other programs took time, so that the measured speedup is not the program's own."""
    ends, seen = said.speedup.interval, _speedup(series, said.threads).interval
    return ends.low < 0.999 * seen.low or ends.high > 1.001 * seen.high


def _beyond(series: Series, said: Decision) -> str:
    """Say what larger counts bring, or that there are none."""
    if said.above:
        n = said.above[0]
        return f"T({said.base}) is in doubt: {100 * series.curve.at(n).efficiency:.0f} % efficiency at {n}"
    if said.slower is not None:
        return f"{said.slower.threads} are {slower(said.slower.time.estimate, said.slower.time.interval)}"
    if said.use is None:
        smaller = [n for n in said.open if said.base < n < said.threads]
        return f"{smaller[0]} may be as good" if smaller else "cannot tell whether more threads help"
    if said.threads < said.largest:
        return "more threads give no measurable gain"
    return _end(series, said)


def _end(series: Series, said: Decision) -> str:
    """Say why nothing is claimed about larger counts."""
    if series.uses_every_cpu(said.threads):
        return "every cpu is used"
    return "no larger count was measured" if said.threads == max(series.by_threads) else ""


def _equal(series: Series, said: Decision) -> str:
    del said
    many = series.fitting
    counts = listed(many) if len(many) <= LISTED else f"{many[0]} to {many[-1]}"
    if series.weak:
        return f"no gain. {counts} threads do the same work in the same time (within {100 * MARGIN:.0f} %)"
    return f"no speedup. {counts} threads take the same time (within {100 * MARGIN:.0f} %)"


def _not_faster(series: Series, said: Decision) -> str:
    del series
    return f"no speedup. More threads gain at most {100 * MARGIN:.0f} % over {said.base}"


def _slower(series: Series, said: Decision) -> str:
    n = threads(said.threads)
    if series.weak:
        return f"{n} do less work than {said.base} in the same time ({_times(series, said.threads)})"
    ends = Interval(1 / said.speedup.interval.high, 1 / said.speedup.interval.low)
    loss = f"{n} are {slower(1 / said.speedup.estimate, ends)} than {said.base}"
    return f"{loss}; no count is faster" if said.use is not None else loss


def _cannot_tell(series: Series, said: Decision) -> str:
    where = between(said.speedup.interval)
    if series.weak:
        return f"cannot tell. {threads(said.threads)} do {where} the work of {said.base} in the same time"
    return f"cannot tell. {threads(said.threads)} are {where} as fast as {said.base}"


def _knee(series: Series, summary: ScalingSummary, said: Decision) -> list[Line]:
    if not said.gains:
        return []
    knee = summary.knee
    if knee.verdict == "knee":
        # These two laws bend gradually: other thread counts would give another knee.
        how = ", gradually" if summary.law.law in ("Amdahl", "USL") else ""
        ends = f"[{knee.interval.low:.3g}, {knee.interval.high:.3g}]"
        text = f"{knee.threads:.3g} threads {ends}{how}; {_efficiency(series, said.threads)} at {said.threads}"
    elif len(series.fitting) < COUNTS_FOR_A_LAW:
        text = f"unknown: needs at least {COUNTS_FOR_A_LAW} thread counts; {_efficiency(series, said.threads)}"
    elif knee.verdict == "none" and said.use == said.largest and (end := _end(series, said)):
        text = f"none: {end}, {_efficiency(series, said.threads)}"
    else:
        text = f"{'none' if knee.verdict == 'none' else 'cannot tell'}: {knee.why}"
    return [Line("knee", text)]


def _efficiency(series: Series, n: int) -> str:
    point = series.curve.at(n)
    said, ends = f"{100 * point.efficiency:.0f} % efficiency", point.efficiency_interval
    return f"{said} [{100 * ends.low:.0f}, {100 * ends.high:.0f}]" if ends.low == ends.low else said


def _use(series: Series, summary: ScalingSummary, said: Decision) -> list[Line]:
    """Say what the recommended count costs if the knee lies before it, and where USL peaks."""
    lines: list[Line] = []
    knee = summary.knee
    if said.gains and said.use is not None and knee.verdict == "knee":
        before = next((n for n in series.fitting if n >= knee.threads), said.use)
        if before < said.use:
            gain = series.against(before, said.use)
            price = f"{said.use / before:.2g} times the cpus"
            sure = "" if gain.interval.low > 1 else ", which may be no gain,"
            faster = f"{times(gain.estimate, gain.interval)} as fast as {before}{sure}"
            text = f"{said.use} threads are {faster} and take {price}"
            lines.append(Line("use", text))
    best = summary.law.best
    peak = next((one for one in best.parameters if one.name == "peak"), None) if best is not None else None
    if said.slower is None or said.use is None or peak is None:
        return lines
    if said.use <= peak.interval.low and peak.value < series.cpus:
        ends = f"[{peak.interval.low:.3g}, {peak.interval.high:.3g}]"
        lines.append(Line("beyond", f"USL peaks at {peak.value:.3g} threads {ends}; use no more"))
    return lines


def _more(series: Series, measured: Decision, said: Decision) -> list[Line]:
    if said.use is None and measured.use is not None:
        # Other programs leave the choice open: more blocks beside them would not decide it.
        return [WAIT]
    if said.answer == "equal" and series.curve.base == 1:
        return [Line("check", "does the program use the thread count it is given?")]
    if said.answer != "cannot tell":
        return []
    if said.speedup.taken() > MARGIN:
        return [WAIT]
    # Each count is one of several that may gain.
    needed = said.speedup.more_blocks(tests=max(1, len(series.fitting) - 1), new_study=True)
    if needed is None:
        return [Line("do", "run times vary too much: even a thousand blocks would not tell")]
    return [Line("do", f"a new study of about {counted(needed, 'block')} would tell: --blocks {needed}")]
