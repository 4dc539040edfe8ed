"""Evaluates a self-test: the rates of false alarms and of planted differences that were found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from knee.stats.answers import ERROR, MARGIN
from knee.stats.intervals import Interval
from knee.stats.paired import Comparison, paired
from knee.stats.proportion import clopper_pearson
from knee.store import SCHEMA, Run, finite

ENOUGH = 0.90
"""The planted difference must be found at least this often, within the interval of the trials."""


@dataclass(frozen=True)
class Share:
    """A proportion with its Clopper-Pearson 90 % interval, NaN without trials."""

    hits: int
    trials: int
    interval: Interval


@dataclass(frozen=True)
class SelfTest:
    """The result of a self-test. ``noise`` is the standard deviation of the log ratio of a pair of equal runs.

    ``alarms`` counts equal programs that were called slower, which would fail a gate; ``found`` counts planted
    differences that were called slower; ``planted`` is the work of B over that of A, ``measured`` the geometric mean of
    their time ratios.
    """

    alarms: Share
    found: Share
    planted: float
    measured: float
    noise: float
    bad: int

    @property
    def passed(self) -> bool:
        """Whether error rates are consistent with knee's claims on false alarms (5 %) and detection."""
        tried = self.alarms.trials > 0 and self.found.trials > 0
        return tried and not self.alarms.interval.low > ERROR + 1e-12 and self.found.interval.high >= ENOUGH

    def to_json(self) -> dict[str, Any]:
        """Return plain data, with null for unknown numbers."""
        return cast("dict[str, Any]", finite({"schema": SCHEMA, "passed": self.passed} | asdict(self)))


def evaluate(runs: list[Run], planted: float) -> SelfTest:
    """Judge every comparison of a plan of :mod:`knee.study.pairs` as ``knee compare`` would.

    Parameters
    ----------
    runs
        In running order.
    planted
        Work of B over that of A where they differ.
    """
    groups: dict[tuple[str, int], list[Run]] = {}
    for run in runs:
        cell = run.spec["cell"]
        groups.setdefault((str(cell["against"]), int(cell["comparison"])), []).append(run)
    compared: dict[str, list[Comparison]] = {"itself": [], "more": []}
    for (against, _), members in groups.items():
        compared[against].append(_paired(members))
    usable = {against: [one for one in many if one.values > 1] for against, many in compared.items()}
    alone = [one.interval for one in usable["itself"]]
    ratios = [np.log(one.estimate) for one in usable["more"]]
    return SelfTest(
        alarms=_share(usable["itself"]),
        found=_share(usable["more"]),
        planted=planted,
        measured=float(np.exp(np.mean(ratios))) if ratios else float("nan"),
        noise=_noise(groups) if alone else float("nan"),
        bad=sum(run.bad is not None for run in runs),
    )


def _share(many: list[Comparison]) -> Share:
    hits = sum(one.answer(MARGIN) == "slower" for one in many)
    nan = float("nan")
    return Share(hits, len(many), clopper_pearson(hits, len(many)) if many else Interval(nan, nan))


def _paired(members: list[Run]) -> Comparison:
    """Compare both sides; A B B A gives two pairs, the first two runs and the last two."""
    return paired(*_sides(members))


def _sides(members: list[Run]) -> tuple[np.ndarray[Any, np.dtype[np.float64]], np.ndarray[Any, np.dtype[np.float64]]]:
    sides: dict[str, list[float]] = {"A": [], "B": []}
    for run in sorted(members, key=lambda run: run.order):
        sides[str(run.spec["cell"]["side"])].append(run.time_s if run.bad is None else float("nan"))
    pairs = min(len(times) for times in sides.values())
    return np.array(sides["A"][:pairs]), np.array(sides["B"][:pairs])


def _noise(groups: dict[tuple[str, int], list[Run]]) -> float:
    logs = [np.log(b) - np.log(a) for (against, _), m in groups.items() if against == "itself" for a, b in [_sides(m)]]
    return float(np.nanstd(np.concatenate(logs)))
