"""What the Python programs have in common: arguments, units of work in C and in bytecode, threads and processes.

Work comes in units. The result of a unit depends on its number alone, and the answer is the sum of all results: the
same for every number of threads and every dial.
"""

import hashlib
import multiprocessing
import sys
import threading
from collections.abc import Callable

THREADS, WORK = int(sys.argv[1]), int(sys.argv[3])
DIAL = float(sys.argv[2])

Body = Callable[[int], int]


def first(thread: int) -> int:
    """Return the first unit of a thread, with equal parts for all."""
    return WORK * thread // THREADS


def picked(number: int) -> bool:
    """Whether the dial applies to this unit: a fixed random choice of the share DIAL of all units."""
    digest = hashlib.blake2b(number.to_bytes(8, "little"), digest_size=4).digest()
    return int.from_bytes(digest, "little") < DIAL * 2**32


def hashed(number: int, data: bytes) -> int:
    """Hash data and a number in C; hashlib releases the interpreter's lock for data of 2 KiB and more."""
    digest = hashlib.sha256(data)
    digest.update(number.to_bytes(8, "little"))
    return int.from_bytes(digest.digest()[:4], "little")


def counted(number: int, steps: int) -> int:
    """Compute in bytecode."""
    x = number + 1
    for _ in range(steps):
        x = (x * 69069 + 1) & 0xFFFFFFFF
    return x


def before(thread: int) -> int:
    """Return the units before a thread's; the first has 1 + DIAL times its part, the last 1 - DIAL times."""
    fair = float(thread)
    if THREADS > 1:
        fair = thread * (1 + DIAL) - DIAL * thread * (thread - 1) / (THREADS - 1)
    return round(fair / THREADS * WORK)


def in_threads(body: Body) -> int:
    """Run the body in every thread; return the sum of what they return."""
    sums = [0] * THREADS

    def run(thread: int) -> None:
        sums[thread] = body(thread)

    threads = [threading.Thread(target=run, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(sums)


def in_processes(body: Body) -> int:
    """Run the body in one process a thread; return the sum of what they return."""
    with multiprocessing.get_context("fork").Pool(THREADS) as pool:
        return sum(pool.map(body, range(THREADS), chunksize=1))
