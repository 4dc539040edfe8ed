"""Asks the binary about a graph. Edges and labels travel in files without a name: they cannot be left behind."""

from __future__ import annotations

import operator
import os
import tempfile
import warnings
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from os import PathLike
from typing import IO, Any, SupportsIndex, cast

import numpy as np

from knee import _binary
from knee.mine import kinds
from knee.mine.edges import Edges
from knee.mine.labels import lines
from knee.store import StudyError

OWN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""How paths begin that name another file in another process."""

Labels = Mapping[Any, Any] | str | PathLike[str] | None
"""The label of each vertex that has one, or the path of a file of them, for a graph in a file or an array."""


def ask(
    action: str,
    graph: Any,
    threads: SupportsIndex | None,
    labels: Labels = None,
    **options: str | SupportsIndex,
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
    edges = None if isinstance(graph, str | PathLike) else kinds.read(graph)
    with ExitStack() as files:
        given: dict[int, str] = {}
        if isinstance(labels, str | PathLike):
            if edges is not None and edges.vertices is not None:
                # Its numbers would be taken for those by which the vertices are passed on.
                given_as = "a file has the labels of numbers, and this graph's vertices are objects"
                raise TypeError(f"{given_as}: give a mapping from each vertex to its label")
            words.append(f"--labels={files.enter_context(_opened(os.fspath(labels), given))}")
        elif labels is not None:
            text = lines(labels, edges)
            file = files.enter_context(_file("the labels", len(text), lambda file: file.write(text)))
            given[file] = "the given labels"
            words.append(f"--labels=/proc/self/fd/{file}")
        if edges is None:
            name = files.enter_context(_opened(os.fspath(cast("str | PathLike[str]", graph)), given))
        else:
            # A loop makes no difference, and a file without any edge is an error, as a file.
            rows = edges.rows if len(edges.rows) else np.zeros((1, 2), np.int64)
            save = partial(np.save, arr=rows, allow_pickle=False)
            file = files.enter_context(_file("the edges", rows.nbytes, save))
            given[file] = "the given graph"
            name = f"/proc/self/fd/{file}"
        # What follows is no option, however the file's name begins.
        answer = _told([*words, "--", action, name], given)
    facts = answer["facts"]
    if edges is None and (header := facts["header"]) != "none":
        warnings.warn(f"the first line of {graph} is taken for a header, not for an edge: {header}", stacklevel=3)
    if words := facts.get("labels_of_no_vertex"):
        warnings.warn(f"no vertex has the label {words}; those of the graph are {facts['labels']}", stacklevel=3)
    return answer, edges


def _number(name: str, value: SupportsIndex) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, but it is a whole number: give one such as 4") from None


@contextmanager
def _opened(path: str, given: dict[int, str]) -> Generator[str]:
    """Give the path by which the binary finds a file. It inherits a file that only this process has open, since its own
    standard input is another one, and a file whose name is not printable.
    """
    if not path.startswith(OWN) and path.isprintable():
        yield path
        return
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError as error:
        hint = "give the path of a file that can be read"
        raise _noted(StudyError(f"cannot read {path!r}: {error.strerror}", hint=hint)) from None
    try:
        given[file] = path.encode(errors="replace").decode()
        yield f"/proc/self/fd/{file}"
    finally:
        os.close(file)


@contextmanager
def _file(what: str, size: int, write: Callable[[IO[bytes]], object]) -> Generator[int]:
    """Give an open file. The kernel removes it when no process has it open any more."""
    with tempfile.TemporaryFile() as file:
        try:
            write(file)
            file.flush()
        except OSError as error:
            hint = f"set TMPDIR to a folder with {size / (1 << 20):.0f} MiB of space"
            raise _noted(StudyError(f"cannot write {what}: {tempfile.gettempdir()}: {error}", hint=hint)) from None
        yield file.fileno()


def _told(words: list[str], files: dict[int, str]) -> dict[str, Any]:
    try:
        return _binary.ask_once(words, list(files))
    except StudyError as error:
        message = str(error)
        # The longer number first, since /proc/self/fd/1 begins /proc/self/fd/12.
        for file, what in sorted(files.items(), reverse=True):
            message = message.replace(f"/proc/self/fd/{file}", what)
        raise _noted(StudyError(message, hint=error.hint)) from None


def _noted(error: StudyError) -> StudyError:
    """Let a traceback show what to try."""
    if error.hint:
        error.add_note(f"hint: {error.hint}")
    return error
