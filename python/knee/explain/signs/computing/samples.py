"""Samples of the instructions that a program executes, of several runs together."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from knee.explain.evidence.evidence import Evidence

HOTSPOTS = "hot spots"
"""Name of the question."""

NAMED = 0.8
"""Share of the samples, at least, that are at known places, or in functions with names."""

PERIOD_NS = 997_000
"""CPU time between two samples of a thread, on up to 16 cpus (``crates/meter/src/hotspots/recorder.rs``)."""

Place = tuple[str, int]
"""A file, and bytes from its begin."""


@dataclass(frozen=True)
class Samples:
    """Samples of several runs, by place.

    ``functions`` has the names of the functions at those places that have one; ``total`` counts samples elsewhere, too.
    ``alone`` has those that were taken while no other thread could run; None where that is not known of each run.
    """

    at: Counter[Place]
    functions: dict[Place, str]
    total: int
    runs: float
    """How many runs they are of; less by as much as samples are rarer than usual, as on many cpus."""
    alone: Counter[Place] | None = None
    unnamed: int = 0
    """How many are in code of no file."""
    pieces: Counter[Place] = field(default_factory=Counter[Place])
    """Those in code that the program made while it ran, by run and number of a piece: none is of two runs."""
    pieces_alone: Counter[Place] = field(default_factory=Counter[Place])
    """Those of them that were taken while no other thread could run."""
    pieces_of_workers: Counter[Place] = field(default_factory=Counter[Place])
    """Those of these that are of threads which made no others."""

    @property
    def known(self) -> bool:
        """Whether of most of them it is known which are at the same code of one run."""
        return self.total > 0 and self.at.total() + self.pieces.total() >= NAMED * self.total

    @property
    def placed(self) -> bool:
        """Whether most of them are at known places."""
        return self.total > 0 and self.at.total() >= NAMED * self.total

    @property
    def made(self) -> bool:
        """Whether much of the time is in code that the program makes while it runs."""
        return self.unnamed > (1 - NAMED) * self.total

    def share(self, function: str) -> float | None:
        """Return the share in functions whose name matches a pattern; None if most have no name."""
        if not self.total or sum(self.at[place] for place in self.functions) < NAMED * self.total:
            return None
        inside = (self.at[place] for place, name in self.functions.items() if re.search(function, name))
        return sum(inside) / self.total


def samples(found: Evidence, question: str) -> Samples | None:
    """Return the samples of all runs that answer a question; None if there are none."""
    at: Counter[Place] = Counter()
    alone: Counter[Place] = Counter()
    known, runs = True, 0.0
    functions: dict[Place, str] = {}
    pieces, pieces_alone, of_workers = Counter[Place](), Counter[Place](), Counter[Place]()
    total = unnamed = 0
    cell = found.test(question)
    for number, run in enumerate(() if cell is None else cell.runs):
        spots = run.record.get("hotspots")
        if spots is None or "unavailable" in spots:
            continue
        total, unnamed = total + spots["samples"], unnamed + spots["unnamed"]
        runs += PERIOD_NS / spots["period_ns"]
        known &= "alone" in spots
        names = spots.get("functions", [])
        for one in spots["places"]:
            place = spots["files"][one["file"]], one["at"]
            at[place] += one["samples"]
            alone[place] += one.get("alone", 0)
            if "function" in one:
                functions[place] = names[one["function"]]
        for piece, one in enumerate(spots.get("made", ())):
            place = f"made in run {number}", piece
            pieces[place], pieces_alone[place] = one["samples"], one.get("alone", 0)
            of_workers[place] = one.get("alone", 0) - one.get("starters", 0)
    if not runs:
        return None
    return Samples(at, functions, total, runs, alone if known else None, unnamed, pieces, pieces_alone, of_workers)
