"""Parses levels, ``runtime=near,threads=4``, and contrasts, which are two of these with a minus sign between.

A level is written as the analysis calls it, or as the study does: ``placement=unpinned`` or ``placement=none``.
"""

from __future__ import annotations

from knee.explain.scaling.series import word_of
from knee.stats.linear.design import Factor
from knee.store import StudyError

Levels = dict[str, str]


def contrast_of(text: str, factors: tuple[Factor, ...]) -> tuple[Levels, Levels]:
    """Parse ``runtime=near-runtime=random``. Levels may contain commas and minus signs.

    Raises
    ------
    StudyError
        When a side names an unknown factor or level, or both are the same.
    """
    for place, sign in enumerate(text):
        if sign == "-":
            first, second = levels_of(text[:place], factors), levels_of(text[place + 1 :], factors)
            if first is not None and first == second:
                raise StudyError(
                    f"bad contrast: {text!r}: both sides are the same", hint="compare two different levels"
                )
            if first is not None and second is not None:
                return first, second
    known = "; ".join(f"{one.name}={'|'.join(one.levels)}" for one in factors)
    raise StudyError(
        f"bad contrast: {text!r}: it must be two sides of known levels with a minus sign between",
        hint=f"like 'A=a1-A=a2' or 'A=a1,B=b1-A=a2,B=b1', of {known}",
    )


def levels_of(text: str, factors: tuple[Factor, ...]) -> Levels | None:
    """Parse one side; None if it is invalid, or names a factor twice."""
    for factor in factors:
        for written in (*factor.levels, "none"):
            word, level = f"{factor.name}={written}", word_of(factor.name, written)
            if level not in factor.levels:
                continue
            if text == word:
                return {factor.name: level}
            if text.startswith(f"{word},"):
                rest = levels_of(text[len(word) + 1 :], factors)
                if rest is not None and factor.name not in rest:
                    return {factor.name: level} | rest
    return None
