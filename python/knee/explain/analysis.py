"""The analysis of a study: all results of the report, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import numpy as np

from knee.explain.causes.cause import Finding
from knee.explain.causes.lists import SYMPTOMS
from knee.explain.changes import Change, changes
from knee.explain.checklist import Item, StudyParts, checklist
from knee.explain.claims.evidence import Evidence
from knee.explain.claims.judge import Judged, judge
from knee.explain.computed import OtherCount, other_counts
from knee.explain.counters import Counters, counters
from knee.explain.disturbance import Disturbance, disturbance, disturbances
from knee.explain.factorial.analysis import FactorialAnalysis
from knee.explain.factorial.variation import of_responses, variation
from knee.explain.ledger.checks import Check
from knee.explain.ledger.explanation import Explanation, explanations
from knee.explain.ledger.predictions import predictions
from knee.explain.phases.phases import Phase, phases
from knee.explain.scaling.series import Series, group, same_cpus, table
from knee.explain.scaling.summary import ScalingSummary, summarize
from knee.explain.tried import Tried, tried
from knee.explain.verdict.form import Verdict
from knee.explain.verdict.results import Results
from knee.explain.verdict.study import make
from knee.explain.verdict.why import of_levels
from knee.stats.answers import Answer, answer
from knee.stats.equivalence import Equivalence, equivalence
from knee.stats.intervals import Array, Interval, Ratio, ratio
from knee.stats.paired import Times, allowing, held, paired
from knee.stats.residuals import Codes, Drift, drift, outliers
from knee.store import SCHEMA, Folder, Run, finite


@dataclass(frozen=True)
class Contrast:
    """Time of ``series`` over that of ``reference`` at a thread count; below 1, ``series`` is faster.

    ``held`` is the interval of that ratio whatever other programs took of either side, up to what they may have;
    ``answer`` judges that, corrected for the number of all contrasts.
    """

    series: str
    reference: str
    threads: int
    ratio: Ratio
    held: Interval
    answer: Answer


@dataclass(frozen=True)
class Base:
    """Whether the base run of a series takes as long as that of ``reference``."""

    reference: str
    equivalence: Equivalence


@dataclass(frozen=True, repr=False)
class Analysis:
    """All results from the runs of a study; printed, it is the verdict."""

    name: str
    verdict: Verdict
    series: list[Series]
    summaries: dict[str, ScalingSummary]
    ledgers: dict[str, list[Explanation]]
    """For each series the explanation of every thread count but its base."""
    phases: dict[str, list[Phase]]
    """For each series its marked phases at every thread count but its base."""
    findings: list[Finding]
    baseline: dict[str, Ratio]
    contrasts: list[Contrast]
    counters: Counters
    bases: dict[str, Base]
    """For each series but the first of its workload: whether its base run takes as long as that of the first."""
    claims: list[Judged]
    factorial: FactorialAnalysis | None
    checklist: list[Item]
    responses: dict[str, FactorialAnalysis | str]
    """Further responses that the study file lists, by name: their analysis, or why there is none."""
    drift: Drift
    outliers: list[str]
    disturbance: Disturbance | None
    """How other programs disturbed the runs of the design; None if they did not."""
    computed: list[OtherCount]
    """Thread counts at which more or fewer threads computed than requested."""
    disturbed: dict[str, str]
    repeated: list[int]
    """Blocks that other programs disturbed and that were repeated: their first runs are excluded from results."""
    changed: list[Change]
    bad: dict[str, str]
    planned: int
    made: int
    simulated: bool
    tried: list[Tried]
    """Remedies that `knee try` has tried."""
    predictions: dict[str, list[Check]]
    """For each series and each of its causes, the gain that it predicts against that of the remedies for it."""

    def __repr__(self) -> str:
        """Return the verdict: all fields together are too long to be read."""
        return str(self.verdict)

    @property
    def scales(self) -> bool:
        """Whether any series has a thread count besides its base."""
        return any(len(series.curve.points) > 1 for series in self.series)

    def to_json(self) -> dict[str, Any]:
        """Return the content of analysis.json, with null for unknown numbers."""
        plain: dict[str, Any] = {
            "schema": SCHEMA,
            "name": self.name,
            "verdict": {name: value for name, value in asdict(self.verdict).items() if name != "whole"},
            "series": [_series(one, self.summaries[one.name]) for one in self.series],
            "ledgers": {name: [one.to_json() for one in explained] for name, explained in self.ledgers.items()},
            "phases": {name: [asdict(one) for one in found] for name, found in self.phases.items()},
            "findings": [asdict(finding) for finding in self.findings],
            "baseline": {name: asdict(one) for name, one in self.baseline.items()},
            "contrasts": [asdict(one) for one in self.contrasts],
            "counters": asdict(self.counters),
            "bases": {name: asdict(one) for name, one in self.bases.items()},
            "claims": [asdict(one) for one in self.claims],
            "factorial": self.factorial.to_json() if self.factorial else None,
            "checklist": [asdict(one) for one in self.checklist],
            "responses": {
                name: {"why": one} if isinstance(one, str) else one.to_json() for name, one in self.responses.items()
            },
            "drift": asdict(self.drift),
            "outliers": self.outliers,
            "disturbance": asdict(self.disturbance) if self.disturbance else None,
            "computed": [asdict(one) for one in self.computed],
            "disturbed": self.disturbed,
            "repeated": self.repeated,
            "changed": [asdict(change) for change in self.changed],
            "bad": self.bad,
            "planned": self.planned,
            "made": self.made,
            "simulated": self.simulated,
            "tried": [one.to_json() for one in self.tried],
            "predictions": {name: [asdict(one) for one in found] for name, found in self.predictions.items()},
        }
        return cast("dict[str, Any]", finite(plain))


def analyze(
    name: str,
    folder: Folder,
    runs: list[Run],
    planned: int,
    machine: dict[str, Any],
    claims: Sequence[dict[str, Any]] = (),
    responses: Sequence[str] = (),
    *,
    weak: bool = False,
) -> Analysis:
    """Return the analysis of a study's runs.

    ``folder`` has the samples, ``planned`` is the number of planned runs, ``claims`` and ``responses`` come from the
    study file, and ``weak`` says whether the input grows with the threads (weak scaling).
    """
    allowed = len(machine["allowed"]["cpus"])
    series = group(runs, allowed, weak=weak)
    summaries = {one.name: summarize(one) for one in series}
    ledgers = {one.name: explanations(one) for one in series}
    findings = _findings(series, ledgers)
    by_phase = {one.name: phases(one) for one in series}
    good = [run for run in runs if run.bad is None]
    # Remedies are tried afterwards, perhaps weeks later.
    trend, odd = _residual_checks([run for run in good if run.role != "remedy"])
    baseline, factorial = _baseline(runs, series), variation(runs, allowed)
    designed = [run for run in runs if not run.is_control]
    contrasts = _contrasts(runs, series)
    others, computed = disturbances([run for run in designed if run.bad is None], allowed), other_counts(series)
    attempts = tried(folder, runs, allowed)
    answers = judge(claims, Evidence(folder, runs, series, summaries, machine))
    results = Results(
        name, designed, series, summaries, findings, answers, others, computed, ledgers, attempts, by_phase
    )
    return Analysis(
        name=name,
        verdict=make(results),
        series=series,
        summaries=summaries,
        ledgers=ledgers,
        phases=by_phase,
        findings=findings,
        baseline=baseline,
        contrasts=contrasts,
        counters=counters(runs, series),
        bases=_bases(runs, series, contrasts),
        claims=answers,
        factorial=factorial,
        checklist=checklist(StudyParts(runs, machine, series, summaries, baseline, factorial)),
        responses=of_responses(runs, responses, allowed),
        drift=trend,
        outliers=odd,
        disturbance=others,
        computed=computed,
        disturbed={run.spec["id"]: why for run in good if (why := disturbance(run, allowed))},
        repeated=sorted({run.spec["repeats"] for run in runs if "repeats" in run.spec and not run.replaced}),
        changed=changes(good),
        bad={run.spec["id"]: run.bad for run in runs if run.bad is not None},
        planned=planned,
        made=len(runs),
        simulated=any(run.record["simulated"] for run in runs),
        tried=attempts,
        predictions=_predictions(series, findings, attempts),
    )


def _series(one: Series, summary: ScalingSummary) -> dict[str, Any]:
    decision = summary.careful
    return {
        "name": one.name,
        "levels": one.levels,
        "base": one.curve.base,
        "copies": {str(n): asdict(slowed) for n, slowed in one.copies.items()},
        "points": list(map(asdict, one.curve.points)),
        "law": asdict(summary.law),
        "knee": asdict(summary.knee),
        "decision": None if decision is None else asdict(decision),
    }


def _findings(series: list[Series], ledgers: dict[str, list[Explanation]]) -> list[Finding]:
    """Return the causes of each series; where no run explains it, the symptoms of its curve."""
    # Unpinned runs are the negative control; they are examined only when no series is pinned.
    examined = [one for one in series if one.pinned] or series
    found: list[Finding] = []
    for one in examined:
        explained = [each for each in ledgers[one.name] if each.status != "not asked"]
        found += [finding for each in explained for finding in each.findings]
        if not any(each.status in ("explained", "not explained", "provisional") for each in explained):
            found += [finding for symptom in SYMPTOMS if (finding := symptom.examine(one)) is not None]
    return found


def _predictions(series: list[Series], findings: list[Finding], attempts: list[Tried]) -> dict[str, list[Check]]:
    """Hold the causes of each series against what was tried on it: another series may have others."""
    return {
        one.name: predictions(
            [each for each in findings if each.series == one.name],
            of_levels(attempts, one.levels),
        )
        for one in series
    }


def _residual_checks(good: list[Run]) -> tuple[Drift, list[str]]:
    """Return the drift of the good runs, and the ids of outliers."""
    times = np.array([run.time_s for run in good], dtype=np.float64)
    order = np.array([run.order for run in good], dtype=np.float64)
    cells, blocks = _codes(good), np.array([run.spec["block"] for run in good], dtype=np.int64)
    odd = outliers(times, cells, blocks)
    return drift(times, order, cells, blocks), [run.spec["id"] for run, one in zip(good, odd, strict=True) if one]


def _codes(runs: list[Run]) -> Codes:
    names = [str((run.role, run.spec.get("test"), sorted(run.cell.items()))) for run in runs]
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def _baseline(runs: list[Run], series: list[Series]) -> dict[str, Ratio]:
    """Return T1 / TS for each series: time of the program on one thread over that of the best serial version, which has
    the series' levels as far as it has any.
    """
    serial = [run for run in runs if run.role == "baseline"]
    if not serial:
        return {}
    blocks = max(run.spec["block"] for run in runs)
    found: dict[str, Ratio] = {}
    for one in series:
        own = [run for run in serial if all(one.levels.get(name) == str(level) for name, level in run.cell.items())]
        if own:
            t1 = table(one.by_threads[one.curve.base], one.curve.base, blocks, cpu=False)
            found[one.name] = ratio(t1, table(own, 1, blocks, cpu=False))
    return found


def _contrasts(runs: list[Run], series: list[Series]) -> list[Contrast]:
    """Compare every series with the first one of its workload, block by block, at every thread count that both have."""
    blocks = max((run.spec["block"] for run in runs), default=0)
    pairs = [(first, other, point.threads) for first, other in _compared(series) for point in other.curve.points]
    sides = [(_times(first, n, blocks), _times(other, n, blocks)) for first, other, n in pairs]
    # The table is read as a whole, so its answers are corrected together (Holm).
    found = zip(pairs, sides, held(paired, sides), strict=True)
    made = [
        Contrast(other.name, first.name, n, ratio(b.seconds, a.seconds), one.held.interval, one.answer)
        for (first, other, n), (a, b), one in found
    ]
    return [one for one in made if one.ratio.blocks]


def _times(series: Series, n: int, blocks: int) -> Times:
    seconds = table(series.by_threads.get(n, []), n, blocks, cpu=False)
    return Times(seconds, series.taken(n, blocks))


def _compared(series: list[Series]) -> list[tuple[Series, Series]]:
    """Return every series but the first of its workload, paired with that first one."""
    first: dict[str, Series] = {}
    for one in series:
        first.setdefault(one.work, one)
    pairs = [(first[one.work], one) for one in series if first[one.work] is not one]
    return [(one, other) for one, other in pairs if not same_cpus(one, other)]


def _bases(runs: list[Run], series: list[Series], contrasts: Sequence[Contrast]) -> dict[str, Base]:
    """Test whether base runs take equally long: otherwise speedups of two series cannot be compared directly.

    Their answers are those of the contrasts, which are corrected for the number of all contrasts.
    """
    blocks = max((run.spec["block"] for run in runs), default=0)
    times = {one.name: table(one.by_threads[one.curve.base], one.curve.base, blocks, cpu=False) for one in series}
    same = [(first, one) for first, one in _compared(series) if one.curve.base == first.curve.base]
    answers = {(one.series, one.threads): one.answer for one in contrasts}
    found: dict[str, Base] = {}
    for first, one in same:
        alone = _equal(first, one, times, blocks)
        found[one.name] = Base(first.name, replace(alone, answer=answers.get((one.name, one.curve.base), alone.answer)))
    return found


def _equal(first: Series, one: Series, times: Mapping[str, Array], blocks: int) -> Equivalence:
    """Compare the times of two bases, allowing for what other programs may have taken of them."""
    found = equivalence(times[one.name], times[first.name])
    taken = [each.taken(each.curve.base, blocks) for each in (first, one)]
    if not any(each.any() for each in taken):
        return found
    ends = allowing(paired, times[first.name], times[one.name], *taken).interval
    return Equivalence(answer(ends), replace(found.ratio, interval=ends))
