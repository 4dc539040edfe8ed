"""Audits a vault of passwords: derives the key of every entry again, and estimates how strong some of them are.

usage: vault.py THREADS DIAL ENTRIES

Several auditors share the list of entries. DIAL is the share of the entries whose passwords were set long ago, and are
estimated again; a weak one among them ends the audit. The keys of all entries go into the audit's digest.
"""

import hashlib
import itertools
import random
import sys
import threading

ROUNDS = 400
WORDS = ["apple", "autumn", "bridge", "candle", "dragon", "ember", "forest", "garden", "harbor", "island", "jungle"]
FRAGMENTS = {word[i:j] for word in WORDS for i in range(len(word)) for j in range(i + 3, len(word) + 1)}
LOOKALIKES = str.maketrans("013457", "oleast")
RARE_BITS, WORD_BITS, WEAK_BITS = 5, 7, 20


def password_of(entry: int) -> str:
    """Return the passphrase of an entry: five words of the list, and a number."""
    draw = (entry * 2654435761 + 97) & 0xFFFFFFFF
    words = []
    for _ in range(5):
        draw = (draw * 69069 + 1) & 0xFFFFFFFF
        words.append(WORDS[(draw >> 16) % len(WORDS)])
    return "-".join(words) + str(entry)


def strength(password: str) -> int:
    """Estimate the bits of a password: those of the weakest reading, as written or as a clever user might twist it."""
    plain = password.replace("-", "")
    twists = (password, plain, password[::-1], plain[::-1], plain.translate(LOOKALIKES), plain.swapcase())
    return min(map(assembled, twists))


def assembled(password: str) -> int:
    """Return the bits of the cheapest way to put a password together from single letters and known fragments."""
    cheapest = [0]
    for end in range(1, len(password) + 1):
        bits = cheapest[end - 1] + RARE_BITS
        for begin in range(max(0, end - 8), end - 2):
            if cheapest[begin] + WORD_BITS < bits and password[begin:end] in FRAGMENTS:
                bits = cheapest[begin] + WORD_BITS
        cheapest.append(bits)
    return cheapest[-1]


class Audit:
    """The state that the auditors share."""

    def __init__(self, entries: int, old: frozenset[int]) -> None:
        self.entries = entries
        self.old = old
        self.queue = itertools.count()
        self.keys = [b""] * entries

    def work(self) -> None:
        """Take entries from the queue until none is left."""
        while (entry := next(self.queue)) < self.entries:
            password = password_of(entry)
            if entry in self.old and strength(password) < WEAK_BITS:
                raise SystemExit(f"the password of entry {entry} is weak")
            self.keys[entry] = hashlib.pbkdf2_hmac("sha256", password.encode(), b"salt%d" % entry, ROUNDS)


def main() -> None:
    """Run the audit."""
    threads, dial, entries = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    old = random.Random(7).sample(range(entries), round(dial * entries))
    audit = Audit(entries, frozenset(old))
    auditors = [threading.Thread(target=audit.work) for _ in range(threads)]
    for auditor in auditors:
        auditor.start()
    for auditor in auditors:
        auditor.join()
    digest = hashlib.sha256(b"".join(audit.keys)).hexdigest()
    print(f"{entries} entries, {digest[:16]}")


main()
