"""A question in parts: described, joined, and shown."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, cast

from knee import _binary
from knee.cluster import worker
from knee.cluster.worker import Limits
from knee.store import StudyError

Number = int | tuple[int, int]
"""How many parts there are at most; or the fewest and the most, of which as many are made as are worth their while."""


@dataclass(frozen=True, repr=False)
class Parts:
    """The parts of a question, as ``explain=True`` returns them; ``print`` shows a line for each."""

    verb: str
    """``query`` or ``mine``."""
    lines: tuple[str, ...]
    """What a worker needs to know of each: a line of JSON."""

    def __len__(self) -> int:
        return len(self.lines)

    def __repr__(self) -> str:
        return "\n".join(_shown(json.loads(line)) for line in self.lines)


class Cluster(Protocol):
    """An engine that answers parts."""

    per_worker: int
    """Most parts for each worker where nobody says how many: workers that finish early take more of them."""

    def workers(self) -> int:
        """Return how many workers it has."""
        ...

    def answers(self, parts: Parts, limits: Limits) -> list[str]:
        """Return the answers of all parts."""
        ...


def usual(cluster: Cluster) -> Number:
    """Return how many parts a question has where nobody says how many."""
    workers = cluster.workers()
    return workers, workers * cluster.per_worker


LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of a character in UTF-16, but for U+DC80 to U+DCFF, which stand for bytes of a file's name."""

ADDRESS = re.compile(r"([A-Za-z][\w+.-]*):(?=/)")
"""How an address in a file system begins. The name of a generated graph has no slash after its colon."""


def plain(path: str) -> str:
    """Return a path of this machine, from a path or an address.

    Raises
    ------
    StudyError
        When it is an address in another file system.
    """
    scheme = ADDRESS.match(path)
    if scheme is not None:
        if scheme[1].lower() != "file":
            raise StudyError(
                f"{path} is not in a file system that workers have mounted",
                hint="give a path that this machine and all workers see",
            )
        # Of a file's name, # and ? are letters like others.
        path = re.sub(r"^//[^/]*(?=/)", "", path[scheme.end() :])
    return str(Path(path).absolute())


def of_connect() -> StudyError:
    """Return the error for a session of Spark Connect."""
    return StudyError(
        "this session is one of Spark Connect, which does not show how a frame is read",
        hint="use a classic session: SparkSession.builder.master(…)",
    )


def split_query(sql: str, path: str | PathLike[str], parts: Number) -> Parts:
    """Describe parts of a query over Parquet files.

    Raises
    ------
    StudyError
        What the binary says is wrong with the query or with the data.
    """
    return _split("query", parts, [f"--sql={sql}", "--", str(Path(path).absolute())])


def split_count(action: str, graph: Any, options: Mapping[str, object], parts: Number) -> Parts:
    """Describe parts of a count of patterns in the graph of a file, or in a generated one.

    Raises
    ------
    StudyError
        What the binary says is wrong with the question or with the graph.
    """
    if not isinstance(graph, str | PathLike):
        kind = f"{type(graph).__module__}.{type(graph).__qualname__}"
        raise StudyError(
            f"this graph is a {kind}, but workers read a file that they all see",
            hint="write its edges to a shared folder, and give the path",
        )
    words = [f"--{name}={value}" for name, value in options.items()]
    source = cast("str", os.fspath(graph))
    return _split("mine", parts, [*words, "--", action, plain(source) if ADDRESS.match(source) else source])


def _split(verb: str, parts: Number, words: Iterable[str]) -> Parts:
    fewest, most = parts if isinstance(parts, tuple) else (parts, parts)
    if fewest < 1:
        raise StudyError(f"a question has at least one part, not {fewest}", hint="leave parts out, or give 1 or more")
    return Parts(verb, tuple(_ran(verb, f"--split={fewest}..{most}", *words).splitlines()))


def merge(answers: Iterable[str]) -> Any:
    """Join the answers of all parts of a question, in any order; a part may be there more than once.

    Parameters
    ----------
    answers
        The lines that :func:`run_part` returned.

    Returns
    -------
    dict
        What ``knee query --merge --json`` or ``knee mine --merge --json`` prints.

    Raises
    ------
    StudyError
        Which parts are missing, or which line is no answer, or of another question.
    """
    lines = list(answers)
    with suppress(ValueError, TypeError):
        if lines and "arguments" in json.loads(lines[0]):
            return _merged("mine", lines)
    return _merged("query", lines)


def joined(parts: Parts, answers: Iterable[str]) -> Any:
    """Join the answers of these parts, which all have to be there."""
    return _merged(parts.verb, answers)


def _merged(verb: str, answers: Iterable[str]) -> Any:
    answer = json.loads(_ran(verb, "--merge", "--json", given="\n".join(answers)))
    if (header := answer.get("facts", {}).get("header", "none")) != "none":
        said = f"the first line of {answer['graph']} is taken for a header, not for an edge: {header}"
        warnings.warn(said, stacklevel=2)
    return answer


def failed(reason: str) -> StudyError:
    """Return the error for what a worker said."""
    message, hint = worker.said(reason)
    error = StudyError(message, hint=hint)
    if hint:
        error.add_note(f"hint: {hint}")
    return error


def _ran(verb: str, *words: str, given: str = "") -> str:
    binary = _binary.find()
    for word in words:
        if "\0" in word or LONE.search(word):
            message = f"{word!r} has a character that cannot be passed to a program"
            raise StudyError(message, hint="remove the NUL, or the half of a character")
    try:
        done = subprocess.run(
            [str(binary), verb, *words], input=given, capture_output=True, encoding="utf-8", check=False
        )
    except OSError as error:
        hint = "ask for less at once" if error.errno == errno.E2BIG else _binary.unstarted(error)
        raise StudyError(f"cannot start {binary}: {error.strerror}", hint=hint) from error
    if done.returncode:
        raise failed(done.stderr or f"knee {verb} ended with status {done.returncode}")
    return done.stdout


def _shown(part: dict[str, Any]) -> str:
    name = f"part {part['part']} of {part['parts']}"
    if files := part.get("files"):
        return f"{name}: {', '.join(map(_groups, files))}"
    if lineitem := part.get("lineitem"):
        rows = lineitem["parts"]
        return f"{name}: pieces {rows['start']} to {rows['end'] - 1} of lineitem at scale {lineitem['scale']}"
    graph = part["arguments"]["graph"]
    return f"{name}: its share of {part['vertices']:,} vertices and {part['edges']:,} edges of {graph}"


def _groups(file: dict[str, Any]) -> str:
    start, end = file["groups"]["start"], file["groups"]["end"]
    return f"row groups {start} to {end - 1} of {file['path']}" if start < end else f"no rows of {file['path']}"
