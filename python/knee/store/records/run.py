"""A run: its run spec joined with its record, and whether it is good."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from knee.store.records import threads
from knee.store.records.idle import Idle, idle_of
from knee.store.roles import role_of
from knee.store.seam import Changed, Exit, Hotspots, InKernel, Level, Record, Role, RunSpec, Switches

NEARLY = 0.95
"""Share of a run that a phase must have, where what is known of the whole run stands for it."""


@dataclass(frozen=True)
class Run:
    """A planned run with its record.

    ``bad`` is the reason why the run is rejected; ``time_s`` is the response of the study (wall time, a phase, or a
    printed number), ``cpu_s`` the CPU time of the same part (None if unknown). ``waited_ns`` is the total run delay of
    its threads: how long they were ready without a cpu (None if the kernel does not report it). The record here has no
    observed threads, so that a hundred thousand runs fit into memory. ``work`` is the amount of work relative to one
    thread: the number of threads in weak scaling, otherwise 1. ``replaced`` marks a failed run of a repeated block.
    """

    order: int
    spec: RunSpec
    record: Record
    bad: str | None
    time_s: float
    cpu_s: float | None
    waited_ns: int | None = None
    work: int = 1
    inputs: tuple[str, ...] = ()
    """Factors whose levels are other work, as the study says."""
    replaced: bool = False
    idle: Idle | None = None
    """What its threads did while they did not compute; None if the record does not say."""
    disk_s: float | None = None
    """Thread-seconds in which threads waited for a disk, as samples show (state D); None without samples."""
    shares: tuple[float, ...] = ()
    """Shares of the observed CPU time of its threads, the largest first; at most ``threads.MOST_SHARES``."""
    helpers_s: float = 0.0
    """CPU seconds of helpers of the program's runtime, such as a garbage collector, of those that were observed."""
    collector_s: float | None = None
    """Those of its garbage collector; None where a runtime has no helpers with names of their own."""
    collector_kind: str | None = None
    """Which garbage collector a Java VM used, as its threads are called; None elsewhere."""
    processes: bool = False
    """Whether it computed in several processes of one thread each."""
    own_sleeps: int | None = None
    """How often threads that work gave up their cpu; None without records of context switches."""
    file_locks_s: float | None = None
    """Thread-seconds in which threads waited for locks on files, at least, as samples show; None without samples."""

    @property
    def threads(self) -> int:
        """Number of threads that the program was asked to use."""
        return self.spec["threads"]

    @property
    def cell(self) -> dict[str, Level]:
        """The level of every factor."""
        return self.spec["cell"]

    @property
    def role(self) -> Role:
        """The role of the run in the study."""
        return role_of(self.spec)

    @property
    def described(self) -> str:
        """The machine that it was rehearsed on, as it was described; empty for a run on this one."""
        program = self.spec.get("program", {})
        given = {**program.get("args", {}), **program.get("params", {})}
        machine = str(given.get("rehearse", "no"))
        return "" if machine == "no" else machine

    @property
    def rehearsed(self) -> bool:
        """Whether its times are virtual, of a machine that was only described."""
        return bool(self.described)

    @property
    def is_control(self) -> bool:
        """Whether it is a control, not a run of the design: a baseline, copies, a counting run."""
        return self.role != "measure"

    @property
    def is_whole(self) -> bool:
        """Whether its time is nearly that of the whole run, for which most of a record is."""
        return self.time_s > NEARLY * self.record["wall_ns"] / 1e9

    @property
    def in_kernel(self) -> InKernel | None:
        """What the kernel counted in its time; None of a part of the run of which the record does not say that."""
        name = (self.record.get("metric") or {}).get("name")
        phases = [phase["kernel"] for phase in self.record["phases"] if phase["name"] == name and "kernel" in phase]
        if phases:
            return {
                "system_ns": sum(one["system_ns"] for one in phases),
                "minor_faults": sum(one["minor_faults"] for one in phases),
                "voluntary_switches": sum(one["voluntary_switches"] for one in phases),
                "involuntary_switches": sum(one["involuntary_switches"] for one in phases),
            }
        if not self.is_whole:
            return None
        usage = self.record["rusage"]
        return {
            "system_ns": self.record["system_ns"],
            "minor_faults": usage["minor_faults"],
            "voluntary_switches": usage["voluntary_switches"],
            "involuntary_switches": usage["involuntary_switches"],
        }

    @property
    def changed(self) -> list[Changed]:
        """Held facts that have changed since the study was planned."""
        return self.record.get("changed") or []


def start_of(record: Record) -> datetime:
    """Return when a run began. A time without an offset is in UTC, as all that knee writes."""
    began = datetime.fromisoformat(record["start"])
    return began if began.tzinfo else began.replace(tzinfo=UTC)


def joined(order: int, spec: RunSpec, record: Record, *, weak: bool = False, inputs: tuple[str, ...] = ()) -> Run:
    """Join a run spec with its record.

    ``weak`` says whether the input grows with the threads (weak scaling), and ``inputs`` are factors whose levels are
    other work.
    """
    time_s, cpu_s, missing = _measured(record)
    slim: Record = {**record, "observed_threads": []}
    if sampling := record.get("sampling"):
        slim["sampling"] = {**sampling, "ready": []}
    if switches := record.get("switches"):
        kept = {name: value for name, value in switches.items() if name != "concurrency"}
        slim["switches"] = cast("Switches", kept)
    if (spots := record.get("hotspots")) is not None and (wrong := _wrong(spots)):
        slim["hotspots"] = {**spots, "unavailable": wrong}
    # A run that answers a question, or tries a remedy, may have other threads than the cell that it is about: its idle
    # time is counted against those of the cell, and it does their work.
    told = spec["cell"].get("threads", spec["threads"]) if "test" in spec else spec["threads"]
    # A damaged plan may have a text there.
    counted = int(told) if str(told).isdecimal() else spec["threads"]
    bad, work = _failure(record) or missing, counted if weak else 1
    idle = idle_of(record, counted, spec["threads"])
    return Run(
        order, spec, slim, bad, time_s, cpu_s, threads.waited_ns(record), work, inputs,
        idle=idle, disk_s=threads.on_disk_s(record), shares=threads.shares(record),
        helpers_s=threads.helpers_s(record), processes=threads.in_processes(record),
        collector_s=threads.collector_s(record), collector_kind=threads.collector_kind(record),
        own_sleeps=threads.own_sleeps(record, spec["threads"]), file_locks_s=threads.at_file_locks_s(record),
    )  # fmt: skip


def _wrong(spots: Hotspots) -> str | None:
    """Return why samples of places cannot be read; None if they can."""
    files, functions = len(spots["files"]), len(spots.get("functions", []))
    if any(one["file"] >= files or one.get("function", -1) >= functions for one in spots["places"]):
        return "places are in files or functions that are not listed"
    code = [*spots["places"], *spots.get("made", [])]
    if not all(one.get("starters", 0) <= one.get("alone", 0) <= one["samples"] for one in code):
        return "of some places more samples were taken alone than in all"
    shared = spots.get("shared")
    if shared and not shared["same"] + shared["apart"] <= shared["lines"] <= shared["addressed"] <= spots["samples"]:
        return "more samples are at shared lines than have registers"
    return None


LARGEST = 1e30
"""Values of a response are below this, so that their powers stay finite, and times above its reciprocal."""

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def _measured(record: Record) -> tuple[float, float | None, str | None]:
    """Return the time, the CPU time of the same part, and why there is no time."""
    wall, cpu = record["wall_ns"] / 1e9, (record["user_ns"] + record["system_ns"]) / 1e9
    metric = record.get("metric")
    if metric is None:
        return wall, cpu, None if wall > 0 else f"wall time is {wall} s"
    if "value" not in metric or "unit" not in metric:
        return wall, None, f"no {metric['name']}: {metric.get('unavailable', 'it has no value')}"
    phases = [phase for phase in record["phases"] if phase["name"] == metric["name"]]
    phase_cpu = sum(phase["cpu_ns"] for phase in phases) / 1e9 if phases else None
    value = metric["value"] * _SECONDS.get(metric["unit"], 1.0)
    return (
        value,
        phase_cpu,
        None if 1 / LARGEST < value < LARGEST else f"{metric['name']} is {value}, not a positive time",
    )


def cut_off(end: Exit) -> str | None:
    """Return why a program did not end by itself; None if it did."""
    if error := end.get("error"):
        return f"{error}{out_of_memory(end)}"
    if (seconds := end.get("timeout_s")) is not None:
        return f"stopped after {seconds} s"
    if (signal := end.get("signal")) is not None:
        return f"ended by signal {signal}{out_of_memory(end)}"
    return None


def out_of_memory(end: Exit) -> str:
    """Return what to add to how a program ended if the kernel killed processes for lack of memory meanwhile."""
    return ": out of memory" if end.get("memory_kills") else ""


def _failure(record: Record) -> str | None:
    end, check = record["exit"], record.get("check")
    if reason := cut_off(end):
        return reason
    if check is not None and not check["ok"]:
        return f"check failed: {check.get('reason', 'no reason given')}"
    if end.get("code") != 0:
        return f"exit status {end.get('code')}{out_of_memory(end)}"
    return None
