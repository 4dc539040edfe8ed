"""Ranges of whole numbers: ``1-8``, ``1..64:*2``."""

from __future__ import annotations

import re

from knee.store import StudyError

FORM = r"([0-9]+)(-|\.\.)([0-9]+)(?::([*+]?)([0-9]+))?"
MOST = 1000
"""Numbers in a range, at most: more are a slip of the finger."""


def is_range(text: str, *, dash: bool = True) -> bool:
    """Return whether a text is a range; with ``dash`` also one like ``1-8``, which elsewhere is a list of cpus."""
    read = re.fullmatch(FORM, text)
    return read is not None and (dash or read[2] == "..")


def expanded(text: str, where: str) -> list[int]:
    """Return the numbers of a range, its end included where a step hits it.

    Examples
    --------
    >>> expanded("1-4", ""), expanded("2..8:2", ""), expanded("1..64:*2", "")
    ([1, 2, 3, 4], [2, 4, 6, 8], [1, 2, 4, 8, 16, 32, 64])

    Raises
    ------
    StudyError
        When it runs backwards, never ends, or is very long; ``where`` says where it stands.
    """
    read = re.fullmatch(FORM, text)
    if read is None:
        raise StudyError(f"{where}: {text!r} is not a range", hint="1-8, 1..64:+4 or 1..64:*2")
    low, high, times, step = int(read[1]), int(read[3]), read[4] == "*", int(read[5] or 1)
    if high < low:
        raise StudyError(f"{where}: the range {text!r} runs backwards", hint=f"{high}{read[2]}{low}")
    if step < (2 if times else 1) or (times and low == 0):
        raise StudyError(f"{where}: the range {text!r} never ends", hint=f"{max(low, 1)}..{high}:*2")
    numbers = [low]
    while (following := numbers[-1] * step if times else numbers[-1] + step) <= high:
        numbers.append(following)
        if len(numbers) > MOST:
            raise StudyError(
                f"{where}: the range {text!r} has more than {MOST} numbers", hint=f"double them: {low}..{high}:*2"
            )
    return numbers
