"""The form of a question: a run that changes one thing, and where it can tell something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from knee.store import Role, RunSpec
from knee.study.questions.seats import Seats


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
    with_base
        Whether the base has to run in the same way.
    sampled
        Whether the instructions that it executes are sampled.
    """

    name: str
    asks: str
    role: Role
    threads: Callable[[int], int]
    cost: Callable[[int], float]
    change: Callable[[RunSpec, Seats], dict[str, Any]]
    fits: Callable[[Seats], bool] = lambda _: True
    with_base: bool = False
    sampled: bool = False
