"""Imports accounts into a password vault: workers take accounts from a queue, derive a key for each in C, without the
interpreter's lock, and note it in the audit journal.

The dial is the share of the accounts that are noted durably, before and after the derivation: a block is appended to
the journal past the page cache, and the worker waits for the disk. The disk takes one such block after another whatever
the number of threads, so two threads wait for I/O as long as one. The other accounts are noted in memory only.
"""

import hashlib
import mmap
import os
import queue
import sys
import threading
from pathlib import Path

THREADS, DIAL, WORK = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
ROUNDS = 480
BLOCK = 4096
SEVERAL = 8


class Journal:
    """An append-only file of whole blocks in TMPDIR, gone as soon as it is closed."""

    def __init__(self) -> None:
        name = Path(os.environ.get("TMPDIR", "/tmp")) / f"vault-{os.getpid()}.journal"
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | os.O_DSYNC
        try:
            self.file = os.open(name, flags | os.O_DIRECT, 0o600)
        except OSError:
            name.unlink(missing_ok=True)
            self.file = os.open(name, flags, 0o600)
        name.unlink()


class Clerk(threading.Thread):
    """A worker with a page-aligned block of its own to write from."""

    def __init__(self, accounts: "queue.SimpleQueue[range | None]", journal: Journal) -> None:
        super().__init__()
        self.accounts = accounts
        self.journal = journal
        self.block = mmap.mmap(-1, BLOCK)
        self.noted: list[bytes] = []
        self.folded = 0

    def note(self, entry: bytes, durably: bool) -> None:
        """Note an entry in the journal, or in memory."""
        if durably:
            self.block[: len(entry)] = entry
            os.write(self.journal.file, self.block)
        else:
            self.noted.append(entry)

    def run(self) -> None:
        """Import accounts until there are no more."""
        while (batch := self.accounts.get()) is not None:
            for number in batch:
                salt = hashlib.blake2b(b"salt %d" % number, digest_size=16).digest()
                durably = int.from_bytes(salt[:4], "big") < DIAL * 2**32
                self.note(b"begin %d" % number, durably)
                key = hashlib.pbkdf2_hmac("sha256", b"secret of %d" % number, salt, ROUNDS)
                self.note(b"done %d" % number, durably)
                self.folded ^= int.from_bytes(key[:8], "big")


def main() -> None:
    """Feed the clerks, wait for them and print what they folded."""
    accounts: queue.SimpleQueue[range | None] = queue.SimpleQueue()
    for begin in range(0, WORK, SEVERAL):
        accounts.put(range(begin, min(begin + SEVERAL, WORK)))
    journal = Journal()
    clerks = [Clerk(accounts, journal) for _ in range(THREADS)]
    for clerk in clerks:
        accounts.put(None)
        clerk.start()
    folded = 0
    for clerk in clerks:
        clerk.join()
        folded ^= clerk.folded
    print(f"{folded:016x}")


main()
