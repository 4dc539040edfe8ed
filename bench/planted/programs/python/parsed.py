"""Interpreter lock: threads hash buffers, or parse text, which takes about as long.

The dial is the share of the units that parse. The parser is C as well, but makes objects, so it keeps the interpreter's
lock; hashlib releases it. The program has no lock of its own.
"""

import json

import work

DATA = bytes(300_000)
ROWS = 260
TEXT = json.dumps([{"name": f"row {i}", "values": [i, i / 7, None]} for i in range(ROWS)])


def parsed() -> int:
    """Parse the text; return how many rows have their values."""
    return sum(len(row["values"]) == 3 for row in json.loads(TEXT))


def body(thread: int) -> int:
    """Sum the units of a thread: both kinds give the same for one number."""
    total = 0
    for i in range(work.first(thread), work.first(thread + 1)):
        rows = parsed() if work.picked(i) else ROWS * (work.hashed(i, DATA) >= 0)
        total += i + rows
    return total


print(work.in_threads(body))
