"""Checks the extents of disk images: threads of a pool compute the Adler-32 checksum of each extent.

An extent is a pattern that repeats. Expanded extents are summed by zlib, which releases the interpreter's lock. The
dial is the share of the extents that are kept as pattern and count, and are summed in bytecode over one pattern, with a
closed form for its repeats. Bytecode holds the interpreter's lock, so the other thread waits: interpreter lock. Both
ways take about the same time on one thread.
"""

import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

MODULUS = 65521
PATTERN, REPEATS, IMAGES = 4096, 128, 6


def repeated(pattern: bytes, count: int, start: int) -> int:
    """Compute what zlib.adler32(pattern * count, start) does, in bytecode, from one pattern."""
    total = rising = 0
    for byte in pattern:
        total += byte
        rising += total
    low, high = start & 0xFFFF, start >> 16
    length = len(pattern)
    high += count * (length * low + rising) + length * total * (count * (count - 1) // 2)
    return high % MODULUS << 16 | (low + count * total) % MODULUS


class Disk:
    """Extents, each with a number of its own to start the checksum from."""

    def __init__(self, dial: float) -> None:
        """Make the patterns and their images."""
        self.patterns = [
            bytes((i * i * (7 + image) + 31 * i >> 4) & 0xFF for i in range(PATTERN)) for image in range(IMAGES)
        ]
        self.images = [pattern * REPEATS for pattern in self.patterns]
        self.limit = dial * 2**32

    def checksum(self, extent: int) -> int:
        """Sum an extent in the way that it is kept."""
        start = extent % 65000 << 16 | 1 + extent % 64000
        which = extent % IMAGES
        if zlib.crc32(extent.to_bytes(8, "little")) < self.limit:
            return repeated(self.patterns[which], REPEATS, start)
        return zlib.adler32(self.images[which], start)

    def check(self, extents: range) -> int:
        """Sum the checksums of some extents."""
        return sum(map(self.checksum, extents))


def main() -> None:
    """Check all extents in groups of 20."""
    threads, dial, work = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    disk = Disk(dial)
    with ThreadPoolExecutor(threads) as pool:
        groups = [pool.submit(disk.check, range(i, min(i + 20, work))) for i in range(0, work, 20)]
        print(sum(group.result() for group in groups))


main()
