"""Held facts: what the machine was like when the study was planned, so that runs on a changed machine are marked."""

from __future__ import annotations

from typing import Any

from knee import _binary
from knee.store import StudyError
from knee.study.kinds.near import suggestion

USUAL = ("governor", "smt", "transparent_huge_pages", "numa_balancing")
"""Facts held by default, where known: each affects run times, and each is often changed."""

CLOCK, CLOCK_FACT = "clock", "clock_ns"
"""The clock proxy is measured, not read, so only on request; its fact has the unit in its name."""


def machine(asked: list[str] | None) -> dict[str, Any]:
    """Return the machine, with the clock proxy where it is held.

    Raises
    ------
    StudyError
        When the binary does not measure the clock.
    """
    if CLOCK not in (asked or []):
        return _binary.ask("machine")
    try:
        return _binary.ask("machine", "--clock")
    except StudyError as error:
        reason = str(error).partition("\n")[0]
        raise _refused(CLOCK, f"this binary does not measure it: {reason}") from error


def held(asked: list[str] | None, facts: dict[str, Any]) -> dict[str, str]:
    """Return the facts to hold with their values.

    Parameters
    ----------
    asked
        Names; ``default`` stands for the default facts, as does None.
    facts
        The machine's facts: text, or an object with the reason why a fact is unavailable.

    Raises
    ------
    StudyError
        When a named fact is unknown or unavailable.
    """
    values: dict[str, str] = {}
    for name in asked if asked is not None else ["default"]:
        if name == "default":
            values |= {fact: facts[fact] for fact in USUAL if isinstance(facts.get(fact), str)}
        else:
            fact = CLOCK_FACT if name == CLOCK else name
            values[fact] = _value(name, fact, facts)
    return values


def _value(name: str, fact: str, facts: dict[str, Any]) -> str:
    value = facts.get(fact)
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        raise _refused(name, str(value["unavailable"]))  # pyright: ignore[reportUnknownArgumentType]
    if name == CLOCK:
        raise _refused(name, "this binary does not measure it")
    known = [*sorted(set(facts) - {CLOCK_FACT}), CLOCK]
    nothing = "to hold none: --hold none, or facts = [] in a study file"
    listed = f"the facts are {', '.join(known)}; default; {nothing}"
    raise StudyError(f"unknown fact {name!r}", hint=suggestion(name, [*known, "default"], listed))


def _refused(name: str, reason: str) -> StudyError:
    return StudyError(f"cannot hold a fact: {name}: {reason}", hint="leave it out of --hold")
