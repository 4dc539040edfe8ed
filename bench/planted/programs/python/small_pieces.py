"""Interpreter lock: threads hash buffers of 256 KiB, at once or in small pieces.

The dial is the share of the buffers that are hashed in pieces of 2000 bytes. For pieces below 2 KiB, hashlib keeps the
interpreter's lock, and releases it for longer ones. The digest is the same. The program has no lock of its own.
"""

import hashlib

import work

DATA = bytes(256 * 1024)
VIEW = memoryview(DATA)
PIECE = 2000


def in_pieces(number: int) -> int:
    """Hash like work.hashed, in pieces."""
    digest = hashlib.sha256()
    for at in range(0, len(DATA), PIECE):
        digest.update(VIEW[at : at + PIECE])
    digest.update(number.to_bytes(8, "little"))
    return int.from_bytes(digest.digest()[:4], "little")


def body(thread: int) -> int:
    """Sum the units of a thread."""
    units = range(work.first(thread), work.first(thread + 1))
    return sum(in_pieces(i) if work.picked(i) else work.hashed(i, DATA) for i in units)


print(work.in_threads(body))
