"""Seals case files for an escrow office: threads take files from a queue, derive a key for each and authenticate it.

The dial is the share of the files that belong to the office's one register, whose key is derived while the register's
condition is held. Deriving takes about a millisecond in C, without the interpreter's lock, so a thread that finds the
register taken sleeps until it is free, and another cpu is idle: that is a sleeping lock.
"""

import hashlib
import queue
import sys
import threading
from collections.abc import Iterator

THREADS, DIAL, FILES = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
ROUNDS = 1200


def case_number(index: int) -> bytes:
    """Return the salt of a case."""
    return hashlib.blake2b(index.to_bytes(8, "little"), digest_size=16).digest()


def registered(salt: bytes) -> bool:
    """Whether a case belongs to the register."""
    return int.from_bytes(salt[:4], "little") < DIAL * 2**32


class Register:
    """The office's register: the cases sealed under its one chain of custody."""

    def __init__(self) -> None:
        """Begin with no case."""
        self.changed = threading.Condition(threading.Lock())
        self.sealed = 0
        self.total = 0

    def seal(self, salt: bytes) -> None:
        """Derive and enter the seal of a case while nobody else may enter one."""
        with self.changed:
            self.total += derived(salt)
            self.sealed += 1
            self.changed.notify()

    def await_all(self, count: int) -> int:
        """Wait for that many cases; return the sum of their seals."""
        with self.changed:
            self.changed.wait_for(lambda: self.sealed == count)
            return self.total


def derived(salt: bytes) -> int:
    """Derive the seal of a case."""
    return int.from_bytes(hashlib.pbkdf2_hmac("sha256", b"escrow office", salt, ROUNDS)[:6], "little")


def salts(cases: queue.SimpleQueue[bytes | None]) -> Iterator[bytes]:
    """Take cases until the queue says that there are no more."""
    while (salt := cases.get()) is not None:
        yield salt


class Clerk(threading.Thread):
    """A thread that seals the cases it takes."""

    def __init__(self, cases: queue.SimpleQueue[bytes | None], register: Register) -> None:
        """Remember where cases come from and go to."""
        super().__init__()
        self.cases, self.register, self.total = cases, register, 0

    def run(self) -> None:
        """Seal cases, alone or in the register."""
        for salt in salts(self.cases):
            if registered(salt):
                self.register.seal(salt)
            else:
                self.total += derived(salt)


def main() -> None:
    """Hand out all cases; print the sum of all seals."""
    cases: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    register = Register()
    clerks = [Clerk(cases, register) for _ in range(THREADS)]
    expected = 0
    for index in range(FILES):
        salt = case_number(index)
        expected += registered(salt)
        cases.put(salt)
    for clerk in clerks:
        cases.put(None)
        clerk.start()
    for clerk in clerks:
        clerk.join()
    print((sum(clerk.total for clerk in clerks) + register.await_all(expected)) % 10**15)


main()
