"""Instances on machines that exist only as descriptions: drawn, played and explained in this process.

The generator (python/tests/made_up) draws an instance, and plays every run spec that the study and its questions make.
The study is that of `knee study --explain`: questions join it block by block, decided by the same functions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from planted.instances import Instance
from planted.scores import Found, Part, Scored, confusion, rates

from knee import _binary
from knee.explain.asking.wanted import Left, wanted
from knee.explain.evidence.evidence import evidence
from knee.explain.ledger.explanation import Explanation, explanation
from knee.explain.scaling.series import group
from knee.store import Run
from knee.store.records.run import joined
from knee.study.questions.interventions import for_cause, interventions
from knee.study.questions.questions import BY_NAME, asking_of_base
from knee.study.questions.questions import asking as question_run
from knee.study.questions.seats import Seats
from knee.study.remedies.remedy import ALLOCATOR, COLLECTOR, FAULTS, INTERPRETER, Remedy

sys.path.append(str(Path(__file__).parents[2] / "python" / "tests"))

from made_up.drawn import GROUPS, Drawn, drawn
from made_up.others import Others

BLOCKS = 12

SHARE = 1.0
"""Time for the questions, as a share of the study's own: the default of `knee study --explain`."""

SETTINGS = {
    COLLECTOR: {"GOGC": "off"},
    INTERPRETER: {"PYTHONPATH": "longer-turns"},
    ALLOCATOR: {"LD_PRELOAD": "libjemalloc.so.2"},
    FAULTS: {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=1099511627776"},
}
"""Settings of runtimes that test causes."""

TUNED, MORE_TUNED = 144, 10_000
"""Instances below the first number and from the second on were looked at while the explanation was tuned."""


@dataclass
class Study:
    """A study of a made-up instance that grows block by block."""

    one: Drawn
    loaded: bool = False
    """Whether another program comes and goes beside it: on each cpu where the instance's number is odd, else on one."""
    share: float = SHARE

    def __post_init__(self) -> None:
        """Begin without runs."""
        self.runs: list[Run] = []
        self._cpus = _order(self.one)
        number = self.one.number
        self._others = Others(f"{number}", len(self._cpus), everywhere=number % 2 == 1) if self.loaded else None

    def whole(self) -> list[Run]:
        """Make all blocks, with the questions that join them; return the runs."""
        for block in range(1, BLOCKS + 1):
            left = Left(block, BLOCKS, self.share, self._testable)
            asked = wanted(self.runs, len(self._cpus), left)
            specs = [self._spec(block, threads) for threads in self.one.counts]
            specs += [spec for one in asked for spec in self._asked(block, one.cell["threads"], one.name)]
            for number, spec in enumerate(specs):
                spec["id"] = f"{block}-{number}"
            # Noise has as many blocks as the study, also while it plays one of them.
            last = self._spec(BLOCKS, 1) | {"id": "last"}
            for spec, record in zip(specs, self.one.play([*specs, last]), strict=False):
                made = self._others.beside(spec, record) if self._others else record
                self.runs.append(joined(len(self.runs), spec, made))
        return self.runs

    def _spec(self, block: int, threads: int) -> dict[str, Any]:
        return {
            "schema": 1, "id": "", "block": block, "threads": threads, "cpus": self._cpus[:threads],
            "cell": {"threads": threads, "placement": "cores-close"}, "bind": "threads",
            "program": {"command": ["made-up", "{threads}"]}, "sample_ms": 10, "timeout_s": 3600.0,
        }  # fmt: skip

    def _asked(self, block: int, threads: object, name: str) -> Iterator[dict[str, Any]]:
        spec: Any = self._spec(block, int(str(threads)))
        base: Any = self._spec(block, 1)
        machine = self.one.machine.topology
        if (question := BY_NAME.get(name)) is not None:
            yield dict(question_run(question, spec, machine))
            if question.with_base:
                yield dict(asking_of_base(question, spec, base, machine))
        elif (remedy := for_cause(name, _remedies(self.one))) is not None:
            yield from map(dict, interventions(name, remedy, (spec, base)))

    def _testable(self, cell: dict[str, Any], name: str) -> bool:
        if question := BY_NAME.get(name):
            return question.fits(Seats(tuple(self._cpus[: cell["threads"]]), self.one.machine.topology))
        return for_cause(name, _remedies(self.one)) is not None


def _order(one: Drawn) -> list[int]:
    """Return all cpus, those of different cores first."""
    cores = one.machine.topology["cores"]
    seats = max(len(core["cpus"]) for core in cores)
    return [core["cpus"][at] for at in range(seats) for core in cores if at < len(core["cpus"])]


def _remedies(one: Drawn) -> list[Remedy]:
    """Return the settings that the program's runtime has: a lock of an interpreter only where there is one."""
    return [
        Remedy(cause, (cause,), change={"program": {"env": env}})
        for cause, env in SETTINGS.items()
        if cause not in (INTERPRETER, COLLECTOR) or cause in _runtime(one)
    ]


def _runtime(one: Drawn) -> list[str]:
    """Return the causes that only programs of some runtimes have: those that are planted, and a collector elsewhere."""
    of_program = {INTERPRETER: one.program.interpreter, COLLECTOR: one.program.collector}
    own = [name for name, share in of_program.items() if share]
    return [*own, *([COLLECTOR] if one.number % 3 == 0 else [])]


def explained(one: Drawn, *, loaded: bool = False) -> Explanation:
    """Return what knee says about an instance at its largest thread count."""
    made = Study(one, loaded).whole()
    series = group(made, len(_order(one)))[0]
    return explanation(evidence(series, one.counts[-1]))


def scored(one: Drawn, found: Explanation) -> list[Scored]:
    """Score an instance: once for each planted cause, where the others are causes that it has as well.

    A clean instance is scored once. What an unnamed loss costs counts for nothing.
    """
    findings = tuple(
        Found(frozenset(each.names), Part(each.part.value, each.part.low, each.part.high) if each.part else None)
        for each in found.findings
    )
    name = f"made-up-{one.number}"
    if not one.causes:
        clean = Instance(name, "0", None, (), frozenset(), (), ())
        return [Scored(clean, Part(0.0, 0.0, 0.0), findings)]
    made: list[Scored] = []
    for cause in one.causes:
        groups = (frozenset([cause]), *GROUPS.get(cause, ()))
        others = [each for each in one.causes if each != cause]
        also = frozenset(others).union(*(names for each in others for names in GROUPS.get(each, ())))
        truth = one.truth[cause]
        made.append(Scored(Instance(name, cause, cause, groups, also, (), ()), Part(truth, truth, truth), findings))
    return made


def numbers(half: str, count: int) -> list[int]:
    """Return the numbers of a half below ``count``: the first ones are for tuning, and never scored."""
    if count > MORE_TUNED:
        raise ValueError(f"instances from {MORE_TUNED} on are for tuning alone")
    return [number for number in range(count) if (number < TUNED) == (half == "tune")]


def report(half: str, count: int, topologies: Path, *, loaded: bool = False) -> str:
    """Draw, explain and score the instances of a half; return rates and the confusion matrix, as Markdown.

    Where it is ``loaded``, another program comes and goes beside their studies.
    """
    single: list[Scored] = []
    mixed: list[Scored] = []
    binary = str(_binary.find())
    for number in numbers(half, count):
        one = drawn(number, topologies, binary)
        with np.errstate(all="ignore"):
            found = explained(one, loaded=loaded)
        (mixed if len(one.causes) > 1 else single).extend(scored(one, found))
    parts = [
        f"### {title}\n\n{rates(some)}\n\n{confusion(some)}"
        for title, some in (("All", single + mixed), ("One cause or none", single), ("Mixtures", mixed))
    ]
    return "\n\n".join(parts) + "\n"
