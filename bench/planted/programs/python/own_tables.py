"""Instruction growth: processes hash buffers, and each computes a table of its own first.

The dial is the share of all work that computes the table, which is the same in every process.
"""

import work

DATA = bytes(64 * 1024)
SHARED = round(work.DIAL * work.WORK)


def body(process: int) -> int:
    """Compute the table; sum the units of a process."""
    table = [work.hashed(i, DATA) for i in range(SHARED)]
    divided = work.WORK - SHARED
    units = range(divided * process // work.THREADS, divided * (process + 1) // work.THREADS)
    own = sum(work.hashed(SHARED + i, DATA) for i in units)
    return own + (sum(table) if process == 0 else 0)


print(work.in_processes(body))
