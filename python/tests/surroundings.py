"""Studies where the disk is full, the clock jumps, a program edits its study, or a control group limits it.

A counted list. In every trial a study is disturbed at one chosen moment, and resumed if it was stopped: it must end
with every run on file once, or say in one error what is wrong. Setting the date and limits of control groups are tried
in an emulator where this machine may not do so. What cannot be tried is skipped with a message.

    python python/tests/surroundings.py --case disk --case clock
    python python/tests/surroundings.py --case edits --from 40 --trials 20
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from trials import EMULATED, Missing, Place, Trial
from trials_clock import clock, date
from trials_disk import disk, memory
from trials_edits import edits
from trials_limits import limits

NUMAVM = Path(os.environ.get("KNEE_SHARED", Path(__file__).parents[3] / "shared")) / "numavm" / "numavm"

CASES: dict[str, Callable[[], Iterator[Trial]]] = {
    "disk": disk,
    "memory": memory,
    "clock": clock,
    "edits": edits,
    "date": date,
    "limits": limits,
}


def tried(case: str, first: int, most: int) -> tuple[int, int]:
    """Make the trials of a case from number ``first`` on; return how many were made, and how many went wrong."""
    made = wrong = 0
    for name, trial in itertools.islice(CASES[case](), first, first + most):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            fault = trial(Place(Path(folder), {"XDG_STATE_HOME": str(Path(folder) / "state")}))
        made += 1
        if fault:
            wrong += 1
        # Trials may take a minute each: what is done is said at once.
        if fault or EMULATED:
            sys.stderr.write(f"{case} {first + made - 1}: {name}: {fault or 'right'}\n")
    return made, wrong


def emulated(case: str, first: int, most: int) -> bool:
    """Make the trials of a case in an emulator, which prints their line of the table; return whether any went wrong."""
    machine = ["--sockets", "1", "--cores", "4", "--threads", "1", "--nodes", "1", "--mem", "1536M"]
    words = [sys.executable, __file__, "--case", case, "--from", str(first), "--trials", str(most), "--no-head"]
    env = os.environ | {"KNEE_EMULATED": "1", "OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.call([NUMAVM, *machine, "--timeout", "7200", "--", *words], env=env)
    return ended != 0


def main() -> int:
    """Read the command line, make the trials, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--case", action="append", choices=CASES, help="only this case")
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first trial")
    parser.add_argument("--trials", type=int, default=1_000_000, help="how many trials of a case at most")
    parser.add_argument("--no-head", action="store_true", help="print no head of the table")
    asked = parser.parse_args()
    sys.stdout.write("" if asked.no_head else "case        tried  wrong\n")
    sys.stdout.flush()
    bad = 0
    for case in asked.case or CASES:
        try:
            made, wrong = tried(case, asked.first, asked.trials)
        except Missing as error:
            if case in ("date", "limits") and not EMULATED and NUMAVM.exists():
                bad += emulated(case, asked.first, asked.trials)
            else:
                sys.stdout.write(f"{case:10}  SKIPPED: {error}\n")
            continue
        bad += wrong
        sys.stdout.write(f"{case:10} {made:6} {wrong:6}\n")
        sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
