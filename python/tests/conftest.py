"""Shared fixtures: the real binary, and simulated studies with known results."""

import csv
import gzip
import importlib.util
import io
import json
import os
import random
import signal
import subprocess
from collections.abc import Callable, Generator, Iterable
from pathlib import Path

import pytest

from knee import _binary
from knee.explain.claims.judge import Judged
from knee.opened import Study
from knee.report.terminal import study as terminal
from knee.store import Folder
from knee.terminal.console import Console

ROOT = Path(__file__).parents[2]

# Spark's tests run in an environment without it.
if importlib.util.find_spec("hypothesis"):
    from hypothesis import settings

    # A cpu that is taken away for a moment is no error of the code under test. Other examples in each run are for the
    # nightly proofs: a test of every day fails for a change alone.
    settings.register_profile("knee", deadline=None, derandomize="KNEE_PROOFS" not in os.environ)
    settings.load_profile("knee")


def skipped(test: str, why: str) -> None:
    """Skip a test and note it in the list that the runner prints."""
    if path := os.environ.get("KNEE_SKIPS"):
        with Path(path).open("a") as file:
            file.write(f"SKIPPED {test}: {why}\n")
    pytest.skip(why)


def shown(study: Study, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the terminal output for a study."""
    printed = io.StringIO()
    monkeypatch.setattr(terminal, "Console", lambda: Console(file=printed, width=200))
    terminal.show(study.analysis, str(study.folder.path))
    return printed.getvalue()


LONG = {"test_examples", "test_first_hour", "test_try", "test_explain", "test_hostile", "test_report"}
"""Files whose tests take longest. They run first: one that began last would leave the other process idle."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let nothing run beside a test that keeps every cpu busy, and long files begin first."""
    for item in items:
        if "busy" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.serial)
    items.sort(key=lambda item: item.path.stem not in LONG)


@pytest.fixture(scope="session", autouse=True)
def heard() -> None:
    """Let knee hear signals that the tests' own shell may ignore: SIGINT in the background, SIGHUP under nohup."""
    for number, handler in {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """Folder for knee's list of planned studies, so that tests do not write into the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("state")
        patch.setenv("XDG_STATE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session")
def binary() -> str:
    """Path of the installed binary."""
    return str(_binary.find())


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of test data outside of the project."""
    folder = Path(os.environ.get("KNEE_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        skipped("tests of shared data", f"no {folder}: set KNEE_SHARED")
    return folder


def machine(cores: int) -> dict:
    """Return a machine with this many cores on one node, as printed by `knee machine --json`."""
    cpus = list(range(cores))
    facts = {"kernel": "6.1", "hardware_counters": {"unavailable": "no hardware PMU"}}
    return {
        "schema": 1,
        "sockets": [{"id": 0, "cpus": cpus}],
        "dies": [],
        "nodes": [{"id": 0, "cpus": cpus, "memory_bytes": 1 << 30, "distances": [10]}],
        "caches": [{"id": 0, "level": 3, "kind": "unified", "size_bytes": 1 << 20, "cpus": cpus}],
        "cores": [{"id": cpu, "socket": 0, "node": 0, "cpus": [cpu]} for cpu in cpus],
        "hardware_threads": [{"id": cpu, "cpus": [cpu], "core": cpu, "socket": 0, "node": 0} for cpu in cpus],
        "offline": [],
        "allowed": {"cpus": cpus, "nodes": [0], "quota_cpus": None},
        "facts": facts,
    }


THREAD = {
    "tid": 1,
    "pid": 1,
    "cpu": 0,
    "cpu_ns": 0,
    "states": dict.fromkeys(("running", "runnable", "sleeping", "disk", "other"), 0),
    "migrations": 0,
    "first_seen_ns": 0,
    "last_seen_ns": 0,
}
"""An observed thread of a record."""

VALID = {"own_share": 1.0, "clock_before_ns": 1.0, "clock_after_ns": 1.0}
"""The validity of a record that nothing disturbed."""


def record(name: str, block: int, wall_s: float, cpu_s: float, **more: object) -> dict:
    """A record of a good run."""
    rusage = ("max_rss_bytes", "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches")
    good = {
        "schema": 1,
        "id": name,
        "block": block,
        "launch": 1,
        "start": "2026-01-01T00:00:00.000Z",
        "wall_ns": int(wall_s * 1e9),
        "user_ns": int(cpu_s * 1e9),
        "system_ns": 0,
        "phases": [],
        "exit": {"code": 0},
        "rusage": dict.fromkeys(rusage, 0),
        "counters": {},
        "pages": {"unavailable": "simulated"},
        "bind": "set",
        "observed_threads": [],
        "output": {"stdout_bytes": 0},
        "simulated": True,
    }
    return good | more


def rewrite(path: Path, change: Callable[[dict], dict]) -> None:
    """Change every line of a plan or of records."""
    lines = [change(json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def keep_samples(folder: Folder, noted: Callable[[dict, dict], Iterable[tuple]]) -> None:
    """Give every run samples: `noted` makes rows of (t_ns, source, name, value) of its spec and record."""
    folder.samples.mkdir(exist_ok=True)
    specs = {spec["id"]: spec for spec in folder.read_plan()}

    def kept(one: dict) -> dict:
        rows = noted(specs[one["id"]], one)
        with gzip.open(folder.samples / f"{one['id']}.csv.gz", "wt", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("t_ns", "source", "name", "value"), *rows])
        return one | {"samples": f"samples/{one['id']}.csv.gz"}

    rewrite(folder.records, kept)


def judged(folder: Folder, *claims: str) -> list[Judged]:
    """The answers to these claims of a study; each is given without its heading."""
    with folder.study_spec.open("a") as file:
        file.writelines(f'[[claim]]\nsays = "it is so"\n{claim}\n' for claim in claims)
    return Study.read(folder.path).analysis.claims


@pytest.fixture
def busy(tmp_path) -> Generator[list[subprocess.Popen[bytes]]]:
    """Programs called busybee that keep every cpu busy until the test ends."""
    bee = tmp_path / "busybee"
    bee.write_text("#!/bin/sh\nwhile :; do :; done\n")
    bee.chmod(0o755)
    cpus = len(_binary.ask("machine")["allowed"]["cpus"])
    bees = [subprocess.Popen([bee]) for _ in range(cpus)]
    yield bees
    for one in bees:
        one.kill()
        one.wait()


Curves = dict[str, dict[int, tuple[float, float]]]


@pytest.fixture
def simulated(tmp_path: Path) -> Callable[..., Folder]:
    """Makes the folder of a finished study: placement to thread count to (seconds, CPU seconds)."""

    def make(
        curves: Curves,
        *,
        blocks: int = 5,
        noise: float = 0.01,
        seed: int = 1,
        name: str = "made up",
        copies: dict[int, float] | None = None,
    ) -> Folder:
        folder = Folder(tmp_path / "study")
        folder.path.mkdir()
        draw = random.Random(seed)
        cells = [(placement, n, False) for placement, points in curves.items() for n in points]
        cells += [(placement, n, True) for placement in curves for n in copies or {}]
        plan, records = [], []
        for block in range(1, blocks + 1):
            for placement, n, control in draw.sample(cells, len(cells)):
                run = f"{len(plan) + 1:04d}"
                cell = {"threads": n, "placement": placement}
                # Every placement has an order of its own: knee does not compare those that are the same.
                turned = [*curves].index(placement) % max(n, 4)
                cpus = [] if placement == "none" else [(cpu + turned) % max(n, 4) for cpu in range(n)]
                program = {"command": ["program", "{threads}"]}
                role = "copies" if control else "measure"
                plan.append({"schema": 1, "id": run, "role": role, "cell": cell, "block": block, "program": program,
                             "threads": n, "cpus": cpus, "bind": "set"})  # fmt: skip
                shake = draw.lognormvariate(0, noise)
                wall, cpu = ((copies or {})[n], n * (copies or {})[n]) if control else curves[placement][n]
                records.append(record(run, block, wall * shake, cpu * shake))
        folder.study_spec.write_text(f"schema = 1\nname = {json.dumps(name)}\n[program]\ncommand = ['program']\n")
        folder.machine.write_text(json.dumps(machine(4)))
        folder.plan.write_text("".join(json.dumps(spec) + "\n" for spec in plan))
        folder.records.write_text("".join(json.dumps(one) + "\n" for one in records))
        return folder

    return make
