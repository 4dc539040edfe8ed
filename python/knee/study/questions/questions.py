"""Runs that explain the loss (``knee study --explain``). Each changes one thing and answers one question.

They are made at the largest thread count that has a cpu for each thread, and some at the knee, in the first
placement. Which of them can tell something is known only after the first blocks (``knee.explain.asking``), so they
join the plan block by block (``knee.study.run.asking``). Where the study varies other factors, each of their
combinations is explained by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from knee.store import RunSpec
from knee.study.design.program import side_by_side
from knee.study.questions.interventions import AT_BASE
from knee.study.questions.placements import PLACEMENTS
from knee.study.questions.question import Question
from knee.study.questions.seats import Seats


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


def _stream(_: RunSpec, seats: Seats) -> dict[str, Any]:
    """Let all others on the node of one thread read memory: fewer of them may leave it what it needs."""
    return {"beside": [{"workload": "stream", "cpus": seats.same_node}]}


def _pirate(_: RunSpec, seats: Seats) -> dict[str, Any]:
    """Leave one thread the share of its last-level cache that it has when all run."""
    cpus, size = seats.same_cache
    # Without a cache that is shared, the runner takes half of what it finds.
    held = {"bytes": size * len(cpus) // (len(cpus) + 1)} if cpus else {}
    return {"beside": [{"workload": "pirate", "cpus": cpus or seats.others[:1], **held}]}


def _has_others(seats: Seats) -> bool:
    return bool(seats.others)


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
        "hot spots",
        "At which instructions does CPU time grow? The same run, and that of the base, with samples of both.",
        "counting",
        _same,
        lambda count: 1 + 1 / count,
        lambda _, __: {},
        with_base=True,
        sampled=True,
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
        _stream,
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
"""All questions but those about placements of fewer threads (:data:`PLACEMENTS`)."""

BY_NAME = {one.name: one for one in (*QUESTIONS, *PLACEMENTS)}


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
    if question.sampled:
        # Only there, since samples cost CPU time as well, above all where threads are short.
        changed["hotspots"] = True
    changed |= question.change(spec, Seats(tuple(spec["cpus"]), machine))
    return _watched(cast("RunSpec", {**spec, **changed}), machine)


def asking_of_base(question: Question, spec: RunSpec, base: RunSpec, machine: Mapping[str, Any]) -> RunSpec:
    """Return the run of the base that a question needs beside that of the cell.

    Parameters
    ----------
    question
        The question.
    spec, base
        The run specs of the cell that is explained, and of its base.
    machine
        What ``knee machine --json`` printed for the study.
    """
    made = asking(question, base, machine)
    return cast("RunSpec", {**made, "cell": spec["cell"], "test": question.name + AT_BASE})


def _watched(asked: RunSpec, machine: Mapping[str, Any]) -> RunSpec:
    """Give the sampler a cpu that the run does not use, if there is one."""
    taken = {*asked["cpus"], *(cpu for one in asked.get("beside", []) for cpu in one["cpus"])}
    asked.pop("sampler_cpu", None)
    if spare := [cpu for cpu in machine["allowed"]["cpus"] if cpu not in taken]:
        asked["sampler_cpu"] = spare[-1]
    return asked
