"""The verdict of a study: which question the headline answers, and which lines follow.

If a study has claims and no curve to judge, the headline counts the claims; if it compares levels of a factor, it is
that comparison; otherwise the curve with the least time. Whatever undermines these comes first: rejected runs, runs too
short to time, and other programs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from knee.explain.claims.judge import OTHERS
from knee.explain.disturbance import observed
from knee.explain.scaling.series import Series, called, distinct
from knee.explain.verdict import curve, levels, why
from knee.explain.verdict.computed import sentence
from knee.explain.verdict.curve import CurveVerdict, of_curve
from knee.explain.verdict.form import Line, Verdict, verdict
from knee.explain.verdict.results import Results
from knee.explain.verdict.words import counted, listed, no_verdict, threads, times
from knee.stats.answers import ERROR
from knee.stats.intervals import t_interval
from knee.stats.paired import holm
from knee.stats.scaling.decision import Decision
from knee.store import Run

TOO_SHORT_S = 0.02
"""Whole runs below two periods of the sampler are mostly start-up, and their threads were not sampled."""

START_UP_S = 0.005
"""Runs below this take hardly longer than starting a program."""

REASONS = 3
"""Most reasons that are given why claims cannot be judged."""

SHORTENED = 44
"""Most characters of a reason in a line."""


def make(results: Results) -> Verdict:
    """Return the verdict of a study."""
    extra = [*_rejected(results.runs), *_virtual(results.runs), *_threads(results), *_disturbed(results)]
    extra += _claims(results)
    if not results.series:
        why = "runs on the fewest threads are missing or rejected; every speedup is relative to them"
        return verdict("none", results.name, no_verdict(why), extra)
    if short := _too_short(results.series):
        return verdict("none", results.name, short, [*extra, Line("do", "give the program more work per run")])
    return _of_question(results, extra)


def _of_question(results: Results, extra: list[Line]) -> Verdict:
    """Return the verdict on what the study asks: its claims, levels of a factor, or how it scales."""
    ladder = any(len(one.curve.points) > 1 for one in results.series)
    if results.claims and not any(len(one.fitting) > 1 for one in results.series):
        return _of_claims(results, extra)
    if asked := levels.questions(results.series, placements=not ladder):
        others = [Line("also", f"{one.factor}: {levels.headline(one)}") for one in asked[1:]]
        return _of_levels(results, asked[0], [*extra, *others])
    if not ladder:
        return _without_ladder(results, extra)
    works = list(dict.fromkeys(one.work for one in results.series))
    if len(works) > 1:
        return _of_works(results, works, extra)
    return _of_one(results, extra)


def main_series(series: Sequence[Series]) -> Series:
    """Return the series that the verdict is about: a pinned one rather than unpinned, then the one with the least time
    for the same work.
    """
    return min(series, key=lambda one: (not one.pinned, _least_s(one)))


def _least_s(series: Series) -> float:
    best = series.curve.best()
    # In weak scaling the work grows with the threads, and the best counts of two series may differ.
    return best.mean_s / (best.threads if series.weak else 1)


def _of_one(results: Results, extra: list[Line]) -> Verdict:
    chosen = main_series(results.series)
    said = _said(results, chosen)
    also = _other_placements(results, chosen)
    # The number of threads that computed is known.
    own = [line for line in said.lines if line.label != "check" or not results.computed]
    lines = [*own, *extra, *_why(results, chosen), *also, _rests_on(results, chosen)]
    return verdict(said.status, results.name, said.headline, lines)


def _said(results: Results, series: Series) -> CurveVerdict:
    if short := _too_short([series]):
        return CurveVerdict("none", short, ())
    return of_curve(series, results.summaries[series.name], results.disturbance.says if results.disturbance else None)


def _of_works(results: Results, works: list[str], extra: list[Line]) -> Verdict:
    """Say how many of several workloads are faster, corrected for their number, and give each a line."""
    chosen = [main_series([one for one in results.series if one.work == work]) for work in works]
    said = [_said(results, one) for one in chosen]
    names = [work or "the others" for work in works]
    disturbed = next((pair for pair in zip(names, said, strict=True) if pair[1].status == "disturbed"), None)
    if disturbed is not None:
        others = [pair for pair in zip(names, said, strict=True) if pair[0] != disturbed[0]]
        rest = [Line("also", f"{name}: {one.headline}") for name, one in others]
        headline = f"{disturbed[0]}: {disturbed[1].headline}"
        return verdict("disturbed", results.name, headline, [*rest, *extra, curve.WAIT])
    decisions = [results.summaries[one.name].careful for one in chosen]
    gains = [
        way if text.status != "none" and way is not None and way.gains else None
        for way, text in zip(decisions, said, strict=True)
    ]
    # Each curve is tested by itself, and some of many curves would gain by chance.
    tested = [way.p_gain if way is not None and text.status != "none" else np.nan
              for way, text in zip(decisions, said, strict=True)]  # fmt: skip
    shown = holm(np.array(tested)) < ERROR
    faster = [(one, way) for one, way, sure in zip(chosen, gains, shown, strict=True) if way is not None and sure]
    alone = [way is not None and not sure for way, sure in zip(gains, shown, strict=True)]
    status = "undecided" if any(alone) or any(one.status == "undecided" for one in said) else "decided"
    notes = [f" (by itself; not among {len(works)} workloads)" if one else "" for one in alone]
    lines = [Line("also", f"{name}: {one.headline}{note}") for name, one, note in zip(names, said, notes, strict=True)]
    lines += why.of_several(results.findings, results.ledgers, results.series, results.tried)
    if not faster:
        if all(one.status == "none" for one in said):
            reasons = {one.headline for one in said}
            none = reasons.pop() if len(reasons) == 1 else f"no verdict on any of {len(works)} workloads"
            return verdict("none", results.name, none, [*extra, *lines])
        return verdict(
            status,
            results.name,
            _none_faster(
                [way if text.status != "none" else None for way, text in zip(decisions, said, strict=True)],
                weak=chosen[0].weak,
            ),
            [*extra, *lines],
        )
    speedups = [end for one, way in faster for end in _speedups(one, way)]
    ends = [f"{end:.2f}x" for end in (min(speedups), max(speedups))]
    span = ends[0] if ends[0] == ends[1] else " to ".join(ends)
    more = ("is faster", "are faster") if not chosen[0].weak else ("does more work", "do more work")
    many = f"{len(faster)} of {len(works)} workloads {more[len(faster) > 1]} on more threads ({span})"
    return verdict(status, results.name, many, [*extra, *lines])


def _speedups(series: Series, said: Decision) -> tuple[float, ...]:
    """Return the measured speedup, or the ends of the program's own where other programs took time."""
    ends = said.speedup.interval
    return (ends.low, ends.high) if curve.widened(series, said) else (series.curve.at(said.threads).speedup.estimate,)


def _none_faster(decisions: Sequence[Decision | None], *, weak: bool = False) -> str:
    """Say of several workloads that none is shown to be faster, and of how many that is known."""
    answers, many = [way.answer if way is not None else "cannot tell" for way in decisions], len(decisions)
    slower, none = answers.count("slower"), sum(one in ("equal", "not faster") for one in answers)
    if none == many:
        return f"no measurable speedup in any of {many} workloads"
    if not slower and not none:
        gains = "does more work" if weak else "is faster"
        return f"cannot tell whether any of {many} workloads {gains} on more threads"
    are = ("does less work", "do less work") if weak else ("is slower", "are slower")
    said = [
        f"{count} {word}" if count else ""
        for count, word in (
            (slower, f"{are[slower != 1]} on more threads"),
            (none, "shows no measurable speedup" if none == 1 else "show no measurable speedup"),
        )
    ]
    rest = " of the others nothing is known" if slower + none < many else ""
    known = listed([one for one in said if one])
    return f"of {many} workloads {known}{';' if rest else ''}{rest}"


def _of_levels(results: Results, asked: levels.Question, extra: list[Line]) -> Verdict:
    if not _enough(asked):
        return verdict("none", results.name, "no verdict. Too few good runs for an interval", extra)
    if results.disturbance is not None and asked.disturbed:
        return verdict("disturbed", results.name, no_verdict(results.disturbance.says), [*extra, curve.WAIT])
    differing = [one for one in asked.most if one.answer in ("faster", "slower") and len(asked.most) > 1]
    lines = [Line("also", f"{one.where}: {levels.said_of(one)}".removeprefix(": ")) for one in differing]
    status = "decided" if asked.decided else "undecided"
    causes = why.of_several(results.findings, results.ledgers, results.series, results.tried)
    return verdict(status, results.name, levels.headline(asked), [*extra, *lines, *causes, *_curves_of(results, asked)])


def _enough(asked: levels.Question) -> bool:
    """Whether any comparison has the two values that an interval needs."""
    return any(one.time.values >= 2 for one in asked.most)


def _curves_of(results: Results, asked: levels.Question) -> list[Line]:
    """Say how each level scales, if there are few of them."""
    if len(results.series) > len(asked.levels) or all(len(one.curve.points) == 1 for one in results.series):
        return []
    names = [called(asked.factor, one.levels[asked.factor]) for one in results.series]
    said = [_said(results, one).headline for one in results.series]
    return [Line("also", f"{name}: {text}") for name, text in zip(names, said, strict=True)]


def _without_ladder(results: Results, extra: list[Line]) -> Verdict:
    """Return the verdict of a study with a single thread count: the time of each series."""
    counts = sorted({point.threads for one in results.series for point in one.curve.points})
    were = "was" if counts == [1] else "were"
    only = f"only {threads(counts[0])} {were} measured, so there is no speedup"
    each = map(_response, results.series) if len(results.series) > 1 else ()
    return verdict("none", results.name, only, [*extra, *each])


def _of_claims(results: Results, extra: list[Line]) -> Verdict:
    """Return the verdict of a study without a curve to judge, whose question is its claims: they are counted."""
    status = "decided" if any(one.answer in ("confirmed", "refuted") for one in results.claims) else "undecided"
    rest = [line for line in extra if line.label != "claims"]
    asked = [one for one in levels.questions(results.series, placements=False) if _enough(one)]
    phases = {_in_phase(one) for one in results.series}
    of = phases.pop() if len(phases) == 1 else ""
    rest += [Line("also", f"{one.factor}: {levels.headline(one)}{of}") for one in asked]
    rest += [curve.WAIT] if any(one.why.startswith(OTHERS) for one in results.claims) else []
    rest += _reasons(results) if status == "undecided" else []
    if all(len(one.curve.points) == 1 for one in results.series):
        rest += map(_response, results.series)
    return verdict(status, results.name, f"claims: {_counted_claims(results)}", rest)


def _reasons(results: Results) -> list[Line]:
    """Return why no claim could be judged: the reasons that most of them have."""
    reasons = Counter(one.why for one in results.claims)
    if len(reasons) == 1:
        return [Line("why", reason) for reason in reasons]
    return [Line("why", f"{counted(many, 'claim')}: {reason}") for reason, many in reasons.most_common(REASONS)]


def _response(series: Series) -> Line:
    """Return the mean time of a series with a single thread count, with its interval."""
    seconds = series.seconds(series.curve.base)
    logs = np.log(seconds[np.isfinite(seconds)])
    ends = t_interval(logs)
    low, mean, high = (float(np.exp(value)) for value in (ends.low, logs.mean(), ends.high))
    within = f" [{low:.3g}, {high:.3g}]" if low == low else ""
    return Line("also", f"{series.name}: {mean:.3g} s{within}{_in_phase(series)}")


def _in_phase(series: Series) -> str:
    """Name the phase that is measured, where it is not the whole run."""
    phase = (series.runs[0].spec.get("metric") or {}).get("phase")
    return f" in the phase {phase}" if phase else ""


def _counted_claims(results: Results) -> str:
    counts = Counter(one.answer for one in results.claims)
    return listed([f"{many} of {len(results.claims)} {answer}" for answer, many in counts.most_common()])


def _claims(results: Results) -> list[Line]:
    return [Line("claims", _counted_claims(results))] if results.claims else []


def _why(results: Results, chosen: Series) -> list[Line]:
    explained = results.ledgers.get(chosen.name, ())
    slowest = why.slowest_phase(results.phases.get(chosen.name, ()), chosen)
    return [*why.why(results.findings, explained, chosen), *slowest, *why.attempts(results.tried, chosen)]


def _other_placements(results: Results, chosen: Series) -> list[Line]:
    """Name the placement that differs most from the verdict's, on the largest thread count that both have."""
    mine = chosen.levels.get("placement")
    apart = [one for one in results.series if one.levels.get("placement", mine) != mine]
    _, *others = distinct([chosen, *apart])
    if mine is None or not others:
        return []
    names = (mine, *(one.levels["placement"] for one in others))
    asked = levels.compared([chosen, *others], "placement", names)
    differing = [one for one in asked.most if one.answer in ("faster", "slower")]
    if differing:
        worst = max(differing, key=lambda one: abs(np.log(one.time.estimate)))
        return [Line("also", f"{worst.level} at {threads(worst.threads)} takes {_against(worst)}")]
    if asked.most and all(one.answer == "equal" for one in asked.most):
        # Each is compared with the first one; two others may differ by more.
        first, *rest = asked.levels
        if len(rest) > 1:
            return [Line("also", f"{listed(rest)} take as long as {first} (within 3 %)")]
        return [Line("also", f"{listed(asked.levels)} are equal (within 3 %)")]
    return []


def _against(one: levels.Context) -> str:
    ends = one.time.interval
    return f"{times(one.time.estimate, ends)} the time of {one.reference}"


def _rests_on(results: Results, chosen: Series) -> Line:
    counts, blocks = len(chosen.fitting), results.blocks
    placement = chosen.levels.get("placement", "none")
    where = "unpinned" if placement == "none" else f"on {placement}"
    calm = ", all calm" if all(map(observed, results.runs)) else ""
    calm = calm if results.disturbance is None else f", {counted(results.disturbance.disturbed, 'run')} disturbed"
    above = [str(p.threads) for p in chosen.curve.points if p.threads > chosen.cpus]
    left = f"; {listed(above)} above the {counted(chosen.cpus, 'cpu')} left out" if above else ""
    return Line("rests on", f"{counted(counts, 'thread count')} x {counted(blocks, 'launch')} {where}{calm}{left}")


def _threads(results: Results) -> list[Line]:
    """Say that more or fewer threads computed than requested."""
    return [Line("threads", sentence(results.computed, len(results.series)))] if results.computed else []


def _disturbed(results: Results) -> list[Line]:
    one = results.disturbance
    if one is None:
        return []
    return [Line("disturbed", f"{one.disturbed} of {one.runs} runs: {one.says}")]


def _virtual(runs: Sequence[Run]) -> list[Line]:
    if not any(run.rehearsed for run in runs):
        return []
    return [Line("virtual", "times are rehearsed: they know forks, steals and far memory, nothing else")]


def _rejected(runs: Sequence[Run]) -> list[Line]:
    """Say at which thread count most runs were rejected, how many of how many, and why."""
    bad = [run for run in runs if run.bad is not None]
    if not bad:
        return []
    at, many = Counter(run.threads for run in bad).most_common(1)[0]
    of = sum(run.threads == at for run in runs)
    reason = Counter(run.bad or "" for run in bad if run.threads == at).most_common(1)[0][0]
    short = reason if len(reason) <= SHORTENED else f"{reason[:SHORTENED].rstrip()}…"
    rest = f"; {len(bad) - many} at other counts" if len(bad) > many else ""
    return [Line("rejected", f"{threads(at)}: {many} of {counted(of, 'run')} rejected ({short}){rest}")]


def _too_short(series: Sequence[Series]) -> str | None:
    """Return the headline for runs so short that a speedup would be mostly that of their start-up."""
    base = [run for one in series for run in one.by_threads[one.curve.base]]
    if any(run.spec.get("metric") for run in base):
        return None
    times_s = [run.time_s for run in base if run.bad is None]
    longest = float(np.median(times_s)) if times_s else 1.0
    if longest >= TOO_SHORT_S:
        return None
    most = "most of it start-up" if longest < START_UP_S else "too short to separate the work from start-up"
    return f"no verdict. Runs take {1e3 * longest:.2g} ms, {most}"
