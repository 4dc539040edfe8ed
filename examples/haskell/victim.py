"""How long fixed work of one thread takes beside a program, on the same cpus.

Usage: python3 victim.py wall|cpu STEPS -- COMMAND...

Prints the time that passed, or the CPU time that the work itself took. The program has to run longer than that, and is
ended then.
"""

import subprocess
import sys
import time

CLOCKS = {"wall": time.perf_counter, "cpu": time.thread_time}
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
    """Start the program, do the work beside it, say how long it took."""
    clock, steps, command = CLOCKS[sys.argv[1]], int(sys.argv[2]), sys.argv[4:]
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        time.sleep(START)
        begin = clock()
        work(steps)
        took = clock() - begin
        if program.poll() is not None:
            sys.exit("victim.py: the program ended before the work beside it did: give it more to do")
    finally:
        program.kill()
        program.wait()
    print(f"victim: {took:.6f} s")


if __name__ == "__main__":
    main()
