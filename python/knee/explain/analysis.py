"""The analysis of a study: everything the report says, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from knee.explain import CAUSES
from knee.explain.accounting import Account, account
from knee.explain.cause import Finding
from knee.explain.series import Series, group, table
from knee.explain.validity import Change, changes, disturbance
from knee.explain.verdict import sentence
from knee.stats.contrasts import Ratio, ratio
from knee.stats.residuals import Drift, drift, outliers, residuals
from knee.store import SCHEMA, Run, finite


@dataclass(frozen=True)
class Contrast:
    """How many times as long ``series`` takes as ``reference`` at a thread count; below 1 it is faster."""

    series: str
    reference: str
    threads: int
    ratio: Ratio


@dataclass(frozen=True)
class Analysis:
    """Everything that is concluded from the runs of a study."""

    name: str
    verdict: str
    series: list[Series]
    accounts: dict[str, list[Account]]
    findings: list[Finding]
    baseline: dict[str, Ratio]
    contrasts: list[Contrast]
    drift: Drift
    outliers: list[str]
    disturbed: dict[str, str]
    changed: list[Change]
    bad: dict[str, str]
    planned: int
    made: int
    simulated: bool

    def to_json(self) -> dict[str, Any]:
        """Return the form of analysis.json: numbers that are not known are null."""
        series = [
            {
                "name": one.name,
                "levels": one.levels,
                "base": one.curve.base,
                "copies": {str(n): asdict(found) for n, found in one.copies.items()},
                "points": list(map(asdict, one.curve.points)),
            }
            for one in self.series
        ]
        plain: dict[str, Any] = {
            "schema": SCHEMA,
            "name": self.name,
            "verdict": self.verdict,
            "series": series,
            "accounts": {name: [asdict(one) for one in accounts] for name, accounts in self.accounts.items()},
            "findings": [asdict(finding) for finding in self.findings],
            "baseline": {name: asdict(one) for name, one in self.baseline.items()},
            "contrasts": [asdict(one) for one in self.contrasts],
            "drift": asdict(self.drift),
            "outliers": self.outliers,
            "disturbed": self.disturbed,
            "changed": [asdict(change) for change in self.changed],
            "bad": self.bad,
            "planned": self.planned,
            "made": self.made,
            "simulated": self.simulated,
        }
        return cast("dict[str, Any]", finite(plain))


def analyze(name: str, runs: list[Run], planned: int, machine: dict[str, Any]) -> Analysis:
    """Return the analysis of a study's runs. ``planned`` is how many there should be."""
    series = group(runs, len(machine["allowed"]["cpus"]))
    # The kernel's own placement is the negative control; it is examined only where there is nothing else.
    examined = [one for one in series if one.pinned] or series
    findings = [finding for one in examined for cause in CAUSES if (finding := cause.examine(one)) is not None]
    good = [run for run in runs if run.bad is None]
    codes = _codes(good)
    left = residuals(np.array([run.time_s for run in good]), codes) if good else np.array([])
    trend = drift(left, np.array([float(run.order) for run in good]))
    odd = outliers(left, codes)
    return Analysis(
        name=name,
        verdict=sentence(name, series, findings),
        series=series,
        accounts={one.name: _accounts(one) for one in series},
        findings=findings,
        baseline=_baseline(runs, series),
        contrasts=_contrasts(runs, series),
        drift=trend,
        outliers=[run.spec["id"] for run, unlike in zip(good, odd, strict=True) if unlike],
        disturbed={run.spec["id"]: why for run in good if (why := disturbance(run))},
        changed=changes(good),
        bad={run.spec["id"]: run.bad for run in runs if run.bad is not None},
        planned=planned,
        made=len(runs),
        simulated=any(run.record["simulated"] for run in runs),
    )


def _codes(runs: list[Run]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    names = [str(sorted(run.spec["cell"].items())) for run in runs]
    numbers = {name: float(number) for number, name in enumerate(sorted(set(names)))}
    return np.array([numbers[name] for name in names])


def _accounts(series: Series) -> list[Account]:
    found = [account(series, point.threads) for point in series.curve.points]
    return [one for one in found if one is not None]


def _baseline(runs: list[Run], series: list[Series]) -> dict[str, Ratio]:
    """T1 / TS for each series: how many times as long the program takes on one thread as the best serial version."""
    serial = [run for run in runs if "baseline" in run.spec["cell"]]
    if not serial:
        return {}
    blocks = max(run.spec["block"] for run in runs)
    ts = table(serial, 1, blocks, cpu=False)
    base = {one.name: table(list(one.runs), one.curve.base, blocks, cpu=False) for one in series}
    return {name: ratio(t1, ts) for name, t1 in base.items()}


def _contrasts(runs: list[Run], series: list[Series]) -> list[Contrast]:
    """Compare every series with the first one, block by block, at every thread count that both have."""
    blocks = max((run.spec["block"] for run in runs), default=0)
    found: list[Contrast] = []
    for other in series[1:]:
        for n in (point.threads for point in other.curve.points):
            pair = [table(list(one.runs), n, blocks, cpu=False) for one in (other, series[0])]
            compared = ratio(pair[0], pair[1])
            if compared.blocks:
                found.append(Contrast(other.name, series[0].name, n, compared))
    return found
