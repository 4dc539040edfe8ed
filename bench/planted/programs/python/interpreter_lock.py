"""Interpreter lock: threads hash short texts, and hash much more in C or compute in bytecode beside it.

The dial is the share of the units that compute in bytecode, which holds the interpreter's lock; all others hash
512 KiB, which releases it. Both take about as long. The program has no lock of its own.
"""

import work

DATA = bytes(512 * 1024)
STEPS = 5000
HASHED, COUNTED = work.hashed(0, DATA), work.counted(0, STEPS)


def body(thread: int) -> int:
    """Sum the units of a thread; the work beside it adds 0."""
    total = 0
    for i in range(work.first(thread), work.first(thread + 1)):
        total += work.hashed(i, b"")
        total += work.counted(0, STEPS) - COUNTED if work.picked(i) else work.hashed(0, DATA) - HASHED
    return total


print(work.in_threads(body))
