#!/usr/bin/env python3
"""Counts a pattern in a graph with one engine, checks the count, and prints how long matching took.

    mine.py ENGINE PATTERN GRAPH THREADS
    mine.py --ready ENGINE PATTERN GRAPH      # makes what runs need: the edge list, the expected count, other forms

Engines are `peregrine`, other people's program, which KNEE_PEREGRINE names, and knee's own `knee-explore` (matches
only) and `knee-formula` (counts in closed form). Patterns and graphs are those of `knee mine`. All engines get the same
edge list, and have to count what `knee mine count` does. What is made is kept in examples/build/mining.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from hot import BUILD, listener, region, tree_ns

KNEE = os.environ.get("KNEE_BIN", "knee")
OURS = ("knee-explore", "knee-formula")
FOLDER = BUILD.parent / "mining"

READ = "Finished reading datagraph"
MATCHED = re.compile(r"all patterns finished after ([\d.e+-]+)s")
COUNTED = re.compile(r"\S+: (\d+)$")


def main() -> None:
    """Make ready, or make one run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=["peregrine", *OURS])
    parser.add_argument("pattern", help="a name such as house, or edges such as a-b,b-c")
    parser.add_argument("graph", help="rmat:16, chung-lu:orkut:100, or an edge list")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("threads", type=int, nargs="?")
    what.add_argument("--ready", action="store_true")
    asked = parser.parse_args()

    graph = Graph(asked.graph)
    expected = graph.expected(asked.pattern)
    ask = peregrine(graph, asked.pattern) if asked.engine == "peregrine" else ours(graph, asked.pattern, asked.engine)
    if asked.ready:
        return
    found, seconds = ask(asked.threads)
    if found != expected:
        fail(f"wrong answer: {asked.engine} counts {found} of {asked.pattern}, and knee {expected}")
    print(f"{found} of {asked.pattern}\nmatched in {seconds:.6f} s")


Ask = Callable[[int], tuple[int, float]]
"""Runs an engine on that many threads, and returns its count and its own seconds of matching."""


class Graph:
    """A graph, and where forms of it are kept: by its description, or its path and when that file was written."""

    def __init__(self, name: str) -> None:
        file = Path(name)
        known = name
        if file.exists():
            known = f"{file.resolve()} {file.stat().st_mtime_ns} {file.stat().st_size}"
        self.name = name
        # Names that differ only in letters that a folder's name cannot have are told apart.
        mark = hashlib.sha256(known.encode()).hexdigest()[:8]
        word = re.sub(r"[^\w.+:-]", "_", known.lstrip("/"))[-180:]
        self.folder = FOLDER / f"{word}-{mark}"

    @property
    def edges(self) -> Path:
        """The edge list that all engines read: each edge once."""
        return made(self.folder / "graph.el", lambda part: written([KNEE, "mine", "edges", self.name], part))

    def expected(self, pattern: str) -> int:
        """Return what `knee mine count` counts by matching, which needs no formula to be right."""
        words = [KNEE, "mine", "count", "--plan", "explore", "--pattern", pattern, str(self.edges)]
        return int(made(self.folder / f"{pattern}.count", lambda part: written(words, part)).read_text())


def ours(graph: Graph, pattern: str, engine: str) -> Ask:
    """Return knee's own engine. It marks its phases itself."""
    words = [KNEE, "mine", "count", "--plan", engine.removeprefix("knee-"), "--pattern", pattern, "--json"]
    output([*words, "rmat:3"])  # refuses a pattern without a formula

    def ask(threads: int) -> tuple[int, float]:
        said = json.loads(output([*words, "-n", str(threads), str(graph.edges)], marks=True))
        seconds = next(phase["wall_ns"] for phase in said["phases"] if phase["name"] == "match") / 1e9
        return int(said["count"]), seconds  # above 2^64 it is text

    return ask


def peregrine(graph: Graph, pattern: str) -> Ask:
    """Return Peregrine. It reports its time of matching itself; its CPU time is seen from here, in a region."""
    given = os.environ.get("KNEE_PEREGRINE")
    if not given:
        fail(
            "no engine 'peregrine': KNEE_PEREGRINE has to be the path of its program `count`; "
            f"to leave it out: knee study --factor engine={','.join(OURS)} FILE"
        )
    found = shutil.which(given)
    if not found:
        fail(f"no engine 'peregrine': KNEE_PEREGRINE is no program: {given}")
    program = Path(found).absolute()
    data = made(graph.folder / "peregrine", lambda part: converted(graph, program.with_name("convert_data"), part))
    query = spelt(pattern)

    def ask(threads: int) -> tuple[int, float]:
        # From its folder: `clique` or `motifs` anywhere in this word would be taken for a pattern of Peregrine's own.
        return watched([str(program), str(data), query.name, str(threads)], query.parent)

    return ask


def converted(graph: Graph, converter: Path, folder: Path) -> None:
    """Have Peregrine's own converter write the graph as Peregrine reads it. Vertices count from 1, without gaps."""
    folder.mkdir()
    with tempfile.NamedTemporaryFile("w", dir=graph.folder) as file:
        with graph.edges.open() as lines:
            numbers: dict[str, int] = {}
            pairs = ([numbers.setdefault(end, len(numbers) + 1) for end in line.split()] for line in lines)
            file.writelines(f"{one} {other}\n" for one, other in pairs)
        file.flush()
        output([str(converter), file.name, str(folder)])


def spelt(pattern: str) -> Path:
    """Write a pattern as Peregrine reads it. What knee takes the pattern for is the first line of its matches."""
    said = output([KNEE, "mine", "match", "--limit", "1", "--pattern", pattern, "rmat:3"])
    pairs = said.partition("\n")[0].removeprefix("# ")
    if "-" not in pairs:
        fail(f"Peregrine counts edges and what they make, and the pattern {pattern} has none")
    text = "".join(pair_line(pair) for pair in pairs.split(","))
    return made(FOLDER / "patterns" / pairs, lambda part: part.write_text(text))


def pair_line(pair: str) -> str:
    """Return the line for `0-1`, vertices that are joined, or `0!1`, which must not be."""
    one, sign, other = re.split("([-!])", pair)
    return f"{int(one) + 1} {int(other) + 1}{' 1' if sign == '!' else ''}\n"


@dataclass
class Watched:
    """What Peregrine has said so far."""

    count: int | None = None
    seconds: float | None = None


def watched(words: list[str], folder: Path) -> tuple[int, float]:
    """Run Peregrine, with its matching as a region, and return its count and its own seconds of matching."""
    listener.process_time_ns = tree_ns  # a process below this one computes
    heard = Watched()
    with ExitStack() as matching, subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            if line.startswith(READ):
                matching.enter_context(region("match"))
            elif matched := MATCHED.search(line):
                matching.close()
                heard.seconds = float(matched[1])
            elif counted := COUNTED.match(line):
                heard.count = int(counted[1])
    if process.returncode != 0 or heard.count is None or heard.seconds is None:
        fail(f"failed, with status {process.returncode}: {' '.join(words)}")
    return heard.count, heard.seconds


def made(path: Path, make: Callable[[Path], object]) -> Path:
    """Return a file or folder, which is made if it is not there: whole or not at all."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as place:
            make(part := Path(place) / "part")
            part.rename(path)
    return path


def written(words: list[str], file: Path) -> None:
    """Write what a command prints."""
    with file.open("w") as to:
        run(words, to.fileno())


def output(words: list[str], *, marks: bool = False) -> str:
    """Return what a command prints. Only what is measured marks its phases."""
    return run(words, subprocess.PIPE, marks=marks)


def run(words: list[str], to: int, *, marks: bool = False) -> str:
    """Run a command that has to succeed."""
    env = os.environ | ({} if marks else {"KNEE_REGIONS": ""})
    try:
        done = subprocess.run(words, stdout=to, text=True, check=False, env=env)
    except OSError as error:
        fail(f"cannot run: {words[0]}: {error.strerror}")
    if done.returncode != 0:
        fail(f"failed, with status {done.returncode}: {' '.join(words)}")
    return done.stdout


def fail(message: str) -> NoReturn:
    """End the program."""
    sys.exit(f"mine.py: {message}")


if __name__ == "__main__":
    main()
