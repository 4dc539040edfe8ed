"""Interpreter lock: a ledger whose blocks are sealed, or have to be run again by a small stack machine.

The dial is the share of the blocks that are not sealed: their instructions run one by one in pure bytecode, which holds
the interpreter's lock. Of a sealed block only the digest is computed, by hashlib's BLAKE2, which releases the lock, and
the balance is taken as it stands there. Both take about as long. The program has no lock of its own.
"""

import hashlib

import work

SEALED = bytes(range(256)) * 1600
ROUNDS = 340

# Adds number + k to the balance for k from ROUNDS down to 1.
CODE = [
    ("load", 0),
    ("load", 1),
    ("add", 0),
    ("load", 2),
    ("add", 0),
    ("store", 2),
    ("load", 1),
    ("push", -1),
    ("add", 0),
]
CODE += [("store", 1), ("load", 1), ("loop", 0)]


def executed(number: int) -> int:
    """Run the instructions of a block; return its balance."""
    cells, stack, at = [number, ROUNDS, 0], [], 0
    while at < len(CODE):
        name, value = CODE[at]
        at += 1
        if name == "load":
            stack.append(cells[value])
        elif name == "store":
            cells[value] = stack.pop()
        elif name == "push":
            stack.append(value)
        elif name == "add":
            stack.append(stack.pop() + stack.pop())
        elif stack.pop() > 0:
            at = value
    return cells[2]


def sealed(number: int) -> int:
    """Check the digest of a block; return its balance."""
    digest = hashlib.blake2b(SEALED).digest()
    return ROUNDS * number + ROUNDS * (ROUNDS + 1) // 2 if len(digest) == 64 else 0


def body(thread: int) -> int:
    """Sum the balances of a thread's blocks."""
    blocks = range(work.first(thread), work.first(thread + 1))
    return sum(executed(block) if work.picked(block) else sealed(block) for block in blocks)


print(work.in_threads(body))
