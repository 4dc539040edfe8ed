"""Chooses which explanations of a study are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knee.explain.ledger.explanation import Explanation


def chosen(
    ledgers: Mapping[str, Sequence[Explanation]], threads: int | None, series: str | None, *, every: bool
) -> list[Explanation]:
    """Return the explanations of a thread count; without one, of all that were asked about, the largest first.

    Parameters
    ----------
    ledgers
        Explanations by series.
    threads, series
        The thread count and the series asked for; None for any.
    every
        Whether every thread count is wanted.
    """
    found: list[Explanation] = []
    for name, explained in ledgers.items():
        fitting = [one for one in explained if threads in (None, one.threads)]
        if series not in (None, name) or not fitting:
            continue
        # Where all questions failed, that is said.
        asked = [one for one in fitting if one.asked or one.failed]
        ordered = sorted(asked or fitting, key=lambda one: one.threads, reverse=True)
        found += fitting if every else ordered[: len(asked) or 1]
    # Series that were asked about say more than the others.
    told = [one for one in found if one.asked or one.failed]
    return told if told and series is None and threads is None and not every else found
