"""Conclusions of a factorial analysis, in sentences: what explains the variation, and which levels differ."""

from __future__ import annotations

from knee.explain.factorial.analysis import FactorialAnalysis
from knee.explain.factorial.level_pairs import LevelPair
from knee.explain.responses import TIME
from knee.explain.verdict.words import between, counted, listed, times
from knee.stats.intervals import Interval
from knee.stats.linear.share import share_interval
from knee.stats.practical import size

MOST_LEVELS = 4
"""Most levels of a factor that are compared one by one; of more, only the largest difference is given."""

RUN_TIMES = ("wall", TIME)
"""Responses of which a smaller one is called faster."""

SMALL = 0.005
"""A share of the variation below this is not worth a number."""


def conclusions(analysis: FactorialAnalysis) -> list[str]:
    """Return a sentence on the variation, then one or more for each factor."""
    said = [_variation(analysis)]
    for factor in analysis.factors:
        if factor in analysis.other_work:
            said.append(f"{factor}: its levels are other work, so their times are not compared.")
            continue
        said += _levels(analysis, [one for one in analysis.pairs if one.factor == factor])
    return said


def _variation(analysis: FactorialAnalysis) -> str:
    shares = sorted(((analysis.anova.of(name).share, name) for name in analysis.factors), reverse=True)
    told = [f"{name} explains {_share(share)}{_ends(share_interval(analysis.anova, name))}" for share, name in shares]
    # Where cells differ in their numbers of runs, shares need not add up.
    rest = 1 - sum(share for share, _ in shares) if analysis.anova.adds_up else 0.0
    left = f"; interactions, blocks and noise are {_share(rest)}" if rest > SMALL else ""
    return f"Of the variation of {analysis.response}, {listed(told)}{left}."


def _share(share: float) -> str:
    return "an unknown part" if share != share else "under 1 %" if share < SMALL else f"{100 * share:.0f} %"


def _ends(ends: Interval) -> str:
    return "" if ends.low != ends.low else f" [{100 * ends.low:.0f}, {100 * ends.high:.0f}]"


def _levels(analysis: FactorialAnalysis, pairs: list[LevelPair]) -> list[str]:
    many = len({one.first for one in pairs} | {one.second for one in pairs})
    if many <= MOST_LEVELS:
        return [f"{one.factor}: {_pair(analysis, one)}." for one in pairs]
    differing = [one for one in pairs if one.size == "matters" or _differs(one)]
    depending = [one for one in pairs if one.size == "depends"]
    partners = listed(list(dict.fromkeys(one.inside[0].partner for one in depending)))
    depend = f"how they compare depends on {partners} in {len(depending)} of {counted(len(pairs), 'pair')}"
    if not differing:
        alike = all(one.size == "equal" for one in pairs)
        word = f"equal within {_percent(analysis.smallest)}" if alike else "cannot tell which of them differ"
        return [f"{pairs[0].factor}: {many} levels, {depend if depending else word}."]
    most = max(differing, key=_apart)
    differ = f"{len(differing)} of {counted(len(pairs), 'pair')} of levels differ"
    more = [f"{most.factor}: {depend}."] if depending else []
    return [f"{most.factor}: {differ}. The largest difference: {_pair(analysis, most)}.", *more]


def _differs(pair: LevelPair) -> bool:
    """Whether two levels differ in a response that has no ratios, since it is not always positive."""
    return pair.ratio is None and pair.model is not None and pair.model.together.excludes(0.0)


def _apart(pair: LevelPair) -> float:
    if pair.ratio is None:
        return abs(pair.model.difference.value) if pair.model else 0.0
    return max(pair.ratio.estimate, 1 / pair.ratio.estimate)


def _pair(analysis: FactorialAnalysis, pair: LevelPair) -> str:
    """Say how two levels compare: which is faster or more, that they are equal, or that one cannot tell."""
    names = f"{pair.first} and {pair.second}"
    if pair.size == "depends":
        return f"how {names} compare depends on {pair.inside[0].partner}"
    if pair.size == "equal":
        return f"{names} are equal within {_percent(analysis.smallest)}"
    if pair.model is not None and _differs(pair):
        value, ends = pair.model.difference.value, pair.model.together
        low, high = sorted((abs(ends.low), abs(ends.high)))
        word = "more" if value > 0 else "less"
        much = f"{abs(value):.4g} [{low:.4g}, {high:.4g}] {word}"
        return f"as measured, {analysis.response} of {pair.first} is {much} than that of {pair.second}"
    if pair.ratio is None or pair.ratio.interval.low != pair.ratio.interval.low:
        return f"cannot tell whether {names} differ"
    over = f"{analysis.response} of {pair.first} is {_ratio(pair)} that of {pair.second}"
    if pair.size == "cannot tell":
        changed = ", and other programs may have changed that" if pair.disturbed else ""
        # Its own interval may lie beyond that, as those of some of many pairs of equal levels do.
        alone = pair.held is not None and size(pair.held, analysis.smallest) == "matters"
        many = "; taken alone they would, but of so many pairs some differ by chance" if alone else ""
        return f"cannot tell whether {names} differ by more than {_percent(analysis.smallest)}: {over}{changed}{many}"
    return _faster(pair) if analysis.response in RUN_TIMES else over


def _faster(pair: LevelPair) -> str:
    """Say of two run times which is how many times as fast."""
    if pair.ratio and pair.ratio.estimate > 1:
        return f"{pair.second} is {_ratio(pair)} as fast as {pair.first}"
    return f"{pair.first} is {_ratio(pair, inverse=True)} as fast as {pair.second}"


def _ratio(pair: LevelPair, *, inverse: bool = False) -> str:
    """Return the ratio, or its range where other programs may have changed it and it holds all the same."""
    if pair.ratio is None or pair.held is None:
        return "-"
    decided = pair.disturbed and pair.size != "cannot tell"
    value, ends = pair.ratio.estimate, pair.held if decided else pair.ratio.interval
    if inverse:
        value, ends = 1 / value, Interval(1 / ends.high, 1 / ends.low)
    return between(ends) if decided else times(value, ends)


def _percent(share: float) -> str:
    return f"{100 * share:g} %"
