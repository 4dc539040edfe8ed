"""Asks the binary about a graph. Edges travel in a file without a name: it cannot be left behind."""

from __future__ import annotations

import operator
import os
import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from os import PathLike
from typing import Any, SupportsIndex, cast

import numpy as np

from knee import _binary
from knee.mine import kinds
from knee.mine.edges import Edges
from knee.store import StudyError


def ask(
    action: str, graph: Any, threads: SupportsIndex | None, **options: str | SupportsIndex
) -> tuple[dict[str, Any], Edges | None]:
    """Return what ``knee mine`` says about a graph, and its edges, if it was not a file.

    Raises
    ------
    StudyError
        What the binary says is wrong.
    TypeError, ValueError
        When the graph cannot be read, or a number is none.
    """
    words = ["mine"]
    for name, value in (*options.items(), ("threads", threads)):
        if value is not None:
            words.append(f"--{name}={value if isinstance(value, str) else _number(name, value)}")
    # What follows is no option, however the file's name begins.
    words += ["--", action]
    if isinstance(graph, str | PathLike):
        answer = _told([*words, os.fspath(cast("str | PathLike[str]", graph))], [])
        if (header := answer["facts"]["header"]) != "none":
            warnings.warn(f"the first line of {graph} is taken for a header, not for an edge: {header}", stacklevel=3)
        return answer, None
    edges = kinds.read(graph)
    with _file(edges) as file:
        return _told([*words, f"/proc/self/fd/{file}"], [file]), edges


def _number(name: str, value: SupportsIndex) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, but it is a whole number: give one such as 4") from None


@contextmanager
def _file(edges: Edges) -> Generator[int]:
    """Give an open file of the edges. The kernel removes it when no process has it open any more."""
    # A loop makes no difference, and a file without any edge is an error, as a file.
    rows = edges.rows if len(edges.rows) else np.zeros((1, 2), np.int64)
    with tempfile.TemporaryFile() as file:
        try:
            np.save(file, rows, allow_pickle=False)
            file.flush()
        except OSError as error:
            hint = f"set TMPDIR to a folder with {rows.nbytes / (1 << 20):.0f} MiB of space"
            raise _noted(StudyError(f"cannot write the edges: {tempfile.gettempdir()}: {error}", hint=hint)) from None
        yield file.fileno()


def _told(words: list[str], files: list[int]) -> dict[str, Any]:
    try:
        return _binary.ask_once(words, files)
    except StudyError as error:
        message = str(error)
        for file in files:
            message = message.replace(f"/proc/self/fd/{file}", "the given graph")
        raise _noted(StudyError(message, hint=error.hint)) from None


def _noted(error: StudyError) -> StudyError:
    """Let a traceback show what to try."""
    if error.hint:
        error.add_note(f"hint: {error.hint}")
    return error
