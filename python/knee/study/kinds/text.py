"""Reads values written as text: shares, times, patterns, lists of names and numbers."""

from __future__ import annotations

import re

from knee.store import StudyError


def weak(text: str, where: str) -> dict[str, str | int]:
    """Read ``ARG=SIZE`` or ``ARG=SIZE^K``: an argument, its value for one thread, and the power of the work in it."""
    read = re.fullmatch(r"([^=]+)=([1-9][0-9]*)(?:\^([1-9]))?", text)
    if read is None:
        raise StudyError(f"{where}: {text!r} is not ARG=SIZE", hint="n=1000, or n=1000^3 for n x n x n")
    return {"argument": read[1], "one_thread": int(read[2]), "power": int(read[3] or 1)}


def seconds(text: str, where: str) -> float:
    """Read a time like ``90s``, ``10m``, ``2h``, or a plain number of seconds."""
    read = re.fullmatch(r"([0-9]*\.?[0-9]+)(s|m|h|)", text)
    if read is None or float(read[1]) <= 0:
        raise StudyError(f"{where}: {text!r} is not a duration", hint="90s, 10m or 2h")
    return float(read[1]) * {"s": 1, "": 1, "m": 60, "h": 3600}[read[2]]


def share(text: str, where: str, *, least: float = 0.001, most: float = 1.0) -> float:
    """Read ``5%`` or ``0.05``."""
    read = re.fullmatch(r"([0-9]*\.?[0-9]+)(%?)", text)
    value = float(read[1]) / (100 if read[2] else 1) if read else -1.0
    if not least <= value <= most:
        wanted = f"a share from {100 * least:g}% to {100 * most:g}%"
        raise StudyError(f"{where}: {text!r} is not {wanted}", hint="5% or 0.05")
    return value


def pattern(text: str, where: str) -> str:
    """Return a regular expression after checking it."""
    try:
        re.compile(text)
    except re.error as error:
        raise StudyError(f"{where}: {text!r} is not a regular expression: {error}") from error
    return text


def grouped(text: str, where: str) -> str:
    """Return a regular expression after checking that it has a group."""
    if re.compile(pattern(text, where)).groups < 1:
        raise StudyError(f"{where}: {text!r} has no group", hint="put the number in brackets: 'took ([0-9.]+) s'")
    return text


def smallest_effect(text: str) -> float:
    """Read the smallest difference that matters, as a share."""
    # Most read a bare 1 as one per cent, but it would let everything pass.
    return share(text, "--smallest-effect", most=0.99)


MOST_NUMBERS = 1 << 16
"""Cpus and nodes have smaller numbers on any machine."""


def numbers(text: str) -> list[int]:
    """Read a list of numbers as the kernel writes it, like ``0,2-4``.

    Raises
    ------
    ValueError
        When it is not such a list.
    """
    ranges = [part.partition("-") for part in text.split(",") if part]
    ends = [(int(low), int(high or low)) for low, _, high in ranges]
    if wrong := next((f"{low}-{high}" for low, high in ends if not low <= high < MOST_NUMBERS), None):
        raise ValueError(f"{wrong} is no range")
    return [number for low, high in ends for number in range(low, high + 1)]


def checked_counters(names: list[str], where: str) -> list[str]:
    """Return names of counters after checking that none is empty and none comes twice."""
    if "" in names:
        raise StudyError(f"{where}: a name is empty", hint="names with one comma between them")
    for name in names:
        # Opened twice, it would take two of the few hardware counters.
        if names.count(name) > 1:
            raise StudyError(f"{where}: {name} comes twice", hint="leave one out")
    return names
