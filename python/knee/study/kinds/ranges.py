"""Ranges of whole numbers: ``1-8``, ``1..64:*2``; those of thread counts may end in ``cores`` or another such word."""

from __future__ import annotations

import re
from collections.abc import Mapping

from knee.store import OWN_COUNTS, StudyError

FORM = r"([0-9]+)(-|\.\.)([0-9]+)(?::([*+]?)([0-9]+))?"
OF_COUNTS = FORM.replace(r"(-|\.\.)([0-9]+)", rf"(-|\.\.)([0-9]+|{'|'.join(OWN_COUNTS)})")
"""The form of a range of thread counts."""

MOST = 1000
"""Numbers in a range, at most: more are a slip of the finger."""


def is_range(text: str, *, counts: bool = True) -> bool:
    """Return whether a text is a range of thread counts, or with ``counts=False`` of other numbers.

    Only thread counts may be written ``1-8``, which elsewhere is a list of cpus, or end in a word that the machine
    decides.
    """
    read = re.fullmatch(OF_COUNTS if counts else FORM, text)
    return read is not None and (counts or read[2] == "..")


def is_open(text: str) -> bool:
    """Return whether a text is a range whose end the machine decides: ``1-cpus``."""
    return is_range(text) and not re.fullmatch(FORM, text)


def expanded(text: str, where: str, own: Mapping[str, int] | None = None) -> list[int]:
    """Return the numbers of a range, its end included where a step hits it.

    Parameters
    ----------
    text, where
        The range, and where it stands, for an error.
    own
        What the words stand for on the machine, if a range may end in them.

    Examples
    --------
    >>> expanded("1-4", ""), expanded("2..8:2", ""), expanded("1..64:*2", "")
    ([1, 2, 3, 4], [2, 4, 6, 8], [1, 2, 4, 8, 16, 32, 64])
    >>> expanded("1..cpus:*2", "", {"cores": 4, "cpus": 8})
    [1, 2, 4, 8]

    Raises
    ------
    StudyError
        When it runs backwards, never ends, or is very long.
    """
    read = re.fullmatch(OF_COUNTS if own else FORM, text)
    if read is None:
        raise StudyError(f"{where}: {text!r} is not a range", hint="1-8, 1..64:+4 or 1..64:*2")
    low, sign, end, times, step = int(read[1]), read[2], read[3], read[4] == "*", int(read[5] or 1)
    high = int(end) if end.isdecimal() else (own or {})[end]
    if high < low:
        many = "" if end.isdecimal() else f": this machine has {high} {end if high > 1 else end[:-1]}"
        hint = f"{1 if many else high}{sign}{end if many else low}"
        raise StudyError(f"{where}: the range {text!r} runs backwards{many}", hint=hint)
    if step < (2 if times else 1) or (times and low == 0):
        raise StudyError(f"{where}: the range {text!r} never ends", hint=f"{max(low, 1)}..{end}:*2")
    numbers = [low]
    while (following := numbers[-1] * step if times else numbers[-1] + step) <= high:
        numbers.append(following)
        if len(numbers) > MOST:
            raise StudyError(
                f"{where}: the range {text!r} has more than {MOST} numbers", hint=f"double them: {low}..{end}:*2"
            )
    return numbers


def checked_open(text: str, where: str) -> str:
    """Return a range whose end the machine decides, after what can be checked without the machine.

    Raises
    ------
    StudyError
        When it begins below 1 or never ends.
    """
    low = int(re.split(r"-|\.\.", text)[0])
    if low < 1:
        raise StudyError(f"{where}: {low} is not a number of threads", hint=text.replace(str(low), "1", 1))
    expanded(text, where, dict.fromkeys(OWN_COUNTS, low))
    return text
