"""Interpreter lock: threads load blocks of readings, which are packed as binary numbers or as text.

The dial is the share of the blocks that are text: their lines are split and summed in bytecode, which holds the
interpreter's lock. Binary blocks are only unpacked and checked by zlib, which releases it. The sum of a binary block
stands at its end. The program has no lock of its own.
"""

import zlib

import work

LINES = 5000
ROWS = [f"sensor{i % 7},{i * 37 % 1000},ok" for i in range(LINES)]
SUM = sum(i * 37 % 1000 for i in range(LINES))
TEXT = zlib.compress("\n".join(ROWS).encode(), 1)
NUMBERS = b"".join((i * 69069 % 2**20).to_bytes(3, "little") for i in range(25_000))
BINARY = zlib.compress(NUMBERS * 6 + SUM.to_bytes(8), 1)


def parsed() -> int:
    """Parse a block of text; return the sum of its readings."""
    sums: dict[str, int] = {}
    for line in zlib.decompress(TEXT).decode().split("\n"):
        name, value, state = line.split(",")
        if state == "ok":
            sums[name] = sums.get(name, 0) + int(value)
    return sum(sums.values())


def unpacked() -> int:
    """Unpack a binary block, and check it; return its sum."""
    data = zlib.decompress(BINARY)
    return int.from_bytes(data[-8:]) if zlib.crc32(data) else 0


def body(thread: int) -> int:
    """Sum the blocks of a thread."""
    blocks = range(work.first(thread), work.first(thread + 1))
    return sum((i + 1) * (parsed() if work.picked(i) else unpacked()) for i in blocks)


print(work.in_threads(body))
