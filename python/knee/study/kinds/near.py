"""Finds what a misspelt word was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ALIKE = 0.75
"""How similar a known word must be to be suggested, by difflib's ratio: ``thread`` and ``threads`` have 0.92."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most like this one, ignoring case; None where none is similar.

    Examples
    --------
    >>> nearest("thread", ["placement", "threads"]), nearest("colour", ["threads"])
    ('threads', None)
    """
    words = {one.lower(): one for one in known}
    found = difflib.get_close_matches(word.lower(), words, 1, ALIKE)
    return words[found[0]] if found else None


def suggestion(word: str, known: Iterable[str], otherwise: str | None = None, form: str = "{}") -> str | None:
    """Return the hint "did you mean threads?", or another one where nothing known is similar.

    Parameters
    ----------
    word, known
        What was written, and what could have been.
    otherwise
        The hint where no known word is similar.
    form
        How the word is written in the hint, ``{}`` standing for it.
    """
    found = nearest(word, known)
    return f"did you mean {form.format(found)}?" if found else otherwise
