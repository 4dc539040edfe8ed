"""Tables of the report that are not figures: curves, accounts, facts, the design, and what cannot be known."""

from __future__ import annotations

from collections import Counter
from typing import Any

from knee.explain.analysis import Analysis
from knee.opened import OpenedStudy
from knee.stats.contrasts import Interval

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
            "speedup": _with(point.speedup.estimate, point.speedup.interval),
            "bootstrap": _ends(point.speedup.bootstrap),
            "efficiency": _with(point.efficiency, point.efficiency_interval),
            "Karp-Flatt": _with(point.karp_flatt, point.karp_flatt_interval),
            "cpus busy": point.busy,
        }
        for series in analysis.series
        for point in series.curve.points
    ]


def account_rows(analysis: Analysis) -> list[Row]:
    """Return where the lost time went: one row a cell, all parts adding up to the loss."""
    return [
        {"series": name, "threads": account.threads, "loss": _with(account.loss.value, account.loss.interval)}
        | {part.name: _with(part.value, part.interval) for part in account.parts}
        for name, accounts in analysis.accounts.items()
        for account in accounts
    ]


def contrast_rows(analysis: Analysis) -> list[Row]:
    """Return how the series compare: one row a series and thread count."""
    return [
        {
            "series": one.series,
            "against": one.reference,
            "threads": one.threads,
            "time over time": _with(one.ratio.estimate, one.ratio.interval),
            "differs": "yes" if one.ratio.interval.excludes(1.0) else "not that the interval can see",
        }
        for one in analysis.contrasts
    ]


def fact_rows(machine: dict[str, Any]) -> list[Row]:
    """Return facts and capabilities; one that is missing comes with its reason."""
    shape = {kind: len(machine[kind]) for kind in ("sockets", "nodes", "cores", "hardware_threads")}
    rows: list[Row] = [{"fact": kind.replace("_", " "), "value": count} for kind, count in shape.items()]
    quota = machine["allowed"]["quota_cpus"]
    rows.append({"fact": "cpus allowed", "value": len(machine["allowed"]["cpus"])})
    rows.append({"fact": "CPU quota", "value": "none" if quota is None else f"{quota:g} cpus"})
    for name, value in machine["facts"].items():
        missing = value.get("unavailable") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        rows.append({"fact": name.replace("_", " "), "value": f"not available: {missing}" if missing else value})
    return rows


def design_rows(study: OpenedStudy) -> list[Row]:
    """Return how the runs were made."""
    analysis = study.analysis
    levels: dict[str, list[str]] = {}
    for run in study.runs:
        for name, level in run.spec["cell"].items():
            known = levels.setdefault(name, [])
            if str(level) not in known:
                known.append(str(level))
    rows: list[Row] = [{"what": f"factor {name}", "value": ", ".join(found)} for name, found in sorted(levels.items())]
    blocks = max((run.spec["block"] for run in study.runs), default=0)
    rows += [
        {"what": "runs", "value": f"{analysis.made} of {analysis.planned} planned, {len(analysis.bad)} of them bad"},
        {"what": "blocks", "value": f"{blocks}, each holds every cell once in a random order of its own"},
        {
            "what": "intervals",
            "value": "90 %, Student's t on the blocks' log ratios below twenty blocks, bootstrap from there on",
        },
        {"what": "drift", "value": _drift(analysis)},
        {"what": "runs unlike their cell", "value": ", ".join(analysis.outliers) or "none"},
        {
            "what": "disturbed runs",
            "value": "; ".join(f"{k}: {why}" for k, why in analysis.disturbed.items()) or "none",
        },
        *_around(study),
        *_regions(study),
    ]
    if study.runs:
        rows.append({"what": "began", "value": min(run.record["start"] for run in study.runs)})
    return rows


AROUND = {
    "setup": "before the study",
    "warmup": "warm-up runs",
    "prepare": "before each run",
    "cache": "page cache",
    "conclude": "after each run",
    "cleanup": "after the study",
}
"""What a study file may ask around the runs, in the order in which it happens."""


def _around(study: OpenedStudy) -> list[Row]:
    """Return what was done around the runs and which facts were held; nothing where nothing was asked."""
    measure = study.folder.read_measure()
    rows: list[Row] = [{"what": what, "value": measure[name]} for name, what in AROUND.items() if measure.get(name)]
    held = study.runs[0].spec.get("hold") if study.runs else None
    if held:
        changed = [f"{one.sentence(study.analysis.made)}: {', '.join(one.runs)}" for one in study.analysis.changed]
        rows.append({"what": "facts held", "value": ", ".join(f"{name}={value}" for name, value in held.items())})
        rows.append({"what": "runs with a changed fact", "value": "; ".join(changed) or "none"})
    return rows


def _regions(study: OpenedStudy) -> list[Row]:
    """Return what was wrong most often with the regions that the program marks; nothing where nothing was."""
    faults = Counter(fault for run in study.runs for fault in run.record.get("region_faults", []))
    said = [f"{fault} ({count} of {len(study.runs)} runs)" for fault, count in faults.most_common(3)]
    return [{"what": "marks of regions", "value": "; ".join(said)}] if said else []


def _drift(analysis: Analysis) -> str:
    drift = analysis.drift
    change = f"{100 * (drift.change - 1):+.1f} % from first to last run"
    text = f"{change}, p = {drift.p:.3f}, lag-1 correlation {drift.lag1:.2f}"
    return f"found: {text}; intervals may be too narrow" if drift.found else f"not found: {text}"


def unknown(study: OpenedStudy) -> list[str]:
    """Return what this study cannot know, and why."""
    machine, lines = study.machine, list[str]()
    counters = machine["facts"].get("hardware_counters")
    why = "this version of knee reads none"
    if isinstance(counters, dict):
        why = str(counters["unavailable"])  # pyright: ignore[reportUnknownArgumentType]
    lines.append(
        f"Why CPU time grew: there are no hardware counters here ({why}), so more instructions and slower "
        "ones look the same. CPU time, per-thread samples and a clock proxy were used instead."
    )
    if len(machine["nodes"]) == 1:
        lines.append("Anything about remote memory: this machine has one node.")
    if len(machine["sockets"]) == 1:
        lines.append("What a second socket would do: this machine has one.")
    if all(len(core["cpus"]) == 1 for core in machine["cores"]):
        lines.append("What SMT siblings do to each other: the kernel shows none (a hypervisor may hide them).")
    if any("command" in run.spec["program"] and run.spec["bind"] == "set" for run in study.runs):
        lines.append(
            "Which of a foreign program's threads ran where from the start: they are held by the set, not one by one."
        )
    lines.append("Other inputs, other builds, other machines: nothing here was measured on them.")
    return lines


def _with(value: float, interval: Interval) -> str:
    return "–" if value != value else f"{value:.3f} {_ends(interval)}".strip()


def _ends(interval: Interval) -> str:
    return "" if interval.low != interval.low else f"[{interval.low:.3f}, {interval.high:.3f}]"
