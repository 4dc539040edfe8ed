"""How long fixed work of one thread takes beside a program, on the same cpus.

Usage: python3 victim.py STEPS -- COMMAND...

The work is the region `victim`, so that a study knows its time and its own CPU time. The program has to run longer than
that, and is ended then.
"""

import subprocess
import sys
import time
from pathlib import Path

# Regions need the standard library alone, so that any Python will do.
sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))

from knee.regions import region

START = 0.1
"""Seconds in which the program starts its threads."""


def work(steps: int) -> int:
    """Add up a linear congruential sequence: integer arithmetic, in one thread."""
    state = total = 1
    for _ in range(steps):
        state = (1103515245 * state + 12345) & 0x7FFFFFFF
        total += state & 1
    return total


def main() -> None:
    """Start the program, and do the work beside it."""
    steps, command = int(sys.argv[1]), sys.argv[3:]
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        time.sleep(START)
        with region("victim"):
            work(steps)
        if program.poll() is not None:
            sys.exit("victim.py: the program ended before the work beside it did: give it more to do")
    finally:
        program.kill()
        program.wait()


if __name__ == "__main__":
    main()
