"""The design: thread ladder, placements that differ on this machine, and the cells they span."""

from __future__ import annotations

import itertools
from typing import Any

from knee import _binary
from knee.store import Level, StudyError
from knee.study.question import Question

NAMED_PLACEMENTS = ("cores-close", "cores-spread", "threads-close")

Cell = dict[str, Level]
Orders = dict[str, list[int] | None]
"""Placement to cpus in order; None where the kernel decides."""

ALL_UP_TO = 16
"""Up to so many hardware threads every count is tried; beyond, the edges and what lies between them."""


def ladder(machine: dict[str, Any]) -> list[int]:
    """Return the thread counts worth trying: 1, every edge of the topology, points between, and one beyond all cpus.

    An edge is where the next thread has to go somewhere new: the end of a core, a cache, a node, a socket, of all
    cores, of all hardware threads.

    Examples
    --------
    >>> two = {"allowed": {"cpus": [0, 1]}, "cores": [{"cpus": [0]}, {"cpus": [1]}], "nodes": [], "sockets": [],
    ...        "caches": []}
    >>> ladder(two)
    [1, 2, 3]
    """
    allowed = set(machine["allowed"]["cpus"])
    total = len(allowed)
    if total <= ALL_UP_TO:
        return [*range(1, total + 2)]
    groups = [group for kind in ("caches", "nodes", "sockets") for group in machine[kind]]
    cores = [set(core["cpus"]) & allowed for core in machine["cores"]]
    edges = {1, total, sum(1 for core in cores if core)}
    for group in groups:
        inside = set(group["cpus"]) & allowed
        edges |= {len(inside), sum(1 for core in cores if core & inside)}
    points = sorted(edge for edge in edges if edge > 0)
    between = {(low + high) // 2 for low, high in itertools.pairwise(points)}
    powers = {2**k for k in range(total.bit_length())}
    return sorted({*points, *between, *powers, total + 1} - {0})


def placements(question: Question) -> Orders:
    """Return the placements of the question, or all that differ on this machine and ``none``.

    Two names for the same order are one placement, under the first name.
    """
    asked = question.factors.get("placement")
    orders: Orders = {str(name): _order(str(name)) for name in asked or NAMED_PLACEMENTS}
    if asked:
        return orders
    distinct: Orders = {}
    for name, order in orders.items():
        if order not in distinct.values():
            distinct[name] = order
    return distinct | {"none": None}


def _order(name: str) -> list[int] | None:
    places = _binary.ask("place", name, "--json")["places"]
    return None if places is None else [place["cpu"] for place in places]


def cells(question: Question, machine: dict[str, Any], orders: Orders) -> list[Cell]:
    """Return the full factorial of all factors, threads and placements included."""
    factors: dict[str, list[Level]] = {"threads": [*ladder(machine)], **question.factors, "placement": [*orders]}
    count = 1
    for levels in factors.values():
        count *= len(levels)
    if count * question.blocks > 1_000_000:
        raise StudyError(f"too many runs: {count} cells in {question.blocks} blocks", hint="use fewer levels")
    made = [dict(zip(factors, levels, strict=True)) for levels in itertools.product(*factors.values())]
    return [*made, *(_copies(made, orders) if question.copies else [])]


def _copies(cells: list[Cell], orders: Orders) -> list[Cell]:
    """Return the controls: as many one-thread copies as the most threads that fit, once for each pinned series."""
    controls: dict[str, Cell] = {}
    for cell in cells:
        order = orders[str(cell["placement"])]
        if order is not None and 1 < int(cell["threads"]) <= len(order):
            key = str(sorted((name, str(level)) for name, level in cell.items() if name != "threads"))
            largest = controls.get(key, cell)
            controls[key] = max(largest, cell, key=lambda one: int(one["threads"]))
    return [cell | {"copies": cell["threads"]} for cell in controls.values()]
