"""What the report says about causes: shares, predictions, checks, and what was tried."""

from __future__ import annotations

from knee.explain.analysis import Analysis
from knee.explain.causes.cause import Finding
from knee.explain.ledger.naming import LEAST
from knee.explain.scaling.series import Series
from knee.explain.verdict.why import UNSURE, advice, share_of, without
from knee.report.tables.facts import Row, with_ends

FEW = 3
"""Points of which each is named."""


def cause_rows(analysis: Analysis) -> list[tuple[Finding, str, list[str]]]:
    """Return every finding, its share of the loss in words, and sentences on what would move the knee and how far."""
    series = {one.name: one for one in analysis.series}
    rows: list[tuple[Finding, str, list[str]]] = []
    for finding in analysis.findings:
        explained = [one for one in analysis.ledgers.get(finding.series, []) if one.threads == finding.threads]
        share = share_of(finding, explained[0]) if explained else ""
        rows.append((finding, share, moves(finding, series[finding.series])))
    return rows


def moves(finding: Finding, series: Series) -> list[str]:
    """Return what would move the knee, and what the program would gain without the cause.

    Where the part of the loss may be 0, that is said instead.
    """
    if finding.may_be_nothing:
        return [f"{UNSURE[0].upper()}{UNSURE[1:]}."]
    what, gain = advice(finding), without(finding, series)
    return [*([f"To move the knee: {what}."] if what else []), *([f"Without it, {gain}."] if gain else [])]


def doubts(analysis: Analysis) -> list[str]:
    """Return why nothing is named: at thread counts that were asked about, or else at any.

    Of many series that have nothing to explain, only that they have nothing is said.
    """
    every = [one for ledgers in analysis.ledgers.values() for one in ledgers if one.why]
    if not every and any(finding.left for finding in analysis.findings):
        return ["the causes that are left are not told apart here"]
    if not every:
        return ["its parts need CPU times"] if analysis.scales else ["with one thread count there is no loss"]
    reasons = list(dict.fromkeys(one.why for one in [one for one in every if one.asked] or every))
    nothing = [one.why for one in every if one.status == "nothing to explain"]
    if len(reasons) > 2 and len(set(nothing)) > 1:
        points = f"{len(nothing)} of {len(every)} points of the curves"
        reasons = [f"the loss at {points} may be below {LEAST}", *(why for why in reasons if why not in nothing)]
    return reasons


def left_out(analysis: Analysis) -> list[str]:
    """Return which runs do not count in parts of the loss, in words: each, or how many of many."""
    every = [one for ledgers in analysis.ledgers.values() for one in ledgers]
    some = [one for one in every if one.left_out]
    if len(some) > FEW:
        runs = sum(one.left_out for one in some) / len(some)
        where = f"at {len(some)} of {len(every)} points of the curves"
        what = "Runs that other programs or a changing clock disturbed"
        return [f"{what} are left out {where}: {runs:.1f} at each, on average"]
    return [f"{one.series}, {one.threads} threads: {one.left_out_said}" for one in some]


def checked(analysis: Analysis) -> list[str]:
    """Return the checks at thread counts that were asked about, in words, each with its answer."""
    found = [
        (f"{one.series}, {one.threads} threads", check)
        for ledgers in analysis.ledgers.values()
        for one in ledgers
        if one.asked
        for check in one.checks
    ]
    found += [(name, check) for name, held in analysis.predictions.items() for check in held]
    return [f"{check.answer}: {of}: {check.says}" for of, check in found if check.ok is not None]


def phase_rows(analysis: Analysis) -> list[Row]:
    """Return the marked phases, one row each: at the largest thread count of every series."""
    bases = {one.base for found in analysis.phases.values() for one in found}
    fewest = f"of the time on {bases.pop() if len(bases) == 1 else 'the fewest'}"
    return [
        {
            "series": one.series,
            "threads": one.threads,
            "phase": one.name,
            fewest: f"{100 * one.base_share.value:.0f} %",
            "on all": f"{100 * one.share.value:.0f} %",
            "speedup": with_ends(one.speedup.estimate, one.speedup.interval),
            "": one.answer,
            "part of the loss": with_ends(one.part.value, one.part.interval),
            "of that CPU time": with_ends(one.cpu.value, one.cpu.interval),
        }
        for found in analysis.phases.values()
        for one in found
        if one.threads == max(each.threads for each in found)
    ]


def placement_rows(analysis: Analysis) -> list[Row]:
    """Return what placements of fewer threads cost, one row for each factor."""
    return [
        {
            "series": one.series,
            "threads": one.placements.threads,
            "placed on": effect.factor,
            "ln of time": with_ends(effect.share.value, effect.share.interval),
            "in any order": f"{effect.low_order:.3f} to {effect.high_order:.3f}",
        }
        for explained in analysis.ledgers.values()
        for one in explained
        if one.placements
        for effect in one.placements.effects
    ]


def tried_rows(analysis: Analysis) -> list[Row]:
    """Return the remedies that were tried, one row each."""
    return [
        {
            "remedy": one.remedy,
            "treats": ", ".join(one.treats),
            "threads": one.cell.get("threads", one.threads),
            "as fast": with_ends(one.gain.estimate, one.gain.interval),
            "answer": "rejected: " + one.rejected if one.rejected else one.answer,
        }
        for one in analysis.tried
    ]
