"""The course of one run, without noise: what its threads do, and for how long."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from made_up.machine import Machine
from made_up.program import Program
from made_up.speeds import Running, homes, speeds
from made_up.waits import waits

HOLD_S = 20e-6
"""How long a lock is held each time."""

REQUEST_S = 1e-3
"""How long the disk serves one request."""

PAUSE_S = 2e-3
"""Length of a collector's pause."""

BESIDE = {
    "spin": Program(issue=0.9, memory=0.0, read_gbs=0.0, footprint_mib=0.01),
    "stream": Program(issue=0.3, memory=0.8, read_gbs=12.0, footprint_mib=1000.0),
    "pirate": Program(issue=0.3, memory=0.2, read_gbs=0.5, footprint_mib=16.0, holds=True),
}
"""Programs beside the measured one."""


@dataclass
class Lived:
    """What one thread did, in seconds."""

    cpu: int
    cpu_s: float = 0.0
    system_s: float = 0.0
    ready_s: float = 0.0
    asleep_s: float = 0.0
    disk_s: float = 0.0
    waits: float = 0.0
    """How often it went to sleep."""
    turns: float = 0.0
    """How often it lost its cpu to another thread."""
    name: str = ""
    """Its name, if it is a helper of a runtime."""


@dataclass
class Course:
    """What happened in a run."""

    wall_s: float = 0.0
    threads: list[Lived] = field(default_factory=list[Lived])
    at_once: dict[int, float] = field(default_factory=dict[int, float])
    """Number of threads ready or running to seconds."""
    running: dict[int, float] = field(default_factory=dict[int, float])
    """Number of threads running to seconds."""
    alone: list[tuple[int, float, float]] = field(default_factory=list[tuple[int, float, float]])
    """Thread, seconds and number of the intervals in which it alone was ready or running."""
    computed: dict[str, float] = field(default_factory=dict[str, float])
    """CPU seconds of all threads by what they did: work, what a cause adds to it, or a collector."""
    slept: dict[str, float] = field(default_factory=dict[str, float])
    """Seconds in which threads slept by what for: a lock and the like, or ``turn`` while others have work."""
    throttled_s: float = 0.0
    faults: float = 0.0
    pages: dict[int, float] = field(default_factory=dict[int, float])


def play(machine: Machine, program: Program, spec: dict[str, Any]) -> Course:
    """Return the course of the run that a run spec describes."""
    program = _with_variables(program, spec["program"].get("env", {}))
    cpus = spec.get("cpus") or machine.cpus
    beside = [
        Running(cpu, _beside(one), {machine.node_of[cpu]: 1.0}) for one in spec.get("beside", []) for cpu in one["cpus"]
    ]
    if spec.get("role") == "copies":
        return _copies(machine, program, cpus[: spec["threads"]], spec.get("memory"), beside)
    return _Run(machine, program, spec["threads"], cpus, spec.get("memory"), beside).whole()


def _beside(one: dict[str, Any]) -> Program:
    """Return one thread of a program beside the measured one: all of them share its memory."""
    program = BESIDE[one["workload"]]
    size = one.get("bytes")
    return program if size is None else replace(program, footprint_mib=size / 2**20 / len(one["cpus"]))


def _with_variables(program: Program, env: dict[str, str]) -> Program:
    changes: dict[str, float] = {}
    for name, value in env.items():
        changes |= program.helps.get(f"{name}={value}", program.helps.get(name, {}))
    return replace(program, **changes)


def _copies(
    machine: Machine, program: Program, cpus: Sequence[int], memory: dict[str, Any] | None, beside: list[Running]
) -> Course:
    """Return the course of one-thread programs side by side: they share hardware, but no lock and no data."""
    alone = replace(program, pages="local") if program.pages == "one-node" else program
    run = _Run(machine, alone, 1, cpus[:1], memory, beside)
    home = [homes(machine, alone, [cpu], memory)[0] for cpu in cpus]
    running = [Running(cpu, alone, where) for cpu, where in zip(cpus, home, strict=True)]
    found = speeds(machine, [*running, *beside])
    need = alone.work_s * (1 + alone.collector)
    course = Course()
    for one, speed in zip(running, found, strict=False):
        course.threads.append(
            Lived(one.cpu, cpu_s=need / speed, system_s=need / speed * alone.faults, disk_s=alone.disk_s * len(cpus))
        )
    course.wall_s = max(thread.cpu_s + thread.disk_s for thread in course.threads)
    course.at_once = course.running = {len(cpus): course.wall_s}
    course.computed = {"work": sum(thread.cpu_s for thread in course.threads)}
    course.faults = len(cpus) * run.faults
    return course


class _Run:
    """One run of the program itself."""

    def __init__(
        self, machine: Machine, program: Program, threads: int, cpus: Sequence[int], memory: dict[str, Any] | None,
        beside: list[Running],
    ) -> None:  # fmt: skip
        self.machine, self.program, self.threads, self.beside = machine, program, threads, beside
        self.cpus = [cpus[number % len(cpus)] for number in range(threads)]
        self.home = homes(machine, program, self.cpus, memory)
        self.course = Course(threads=[Lived(cpu) for cpu in self.cpus])
        self.at_the_same_time = min(threads, len(set(self.cpus)))
        self.faults = program.faults * program.work_s / 1e-6
        self.waiting = self._waits()

    def whole(self) -> Course:
        work, program = self.program.work_s, self.program
        self._alone(0, program.serial * work, 1, "work")
        if collected := program.collector * work:
            self.course.threads.append(Lived(self.cpus[0], name="GC Thread#0"))
            self._alone(self.threads, collected, max(1.0, collected / PAUSE_S), "collector")
        self._parallel(self._parts((1 - program.serial) * work))
        self.course.faults = self.faults * (1 if self.threads == 1 else self._inflation())
        for where in self.home:
            for node, share in where.items():
                self.course.pages[node] = self.course.pages.get(node, 0.0) + share / len(self.home)
        return self.course

    def _parts(self, work: float) -> list[float]:
        """Return the work of each thread, as the program divides it."""
        n, tasks = self.threads, self.program.tasks
        if tasks:
            each = [tasks // n + (number < tasks % n) for number in range(n)]
            return [work * many / tasks for many in each]
        if n == 1:
            return [work]
        first = (1 + self.program.imbalance) / n
        return [work * first, *[work * (1 - first) / (n - 1)] * (n - 1)]

    def _inflation(self) -> float:
        """Return by what the parallel part's CPU time is larger than with one thread, apart from the hardware."""
        return 1 + sum(self._more().values())

    def _more(self) -> dict[str, float]:
        """Return what each cause adds to the parallel part's CPU time, as a share of the work."""
        program, together = self.program, self.at_the_same_time
        sockets = len({self.machine.socket_of[cpu] for cpu in self.cpus})
        lines = (1 - 1 / together) * (1.5 if sockets > 1 else 1)
        return {
            "growth": program.growth * math.log2(self.threads),
            "duplicated": program.duplicated * (together - 1),
            "false sharing": program.false_sharing * lines,
            "true sharing": program.true_sharing * lines,
        }

    def _waits(self) -> dict[str, float]:
        """Return waiting time by reason, for each second of computing."""
        program = self.program
        if self.threads == 1:
            return {"disk": 0.0} if program.disk_s else {}
        names = ("lock", "spin", "interpreter", "faults", "allocator")
        shares = {name: getattr(program, name) for name in names if getattr(program, name) > 0}
        # On one cpu nobody else runs while a lock is held, apart from a holder that lost its cpu.
        found = waits(shares, self.at_the_same_time) if self.at_the_same_time > 1 else dict.fromkeys(shares, 0.0)
        if program.disk_s:
            found["disk"] = waits({"disk": program.disk_s / program.work_s}, self.threads)["disk"]
        if "spin" in found and self.threads > self.at_the_same_time:
            found["spin"] += program.spin / (1 - program.spin)
        return found

    def _alone(self, number: int, work: float, intervals: float, kind: str) -> None:
        """Let one thread compute, while the others sleep."""
        if work <= 0:
            return
        one = Running(self.course.threads[number].cpu, self.program, self.home[0])
        seconds = work / speeds(self.machine, [one, *self.beside])[0]
        for other, thread in enumerate(self.course.threads):
            if other == number:
                thread.cpu_s += seconds
            else:
                thread.asleep_s += seconds
                thread.waits += intervals
                # A helper of the runtime is not asked.
                self._slept({"turn": 1.0}, 0.0 if thread.name else seconds)
        self._computed({kind: 1.0}, seconds)
        self._pass(seconds, {1: seconds}, {1: seconds})
        if len(self.course.threads) > 1:
            self.course.alone.append((number, seconds, intervals))

    def _parallel(self, parts: list[float]) -> None:
        """Let all threads work off their parts; speeds change whenever one has finished."""
        spinning = self.waiting.get("spin", 0.0)
        sleeping = sum(wait for name, wait in self.waiting.items() if name != "spin")
        sleeping += self.program.disk_s / self.program.work_s
        sleeping += self.program.unnamed * math.log(self.threads)
        # For each second of useful computing a thread is on a cpu for this long, and asleep for that.
        more = {"work": 1.0, **(self._more() if self.threads > 1 else {})}
        did = more | {"spin": sum(more.values()) * spinning}
        on_cpu = sum(did.values())
        left = dict(enumerate(parts))
        while left := {number: work for number, work in left.items() if work > 1e-12}:
            rates, duty, allowed = self._rates(list(left), on_cpu, sleeping)
            seconds = min(left[number] / rates[number] for number in left)
            self._lived({number: rates[number] * seconds for number in left}, seconds, duty, allowed)
            self._computed(did, seconds * sum(duty.values()))
            left = {number: work - rates[number] * seconds for number, work in left.items()}

    def _rates(
        self, active: list[int], on_cpu: float, sleeping: float
    ) -> tuple[dict[int, float], dict[int, float], float]:
        """Return each thread's useful work in a second and its share on a cpu, and how much a quota lets them run."""
        running = [Running(self.cpus[number], self.program, self.home[number]) for number in active]
        # Threads of one cpu take turns, so only one of them uses the hardware.
        seated = list({one.cpu: one for one in running}.values())
        found = dict(zip([one.cpu for one in seated], speeds(self.machine, [*seated, *self.beside]), strict=False))
        sharing = {cpu: sum(self.cpus[number] == cpu for number in active) for cpu in found}
        rates, duty = {}, {}
        for number in active:
            cpu = self.cpus[number]
            computing = on_cpu / found[cpu]
            busy = computing / (computing + sleeping)
            turn = min(1.0, 1 / (sharing[cpu] * busy))
            duty[number] = busy * turn
            rates[number] = duty[number] / computing
        allowed = self._allowed(sum(duty.values()))
        rates, duty = ({n: one * allowed for n, one in found.items()} for found in (rates, duty))
        return rates, duty, allowed

    def _allowed(self, busy: float) -> float:
        quota = self.machine.quota_cpus
        return 1.0 if quota is None else min(1.0, quota / busy)

    def _lived(self, active: dict[int, float], seconds: float, duty: dict[int, float], allowed: float) -> None:
        slept = sum(self.waiting.values()) - self.waiting.get("spin", 0.0)
        disk = self.waiting.get("disk", 0.0) + self.program.disk_s / self.program.work_s
        present: list[float] = []
        for number, thread in enumerate(self.course.threads):
            if number not in duty:
                thread.asleep_s += seconds
                self._slept({"turn": 1.0}, 0.0 if thread.name else seconds)
                continue
            before = thread.ready_s
            busy = duty[number] * seconds
            stopped = (1 - allowed) * seconds
            thread.ready_s += stopped
            off = max(0.0, seconds - busy - stopped)
            crowd = sum(self.cpus[other] == thread.cpu for other in active)
            if crowd > 1:
                # A disk serves a thread that has no cpu, too.
                of_disk = min(off, disk * active[number])
                thread.disk_s += of_disk
                thread.ready_s += off - of_disk
                thread.turns += busy / 4e-3
            else:
                of_disk = disk / (slept + self.program.disk_s / self.program.work_s) if off > 0 and disk else 0.0
                thread.disk_s += off * of_disk
                thread.asleep_s += off * (1 - of_disk)
                self._slept(self._sleeping_for(), off * (1 - of_disk))
            thread.cpu_s += busy
            thread.system_s += busy * self.program.faults
            thread.waits += self._sleeps(busy)
            present.append(min(1.0, (busy + thread.ready_s - before) / seconds))
        if self.machine.quota_cpus is not None and sum(duty.values()) >= self.machine.quota_cpus - 1e-9:
            self.course.throttled_s += seconds * (len(active) - sum(duty.values()))
        self._pass(seconds, _binomial(present, seconds), _binomial([duty[number] for number in active], seconds))

    def _computed(self, did: dict[str, float], seconds: float) -> None:
        """Count CPU time by what threads did, in these proportions."""
        for kind, share in did.items():
            more = share / sum(did.values()) * seconds
            self.course.computed[kind] = self.course.computed.get(kind, 0.0) + more

    def _sleeping_for(self) -> dict[str, float]:
        """Return for what threads sleep, in these proportions."""
        inside = {name: wait for name, wait in self.waiting.items() if name not in ("spin", "disk")}
        return inside | {"unnamed": self.program.unnamed * math.log(self.threads)}

    def _slept(self, reasons: dict[str, float], seconds: float) -> None:
        """Count time asleep by what threads sleep for, in these proportions."""
        every = sum(reasons.values())
        for reason, share in reasons.items():
            if every > 0:
                self.course.slept[reason] = self.course.slept.get(reason, 0.0) + share / every * seconds

    def _sleeps(self, busy: float) -> float:
        """Return how often a thread goes to sleep while it computes for so long."""
        each = {"lock": HOLD_S, "allocator": HOLD_S, "faults": HOLD_S, "interpreter": self.program.turn_s,
                "disk": REQUEST_S}  # fmt: skip
        return busy * sum(self.waiting.get(name, 0.0) / seconds for name, seconds in each.items())

    def _pass(self, seconds: float, at_once: dict[int, float], running: dict[int, float]) -> None:
        self.course.wall_s += seconds
        for total, more in ((self.course.at_once, at_once), (self.course.running, running)):
            for many, time in more.items():
                total[many] = total.get(many, 0.0) + time


def _binomial(duty: list[float], seconds: float) -> dict[int, float]:
    """Return for how long so many threads are on a cpu at once, if each is with its share, independently."""
    chances = [1.0]
    for share in duty:
        more = [0.0, *(chance * share for chance in chances)]
        chances = [one + other * (1 - share) for one, other in zip(more, [*chances, 0.0], strict=True)]
    return {many: chance * seconds for many, chance in enumerate(chances) if chance > 1e-9}
