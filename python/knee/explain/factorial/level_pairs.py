"""Compares every two levels of a factor: in the model, as a ratio by blocks, and robustly."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from knee.explain.factorial.apart import Apart, Means, lost
from knee.explain.factorial.inside import Inside, depends
from knee.explain.responses import SECONDS, Response
from knee.explain.scaling.series import inputs
from knee.stats.block_means import block_means, over_combinations
from knee.stats.intervals import LEVEL, Interval, Ratio
from knee.stats.linear.comparisons import Pair, tukey
from knee.stats.linear.design import Codes, Factor
from knee.stats.linear.least_squares import Fit
from knee.stats.practical import Size, size
from knee.stats.robust import Robust, robust


@dataclass(frozen=True)
class LevelPair:
    """Two levels of a factor compared, averaged over the other factors.

    ``model`` is on the scale of the model; ``ratio`` is first over second, of geometric means, block by block;
    ``robust`` is the same ratio without assuming normal errors. If a response is not positive there are no ratios, and
    ``robust`` has differences. ``inside`` compares both levels at each level of another factor, if they depend on it.
    ``held`` is the interval of the ratio whatever other programs took, and ``size`` judges that. That levels differ
    is only said where it holds for all pairs of the factor together (Bonferroni).
    """

    factor: str
    first: str
    second: str
    model: Pair | None
    ratio: Ratio | None
    robust: Robust
    size: Size
    inside: list[Inside]
    held: Interval | None = None

    @property
    def disturbed(self) -> bool:
        """Whether other programs may have changed the ratio."""
        if self.ratio is None or self.held is None:
            return False
        return self.held.low < self.ratio.interval.low or self.held.high > self.ratio.interval.high


def level_pairs(measured: Response, fitted: Fit, smallest: float, allowed: int, groups: int = 1) -> list[LevelPair]:
    """Return comparisons of every two levels, factor by factor, but of none whose levels are other work.

    ``allowed`` is the number of cpus that an unpinned run may use, ``groups`` the number of groups of runs
    that are compared one by one.
    """
    values = np.array(measured.values, dtype=np.float64)
    positive = bool(values.min() > 0)
    scaled = np.log(values) if positive else values
    others, blocks = lost(measured, allowed), np.array([run.spec["block"] for run in measured.runs], dtype=np.int64)
    left_out, made = other_work(measured), list[LevelPair]()
    for factor in fitted.design.factors:
        if factor.name in left_out:
            continue
        models = {(one.first, one.second): one for one in tukey(fitted, factor.name)}
        rest = _rest(measured, factor.name)
        tables = (block_means(one, factor.codes, rest, blocks) for one in (scaled, others))
        means = Means(*tables, of_times=measured.unit == SECONDS)
        pairs = _pairs(len(factor.levels))
        for first, second in pairs:
            names = (factor.levels[first], factor.levels[second])
            apart, model = means.apart(first, second), models.get(names)
            if positive:
                one = _pair(factor.name, names, model, apart, smallest, groups * len(pairs))
                inside = depends(apart, _partners(fitted, factor.name, rest), one.size, smallest)
                made.append(replace(one, size="depends", inside=inside) if inside else one)
            else:
                shift = robust(over_combinations(apart.seen))
                made.append(LevelPair(factor.name, *names, model, None, shift, "cannot tell", []))
    return made


def other_work(measured: Response) -> list[str]:
    """Return the factors whose levels are other work, so that their times are not compared."""
    factors = dict.fromkeys(name for run in measured.runs for name in run.cell)
    return inputs(measured.runs[0], factors) if measured.unit == SECONDS else []


def _pairs(levels: int) -> list[tuple[int, int]]:
    return [(first, second) for second in range(1, levels) for first in range(second)]


def _partners(fitted: Fit, factor: str, rest: Codes) -> list[tuple[Factor, Codes]]:
    """Return the other factors, each with its level in every combination of the levels of all other factors."""
    _, at = np.unique(rest, return_index=True)
    return [(one, one.codes[at]) for one in fitted.design.factors if one.name != factor]


def _pair(
    factor: str, names: tuple[str, str], model: Pair | None, apart: Apart, smallest: float, pairs: int
) -> LevelPair:
    times, held = apart.ratio()
    shift = robust(over_combinations(apart.seen)).exponential()
    said = size(held, smallest)
    if said == "matters":
        # Of many pairs of equal levels some differ by chance. That a pair is equal needs no correction.
        said = size(apart.ratio(1 - (1 - LEVEL) / pairs)[1], smallest)
    return LevelPair(factor, *names, model, times, shift, said, [], held)


def _rest(measured: Response, factor: str) -> Codes:
    """Return the number of each run's combination of all other levels, including factors outside the model."""
    cells = [tuple(run.spec["cell"].items()) for run in measured.runs]
    names = {cell: str(sorted((k, str(v)) for k, v in cell if k != factor)) for cell in dict.fromkeys(cells)}
    number = {name: code for code, name in enumerate(dict.fromkeys(names.values()))}
    return np.array([number[names[cell]] for cell in cells], dtype=np.int64)
