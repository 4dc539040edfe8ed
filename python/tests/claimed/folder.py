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

from conftest import THREAD, record

from claimed.machines import described, on
from claimed.programs import program_of
from knee.explain.claims.evidence import Claim, Evidence
from knee.explain.claims.judge import Judged, judge
from knee.explain.claims.machine import resolved
from knee.explain.responses import MEASURED
from knee.explain.scaling.series import group
from knee.explain.scaling.summary import summarize
from knee.store import KINDS, Contents, RunSpec
from knee.store.claims import Kind
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


def kind_of(claim: Claim) -> Kind:
    """Return the kind of a claim."""
    [name] = [name for name in KINDS if name in claim]
    return KINDS[name]


def cells_named(claim: Claim) -> list[dict[str, Any]]:
    """Return the tables of levels in a claim."""
    kind = kind_of(claim)
    if kind.chooses == "factor":
        return [claim.get("at", {})]
    return [*claim[kind.name].values()] if kind.chooses == "two cells" else [claim[kind.name]]


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
    return judged(claim, made, folder, lambda spec: recorded(spec, quantities(spec), made), rates)


def judged(
    claim: Claim, made: Plan, folder: Path, record_of: Callable[[RunSpec], dict[str, Any]], rates: Rates | None = None
) -> Judged:
    """Write a folder with the runs that a claim is about, read it, and judge the claim."""
    # Without a run of a claim's own, one of the study says that there is none.
    specs = needed(claim, made) or made.specs[:1]
    records = {spec["id"]: record_of(spec) for spec in specs}
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
    series = group(read.runs, len(read.machine["allowed"]["cpus"])) if "knee" in claim else []
    summaries = {one.name: summarize(one) for one in series}
    [answer] = judge([claim], Evidence(read.folder, read.runs, series, summaries, read.machine))
    return answer


def reported(spec: RunSpec, made: Plan) -> set[str]:
    """Return the names of all quantities that a run of the study can have."""
    program = program_of(spec)
    counted = {name for names in program.phases.values() for name in names}
    counted |= {f"{phase}:{name}" for phase, names in program.phases.items() for name in (*names, "cpu")}
    counters = made.study_spec.counters or ()
    in_phase = (f"{MEASURED}{name}" for name in counters if program.phases)
    return {TIMED, APART, "wall", "cpu", *program.phases, *counted, *program.facts, *counters, *in_phase}


def recorded(spec: RunSpec, quantities: dict[str, float], made: Plan) -> dict[str, Any]:
    """Return the record of a run, with what its program reports and the study counts."""
    program, asked = program_of(spec), dict(quantities)
    unknown = asked.keys() - reported(spec, made)
    assert not unknown, f"{spec['program']} reports none of {unknown}, but {sorted(reported(spec, made))}"
    took = asked.pop(TIMED, 1.0)
    wall, cpu, apart = asked.pop("wall", took), asked.pop("cpu", took * spec["threads"]), asked.pop(APART, 1.0)
    metric = spec.get("metric") or {}
    name = str(metric.get("phase", metric.get("regex", "")))
    counting = spec.get("counters", [])
    in_phase = {one: asked.pop(f"{MEASURED}{one}", USUAL) for one in counting}
    counters = {one: int(asked.get(one, in_phase[one])) for one in counting}
    facts = {one: repr(asked.get(one, 100.0)) for one in program.facts}
    phases = [
        _phase(one, (*counted, *counting), name == one, {f"{one}:cpu": cpu, one: took} | in_phase | asked)
        for one, counted in program.phases.items()
    ]
    threads = [
        THREAD | {"tid": n, "cpu_ns": int(1e9 * much), "run_delay_ns": int(1e9 * much)}
        for n in range(spec["threads"])
        for much in [1.0 if n else apart]
    ]
    more = {"metric": {"name": name, "value": took, "unit": "s"}} if name else {}
    more |= {"phases": phases, "counters": counters, "facts": facts, "observed_threads": threads}
    return record(spec["id"], spec["block"], wall, cpu, **more)


def _phase(name: str, counted: tuple[str, ...], measured: bool, asked: dict[str, float]) -> dict[str, Any]:
    """Return a phase of a record. A plain name of a count is that of the measured phase."""
    plain = asked if measured else {}
    return {
        "name": name,
        "begin_ns": BEGIN,
        "end_ns": END,
        "wall_ns": int(asked[name] * 1e9),
        "cpu_ns": int(asked[f"{name}:cpu"] * 1e9),
        "counters": {one: int(asked.get(f"{name}:{one}", plain.get(one, USUAL))) for one in counted},
    }


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
