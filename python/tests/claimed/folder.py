"""Folders of studies with made-up records: every run has the quantities that a test chose for it."""

from __future__ import annotations

import csv
import dataclasses
import gzip
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from claimed.machines import described, on
from claimed.programs import program_of
from conftest import THREAD, record

from knee.explain.claims.evidence import Claim, Evidence
from knee.explain.claims.judge import Judged, judge
from knee.explain.claims.machine import resolved
from knee.store import Contents, RunSpec
from knee.study.design import plan
from knee.study.design.cells import cells_of, placements_of
from knee.study.options.command_line import study_spec_of
from knee.study.spec import StudySpec

BLOCKS = 6

TIMED = "the time that the study measures"
APART = "largest over least of the threads"
"""Quantities that are no response of their own."""

USUAL = 1e9
"""What is counted in a run where a test chose nothing."""

MS = 1_000_000
TICK = 4 * MS
RUN = 1000 * MS
BEGIN, END = 100 * MS, 900 * MS
"""A run is a second, and every phase takes most of it, as far as samples are concerned."""

Quantities = Callable[[RunSpec], dict[str, float]]
"""What a run's record says, by name: :data:`TIMED`, ``cpu``, a phase, a counter, a fact."""

Rates = Callable[[RunSpec, float], dict[str, float]]
"""What grows how fast at a share of a phase, for samples."""


@dataclass(frozen=True)
class Plan:
    """A study file, planned on a made-up machine."""

    study_spec: StudySpec
    text: str
    specs: list[RunSpec]


@cache
def planned(path: Path, text: str) -> Plan:
    """Plan a study file on a made-up machine, in few blocks."""
    asked = study_spec_of(defaultdict(lambda: None, words=(str(path),)))
    study_spec = dataclasses.replace(asked, blocks=BLOCKS)
    machine = described(text)
    with on(text):
        placements = placements_of(study_spec, machine)
        cells = cells_of(study_spec, machine, placements)
        return Plan(study_spec, text, plan.run_specs(study_spec, cells, placements, machine))


def needed(claim: Claim, made: Plan) -> list[RunSpec]:
    """Return the runs that a claim is about, and those on the fewest threads that they are compared with."""
    asked = resolved(claim, described(made.text))
    base = min(spec["threads"] for spec in made.specs)
    return [spec for spec in made.specs if any(_concerns(spec, cell, asked, base) for cell in cells_named(asked))]


def cells_named(claim: Claim) -> list[dict[str, Any]]:
    """Return the tables of levels in a claim."""
    if "explains" in claim:
        return [claim.get("at", {})]
    two = [claim[kind] for kind in ("ratio", "difference", "order") if kind in claim]
    one = [claim[kind] for kind in ("value", "speedup", "knee", "slope", "trend", "variation") if kind in claim]
    return [*two[0].values()] if two else one


def has(spec: RunSpec, cell: dict[str, Any]) -> bool:
    """Whether a run has these levels."""
    return all(str(spec["cell"].get(name)) == str(level) for name, level in cell.items())


def _concerns(spec: RunSpec, cell: dict[str, Any], claim: Claim, base: int) -> bool:
    if not has(spec, {name: level for name, level in cell.items() if name != "threads"}):
        return False
    low, high = claim.get("between", (0, float("inf")))
    return spec["threads"] == base or (low <= spec["threads"] <= high and has(spec, cell))


def answered(claim: Claim, made: Plan, folder: Path, quantities: Quantities, rates: Rates | None = None) -> Judged:
    """Return the answer to a claim in a folder where its runs have these quantities."""
    return judged(claim, made, folder, lambda spec: _record(spec, quantities(spec), made), rates)


def judged(
    claim: Claim, made: Plan, folder: Path, recorded: Callable[[RunSpec], dict[str, Any]], rates: Rates | None = None
) -> Judged:
    """Write a folder with the runs that a claim is about, read it, and judge the claim."""
    specs = needed(claim, made)
    # Without a run of a claim's own, one of the study says that there is none.
    specs = specs or made.specs[:1]
    records = {spec["id"]: recorded(spec) for spec in specs}
    (folder / "samples").mkdir(parents=True)
    if rates:
        for spec in specs:
            records[spec["id"]]["samples"] = f"samples/{spec['id']}.csv.gz"
            _sample(folder / records[spec["id"]]["samples"], spec, rates)
    (folder / "study.toml").write_text(made.study_spec.to_toml())
    (folder / "machine.json").write_text(json.dumps(described(made.text)))
    (folder / "plan.jsonl").write_text("".join(json.dumps(spec) + "\n" for spec in specs))
    (folder / "records.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records.values()))
    read = Contents.read(folder)
    assert claim in read.study_spec["claim"]
    [answer] = judge([claim], Evidence(read.folder, read.runs, [], {}, read.machine))
    return answer


def _record(spec: RunSpec, quantities: dict[str, float], made: Plan) -> dict[str, Any]:
    """Return the record of a run, with what its program reports and the study counts."""
    program, asked = program_of(spec), dict(quantities)
    took = asked.pop(TIMED, 1.0)
    wall, cpu = asked.pop("wall", took), asked.pop("cpu", took * spec["threads"])
    measured = str((spec.get("metric") or {}).get("phase", ""))
    phases = {
        name: {"name": name, "begin_ns": BEGIN, "end_ns": END, "wall_ns": int(took * 1e9), "cpu_ns": int(cpu * 1e9)}
        | {"counters": dict.fromkeys(counted, int(USUAL))}
        for name, counted in program.phases.items()
    }
    facts = dict.fromkeys(program.facts, "100")
    counters = dict.fromkeys(spec.get("counters", []), int(USUAL))
    apart = asked.pop(APART, 1.0)
    for name, value in asked.items():
        phase, _, inside = name.rpartition(":")
        counting = [one for one in ([phase] if phase else [measured, *phases]) if inside in program.phases.get(one, ())]
        if name in phases:
            phases[name]["wall_ns"] = int(value * 1e9)
        elif phase in phases and inside == "cpu":
            phases[phase]["cpu_ns"] = int(value * 1e9)
        elif name in (made.study_spec.counters or ()):
            # A timed run beside the counting run has no counters.
            counters |= {name: int(value)} if name in counters else {}
        elif counting:
            phases[counting[0]]["counters"][inside] = int(value)
        elif name in facts:
            facts[name] = repr(value)
        else:
            known = [*phases, *counters, *facts, *(one for names in program.phases.values() for one in names)]
            raise AssertionError(f"{spec['program']} does not report {name!r}, but {known}")
    more: dict[str, Any] = {"phases": [*phases.values()], "counters": counters, "facts": facts}
    if measured:
        more["metric"] = {"name": measured, "value": took, "unit": "s"}
    more["observed_threads"] = [
        THREAD | {"tid": n, "cpu_ns": int(1e9 * much), "run_delay_ns": int(1e9 * much)}
        for n in range(spec["threads"])
        for much in [apart if n == 0 else 1.0]
    ]
    return record(spec["id"], spec["block"], wall, cpu, **more)


def _sample(path: Path, spec: RunSpec, rates: Rates) -> None:
    """Write the samples of a run whose quantities grow at these rates."""
    rows: list[tuple[int, str, str, int]] = []
    counts: dict[str, float] = {}
    for t in range(0, RUN + 1, TICK):
        growing = rates(spec, min(max((t - TICK / 2 - BEGIN) / (END - BEGIN), 0.0), 1.0))
        for name, rate in ({"cpu_ns": 0.4} | growing).items():
            # What was counted up to now, or the level right now.
            counts[name] = rate * 1e6 if name == "llc_occupancy" else counts.get(name, 0.0) + (rate * TICK if t else 0)
            rows.append((t, _source(name), name, round(counts[name])))
    with gzip.open(path, "wt", compresslevel=1, newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("t_ns", "source", "name", "value"), *rows])


def _source(name: str) -> str:
    if name in ("cpu_ns", "run_delay_ns"):
        return "thread:1"
    return "resctrl:L3:0" if name.startswith(("mbm_", "llc_")) else "workload"
