"""Imbalance: processes compute units in bytecode, the first more than the last.

The dial d gives the first process 1 + d times its fair part, the last 1 - d times. Each process has an interpreter, and
a lock, of its own: it is a decoy for the interpreter lock.
"""

import work

STEPS = 2000


def body(process: int) -> int:
    """Sum the units of a process."""
    return sum(work.counted(i, STEPS) for i in range(work.before(process), work.before(process + 1)))


print(work.in_processes(body))
