"""Sleeping lock: threads compress buffers, some of them while they hold the one semaphore of the program.

The dial is the share of the buffers that are compressed under the semaphore. zlib releases the interpreter's lock, so
it is a decoy for the interpreter lock.
"""

import threading
import zlib

import work

DATA = bytes(range(256)) * 128
GATE = threading.BoundedSemaphore(1)


def compressed(number: int) -> int:
    """Compress data that depends on the number; return a checksum."""
    return zlib.adler32(zlib.compress(number.to_bytes(8, "little") + DATA, 6))


def body(thread: int) -> int:
    """Sum the units of a thread."""
    total = 0
    for i in range(work.first(thread), work.first(thread + 1)):
        if work.picked(i):
            with GATE:
                total += compressed(i)
        else:
            total += compressed(i)
    return total


print(work.in_threads(body))
