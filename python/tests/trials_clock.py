"""Trials of a clock of the day that jumps, and of a date that is set."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from trials import EMULATED, STOPPED, STUDY, Missing, Place, Trial, runs_fault, times_fault, with_said

from knee import _binary
from knee.store import Folder

JUMPS = Path(__file__).parents[2] / "crates" / "knee" / "tests" / "programs" / "jumps.c"


def clock() -> Iterator[Trial]:
    """A clock of the day that jumps while a study is made, stopped and resumed."""
    library = Path(tempfile.mkdtemp(dir="/var/tmp")) / "jumps.so"
    try:
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, JUMPS], check=True)
    except FileNotFoundError as error:
        raise Missing("no gcc") from error
    try:
        # Two seconds; an hour; more than a year; to 1970 and to the end of the century.
        for most, every, seed in itertools.product((2, 3600, 34_560_000, 2_300_000_000), (100, 700, 3000), range(4)):
            env = {"KNEE_JUMP_S": str(most), "KNEE_JUMP_MS": str(every), "KNEE_JUMP_SEED": str(seed)}
            name = f"jumps of up to {most} s every {every} ms, seed {seed}"
            yield name, lambda place, env=env: _clock(place, env | {"LD_PRELOAD": str(library)})
    finally:
        shutil.rmtree(library.parent)


def _clock(place: Place, env: dict[str, str]) -> str | None:
    # The shell becomes knee, and knee becomes Python: the program's second run stops it.
    words = place.program(2, "kill -TERM $(cat study); sleep 30")
    script = 'echo $$ > study; exec "$@"'
    budget = ["--budget", "3h"] if env["KNEE_JUMP_MS"] == "3000" else []
    begin = [*STUDY, "--no-report", *budget, "--out", str(place.study), "--", *words]
    done = place.call(["sh", "-c", script, "sh", str(_binary.find()), *begin], env)
    if done.status != STOPPED:
        return with_said(done, f"status {done.status}, not {STOPPED}")
    done = place.knee("study", "--resume", str(place.study), env=env)
    if fault := with_said(done, done.fault(0)) or runs_fault(Folder(place.study)):
        return fault
    return times_fault(Folder(place.study))


def date() -> Iterator[Trial]:
    """A date that is set while a study is made."""
    if not EMULATED:
        raise Missing("no machine of its own, whose date may be set")
    for by, at, budget in itertools.product((-40_000_000, -3600, 7, 3600, 40_000_000), (1, 2), (False, True)):
        name = f"the date set by {by} s in run {at}{' with a budget' if budget else ''}"
        yield name, lambda place, by=by, at=at, budget=budget: _date(place, by, at, budget)


def _date(place: Place, by: int, at: int, budget: bool) -> str | None:
    words = place.program(at, f"date -s @$(($(date +%s) + {by})) > /dev/null")
    limit = ["--budget", "3h"] if budget else []
    done = place.knee(*STUDY, "--no-report", *limit, "--out", str(place.study), "--", *words)
    if fault := with_said(done, done.fault(0)) or runs_fault(Folder(place.study)):
        return fault
    return times_fault(Folder(place.study))
