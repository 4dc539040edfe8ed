"""How a study was measured: factors, blocks, rules, and what was done around the runs."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from knee.explain.analysis import Analysis
from knee.explain.scaling.series import same_placements, word_of
from knee.explain.stopping import MORE_BLOCKS
from knee.opened import Study
from knee.stats.residuals import DOUBT, RUNS_FOR_DRIFT
from knee.store import Level, Run, read_end, read_waits, uncounted

Row = dict[str, Any]


def design_rows(study: Study) -> list[Row]:
    """Return how the runs were made."""
    analysis = study.analysis
    rows: list[Row] = [
        {"what": f"factor {name}", "value": ", ".join(word_of(name, level) for level in levels)}
        for name, levels in sorted(_factors(study).items())
    ]
    blocks = max((run.spec["block"] for run in _designed(study)), default=0)
    rows += [
        {"what": "runs", "value": f"{analysis.made} of {analysis.planned} planned, {len(analysis.bad)} of them bad"},
        {"what": "blocks", "value": f"{blocks}, each holds every cell once in a random order of its own"},
        *_declared(study),
        *_same_cpus(analysis),
        {"what": "intervals", "value": "90 %, Student's t on the blocks' log ratios"},
        {"what": "drift", "value": _drift(analysis)},
        {"what": "outliers", "value": ", ".join(analysis.outliers) or "none"},
        {
            "what": "disturbed runs",
            "value": "; ".join(f"{k}: {why}" for k, why in analysis.disturbed.items()) or "none",
        },
        *_quiet(study),
        *_around(study),
        *_regions(study),
    ]
    if study.runs:
        rows.append({"what": "began", "value": min(run.record["start"] for run in study.runs)})
    return rows


def _same_cpus(analysis: Analysis) -> list[Row]:
    """Say which placements are the same one here; their times are not compared."""
    same = same_placements(analysis.series)
    said = [f"{name} puts threads on the same cpus as {other}" for name, other in same.items()]
    return [{"what": "same placements", "value": f"{'; '.join(said)}: not compared between series"}] if said else []


MOST_PROGRAMS = 5
"""Programs that a page shows; plan.jsonl has all of them."""


def programs(study: Study) -> list[tuple[str, dict[str, Any]]]:
    """Return every program that was measured, with the levels in which it differs from the others, in their order.

    Controls (the best serial version, copies) are left out: they are not part of the design.
    """
    by_program: dict[str, list[Run]] = {}
    for run in _designed(study):
        by_program.setdefault(json.dumps(run.spec["program"], sort_keys=True), []).append(run)
    factors = [name for name, levels in _factors(study).items() if len(levels) > 1]
    named: list[tuple[list[tuple[str, Level]], dict[str, Any]]] = []
    for members in by_program.values():
        cells = [run.spec["cell"] for run in members]
        own = [(name, cells[0][name]) for name in factors if name in cells[0]]
        common = [(name, level) for name, level in own if all(cell.get(name) == level for cell in cells)]
        named.append((common if len(by_program) > 1 else [], members[0].spec["program"]))
    named.sort(key=lambda one: [(name, _rank(level)) for name, level in one[0]])
    return [(", ".join(f"{name}={level}" for name, level in levels), program) for levels, program in named]


def _designed(study: Study) -> list[Run]:
    return [run for run in study.runs if not run.is_control]


def _factors(study: Study) -> dict[str, list[str]]:
    """Return the factors with their levels: numbers in order, then words."""
    factors: dict[str, set[Level]] = {}
    for run in _designed(study):
        for name, level in run.spec["cell"].items():
            factors.setdefault(name, set()).add(level)
    return {name: list(map(str, sorted(levels, key=_rank))) for name, levels in factors.items()}


def _rank(level: Level) -> tuple[bool, float, str]:
    return isinstance(level, str), 0.0 if isinstance(level, str) else level, str(level)


def _declared(study: Study) -> list[Row]:
    """Return what the design declares besides its levels, and the outcome."""
    design, rows = study.folder.read_study_spec().get("design", {}), list[Row]()
    if {"width", "budget_s", "at_least_s"} & design.keys():
        width, budget, least = design.get("width"), design.get("budget_s"), design.get("at_least_s")
        rule = [f"every interval is within {100 * width:g} % and {MORE_BLOCKS} more blocks are made"] if width else []
        rule += [f"the next block would go beyond {budget:g} s"] if budget else []
        rule += [f"{design.get('blocks', 0)} blocks or more took {least:g} s"] if least else []
        end = read_end(study.folder)
        became = f"after block {end.block}: {end.why}" if end else "it was not reached"
        rows.append({"what": "stopping rule", "value": f"until {' or '.join(rule)}; {became}"})
    if "pair" in design:
        rows.append({"what": "pairs", "value": f"the levels of {design['pair']} one after the other: A B, then B A"})
    if "weak" in design:
        rows.append({"what": "weak scaling", "value": _grows(design["weak"])})
    if "exclude" in design:
        left = "; ".join(", ".join(f"{name}={levels}" for name, levels in one.items()) for one in design["exclude"])
        rows.append({"what": "left out", "value": left})
    if any(run.role == "counting" for run in study.runs):
        value = "in runs of their own, which are not timed"
        if uncounted(study.folder.read_plan(), (run.record for run in study.runs)):
            value += "; left out where those of the first block had no value"
        rows.append({"what": "counters", "value": value})
    return rows


def _grows(weak: dict[str, Any]) -> str:
    argument, power = weak["argument"], weak.get("power", 1)
    grows = f"{argument} grows from {weak['one_thread']:g} with the threads"
    return grows if power == 1 else f"{grows}^(1/{power:g}): the work grows with {argument}^{power:g}"


def repeated_words(blocks: list[int]) -> str:
    """Say which blocks were repeated because other programs disturbed them."""
    one = len(blocks) == 1
    which = f"block{'' if one else 's'} {', '.join(map(str, blocks))}"
    first = f"{'its' if one else 'their'} first runs are kept on file, excluded from results"
    return f"other programs disturbed {which}: repeated whole; {first}"


def _quiet(study: Study) -> list[Row]:
    """Return what was done about other programs: waiting, and repeated blocks."""
    waits, rows = read_waits(study.folder), list[Row]()
    if waits:
        loud = [f"{wait.block} ({100 * wait.other_busy:.0f} %)" for wait in waits if not wait.quiet]
        said = f"{sum(wait.waited_s for wait in waits):.0f} s before {len(waits)} block{'s' if len(waits) > 1 else ''}"
        said += f"; in vain before block {', '.join(loud)}: other programs used so much of the cpus" if loud else ""
        rows.append({"what": "waited for a quiet machine", "value": said})
    if study.analysis.repeated:
        rows.append({"what": "repeated blocks", "value": repeated_words(study.analysis.repeated)})
    return rows


AROUND = {
    "build": "built before",
    "setup": "before the study",
    "warmup": "warm-up runs",
    "prepare": "before each run",
    "cache": "page cache",
    "conclude": "after each run",
    "cleanup": "after the study",
}
"""Commands around the runs of a study, in the order in which they run."""


def _around(study: Study) -> list[Row]:
    """Return the commands around the runs, and which facts were held."""
    measure = study.folder.read_measure()
    rows: list[Row] = [{"what": what, "value": measure[name]} for name, what in AROUND.items() if measure.get(name)]
    held = study.runs[0].spec.get("hold") if study.runs else None
    if held:
        changed = [f"{one.sentence(study.analysis.made)}: {', '.join(one.runs)}" for one in study.analysis.changed]
        rows.append({"what": "facts held", "value": ", ".join(f"{name}={value}" for name, value in held.items())})
        rows.append({"what": "runs with a changed fact", "value": "; ".join(changed) or "none"})
    return rows


def _regions(study: Study) -> list[Row]:
    """Return the most frequent faults in the regions that the program marks."""
    faults = Counter(fault for run in study.runs for fault in run.record.get("region_faults", []))
    said = [f"{fault} ({count} of {len(study.runs)} runs)" for fault, count in faults.most_common(3)]
    return [{"what": "marks of regions", "value": "; ".join(said)}] if said else []


def _drift(analysis: Analysis) -> str:
    drift = analysis.drift
    if not drift.tested:
        few = analysis.made - len(analysis.bad) < RUNS_FOR_DRIFT
        why = f"fewer than {RUNS_FOR_DRIFT} good runs" if few else "too few blocks, or no runs that differ"
        return f"not tested: {why}"
    change = f"{100 * (drift.change - 1):+.1f} % from first to last run"
    text = f"{change}, p = {drift.p:.3f} (limit {DOUBT}), lag-1 correlation {drift.lag1:.2f}"
    return f"found, after blocks: {text}" if drift.found else f"no clear drift within or between blocks: {text}"
