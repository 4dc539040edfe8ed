"""Tables of the report: curves, accounts, claims, facts, and what cannot be known."""

from __future__ import annotations

import math
from typing import Any

from knee.explain.analysis import Analysis
from knee.explain.evidence.means import Mean
from knee.explain.ledger.ledger import BOUNDS
from knee.explain.scaling.summary import ScalingSummary, knee_words, law_words
from knee.opened import Study
from knee.stats.intervals import Interval, Ratio

Row = dict[str, Any]


def curve_rows(analysis: Analysis) -> list[Row]:
    """Return the summary: one row a cell."""
    return [
        {
            "series": series.name,
            "threads": point.threads,
            "runs": point.runs,
            "mean s": point.mean_s,
            "median s": point.median_s,
            "speedup": with_ends(point.speedup.estimate, point.speedup.interval),
            "efficiency": with_ends(point.efficiency, point.efficiency_interval),
            # With more threads than cpus what it stands for is no serial part.
            "Karp-Flatt": with_ends(point.karp_flatt, point.karp_flatt_interval)
            if point.threads <= series.cpus
            else "–",
            "cpus busy": point.busy,
        }
        for series in analysis.series
        for point in series.curve.points
    ]


def scaling_rows(analysis: Analysis) -> list[Row]:
    """Return the law, the knee and the thread count to use: one row a series.

    A series with one thread count has no best one.
    """
    counts = {series.name: len(series.curve.points) for series in analysis.series}
    return [
        {
            "series": name,
            "knee": knee_words(summary),
            "law": law_words(summary),
            "use": _use(summary) if counts[name] > 1 else "–",
        }
        for name, summary in analysis.summaries.items()
    ]


def _use(summary: ScalingSummary) -> str:
    use = summary.careful.use if summary.careful else None
    return "cannot tell" if use is None else str(use)


def claim_rows(analysis: Analysis) -> list[Row]:
    """Return the claims of the study file with their answers, which come first: the sentences make a wide table."""
    return [
        {
            "answer": one.answer,
            "claim": one.says,
            "measured": with_ends(one.value, one.interval, small=True),
            "why": one.why,
            "of": one.source or "this study",
            "test": one.asked,
        }
        for one in analysis.claims
    ]


def checklist_rows(analysis: Analysis) -> list[Row]:
    """Return the rules for reporting experiments with their answers."""
    return [
        {"rule": f"{one.number}. {one.rule}", "answer": one.answer, "evidence": one.evidence}
        for one in analysis.checklist
    ]


def base_words(analysis: Analysis) -> str:
    """Return the thread counts that speedups are relative to."""
    bases: dict[int, list[str]] = {}
    for series in analysis.series:
        bases.setdefault(series.curve.base, []).append(series.name)
    words = {base: f"{base} thread{'s' if base > 1 else ''}" for base in sorted(bases)}
    if len(words) == 1:
        return words.popitem()[1]
    return "; ".join(f"{said} of {', '.join(bases[base])}" for base, said in words.items())


def base_lines(analysis: Analysis) -> list[str]:
    """Say for each series whether its base takes as long as the first one's: only then can speedups be compared."""
    words = {
        "equal": "equal within 3 %: their speedups can be compared",
        "faster": "faster: compare their times, not their speedups",
        "slower": "slower: compare their times, not their speedups",
        "cannot tell": "cannot tell whether equal within 3 %: compare their times, not their speedups",
    }
    scaling = {one.name for one in analysis.series if len(one.curve.points) > 1}
    return [
        f"On the fewest threads, the time of {name} over that of {one.reference}: "
        f"{with_ends(one.equivalence.ratio.estimate, one.equivalence.ratio.interval)}, {words[one.equivalence.answer]}."
        for name, one in analysis.bases.items()
        if name in scaling and one.reference in scaling
    ]


def baseline_lines(analysis: Analysis) -> list[str]:
    """Say how long each series takes on the fewest threads beside the best serial version, where runs tell."""
    bases = {series.name: series.curve.base for series in analysis.series}
    return [
        f"{name}: with threads={bases[name]} it takes {times} as long as the best serial version."
        for name, one in analysis.baseline.items()
        if (times := times_as_long(one))
    ]


def times_as_long(one: Ratio) -> str:
    """Return a ratio with its interval; nothing where no run tells it."""
    if one.estimate != one.estimate:
        return ""
    ends = one.interval
    known = f"[{ends.low:.2f}, {ends.high:.2f}] times" if ends.low == ends.low else "times (one run)"
    return f"{one.estimate:.2f} {known}"


def ledger_rows(analysis: Analysis) -> list[Row]:
    """Return where the lost time went: one row a cell, whose parts add up to the loss, and what of them is unexplained.

    Bounds have no interval.
    """
    explained = [one for ledgers in analysis.ledgers.values() for one in ledgers]
    names = dict.fromkeys(entry.name for one in explained for entry in one.ledger.entries)
    return [
        {"series": one.series, "threads": one.threads, "loss": _mean(one.ledger.loss)}
        | dict.fromkeys(names, "–")
        | {entry.name: _part(entry.name, one.ledger.value(entry.name)) for entry in one.ledger.entries}
        | {"of these unexplained": _mean(one.unexplained)}
        for one in explained
    ]


def _part(name: str, mean: Mean) -> str:
    return f"{mean.value:z.3f}" if name in BOUNDS else _mean(mean)


def _mean(mean: Mean) -> str:
    return with_ends(mean.value, mean.interval)


def contrast_rows(analysis: Analysis) -> list[Row]:
    """Return how series compare: one row for each series and thread count."""
    return [
        {
            "series": one.series,
            "against": one.reference,
            "threads": one.threads,
            "time over time": with_ends(one.ratio.estimate, one.ratio.interval),
            "it is": one.answer,
        }
        for one in analysis.contrasts
    ]


def fact_rows(machine: dict[str, Any]) -> list[Row]:
    """Return facts and capabilities, and for missing ones the reason."""
    shape = {kind: len(machine[kind]) for kind in ("sockets", "nodes", "cores", "hardware_threads")}
    rows: list[Row] = [{"fact": kind.replace("_", " "), "value": count} for kind, count in shape.items()]
    quota = machine["allowed"]["quota_cpus"]
    rows.append({"fact": "cpus allowed", "value": len(machine["allowed"]["cpus"])})
    rows.append({"fact": "CPU quota", "value": "none" if quota is None else f"{quota:g} cpus"})
    for name, value in machine["facts"].items():
        missing = value.get("unavailable") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        rows.append({"fact": name.replace("_", " "), "value": f"not available: {missing}" if missing else value})
    return rows


def unknown(study: Study) -> list[str]:
    """Return what this study cannot know, and why."""
    if study.runs and all(run.rehearsed for run in study.runs):
        return [
            "How long anything takes on a real machine: a rehearsal knows forks, steals and far memory, nothing else.",
            "Other inputs and other described machines: nothing here was rehearsed on them.",
        ]
    machine, lines = study.machine, _uncounted(study)
    if len(machine["nodes"]) == 1:
        lines.append("Anything about remote memory: this machine has one NUMA node.")
    if len(machine["sockets"]) == 1:
        lines.append("What a second socket would do: this machine has one.")
    if all(len(core["cpus"]) == 1 for core in machine["cores"]):
        lines.append("What SMT siblings do to each other: the kernel shows none (a hypervisor may hide them).")
    if any("command" in run.spec["program"] and run.record["bind"] == "set" for run in study.runs):
        lines.append(
            "Which thread of the program ran on which cpu: threads are pinned to a set of cpus, not one by one "
            "(--bind each)."
        )
    sampled = [run.record["sampling"] for run in study.runs if "sampling" in run.record]
    if beyond := [count for one in sampled if (count := one.get("left_out"))]:
        lines.append(
            f"What some threads did: in {len(beyond)} of {len(study.runs)} runs, up to {max(beyond)} threads at once "
            "were not sampled: there were too many, or more files than may be open; their CPU time is in the totals."
        )
    lines.append("Other inputs, other builds, other machines: nothing here was measured on them.")
    return lines


LARGE = 10_000
"""Ratios and losses are smaller than this; what is larger is a count."""

SAME = "so more instructions and slower ones look the same"


def _uncounted(study: Study) -> list[str]:
    """Return what missing counters would have shown: not on this machine, not asked for, or without a value."""
    hardware, counters = study.machine["facts"].get("hardware_counters"), study.analysis.counters
    missing = counters.missing
    lines: list[str] = []
    if isinstance(hardware, dict):
        why = str(hardware["unavailable"])  # pyright: ignore[reportUnknownArgumentType]
        instead = "CPU time, per-thread samples and a clock proxy were used instead."
        lines.append(f"What CPU time is spent on: there are no hardware counters here ({why}), {SAME}. {instead}")
        # One line is enough: all requested counters are missing for the same reason.
        missing = {name: reason for name, reason in missing.items() if not reason.startswith("no hardware PMU")}
    elif not counters.asked:
        asks = "Use --counters instructions,cycles."
        lines.append(f"What CPU time is spent on: this study did not ask for counters, {SAME}. {asks}")
    names: dict[str, list[str]] = {}
    for name, reason in missing.items():
        names.setdefault(reason, []).append(name)
    return lines + [f"What {', '.join(of)} would have shown: {reason}." for reason, of in names.items()]


def with_ends(value: float, interval: Interval, *, small: bool = False) -> str:
    """Return a number with its interval; a dash where it is unknown. With ``small`` a small one keeps three digits."""
    if value != value:
        return "–"
    digits = _decimals(value) if small else 3
    ends = [] if interval.low != interval.low else [interval.low, interval.high]
    shown = [_digits(number, value, digits) for number in (value, *ends)]
    return f"{shown[0]} [{', '.join(shown[1:])}]" if ends else shown[0]


def _decimals(number: float) -> int:
    """Return how many decimals show three digits of a number, from 3 to 12 of them."""
    return min(12, max(3, 2 - math.floor(math.log10(abs(number))))) if number and math.isfinite(number) else 3


def _digits(number: float, beside: float, decimals: int) -> str:
    """Return a number with its decimals, a count of bytes or the like without any, as the one beside it is."""
    return f"{number:z,.0f}" if abs(beside) >= LARGE else f"{number:z.{decimals}f}"
