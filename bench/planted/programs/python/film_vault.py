"""Film vault: threads check the reels of an archive, each reel either by its digest or field by field.

The dial is the share of the reels that are checked field by field, in bytecode, and not by a digest of the frames in
hashlib, which takes as long. Bytecode needs the interpreter's lock, which hashlib gives up meanwhile, so two threads
that check fields go one at a time. Reels come from a queue, in turn, and nothing else is shared.
"""

import hashlib
import queue
import sys
import threading

FRAMES = bytes(range(256)) * 2048
FIELDS = 1750


class Reel:
    """A reel: its number and the label that both ways of checking must agree with."""

    __slots__ = ("label", "number")

    def __init__(self, number: int) -> None:
        """Make a reel."""
        self.number = number
        self.label = int.from_bytes(hashlib.blake2b(number.to_bytes(8, "little"), digest_size=4).digest(), "little")

    def by_digest(self) -> int:
        """Check the frames' digest, in C."""
        digest = hashlib.sha256(FRAMES).digest()
        return self.label if digest[0] == EXPECTED[0] else 0

    def by_fields(self) -> int:
        """Check that the shot list adds up, in bytecode."""
        total, shot = 0, self.number
        for _ in range(FIELDS):
            shot = (shot * 69069 + 1) & 0xFFFFFFFF
            total += shot >> 28
        return self.label if total >= 0 else 0


EXPECTED = hashlib.sha256(FRAMES).digest()


def clerk(reels: queue.SimpleQueue, dial: float, totals: list[int]) -> None:
    """Check reels until there is none left."""
    total = 0
    while True:
        number = reels.get()
        if number is None:
            break
        reel = Reel(number)
        fields = reel.label < dial * 2**32
        total += reel.by_fields() if fields else reel.by_digest()
    totals.append(total)


def main() -> None:
    """Check all reels and print the sum of the labels of the good ones."""
    threads, dial, work = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    reels: queue.SimpleQueue = queue.SimpleQueue()
    totals: list[int] = []
    for number in range(work):
        reels.put(number)
    clerks = [threading.Thread(target=clerk, args=(reels, dial, totals)) for _ in range(threads)]
    for one in clerks:
        reels.put(None)
        one.start()
    for one in clerks:
        one.join()
    print(sum(totals))


main()
