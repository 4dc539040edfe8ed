"""Hostile text for tests: text that controls a terminal, a study full of it, a terminal, and a check of output."""

import json
import os
import pty
import select
import struct
import subprocess
import termios
import tomllib
import unicodedata
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path

import tomli_w
from conftest import record, rewrite

from knee.store import Folder

TEXT = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202eevil\u2066\r\x7f\ufeff\U000e0041[bold]<b>&\"'"
"""Title of the window, red, clear, reversed: by escape, by C1, by Unicode; and markup of rich, HTML and XML."""

BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def raw(text: str) -> list[str]:
    """Return the control characters in a text, by Unicode's own properties."""
    return [
        f"{letter!r} in {text[max(0, at - 40) : at + 40]!r}"
        for at, letter in enumerate(text)
        if (unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") and letter not in "\n\t")
        or unicodedata.bidirectional(letter) in BIDI
        or letter in "\ufeff\U000e0041"
    ]


def hostile(simulated: Callable[..., Folder]) -> Folder:
    """Make a study with hostile text in every place that may hold any text, also as the name of a factor."""
    curves = {1: (1.0, 1.0), 2: (0.6, 1.1), 3: (0.45, 1.2), 4: (0.4, 1.3)}
    slower = {threads: (2 * wall, 2 * cpu) for threads, (wall, cpu) in curves.items()}
    folder = simulated({"none": curves, "cores-close": slower})
    blocks: dict[str, int] = {}

    def planned(spec: dict) -> dict:
        blocks[spec["id"]] = spec["block"]
        level = TEXT + ("a" if spec["cell"]["placement"] == "none" else "b")
        cell = {"threads": spec["threads"], "placement": "cores-close", TEXT: level}
        program = {"command": ["program", TEXT], "env": {"A": TEXT}}
        more = {"cpus": list(range(spec["threads"])), "prepare": f"true {TEXT}", "counters": ["instructions"]}
        return spec | more | {"cell": cell, "program": program}

    rewrite(folder.plan, planned)

    def spoilt(one: dict) -> dict:
        number = int(one["id"])
        bad: dict = {"phases": [{"name": TEXT, "wall_ns": 9, "cpu_ns": 9, "begin_ns": 0, "end_ns": 9}]}
        bad["counters"] = {"instructions": {"unavailable": TEXT}} if number % 2 else {"instructions": 5}
        bad["changed"] = [{"fact": TEXT, "held": TEXT, "found": TEXT}]
        bad["region_faults"] = [TEXT]
        bad["output"] = {"stdout_bytes": 9, "stdout_tail": TEXT, "stderr_tail": TEXT}
        if number == len(blocks):
            bad["exit"] = {"error": TEXT}
        if number == len(blocks) - 1:
            bad["check"] = {"ok": False, "reason": TEXT}
        return record(one["id"], one["block"], one["wall_ns"] / 1e9, one["user_ns"] / 1e9) | bad

    rewrite(folder.records, spoilt)
    machine = json.loads(folder.machine.read_text())
    machine["facts"] |= {"model": TEXT, TEXT: TEXT, "governor": {"unavailable": TEXT}}
    machine["nodes"][0]["kind"] = TEXT
    folder.machine.write_text(json.dumps(machine))
    tables = tomllib.loads(folder.study_spec.read_text()) | {"name": TEXT, "factors": {TEXT: [TEXT + "a", TEXT + "b"]}}
    tables["program"] = {"command": ["program", TEXT]}
    two = {"of": {TEXT: TEXT + "a", "threads": 4}, "over": {TEXT: TEXT + "b", "threads": 4}}
    claim = {"says": TEXT, "source": TEXT, "ratio": two, "below": 0.9}
    folder.study_spec.write_text(tomli_w.dumps(tables | {"claim": [claim]}), encoding="utf-8")
    (folder.path / "ended.json").write_text(json.dumps({"schema": 1, "block": max(blocks.values()), "why": TEXT}))
    return folder


def in_terminal(words: list[str], cwd: Path, *, answer: bytes = b"", width: int = 100, **more: str) -> tuple[int, str]:
    """Run a command in a terminal of its own; return its exit status and all that it printed there."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    done = subprocess.Popen(
        words, cwd=cwd, env=env | {"TERM": "xterm"} | more, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(ours, answer)
    printed = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            more_of_it = os.read(ours, 1 << 16)
        except OSError:  # the last writer is gone
            break
        printed += more_of_it
    os.close(ours)
    return done.wait(), printed.decode()
