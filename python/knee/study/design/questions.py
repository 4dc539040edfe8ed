"""Runs that explain the loss (``knee study --explain``). Each changes one thing and answers one question.

They are made at the largest thread count that has a cpu for each thread, in the first placement. Which of them can tell
something is known only after the first blocks (``knee.explain.asking``), so they join the plan block by block
(``knee.study.run.asking``). Where the study varies other factors, each of their combinations is explained by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from knee.store import Role, RunSpec
from knee.study.design.program import side_by_side


@dataclass(frozen=True)
class Seats:
    """The cpus of the threads, in the order of their placement."""

    cpus: tuple[int, ...]
    machine: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What ``knee machine --json`` prints."""

    @property
    def others(self) -> list[int]:
        """All but the first cpu and its siblings: those share more with it than what is asked about."""
        core = self._core.get(self.cpus[0], ("none", self.cpus[0]))
        return [cpu for cpu in self.cpus[1:] if self._core.get(cpu) != core]

    @cached_property
    def one_a_core(self) -> list[int]:
        """The first cpu of each core."""
        return list({self._core.get(cpu, ("none", cpu)): cpu for cpu in reversed(self.cpus)}.values())[::-1]

    @cached_property
    def same_cache(self) -> tuple[list[int], int]:
        """The others that share the largest cache of the first cpu, and its size in bytes."""
        caches = [cache for cache in self.machine.get("caches", []) if self.cpus[0] in cache["cpus"]]
        if not caches:
            return [], 0
        last: dict[str, Any] = max(caches, key=lambda cache: cache["level"])
        return [cpu for cpu in self.others if cpu in last["cpus"]], last["size_bytes"]

    @cached_property
    def nodes(self) -> list[int]:
        """The memory nodes of the cpus."""
        nodes = {cpu: core["node"] for core in self._cores for cpu in core["cpus"]}
        return sorted({nodes[cpu] for cpu in self.cpus if cpu in nodes})

    @property
    def shares_cores(self) -> bool:
        """Whether two of the cpus are siblings of one core."""
        return len(self.one_a_core) < len(self.cpus)

    @property
    def spans_nodes(self) -> bool:
        """Whether the cpus belong to several memory nodes."""
        return len(self.nodes) > 1

    @property
    def _cores(self) -> list[dict[str, Any]]:
        return self.machine.get("cores", [])

    @cached_property
    def _core(self) -> dict[int, tuple[str, int]]:
        return {cpu: ("core", number) for number, core in enumerate(self._cores) for cpu in core["cpus"]}


@dataclass(frozen=True)
class Question:
    """A question, and the run that answers it.

    Parameters
    ----------
    name
        Its name in run specs.
    asks
        The question.
    role
        Role of the run.
    threads
        Thread count of the run, for the thread count that is explained.
    cost
        Its time in one-thread times, for the thread count that is explained, if the program scales perfectly.
    change
        Changes the run spec of that thread count.
    fits
        Whether it can tell something about threads on these cpus.
    """

    name: str
    asks: str
    role: Role
    threads: Callable[[int], int]
    cost: Callable[[int], float]
    change: Callable[[RunSpec, Seats], dict[str, Any]]
    fits: Callable[[Seats], bool] = lambda _: True


def _on_cores(spec: RunSpec, seats: Seats) -> dict[str, Any]:
    cpus = seats.one_a_core
    return {
        "threads": len(cpus),
        "cpus": cpus,
        "program": side_by_side(spec["program"], len(cpus)),
        "bind": "set",
    }


def _copies(spec: RunSpec, _: Seats) -> dict[str, Any]:
    return {"program": side_by_side(spec["program"], spec["threads"]), "bind": "set"}


def _spread(spec: RunSpec, seats: Seats) -> dict[str, Any]:
    return _copies(spec, seats) | _interleaved(spec, seats)


def _interleaved(_: RunSpec, seats: Seats) -> dict[str, Any]:
    return {"memory": {"policy": "interleave", "nodes": seats.nodes}}


def _beside(workload: str) -> Callable[[RunSpec, Seats], dict[str, Any]]:
    return lambda _, seats: {"beside": [{"workload": workload, "cpus": seats.others[: _most(seats)]}]}


def _pirate(_: RunSpec, seats: Seats) -> dict[str, Any]:
    """Leave one thread the share of its last-level cache that it has when all run."""
    cpus, size = seats.same_cache
    # Without a cache that is shared, the runner takes half of what it finds.
    held = {"bytes": size * len(cpus) // (len(cpus) + 1)} if cpus else {}
    return {"beside": [{"workload": "pirate", "cpus": cpus or seats.others[:1], **held}]}


def _has_others(seats: Seats) -> bool:
    return bool(seats.others)


def _most(seats: Seats) -> int:
    """Return beside how many other cpus one thread runs: beside some of them it takes long enough."""
    return max(1, math.ceil(len(seats.others) / 4))


def _same(count: int) -> int:
    return count


def _one(_: int) -> int:
    return 1


def _alone(_: int) -> float:
    return 1.0


QUESTIONS: tuple[Question, ...] = (
    Question(
        "switches",
        "What do threads wait for? The same run, with records of context switches.",
        "counting",
        _same,
        lambda count: 1 / count,
        lambda _, __: {},
    ),
    Question(
        "one cpu",
        "Does CPU time grow although only one thread runs at a time?",
        "one-cpu",
        _same,
        _alone,
        lambda _, seats: {"cpus": list(seats.cpus[:1]), "bind": "set"},
    ),
    Question(
        "copies",
        "Does the machine slow down threads that share nothing?",
        "copies",
        _same,
        _alone,
        _copies,
    ),
    Question(
        "copies on cores",
        "Do two threads of a core slow each other down? Copies, one a core.",
        "copies",
        _same,
        _alone,
        _on_cores,
        lambda seats: seats.shares_cores,
    ),
    Question(
        "copies with spread memory",
        "Does memory of other nodes slow down threads that share nothing?",
        "copies",
        _same,
        _alone,
        _spread,
        lambda seats: seats.spans_nodes,
    ),
    Question(
        "interleaved memory",
        "Does it matter on which nodes the program's memory is?",
        "placement",
        _same,
        lambda count: 1 / count,
        _interleaved,
        lambda seats: seats.spans_nodes,
    ),
    Question(
        "twice the threads",
        "Do smaller pieces of work help, or do waiting threads keep cpus from others?",
        "more-threads",
        lambda count: 2 * count,
        lambda count: 1 / count,
        lambda _, seats: {"cpus": list(seats.cpus), "bind": "set"},
    ),
    Question(
        "stream beside",
        "Does other memory traffic slow down one thread?",
        "co-runner",
        _one,
        _alone,
        _beside("stream"),
        _has_others,
    ),
    Question(
        "busy cores beside",
        "Does the clock fall while other cores compute?",
        "busy-cores",
        _one,
        _alone,
        lambda _, seats: {"beside": [{"workload": "spin", "cpus": seats.others}]},
        _has_others,
    ),
    Question(
        "pirate beside",
        "Does a smaller share of the cache slow down one thread?",
        "co-runner",
        _one,
        _alone,
        _pirate,
        _has_others,
    ),
)
"""All questions."""


BY_NAME = {one.name: one for one in QUESTIONS}


def asking(question: Question, spec: RunSpec, machine: Mapping[str, Any]) -> RunSpec:
    """Return the run that asks a question about the run of a cell.

    Parameters
    ----------
    question
        The question.
    spec
        The run spec of the cell that is explained.
    machine
        What ``knee machine --json`` printed for the study.
    """
    count = spec["threads"]
    threads = question.threads(count)
    changed: dict[str, Any] = {
        "role": question.role,
        "threads": threads,
        "cpus": spec["cpus"][:threads],
        "test": question.name,
        # The same run is watched by records that have a cost where thousands of threads start.
        "switches": True,
    }
    changed |= question.change(spec, Seats(tuple(spec["cpus"]), machine))
    asked = cast("RunSpec", {**spec, **changed})
    taken = {*asked["cpus"], *(cpu for one in asked.get("beside", []) for cpu in one["cpus"])}
    asked.pop("sampler_cpu", None)
    if spare := [cpu for cpu in machine["allowed"]["cpus"] if cpu not in taken]:
        asked["sampler_cpu"] = spare[-1]
    return asked
