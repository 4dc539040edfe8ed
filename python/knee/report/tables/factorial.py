"""A factorial analysis as tables and sentences, the same in the terminal and in the report.

Cells are text; a dash stands for an unknown number.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import exp

from knee.explain.factorial.analysis import FactorialAnalysis, Within
from knee.explain.factorial.level_pairs import LevelPair
from knee.stats.intervals import Interval
from knee.stats.linear.anova import Anova

SCALES = {
    "none": "as it is",
    "log": "the natural logarithm",
    "sqrt": "the square root",
    "inverse": "1/value, so positive means less",
}

OWN_ERRORS = (
    "F compares each source with its own interaction with blocks, so an effect that differs from block to block counts "
    "as noise to that extent."
)

MOST_INSIDE = 8
"""Levels that a sentence compares at most; analysis.json has all."""

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table of text. Its first ``words`` columns hold words, the others numbers."""

    title: str
    columns: Cells
    rows: list[Cells]
    words: int = 1


@dataclass(frozen=True)
class Part:
    """Tables that belong together. ``sees`` comes before them in the report, ``says`` after them."""

    title: str
    sees: str
    tables: list[Table]
    says: list[str] = field(default_factory=list[str])


def head(name: str, analysis: FactorialAnalysis) -> list[str]:
    """Say what was analysed, what was left out, and on which scale."""
    factors = ", ".join(f"{factor} ({len(levels)})" for factor, levels in analysis.factors.items())
    blocks = f"{analysis.blocks} block{'s' if analysis.blocks > 1 else ''}{' in the model' if analysis.blocked else ''}"
    lines = [f"{name}: {analysis.response} by {factors}; {len(analysis.run_ids)} runs, {blocks}."]
    for why, many in Counter(analysis.left_out.values()).most_common():
        lines.append(f"Left out: {many} run{'s' if many > 1 else ''}: {why}.")
    lines += analysis.notes
    lines.append(f"Scale: {SCALES[analysis.scale]}. {_scale(analysis)}")
    return lines


def _scale(analysis: FactorialAnalysis) -> str:
    advised = analysis.transform
    if advised.recommended == analysis.scale:
        return advised.reason
    return f"Recommended is {SCALES[advised.recommended]}: {advised.reason[0].lower()}{advised.reason[1:]}"


def parts(analysis: FactorialAnalysis) -> list[Part]:
    """Return all parts in reading order, without empty ones."""
    made = [
        _variation(analysis.anova),
        _effects(analysis),
        _pairs(analysis),
        _contrasts(analysis),
        _predictions(analysis),
        _within(analysis),
        _trust(analysis),
    ]
    return [part for part in made if part.tables or part.says]


def _variation(anova: Anova) -> Part:
    sees = "Shares of the squared distances from the mean of all runs. By noise alone one source in ten has an F above "
    rows: list[Cells] = []
    for one in anova.sources:
        tested = (_number(one.f), _number(one.needed), _p(one.p)) if one.term else ("", "", "")
        freedom = f"{one.freedom}, {one.against.freedom:g}" if one.term else str(one.freedom)
        rows.append((one.name, _share(one.share), _number(one.squares), freedom, *tested))
    columns = ("source", "share", "squares", "df", "F", "F .90", "p")
    table = Table("Allocation of variation", columns, rows)
    own = any(one.term and one.against.name != "error" for one in anova.sources)
    says = [OWN_ERRORS] if own else []
    if not anova.adds_up:
        says.append("Cells differ in their numbers of runs: squares are of type II, and shares need not add up.")
    return Part("Allocation of variation", f"{sees}F .90; a small share may still matter.", [table], says)


def _effects(analysis: FactorialAnalysis) -> Part:
    log, unit = analysis.scale == "log", "" if analysis.scale == "none" else f"{analysis.scale} of "
    times = ("times",) if log else ()
    rows: list[Cells] = []
    for one in analysis.effects:
        value = one.estimate
        name = ", ".join(f"{factor}={level}" for factor, level in zip(one.term, one.levels, strict=True)) or "mean"
        multiplied = (_number(exp(value.value)),) if log else ()
        rows.append((name, _number(value.value), _number(value.error), _ends(value.interval), *multiplied))
    columns = ("effect of", "effect", "std. error", "90 % interval", *times)
    says: list[str] = []
    if analysis.signs:
        listed = zip(analysis.signs.names, analysis.signs.q.tolist(), strict=True)
        says = ["Sign table: " + ", ".join(f"{name} {_number(q)}" for name, q in listed) + "."]
    sees = "How far a level lies from the mean, averaged over the other factors"
    sees += "; times is the factor by which it multiplies." if log else "."
    sees += " How much blocks differ is not in the interval of the mean."
    return Part("Effects", sees, [Table(f"Effects, {unit}{analysis.unit}", columns, rows)], says)


def _pairs(analysis: FactorialAnalysis) -> Part:
    by_factor = {name: [("", one) for one in analysis.pairs if one.factor == name] for name in analysis.factors}
    # Levels that are other work are not compared.
    tables = [_compared(f"Levels of {name}", pairs) for name, pairs in by_factor.items() if pairs]
    says: list[str] = []
    if any(one.ratio for one in analysis.pairs):
        says.append(
            "Ratios are first over second, with the interval of that pair alone. Tukey's p is for all pairs, on the "
            "model's error and scale, so the two may disagree. Hodges-Lehmann's interval assumes no normal errors. "
            f"A ratio matters from {100 * analysis.smallest:g} % on; whether it does allows for the number of pairs."
        )
    says += [_dependence(one) for one in analysis.pairs if one.inside]
    says += [_small_share(analysis, factor) for factor in analysis.small_but_matters()]
    sees = "Every two levels of a factor, averaged over the others, against the smallest effect that matters."
    return Part("Does it matter?", sees, tables, says)


def _dependence(pair: LevelPair) -> str:
    shown = [
        f"{one.ratio.estimate:.3f} [{_range(one.ratio.interval)}] at {one.level}" for one in pair.inside[:MOST_INSIDE]
    ]
    more = f", and {len(pair.inside) - MOST_INSIDE} more" if len(pair.inside) > MOST_INSIDE else ""
    names = f"{pair.factor} {pair.first} / {pair.second}"
    return f"{names} depends on {pair.inside[0].partner}: {', '.join(shown)}{more}."


def _small_share(analysis: FactorialAnalysis, factor: str) -> str:
    share = _share(analysis.anova.of(factor).share)
    most = max((one for one in analysis.anova.sources if one.term != (factor,)), key=lambda one: one.squares)
    return f"{factor} explains only {share} of the variation, because {most.name} varies more; its levels matter."


def _compared(title: str, rows: list[tuple[str, LevelPair]]) -> Table:
    """Return a table of pairs of levels: ratios, or differences where a response is not positive."""
    if all(one.ratio is None for _, one in rows):
        columns = ("first - second", "difference", "90 %, all pairs", "p", "Hodges-Lehmann")
        return Table(title, columns, [_difference_row(words, one) for words, one in rows])
    columns = ("first / second", "ratio", "90 %", "Tukey p", "Hodges-Lehmann", "size")
    return Table(title, columns, [_ratio_row(words, one) for words, one in rows])


def _ratio_row(words: str, one: LevelPair) -> Cells:
    p = _p(one.model.p if one.model else float("nan"))
    name = f"{words}{one.first} / {one.second}"
    if one.ratio is None:
        # There is no ratio to a level that is not positive, and the robust interval is one of differences.
        return (name, "-", "-", p, "-", one.size)
    estimate, ends = f"{one.ratio.estimate:.3f}", _range(one.ratio.interval)
    return (name, estimate, ends, p, _range(one.robust.interval), one.size)


def _difference_row(words: str, one: LevelPair) -> Cells:
    name, twin = f"{words}{one.first} - {one.second}", _ends(one.robust.interval)
    if one.model is None:
        return (name, "-", "-", "-", twin)
    return (name, _number(one.model.difference.value), _ends(one.model.together), _p(one.model.p), twin)


def _contrasts(analysis: FactorialAnalysis) -> Part:
    lines: list[str] = []
    for one in analysis.contrasts:
        line = f"Contrast {one.text}: {_number(one.difference.value)} {_ends(one.difference.interval)}"
        ratio = f", as a ratio {one.ratio:.3f} [{_range(one.ratio_interval)}]: {one.size}"
        lines.append(f"{line}{ratio if one.ratio == one.ratio else ''}.")
    return Part("Contrasts", "", [], lines)


def _predictions(analysis: FactorialAnalysis) -> Part:
    rows = [
        (
            ", ".join(f"{factor}={level}" for factor, level in one.levels.items()),
            _number(one.mean.value),
            _ends(one.mean.interval),
            _ends(one.run),
        )
        for one in analysis.predictions
    ]
    columns = ("cell", "mean", "90 % of the mean", "90 % of a run")
    sees = (
        "What the model predicts for every cell in a block like the average one of these, with the interval of that "
        "mean and of one more run. How much blocks differ is in neither."
    )
    return Part("Predicted responses", sees, [Table(f"Predicted {analysis.response}, {analysis.unit}", columns, rows)])


def _within(analysis: FactorialAnalysis) -> Part:
    within = analysis.within_factor
    title = f"Within each level of {within}"
    if not analysis.within:
        return Part(title, "", [])
    rows = [row for one in analysis.within for row in _within_rows(one)]
    tables = [Table(title, (str(within), "source", "share", "F", "p"), rows, words=2)]
    for factor in analysis.factors:
        pairs = [(f"{one.level}: ", pair) for one in analysis.within for pair in one.pairs if pair.factor == factor]
        tables += [_compared(f"Levels of {factor} within each of {within}", pairs)] if pairs else []
    says = [f"{one.level}: {_dependence(pair)}" for one in analysis.within for pair in one.pairs if pair.inside]
    why = f"{within} explains most. " if within == analysis.largest else ""
    return Part(title, f"{why}The other factors at each level of {within}.", tables, says)


def _within_rows(one: Within) -> list[Cells]:
    if one.anova is None:
        return [(one.level, one.why, "-", "-", "-")]
    return [
        (one.level if not number else "", row.name, _share(row.share), _number(row.f), _p(row.p))
        for number, row in enumerate(one.anova.sources)
    ]


def _trust(analysis: FactorialAnalysis) -> Part:
    looks = analysis.diagnostics
    lines = looks.sentences()
    if looks.spread == looks.spread:
        lines.append(f"The largest value is {looks.spread:.2f} times the smallest.")
    sees = "Intervals assume errors that are normal, equally wide everywhere, and without a pattern."
    return Part("What to trust", sees, [], lines)


def _share(value: float) -> str:
    return "-" if value != value else f"{100 * value:.2f} %"


def _number(value: float) -> str:
    if value != value:
        return "-"
    return f"{value:.4g}" if abs(value) < 1e5 else f"{value:.3e}"


def _p(value: float) -> str:
    if value != value:
        return "-"
    return "<.0001" if value < 1e-4 else f"{value:.4f}"


def _ends(interval: Interval) -> str:
    return "-" if interval.low != interval.low else f"[{_number(interval.low)}, {_number(interval.high)}]"


def _range(interval: Interval) -> str:
    return "-" if interval.low != interval.low else f"{interval.low:.3f}-{interval.high:.3f}"
