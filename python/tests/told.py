"""Evidence from a few numbers, for tests of ledgers and causes: runs as the store joins them, or a folder of them."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

from conftest import THREAD, VALID, machine, record

from knee.explain.evidence.evidence import Evidence, evidence
from knee.explain.ledger.ledger import ledger
from knee.explain.ledger.naming import candidates
from knee.explain.scaling.series import Series, group
from knee.store import Folder, Run
from knee.store.records.idle import Alone, Idle

ROLES = {
    "one cpu": "one-cpu",
    "copies": "copies",
    "copies on cores": "copies",
    "copies with spread memory": "copies",
    "interleaved memory": "placement",
    "twice the threads": "more-threads",
    "switches": "counting",
    "hot spots": "counting",
    "hot spots, base": "counting",
    "stream beside": "co-runner",
    "pirate beside": "co-runner",
    "busy cores beside": "busy-cores",
}


@dataclass
class Made:
    """What a run is like: seconds and CPU seconds, idle thread-seconds by class, and counts of the kernel."""

    seconds: float
    cpu: float
    idle: dict[str, float] = field(default_factory=dict)
    sleeps: int = 0
    system: float = 0.0
    faults: int = 0
    threads: int | None = None
    shares: tuple[float, ...] = ()
    """Shares of the CPU time of its threads, the largest first."""
    others: float = 0.0
    """Share of the cpus that other programs used."""
    disk: float = 0.0
    """Thread-seconds of waiting for a disk."""
    file_locks: float | None = None
    """Thread-seconds of waiting for locks on files."""
    pages: dict[str, int] | None = None
    cgroup: dict | None = None
    futex: dict | None = None
    goroutines: dict | None = None
    collector: float | None = None
    """CPU seconds of the garbage collector."""
    collector_kind: str | None = None
    alone: Alone | None = None
    """Which thread worked alone, and how long each time."""
    spots: dict[str, int] | None = None
    """Samples at places, such as ``main+16``: 16 bytes from the begin of a file, in a function of that name."""
    spots_alone: dict[str, int] | None = None
    """Those of them that were taken while no other thread could run."""
    own_sleeps: int | None = None
    """How often threads that work gave up their cpu."""


def runs(
    base: Made, many: Made, tests: dict[str, Made] | None = None, *, n: int = 2, blocks: int = 6, noise: float = 0.003,
    mapped: dict | None = None, between: dict[int, Made] | None = None,
) -> list[Run]:  # fmt: skip
    """Return the runs of a study: in every block the base, n threads, each test, and thread counts in between."""
    draw, made = random.Random(7), []
    for block in range(1, blocks + 1):
        counts = {str(count): one for count, one in (between or {}).items()}
        for name, one in {"1": base, **counts, "n": many, **(tests or {})}.items():
            threads = int(name) if name.isdigit() else n if name == "n" else one.threads or _threads(name, n)
            by = 1 + draw.gauss(0, noise)
            made.append(_run(len(made), block, threads, n, name, one, by, mapped))
    return made


def _threads(name: str, n: int) -> int:
    return 2 * n if name == "twice the threads" else 1 if name.endswith((", base", "beside")) else n


def _run(order: int, block: int, threads: int, n: int, name: str, one: Made, by: float, mapped: dict | None) -> Run:
    own = name == "n" or name.isdigit()
    spec = {
        "schema": 1, "id": f"{order:04d}", "block": block, "threads": threads, "cpus": list(range(n)),
        "cell": {"threads": threads if own else n, "placement": "cores-close"},
        "program": {"command": ["p", "{threads}"]}, "sample_ms": 10, "timeout_s": 60.0,
    }  # fmt: skip
    if not own:
        spec |= {"role": ROLES.get(name, "intervention"), "test": name}
    told = record(spec["id"], block, one.seconds * by, one.cpu * by, validity={"other_busy": one.others, "steal": 0.0})
    told |= {"user_ns": int((one.cpu - one.system) * by * 1e9), "system_ns": int(one.system * by * 1e9)}
    told["rusage"] |= {"voluntary_switches": one.sleeps, "minor_faults": one.faults}
    told |= {"mapped": mapped} if mapped else {}
    told |= {"pages": one.pages} if one.pages else {}
    told |= {"cgroup": {"own": one.cgroup}} if one.cgroup else {}
    told |= {"futex": one.futex} if one.futex else {}
    told |= {"goroutines": one.goroutines} if one.goroutines else {}
    told |= {"hotspots": _hotspots(one.spots, one.spots_alone)} if one.spots else {}
    classes = dict.fromkeys(("nobody", "one", "few", "waiting", "more"), 0.0) | one.idle
    idle = Idle(**{name: value * by for name, value in classes.items()}, source="records", alone=one.alone)
    return Run(
        order, spec, told, None, one.seconds * by, one.cpu * by, idle=idle, disk_s=one.disk * by, shares=one.shares,
        collector_s=one.collector, collector_kind=one.collector_kind,
        file_locks_s=None if one.file_locks is None else one.file_locks * by, own_sleeps=one.own_sleeps,
    )  # fmt: skip


def _hotspots(spots: dict[str, int], alone: dict[str, int] | None) -> dict:
    functions = sorted({place.partition("+")[0] for place in spots})
    places = [
        {"file": 0, "at": int(at), "samples": many, "function": functions.index(name)}
        | ({"alone": alone[place]} if alone and place in alone else {})
        for place, many in spots.items()
        for name, _, at in [place.partition("+")]
    ]
    return {
        "period_ns": 997_000, "samples": sum(spots.values()), "unnamed": 0, "elsewhere": 0, "cost_ns": 0,
        "files": ["/bin/p"], "functions": functions, "places": places,
    } | ({} if alone is None else {"alone": sum(alone.values())})  # fmt: skip


def series_of(made: list[Run], n: int = 2) -> Series:
    """Return the only series of these runs."""
    (one,) = group(made, n)
    return one


def evidence_of(*made: object, n: int = 2, **more: object) -> Evidence:
    """Return the evidence of a study of these runs; see :func:`runs`."""
    return evidence(series_of(runs(*made, n=n, **more), n), n)


def named(found: Evidence) -> dict[tuple[str, ...], float]:
    """Return the names of all findings with the value of their part."""
    return {one.names: one.part.value for one in candidates(found, ledger(found))}


def written(path: Path, made: list[Run], cores: int = 4) -> Folder:
    """Write a study of these runs. Samples of ready threads say what idle threads did."""
    folder = Folder(path)
    folder.path.mkdir()
    folder.study_spec.write_text('schema = 1\nname = "made up"\n[program]\ncommand = ["p", "{threads}"]\n')
    folder.machine.write_text(json.dumps(machine(cores)))
    plan, records = [], []
    for number, run in enumerate(made, 1):
        name = {"id": f"{number:04d}"}
        plan.append({**run.spec, **name})
        seen = {"period_ms": 10, "count": 1000, "cost_ns": 0, "ready": _ready(run)}
        delayed = [THREAD | {"run_delay_ns": round(run.idle.waiting * 1e9)}]
        told = {"sampling": seen, "observed_threads": delayed, "validity": {**VALID, **run.record["validity"]}}
        records.append({**run.record, **name, **told})
    folder.plan.write_text("".join(json.dumps(spec) + "\n" for spec in plan))
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in records))
    return folder


def _ready(run: Run) -> list[int]:
    """Return in how many of a million samples each number of threads was ready."""
    n = int(run.cell["threads"]) if "test" in run.spec else run.threads
    seconds = [0.0] * (n + 1)
    for ready, idle in enumerate((run.idle.nobody, run.idle.one, run.idle.few)[:n]):
        seconds[ready] = idle / (n - ready)
    seconds[n] = run.time_s - sum(seconds)
    return [round(1e6 * one / run.time_s) for one in seconds]
