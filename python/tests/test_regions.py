"""Regions in Python: almost free when not recorded, and with own slots per thread when recorded.

That `knee run` records them is tested by `crates/knee/tests/regions.rs`.
"""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, rewrite

from knee.opened import Study
from knee.regions.listener import Listener
from knee.report.tables.design import design_rows
from knee.study.checks.contradictions import refuse_contradictions
from knee.study.spec import StudySpec

HEAD, SLOT, TIMES, NAME = 4096, 832, 336, 704
COUNTER = 128


def make(path: Path, native: int, locked: int, version: int = 3, counters: tuple[int, int] = (0, 0)) -> Path:
    """A file of regions as the launcher makes it, with few slots."""
    head = b"kneeregn" + struct.pack("=4I", version, SLOT, native, locked)
    head = head.ljust(88, b"\0") + struct.pack("=3I", COUNTER, *counters)
    path.write_bytes(head.ljust(HEAD + (native + locked) * SLOT + sum(counters) * COUNTER, b"\0"))
    return path


def slots(path: Path, native: int) -> list[tuple[str, int, int, int]]:
    """Name, process, thread and calls of every claimed slot."""
    data = path.read_bytes()
    claimed = struct.unpack_from("=I", data, 28)[0]
    found = []
    for at in range(HEAD + native * SLOT, HEAD + (native + claimed) * SLOT, SLOT):
        ready, pid, tid, turn = struct.unpack_from("=4I", data, at)
        assert ready == 1
        calls = struct.unpack_from("=Q", data, at + 32 + TIMES * (turn & 1))[0]
        size = min(struct.unpack_from("=I", data, at + NAME)[0], 124)
        found.append((data[at + NAME + 4 : at + NAME + 4 + size].decode(), pid, tid, calls))
    return found


def run(code: str, **variables: str) -> str:
    env = {name: value for name, value in os.environ.items() if name != "KNEE_REGIONS"}
    env |= {"PYTHONPATH": str(ROOT / "python")} | variables
    done = subprocess.run([sys.executable, "-S", "-c", code], env=env, capture_output=True, text=True, check=True)
    return done.stdout


def test_without_recording_nothing_is_loaded_or_changed():
    code = """
import os, sys
before = set(sys.modules)
from knee import region
print(sorted(set(sys.modules) - before))
def f(): return 1
print(region("x")(f) is f, region("x") is region("y"))
"""
    first, second = run(code).splitlines()
    assert first == "['__future__', 'knee', 'knee.regions']"
    assert second == "True True"


def test_threads_of_several_processes_have_slots_of_their_own_and_what_finds_none_is_counted(tmp_path):
    path = make(tmp_path / "regions", native=3, locked=10)
    code = """
import os, threading
from knee import region
def worker():
    for _ in range(100):
        with region("part"):
            pass
for _ in range(2):
    os.fork()
together = threading.Barrier(3)
threads = [threading.Thread(target=lambda: (together.wait(), worker())) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
try:
    while True: os.wait()
except ChildProcessError:
    pass
"""
    run(code, KNEE_REGIONS=str(path))
    found = slots(path, native=3)
    assert len(found) == 10
    assert all((name, calls) == ("part", 100) for name, _, _, calls in found)
    assert len({tid for _, _, tid, _ in found}) == 10
    assert len({pid for _, pid, _, _ in found}) >= 3
    # Four processes of three threads each: two threads found no slot. They count without a lock.
    assert 0 < struct.unpack_from("=Q", path.read_bytes(), 48)[0] <= 200


def test_a_mark_that_finds_no_slot_takes_no_lock(tmp_path, monkeypatch):
    path = make(tmp_path / "regions", native=0, locked=1, counters=(0, 1))
    listener = Listener.at(str(path))
    assert listener is not None
    listener.begin("a")
    listener.end("a")
    listener.add("n", 1)
    monkeypatch.setattr(listener, "_locked", lambda *_: pytest.fail("it waits for a lock"))
    for _ in range(3):
        listener.begin("b")
        listener.end("b")
        listener.add("m", 1)
    data = path.read_bytes()
    assert (struct.unpack_from("=Q", data, 48)[0], struct.unpack_from("=Q", data, 120)[0]) == (3, 3)


def test_running_counters_of_threads_and_processes_have_slots_of_their_own(tmp_path):
    path = make(tmp_path / "regions", native=1, locked=2, counters=(2, 5))
    code = """
import os, threading
from knee import counter
class Narrow:  # as NumPy's numbers
    def __int__(self): return 7
    def __radd__(self, other): raise OverflowError
def worker():
    for _ in range(100):
        counter("matches").add(3)
counter("lists").add(Narrow())
threads = [threading.Thread(target=worker) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
if os.fork() == 0:
    counter("lists").add(1)
    counter("matches").add(1)
    counter("matches").add(1)
    counter("no room").add(5)
    os._exit(0)
os.wait()
"""
    run(code, KNEE_REGIONS=str(path))
    data = path.read_bytes()
    found = []
    for at in range(HEAD + 3 * SLOT + 2 * COUNTER, len(data), COUNTER):
        value, ready, pid, tid, size = struct.unpack_from("=Q4I", data, at)
        assert (ready, pid <= tid) == (1, True)
        found.append((data[at + 24 : at + 24 + size].decode(), value, pid))
    parent, child = found[0][2], found[-1][2]
    assert parent != child
    assert sorted(found) == sorted(
        [
            ("lists", 7, parent),
            ("matches", 300, parent),
            ("matches", 300, parent),
            ("lists", 1, child),
            ("matches", 2, child),
        ]
    )
    assert struct.unpack_from("=2I", data, 100) == (0, 5)
    assert struct.unpack_from("=Q", data, 120)[0] == 1, "one addition found no room"


def test_a_mark_in_the_middle_of_another_one_of_its_thread_is_counted_and_waits_for_nothing(tmp_path):
    path = make(tmp_path / "regions", native=0, locked=9)
    code = """
import fcntl, signal
from knee import region
def handler(*_):
    with region("handled"):
        pass
signal.signal(signal.SIGALRM, handler)
lock = fcntl.lockf
def interrupted(*given):
    fcntl.lockf = lock
    signal.raise_signal(signal.SIGALRM)
    return lock(*given)
fcntl.lockf = interrupted
with region("main"):
    pass
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "KNEE_REGIONS": str(path)}
    subprocess.run([sys.executable, "-S", "-c", code], env=env, check=True, timeout=20)
    assert [(name, calls) for name, _, _, calls in slots(path, native=0)] == [("main", 1)]
    assert struct.unpack_from("=Q", path.read_bytes(), 56)[0] == 1


def test_a_long_name_is_cut_and_its_length_kept(tmp_path):
    path = make(tmp_path / "regions", native=0, locked=1)
    run(f"from knee import region\nwith region({'ä' * 100!r}): pass", KNEE_REGIONS=str(path))
    data = path.read_bytes()
    assert struct.unpack_from("=I", data, HEAD + NAME)[0] == 200
    assert data[HEAD + NAME + 4 :] == "ä".encode() * 62


def test_a_region_in_which_its_counters_were_closed_ends_like_any_other(tmp_path):
    path = make(tmp_path / "regions", native=0, locked=1)
    program = """if True:
    from knee.regions import _LISTENER as listener, region
    readings = iter([[7, 100, 100], [0, 0, 0]])
    listener._events, listener._counted = 1, lambda _: next(readings)
    with region("daemon"): pass
    """
    run(program, KNEE_REGIONS=str(path))
    assert [(name, calls) for name, _, _, calls in slots(path, native=0)] == [("daemon", 1)]


def test_a_name_that_is_no_text_ends_nothing(tmp_path):
    path = make(tmp_path / "regions", native=0, locked=1, counters=(0, 1))
    code = "from knee import counter, region\nwith region(7): pass\ncounter(7).add(1)"
    run(code)
    run(code, KNEE_REGIONS=str(path))
    assert [(name, calls) for name, _, _, calls in slots(path, native=0)] == [("7", 1)]


def test_what_is_no_number_ends_nothing_and_is_counted(tmp_path):
    path = make(tmp_path / "regions", native=0, locked=1, counters=(0, 1))
    code = "from knee import counter\nfor x in (float('nan'), float('inf'), None, 'x'): counter('loss').add(x)"
    run(code)
    run(code, KNEE_REGIONS=str(path))
    assert struct.unpack_from("=Q", path.read_bytes(), 120)[0] == 4


@pytest.mark.parametrize("content", [b"", b"x" * 8192, b"kneeregn".ljust(8192, b"\0"), b"kneeregn"])
def test_a_file_that_is_something_else_is_left_alone(tmp_path, content):
    path = tmp_path / "regions"
    path.write_bytes(content)
    assert Listener.at(str(path)) is None
    refused = content[:8] == b"kneeregn" and len(content) > 4096
    assert struct.unpack_from("=I", path.read_bytes().ljust(40, b"\0"), 32)[0] == (
        1 if refused else struct.unpack_from("=I", content.ljust(40, b"\0"), 32)[0]
    )


def test_a_file_that_is_shorter_than_it_says_is_left_alone(tmp_path):
    path = make(tmp_path / "regions", native=4, locked=4)
    os.truncate(path, HEAD + 7 * SLOT)
    assert Listener.at(str(path)) is None


def test_a_command_may_be_the_baseline_of_a_command_whose_phase_is_measured():
    command, metric = {"command": ["p", "{threads}"]}, {"phase": "solve"}
    refuse_contradictions(StudySpec(name="n", program=command, baseline={"command": ["q"]}, metric=metric))


def test_the_report_says_what_was_wrong_and_in_how_many_runs(simulated):
    folder = simulated({"none": {1: (0.5, 0.5), 2: (0.25, 0.5)}})
    fault = "region solve: ends without a beginning: 2"
    assert not [row for row in design_rows(Study.read(folder.path)) if row["what"] == "marks of regions"]
    rewrite(folder.records, lambda record: record | ({"region_faults": [fault]} if record["block"] < 3 else {}))
    rows = {row["what"]: row["value"] for row in design_rows(Study.read(folder.path))}
    assert rows["marks of regions"] == f"{fault} (4 of 10 runs)"
