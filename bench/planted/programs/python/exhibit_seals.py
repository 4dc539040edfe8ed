"""Seals the exhibits of a trial: threads hash each exhibit's bytes, and check the list of who had it.

Hashing is C, which lets go of the interpreter's lock for as long as it works on an exhibit. The dial is the share
of the
exhibits whose custody is written out, so that the list is checked entry by entry, in bytecode; that of others is
on photographs, which are hashed instead, for about as long. Threads can only check one at a time: that is the
interpreter lock.
"""

import hashlib
import itertools
import sys
import threading
import zlib
from dataclasses import dataclass

SIZE = 1 << 18
ENTRIES = 12500
ROUNDS = 6


@dataclass(frozen=True)
class Exhibit:
    """One exhibit of the trial."""

    number: int
    written_out: bool

    def seal(self, scan: bytearray) -> int:
        """Hash the scan of the exhibit."""
        return int.from_bytes(hashlib.sha1(scan).digest()[:6], "big") * (self.number + 1)

    def check(self) -> None:
        """Check that whoever took the exhibit had it from the one before."""
        holder = self.number
        for entry in range(ENTRIES):
            taker = (holder * 75 + entry) % 65537
            if taker == holder:
                taker += 1
            holder = taker
        if holder < 0:
            raise ValueError("nobody has it")

    def compare(self, photographs: memoryview) -> None:
        """Hash the photographs of its custody."""
        for _ in range(ROUNDS):
            if not hashlib.sha1(photographs).digest():
                raise ValueError("nobody has it")


def chosen(number: int, share: float) -> bool:
    """Whether the custody of an exhibit is written out: a fixed random choice."""
    return zlib.crc32(b"exhibit %d" % number) < share * 2**32


def main(threads: int, dial: float, work: int) -> None:
    """Seal all exhibits."""
    scan = bytearray(range(256)) * (SIZE // 256)
    exhibits = [Exhibit(number, chosen(number, dial)) for number in range(work)]
    seals: list[int] = []

    def clerk(own: "itertools.islice[Exhibit]") -> None:
        for exhibit in own:
            if exhibit.written_out:
                exhibit.check()
            else:
                exhibit.compare(memoryview(scan))
            seals.append(exhibit.seal(scan))

    clerks = [
        threading.Thread(target=clerk, args=(itertools.islice(exhibits, which, None, threads),))
        for which in range(threads)
    ]
    for one in clerks:
        one.start()
    for one in clerks:
        one.join()
    print(f"{sum(seals):x}")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
