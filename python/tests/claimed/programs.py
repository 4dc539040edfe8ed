"""What programs of studies report: their phases, what they count in them, and facts, from a short run of each."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from functools import cache

from knee import _binary
from knee.store import RunSpec

SHORT: dict[str, dict[str, str]] = {
    "mine": {"graph": "rmat:6"},
    "query": {"scale": "0.001", "cache": "", "repeat": "1"},
    "heat": {"rows": "64", "columns": "64", "steps": "4"},
    "cilksort": {"n": "20000"},
    "matmul": {"n": "64"},
    "strassen": {"n": "64"},
    "sumeuler": {"n": "500"},
    "parfib": {"n": "20"},
    "mandel": {"size": "64", "depth": "64"},
    "smt": {},
    "matmul-z": {"n": "64"},
    "walk": {"tables": "2", "size": "64K", "steps": "100"},
} | {probe: {"size": "1M"} for probe in ("ownership", "lockstep", "random", "sequential", "allocate")}
"""Arguments with which a workload ends at once."""


@dataclass(frozen=True)
class Program:
    """What a program reports. ``phases`` has the names that it counts in each."""

    phases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    facts: tuple[str, ...] = ()


def program_of(spec: RunSpec) -> Program:
    """Return what the program of a run reports. A command reports no more than the phase that is measured."""
    program = spec["program"]
    if "workload" not in program:
        phase = (spec.get("metric") or {}).get("phase")
        return Program({phase: ()}) if phase else Program()
    short = SHORT[program["workload"]]
    params = {name: level for name, level in program.get("params", {}).items() if name not in short}
    return _tried(json.dumps(program | {"args": program.get("args", {}) | short, "params": params}))


@cache
def _tried(program: str) -> Program:
    cpus = _binary.ask("machine")["allowed"]["cpus"][:2]
    spec = {"schema": 1, "id": "1", "cell": {"threads": len(cpus)}, "block": 1, "program": json.loads(program)}
    line = json.dumps(spec | {"threads": len(cpus), "cpus": cpus, "timeout_s": 60})
    run = [str(_binary.find()), "run", "--stdin"]
    record = json.loads(subprocess.run(run, input=line, capture_output=True, text=True, check=True).stdout)
    assert record["exit"] == {"code": 0}, (program, record)
    facts = {name for name, text in (record.get("facts") or {}).items() if text.replace(".", "", 1).isdigit()}
    return Program({one["name"]: tuple(one.get("counters") or ()) for one in record["phases"]}, _on_nodes(facts))


def _on_nodes(facts: set[str]) -> tuple[str, ...]:
    """Return facts, and those that a workload would report beside them with more threads, on several nodes."""
    more = {name.replace("array own", f"array {where}") for name in facts for where in ("near", "far")}
    more |= {name.replace("reader first", "reader later") for name in facts | more}
    return tuple(facts | more | ({"far pages with the reader"} if "pages with the owner" in facts else set()))
