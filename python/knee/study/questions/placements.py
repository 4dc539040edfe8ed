"""Where copies would not do what the program does: the program itself on equally many threads, placed differently.

A factorial of up to three factors: threads on one socket or on all, with a core each or with siblings, memory as the
program places it or interleaved over the nodes. All placements have the same number of threads, the largest for which
each of them exists, so they differ in what threads share and in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from knee.store import RunSpec
from knee.study.questions.question import Question
from knee.study.questions.seats import Seats

FACTORS = (("one socket", "all sockets"), ("a core each", "siblings"), ("own memory", "interleaved memory"))
"""The factors, each with its two levels."""

BEGINS = "placement: "
"""Begins the names of these questions; their levels follow, separated by commas."""

LONGER = 3.0
"""The fewer threads of a placement are estimated to take this many times as long as all."""


def _name(levels: tuple[int, ...]) -> str:
    return BEGINS + ", ".join(words[level] for words, level in zip(FACTORS, levels, strict=True))


def _change(levels: tuple[int, ...]) -> Callable[[RunSpec, Seats], dict[str, Any]]:
    sockets, siblings, interleaved = levels

    def change(_: RunSpec, seats: Seats) -> dict[str, Any]:
        cpus = seats.placed(everywhere=bool(sockets), together=bool(siblings))
        memory = {"memory": {"policy": "interleave", "nodes": seats.nodes}} if interleaved else {}
        return {"threads": len(cpus), "cpus": cpus, "bind": "set", **memory}

    return change


def _fits(levels: tuple[int, ...]) -> Callable[[Seats], bool]:
    def fits(seats: Seats) -> bool:
        there = (len(seats.sockets) > 1, seats.shares_cores, seats.spans_nodes)
        return (
            any(there)
            and seats.placeable > 1
            and all(has or not level for has, level in zip(there, levels, strict=True))
        )

    return fits


PLACEMENTS: tuple[Question, ...] = tuple(
    Question(
        _name(levels),
        "What do other placements of as many threads cost?",
        "placement",
        lambda count: count,
        lambda count: LONGER / count,
        _change(levels),
        _fits(levels),
    )
    for levels in product((0, 1), repeat=len(FACTORS))
)
"""The placements, each a question; those that fit a machine belong together."""
