"""Runs that explain the loss (``knee study --explain``). Each changes one thing and answers one question.

They are made at the largest thread count that has a cpu for each thread, in the first placement. Which of them can tell
something is known only after the first blocks (``knee.explain.asking``), so they join the plan block by block
(``knee.study.run.asking``). Where the study varies other factors, each of their combinations is explained by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from knee.store import Role, RunSpec
from knee.study.design.program import side_by_side


@dataclass(frozen=True)
class Seats:
    """The cpus of the threads, in the order of their placement."""

    cpus: tuple[int, ...]

    @property
    def others(self) -> list[int]:
        """All but the first."""
        return list(self.cpus[1:])


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
    """

    name: str
    asks: str
    role: Role
    threads: Callable[[int], int]
    cost: Callable[[int], float]
    change: Callable[[RunSpec, Seats], dict[str, Any]]


def _beside(workload: str) -> Callable[[RunSpec, Seats], dict[str, Any]]:
    return lambda _, seats: {"beside": [{"workload": workload, "cpus": seats.others}]}


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
        lambda spec, _: {"program": side_by_side(spec["program"], spec["threads"]), "bind": "set"},
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
    ),
    Question(
        "busy cores beside",
        "Does the clock fall while other cores compute?",
        "busy-cores",
        _one,
        _alone,
        _beside("spin"),
    ),
    Question(
        "pirate beside",
        "Does a smaller share of the cache slow down one thread?",
        "co-runner",
        _one,
        _alone,
        _beside("pirate"),
    ),
)
"""All questions."""


BY_NAME = {one.name: one for one in QUESTIONS}


def asking(question: Question, spec: RunSpec, allowed: Sequence[int]) -> RunSpec:
    """Return the run that asks a question about the run of a cell.

    Parameters
    ----------
    question
        The question.
    spec
        The run spec of the cell that is explained.
    allowed
        The cpus of the study.
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
    changed |= question.change(spec, Seats(tuple(spec["cpus"])))
    asked = cast("RunSpec", {**spec, **changed})
    taken = {*asked["cpus"], *(cpu for one in asked.get("beside", []) for cpu in one["cpus"])}
    asked.pop("sampler_cpu", None)
    if spare := [cpu for cpu in allowed if cpu not in taken]:
        asked["sampler_cpu"] = spare[-1]
    return asked
