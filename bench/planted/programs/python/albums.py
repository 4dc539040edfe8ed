"""Sleeping lock: packs the pictures of albums with zlib, and appends them to one archive behind a threading.Lock.

The dial is the share of albums that are packed with the archive locked, as writers do that stream into a file; the
others are packed before, and locked only to append. zlib releases the interpreter's lock for each picture (about
0.4 ms) and there is little bytecode beside it, so it looks like the interpreter lock and is not: a decoy.
"""

import sys
import threading
import zlib
from concurrent.futures import Future, ThreadPoolExecutor

THREADS, DIAL, WORK = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
SIDE = 160


def shade(seed: int) -> bytes:
    """Make up a picture."""
    return bytes((x * y // (seed + 3) + x * seed) & 0x3F for y in range(SIDE // 2) for x in range(SIDE)) * 2


class Archive:
    """Keeps the sizes and sums of packed pictures, in any order."""

    def __init__(self) -> None:
        """Begin an empty archive."""
        self.lock = threading.Lock()
        self.bytes = self.sum = 0

    def append(self, packed: bytes) -> None:
        """Append a picture; the archive must be locked."""
        self.bytes += len(packed)
        self.sum += zlib.crc32(packed)


class Album:
    """Two pictures that belong together."""

    pictures = tuple(shade(seed) for seed in range(4))

    def __init__(self, number: int) -> None:
        """Name an album."""
        self.number = number

    @property
    def streamed(self) -> bool:
        """Whether the dial applies."""
        return zlib.crc32(b"%d" % self.number) < DIAL * 2**32

    def packed(self, which: int) -> bytes:
        """Pack a picture."""
        picture = self.pictures[(self.number + which) % len(self.pictures)]
        return zlib.compress(picture, 6)

    def save(self, archive: Archive) -> int:
        """Put both pictures in the archive; return the album's number."""
        for which in range(2):
            if self.streamed:
                with archive.lock:
                    archive.append(self.packed(which))
            else:
                packed = self.packed(which)
                with archive.lock:
                    archive.append(packed)
        return self.number


def main() -> None:
    """Save all albums."""
    archive = Archive()
    with ThreadPoolExecutor(THREADS) as pool:
        saved: list[Future[int]] = [pool.submit(Album(number).save, archive) for number in range(WORK)]
    numbers = sum(one.result() for one in saved)
    print(f"{archive.sum + archive.bytes + numbers:016x}")


main()
