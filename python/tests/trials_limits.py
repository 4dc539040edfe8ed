"""Trials of control groups of generation 2."""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from trials import STUDY, Missing, Place, Trial, runs_fault, with_said

from knee import _binary
from knee.store import Folder


def limits() -> Iterator[Trial]:
    """Control groups of generation 2: less CPU time, fewer cpus, less memory than the machine has."""
    top = Path("/sys/fs/cgroup")
    known = top / "cgroup.controllers"
    if not known.exists() or not {"cpu", "cpuset", "memory"} <= {*known.read_text().split()}:
        raise Missing("no control groups of generation 2 with cpu, cpuset and memory")
    try:
        (top / "cgroup.subtree_control").write_text("+cpu +cpuset +memory")
    except OSError as error:
        raise Missing(f"control groups: {error.strerror}") from error
    # Studies come last: each takes a minute in an emulator.
    for quota, threads in itertools.product((0.5, 1.0, 1.5, 2.0, 3.5), (1, 2, 4)):
        yield f"knee run -n {threads} with CPU time of {quota} cpus", lambda p, q=quota, t=threads: _quota(p, q, t)
    for cpus, verb in itertools.product(((0,), (1,), (0, 1), (1, 2), (0, 3), (1, 2, 3)), ("run", "place", "plan")):
        yield f"knee {verb} on cpus {cpus} of 4", lambda p, c=cpus, v=verb: _cpuset(p, c, v)
    for mib in (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192):
        yield f"knee run with {mib} MiB", lambda p, m=mib: _memory_of_run(p, m)
    yield "a cpu taken while a program is pinned to it", _narrowed
    for mib in (6, 12, 24, 32, 40, 48, 64, 96, 128, 192):
        yield f"knee study with {mib} MiB", lambda p, m=mib: _memory_of_study(p, m)
    for quota in (0.5, 1.5, 2.0):
        yield f"knee study with CPU time of {quota} cpus", lambda p, q=quota: _quota(p, q, 2, *STUDY[:-1], "threads=2")


@contextmanager
def _group(settings: dict[str, str]) -> Generator[tuple[Path, list[str]]]:
    """Make a control group; yields its folder, and the words before a command that runs in it."""
    group = Path("/sys/fs/cgroup") / f"knee-surroundings-{os.getpid()}"
    group.mkdir()
    try:
        for name, value in settings.items():
            (group / name).write_text(value)
        yield group, ["sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh", str(_binary.find())]
    finally:
        (group / "cgroup.kill").write_text("1")
        end = time.monotonic() + 10
        while "populated 1" in (group / "cgroup.events").read_text() and time.monotonic() < end:
            time.sleep(0.05)
        group.rmdir()


def _quota(place: Place, quota: float, threads: int, *study: str) -> str | None:
    words = [*study, "--no-report", "--out", "s"] if study else ["run", "-n", str(threads)]
    with _group({"cpu.max": f"{int(quota * 100_000)} 100000"}) as (_, inside):
        done = place.call([*inside, *words, "--", "true"])
    said = f"limits CPU time to {quota:g} cpus" in done.said
    told = None if said is (quota < threads) else f"the quota {'is' if said else 'is not'} said"
    return with_said(done, done.fault(0) or told)


def _cpuset(place: Place, cpus: tuple[int, ...], verb: str) -> str | None:
    with _group({"cpuset.cpus": ",".join(map(str, cpus))}) as (_, inside):
        if verb == "place":
            outside = next(cpu for cpu in range(4) if cpu not in cpus)
            done = place.call([*inside, "place", str(outside)])
            return with_said(done, done.fault(2) or (None if "not allowed" in done.said else "the cpu is allowed"))
        if verb == "plan":
            done = place.call([*inside, "plan", "--blocks", "1", "--out", "s", "--", "true"])
            if fault := done.fault(0):
                return with_said(done, fault)
            specs = Folder(place.study).read_plan()
            used = {cpu for spec in specs for cpu in spec.get("cpus", [])}
            most = max(spec["threads"] for spec in specs)
            return None if used == {*cpus} and most == len(cpus) else f"threads to {most} on cpus {used}"
        busy = "grep Cpus_allowed_list /proc/self/status >&2; i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done"
        words = ["run", "-n", str(len(cpus)), "-p", "cores-close", "--bind", "set", "--", "sh", "-c", busy]
        done = place.call([*inside, *words])
        listed = re.search(r"Cpus_allowed_list:\s*([\d,-]+)", done.said)
        return with_said(done, done.fault(0) or (None if listed and _cpus(listed[1]) == {*cpus} else "other cpus"))


def _cpus(text: str) -> set[int]:
    parts = (part.partition("-") for part in text.split(","))
    return {cpu for low, _, high in parts for cpu in range(int(low), int(high or low) + 1)}


def _narrowed(place: Place) -> str | None:
    with _group({"cpuset.cpus": "1-2"}) as (group, inside):
        words = place.program(2, f"echo 1 > {group}/cpuset.cpus; sleep 1")
        study = [*STUDY[:-1], "threads=2", "--no-report", "--out", str(place.study), "--", *words]
        done = place.call([*inside, *study])
    if fault := done.fault(1):
        return with_said(done, fault)
    found = [(record.get("changed"), record["exit"]) for record in Folder(place.study).read_records()]
    lost = [{"fact": "cpus", "held": "1-2", "found": "1"}]
    refused = {"error": "cpus 2 are not allowed; this process may use 1"}
    whole = (None, {"code": 0})
    expected = [whole, (lost, {"code": 0}), (None, refused)]
    return None if found == expected else with_said(done, f"the records say {found}")


EATS = "exec tail -n 1 /dev/zero"
"""A program that takes all memory: it keeps the last line of an endless one."""


def _memory_of_run(place: Place, mib: int) -> str | None:
    with _group({"memory.max": f"{mib}M", "memory.swap.max": "0"}) as (_, inside):
        done = place.call([*inside, "run", "--timeout", "60", "--", "sh", "-c", EATS])
    if done.status == -signal.SIGKILL:
        # The kernel killed knee: it chose what is largest, and the program had just begun.
        return None if mib < 16 else with_said(done, "knee is killed, not the program")
    return with_said(
        done, done.fault(137) or (None if "knee: out of memory: " in done.said else "out of memory, unsaid")
    )


def _memory_of_study(place: Place, mib: int) -> str | None:
    words = place.program(2, EATS)
    begin = [*STUDY, "--no-report", "--out", str(place.study), "--", *words]
    with _group({"memory.max": f"{mib}M", "memory.swap.max": "0"}) as (_, inside):
        done = place.call([*inside, *begin])
    if done.status != -signal.SIGKILL and (fault := done.fault(0, 1, 2)):
        return with_said(done, fault)
    if not place.study.exists():
        again = place.knee(*begin)
        return with_said(again, again.fault(0, 1))
    done = place.knee("study", "--no-report", "--resume", str(place.study))
    if fault := done.fault(0, 1):
        return with_said(done, fault)
    folder = Folder(place.study)
    ends = [record["exit"] for record in folder.read_records() if record["exit"] != {"code": 0}]
    if any("memory_kills" not in end for end in ends):
        return f"out of memory, unsaid: {ends}"
    return runs_fault(folder, ended=False)
