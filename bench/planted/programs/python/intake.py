"""Interpreter lock: an archive takes in blocks of data from a queue, checks each and packs it.

The dial is the share of blocks from old senders: these are checked in plain Python (Adler-32, byte by byte) and kept as
they are. All other blocks are checked and packed by zlib, which releases the interpreter's lock, and takes about as
long. Both ways find the same sum; no thread waits for a lock of the program's own.
"""

import queue
import random
import sys
import threading
import zlib

THREADS, DIAL, WORK = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
SIZE = 24 * 1024
HEAD = 9000  # The bytes that the sum is of.


def plain_adler(data: bytes) -> int:
    """Compute what zlib.adler32 does, in bytecode."""
    a, b = 1, 0
    for byte in data:
        a += byte
        b += a
    return (b % 65521) << 16 | a % 65521


class Sender:
    """Knows what a sender's blocks look like, and how old its software is."""

    def __init__(self) -> None:
        """Make up text for all blocks to be cut from."""
        source = random.Random(11)
        words = ["".join(source.choices("etaoinshrdlu", k=source.randint(2, 8))) for _ in range(300)]
        self.text = " ".join(source.choices(words, k=12000)).encode()

    def block(self, number: int) -> bytes:
        """Return a block's data."""
        at = number * 7919 % (len(self.text) - SIZE)
        return self.text[at : at + SIZE]

    @staticmethod
    def old(number: int) -> bool:
        """Whether a block's sender is old."""
        return zlib.crc32(number.to_bytes(4, "little")) < DIAL * 2**32


class Intake(threading.Thread):
    """Takes blocks until there are no more."""

    def __init__(self, sender: Sender, numbers: "queue.SimpleQueue[int | None]") -> None:
        """Prepare a thread that is not started yet."""
        super().__init__()
        self.sender, self.numbers = sender, numbers
        self.sum = self.kept = 0

    def run(self) -> None:
        """Check and keep the blocks."""
        while (number := self.numbers.get()) is not None:
            block = self.sender.block(number)
            if self.sender.old(number):
                self.sum += plain_adler(block[:HEAD])
                self.kept += len(block)
            else:
                self.sum += zlib.adler32(block[:HEAD])
                self.kept += len(zlib.compress(block, 4))


def main() -> None:
    """Take in all blocks."""
    sender = Sender()
    numbers: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    for number in range(WORK):
        numbers.put(number)
    for _ in range(THREADS):
        numbers.put(None)
    takers = [Intake(sender, numbers) for _ in range(THREADS)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    print(f"{sum(taker.sum for taker in takers):016x}")


if __name__ == "__main__":
    main()
