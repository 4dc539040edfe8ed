"""Accepts the passes of a night from the gantries of a toll road, batch by batch.

A batch is either proved by the film of its camera or, where a gantry has no camera, by the check digits of its tags
(Luhn's rule). Clerks take the batches from a queue. Every batch is packed for the archive, and a film is proved by one
call of hashlib; both let other threads run. The dial is the share of the batches that have no film: their digits are
added up in Python, which takes about as long and keeps the interpreter to itself. This is the interpreter lock: the
clerks share nothing else but the queue, which they use once a batch.
"""

import hashlib
import queue
import sys
import threading
import zlib

TAG, TAGS = 16, 1200  # digits of a tag, tags in a batch
FILM = bytes(range(256)) * 6_500
SEAL = hashlib.blake2b(FILM).digest()
TWICE = [sum(divmod(2 * digit, 10)) for digit in range(10)]


def tag(number: int) -> str:
    """Return a number of 15 digits and its check digit."""
    digits = f"{number * 7_919_191 % 10 ** (TAG - 1):0{TAG - 1}}"
    odd = sum(TWICE[int(digit)] for digit in digits[::2]) + sum(int(digit) for digit in digits[1::2])
    return digits + str(-odd % 10)


def proved_by_digits(tags: bytes) -> int:
    """Return how many tags have the right check digit."""
    right = 0
    for start in range(0, len(tags), TAG):
        total = 0
        for place in range(TAG):
            digit = tags[start + place] - 48
            total += digit if place % 2 else TWICE[digit]
        right += total % 10 == 0
    return right


def proved_by_film(tags: bytes) -> int:
    return len(tags) // TAG if hashlib.blake2b(FILM).digest() == SEAL else 0


class Clerk(threading.Thread):
    def __init__(self, batches: "queue.SimpleQueue[int | None]", roll: bytes, share: float) -> None:
        super().__init__()
        self.batches, self.roll, self.share = batches, roll, share
        self.accepted = self.archived = 0

    def run(self) -> None:
        while (batch := self.batches.get()) is not None:
            start = batch * 131 % TAGS * TAG
            tags = self.roll[start : start + TAGS * TAG]
            self.archived ^= zlib.crc32(zlib.compress(tags, 4)) * (batch + 1)
            # The golden ratio spreads the gantries without a camera evenly over the night.
            blind = batch * 0.6180339887498949 % 1 < self.share
            self.accepted += proved_by_digits(tags) if blind else proved_by_film(tags)


def main() -> None:
    clerks, share, night = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    roll = "".join(tag(number) for number in range(2 * TAGS)).encode()
    batches: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    for batch in range(night):
        batches.put(batch)
    office = [Clerk(batches, roll, share) for _ in range(clerks)]
    for _ in office:
        batches.put(None)
    for clerk in office:
        clerk.start()
    accepted = archived = 0
    for clerk in office:
        clerk.join()
        accepted += clerk.accepted
        archived ^= clerk.archived
    print(f"{accepted} passes of {night} batches, archive {archived:x}")


main()
