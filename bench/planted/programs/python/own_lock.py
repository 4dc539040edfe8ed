"""Sleeping lock: threads hash buffers of 512 KiB, some of them while they hold the one threading.Lock.

The dial is the share of the buffers that are hashed under the lock. hashlib releases the interpreter's lock for all of
them, and there is little bytecode: it is a decoy for the interpreter lock.
"""

import threading

import work

DATA = bytes(512 * 1024)
LOCK = threading.Lock()


def body(thread: int) -> int:
    """Sum the units of a thread."""
    total = 0
    for i in range(work.first(thread), work.first(thread + 1)):
        if work.picked(i):
            with LOCK:
                total += work.hashed(i, DATA)
        else:
            total += work.hashed(i, DATA)
    return total


print(work.in_threads(body))
