"""Serial part: processes compute units in bytecode, and the parent computes more of them after they have ended.

The dial is the share of the units that are left for the parent. Each process has an interpreter, and a lock, of its
own: it is a decoy for the interpreter lock.
"""

import work

STEPS = 2000
DIVIDED = round((1 - work.DIAL) * work.WORK)


def summed(begin: int, end: int) -> int:
    """Sum the units of a range."""
    return sum(work.counted(i, STEPS) for i in range(begin, end))


def body(process: int) -> int:
    """Sum the units of a process."""
    return summed(DIVIDED * process // work.THREADS, DIVIDED * (process + 1) // work.THREADS)


print(work.in_processes(body) + summed(DIVIDED, work.WORK))
