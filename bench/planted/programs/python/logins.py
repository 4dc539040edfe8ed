"""Sleeping lock: a server that checks logins; passwords are derived by hashlib, which releases the interpreter's lock.

The dial is the share of the accounts whose entry is old: such a login holds the table's lock from the look-up to the
new entry, while the key is derived. All others hold it only for the look-up. Both derive one key, so there is hardly
any bytecode.
"""

import hashlib
import threading

import work

ROUNDS = 1500


class Accounts:
    """Entries by name, with one lock for the table."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.entries: dict[int, bytes] = {}

    def salt(self, number: int) -> bytes:
        """Look an account up."""
        with self.lock:
            return self.entries.get(number, b"salt") + number.to_bytes(8)

    def renewed(self, number: int) -> bytes:
        """Derive a key for an old entry, and enter that it is new."""
        with self.lock:
            key = derived(number, self.salt(number))
            self.entries[number] = b"salt"
            return key


def derived(number: int, salt: bytes) -> bytes:
    """Derive the key of an account in C."""
    return hashlib.pbkdf2_hmac("sha256", b"password %d" % number, salt, ROUNDS)


def body(thread: int) -> int:
    """Sum the keys of a thread's logins."""
    total = 0
    for i in range(work.first(thread), work.first(thread + 1)):
        key = ACCOUNTS.renewed(i) if work.picked(i) else derived(i, ACCOUNTS.salt(i))
        total += int.from_bytes(key[:4])
    return total


ACCOUNTS = Accounts()
print(work.in_threads(body))
