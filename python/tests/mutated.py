"""Mutated inputs for every reader of the Python part, and of lines that the binary reads from it.

Input number ``k`` of a reader is the same every time, so a finding is named by its number, and a list that was begun is
continued. ``ci/fuzz.py`` runs the lists; ``test_mutated.py`` their first inputs.
"""

import json
import os
import random
import re
import select
import signal
import subprocess
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import big_study
from conftest import VALID, keep_samples, machine
from told import Made, runs

import knee
from knee import _binary, store
from knee.store import Folder, StudyError
from knee.study.options.file import from_file

SLOW_S = 30
"""An input that takes longer is a finding."""

TOKENS = [
    *(b"null", b"true", b"-1", b"0", b"1e999", b"1e308", b"5e-324", b"NaN", b"18446744073709551615", b"9" * 400),
    *(
        b"9" * 5000,
        b"[" * 3000,
        b"{",
        b"}",
        b"]",
        b'"',
        b"\\ud800",
        b"\xff",
        b"\0",
        b"\n",
        b"\r",
        b"=",
        b".",
        b"[[",
        b"''",
    ),
    *(b'"x"', b"[]", b"{}", b"inf", b"nan", b"2026-01-01", b"..", b"/dev/zero", b"\x1b[2J", "\u202e".encode()),
]

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
WORD = re.compile(rb'"[^"\n]*"|\w+')

STUDY = b"""schema = 1
name = "a study"
[program]
command = ["sleep", "{size}"]
env = { OMP_NUM_THREADS = "{threads}" }
[factors]
threads = [1, 2]
placement = ["cores-close", "none"]
size = ["0.1", "0.2"]
[design]
blocks = 3
seed = 7
[measure]
timeout_s = 10.0
responses = ["wall"]
[[claim]]
says = "two threads are faster"
speedup = { threads = 2 }
above = 1.5
"""


MEMORY = {
    "schema": 1,
    "start": "2026-01-01T00:00:00.000Z",
    "quick": True,
    "seconds": 9.0,
    "claimed_caches": {"L1 data": 32768},
    "knees": {"base": [{"bytes": 32768, "from_ns": 1.0, "to_ns": 4.0}]},
    "figures": [
        {
            "probe": "latency", "measure": "latency", "at": {"reader": "0"}, "value": 1.5, "unit": "ns",
            "quartiles": [1.0, 2.0], "samples": 9,
        }
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Reader:
    """What reads an input, and the input that is mutated."""

    whole: bytes
    read: Callable[[bytes], object]


def readers(place: Path) -> dict[str, Reader]:
    """Return all readers by name; their files are written under ``place``."""
    folder, explained = _folder(place / "study"), _explained(place / "explained")
    files = {
        "study file": (place / "mine.toml", STUDY, from_file),
        "study.toml": (folder.study_spec, None, lambda _: _opened(folder)),
        "plan.jsonl": (folder.plan, None, lambda _: _opened(folder)),
        "records.jsonl": (folder.records, None, lambda _: _opened(folder)),
        "machine.json": (folder.machine, None, lambda _: _opened(folder)),
        "machine-memory.json": (folder.memory, None, lambda _: _opened(folder)),
        "waits.jsonl": (folder.path / "waits.jsonl", None, lambda _: store.read_waits(folder)),
        "trials.json": (explained.path / "trials.json", None, lambda _: _opened(explained)),
        "records of questions": (explained.records, None, lambda _: _opened(explained)),
        "ended.json": (folder.path / "ended.json", None, lambda _: store.read_end(folder)),
        "samples": (folder.samples / "000001.csv.gz", None, lambda path: store.noted(path, "cpu_ns")),
    }
    found = {name: _of_file(*parts) for name, parts in files.items()}
    spec = json.loads(folder.plan.read_text().splitlines()[0])
    found["run spec"] = Reader(json.dumps({"validate": [spec]}).encode(), _Answers().read)
    return found


def _folder(path: Path) -> Folder:
    """Write a study whose records have all parts of real ones."""
    folder = big_study.write_study(path, {"threads": (1, 2, 4), "placement": ("cores-close", "none")}, 3)
    keep_samples(folder, lambda _, one: [(n, "thread:7", "cpu_ns", n * 7) for n in range(len(one["id"]))])
    store.note_wait(folder, store.Wait(1, 2.5, quiet=True, other_busy=0.1, steal=0.0))
    store.write_end(folder, store.End(3, "every interval is narrow"))
    folder.memory.write_text(json.dumps(MEMORY))
    return folder


def _explained(path: Path) -> Folder:
    """Write a study with questions and their answers, and with a remedy that was tried."""
    folder, idle = Folder(path), {"one": 0.2}
    folder.path.mkdir()
    tests = {"one cpu": Made(1.0, 1.0), "copies": Made(1.0, 2.0), "twice the threads": Made(0.75, 1.3, idle)}
    made = runs(Made(1.0, 1.0), Made(0.75, 1.3, idle), tests, blocks=4, mapped={"programs": ["/p"], "libraries": []})
    folder.study_spec.write_text('schema = 1\nname = "made up"\n[program]\ncommand = ["p", "{threads}"]\n')
    folder.machine.write_text(json.dumps(machine(2)))
    folder.plan.write_text("".join(json.dumps(run.spec) + "\n" for run in made))
    seen = {"period_ms": 10, "count": 97, "cost_ns": 717_400, "ready": [0, 20, 55]}
    futex = {
        "asleep": 9,
        "waits": 5,
        "timed": 4,
        "hottest": [{"pid": 7, "address": "0x1", "waits": 5, "timed": 4, "threads": 2}],
    }
    group = {"group": "/", "quota_cpus": 1.5, "nr_periods": 9, "nr_throttled": 2, "throttled_ns": 400}
    more = {"sampling": seen, "futex": futex, "cgroup": {"own": group, "program": group}, "validity": VALID}
    folder.records.write_text("".join(json.dumps({**run.record, **more}) + "\n" for run in made))
    noted = store.Noted("one arena", ("allocator",), "sets MALLOC_ARENA_MAX=1")
    store.write_trials(folder, store.Trials((noted,), {"smt": "off"}, (store.FactChange("smt", "off", "on"),)))
    return folder


def _of_file(path: Path, whole: bytes | None, read: Callable[[Path], object]) -> Reader:
    whole = path.read_bytes() if whole is None else whole

    def written(data: bytes) -> None:
        try:
            path.write_bytes(data)
            read(path)
        finally:
            path.write_bytes(whole)

    return Reader(whole, written)


def _opened(folder: Folder) -> None:
    opened = knee.open(folder.path)
    json.dumps(opened.analysis.to_json())
    opened.rows()


class _Answers:
    """The process that checks run specs; whatever the line, it answers."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, data: bytes) -> None:
        if self._process is None or self._process.poll() is not None:
            command = [str(_binary.find()), "answer"]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, bufsize=0)
        process, line = self._process, data.decode(errors="replace").replace("\n", " ").encode() + b"\n"
        os.write(process.stdin.fileno(), line)
        answer = b""
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], SLOW_S)
            more = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
            if not more:
                raise AssertionError(f"no answer: {answer[-400:]!r}")
            answer += more
        if not {"answer", "message"} & json.loads(answer).keys():
            raise AssertionError(f"not an answer: {answer[:400]!r}")


def mutated(name: str, whole: bytes, number: int) -> bytes:
    """Return input ``number`` of a reader; number 0 is the whole input."""
    draw, data = random.Random(f"{name}:{number}"), whole
    for _ in range(0 if number == 0 else draw.choice((1, 1, 1, 2, 4, 16))):
        data = draw.choice(HOW)(draw, data)
    return data


def _flipped(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(len(data) or 1)
    return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]


def _without(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(len(data) or 1)
    return data[:at] + data[at + draw.choice((1, 3, 10, 100, 1000)) :]


def _twice(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(len(data) or 1)
    part = data[at : at + draw.choice((1, 3, 10, 100, 1000))]
    return data[:at] + part * draw.choice((2, 2, 100)) + data[at:]


def _inserted(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.choice(TOKENS) + data[at:]


def _other_number(draw: random.Random, data: bytes) -> bytes:
    return _replaced(draw, data, NUMBER)


def _other_word(draw: random.Random, data: bytes) -> bytes:
    return _replaced(draw, data, WORD)


def _replaced(draw: random.Random, data: bytes, form: re.Pattern[bytes]) -> bytes:
    found = list(form.finditer(data))
    if not found:
        return data
    one = draw.choice(found)
    return data[: one.start()] + draw.choice(TOKENS) + data[one.end() :]


def _swapped(draw: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    draw.shuffle(lines)
    return b"".join(lines)


def _cut(draw: random.Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


HOW = (_flipped, _without, _twice, _inserted, _other_number, _other_number, _other_word, _other_word, _swapped, _cut)


def finding(name: str, reader: Reader, number: int) -> str | None:
    """Give a reader one input; return what went wrong, None if it was read or refused in a clear error."""

    def slow(*_: object) -> None:
        raise TimeoutError(f"more than {SLOW_S} s")

    before = signal.signal(signal.SIGALRM, slow)
    signal.alarm(SLOW_S)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            reader.read(mutated(name, reader.whole, number))
    except StudyError:
        return None
    except Exception as error:  # noqa: BLE001 -- everything else is a finding
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {Path(last.filename).name}, {last.name}: {str(error)[:200]}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return None
