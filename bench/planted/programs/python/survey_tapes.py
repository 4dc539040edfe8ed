"""Copies the tapes of an old seismic survey: unpacks every reel, digests its traces, and checks them against the log.

Each thread has a rack of reels, and takes from the other racks when its own is empty. Most reels carry a checksum that
zlib computes; the dial is the share of the reels that carry the old recorder's parity word instead, which is worked
out sample by sample in Python. That takes as long, but the thread holds the interpreter meanwhile, and others that come
back from zlib or hashlib have to wait for it: the interpreter lock.
"""

import hashlib
import sys
import threading
import zlib
from collections import deque
from collections.abc import Iterator

THREADS, DIAL, WORK = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
KINDS = 6
SAMPLES = 4700  # the old parity covers only these, the checksum every byte, several times over
PASSES = 16
LENGTH = 180_000


class Reel:
    """A packed reel with what the log says about it."""

    __slots__ = ("crc", "number", "packed", "parity")

    def __init__(self, number: int, packed: bytes, crc: int, parity: int) -> None:
        """Take a reel from the shelf."""
        self.number, self.packed, self.crc, self.parity = number, packed, crc, parity

    @property
    def old(self) -> bool:
        """Whether it came from the old recorder: a fixed scattered choice of the share DIAL of all reels."""
        return (self.number * 0.6180339887498949) % 1 < DIAL


def parity(traces: bytes) -> int:
    """Fold samples as the old recorder did."""
    word = 0x5A5A
    for sample in memoryview(traces)[:SAMPLES]:
        word = ((word << 1) & 0xFFFF) ^ sample ^ (word >> 11)
    return word


def checksum(traces: bytes) -> int:
    """Compute the checksum over all channels."""
    crc = 0
    for _ in range(PASSES):
        crc = zlib.crc32(traces, crc)
    return crc


def shelf() -> list[tuple[bytes, int, int]]:
    """Make the few kinds of reels there are."""
    kinds = []
    for kind in range(KINDS):
        block = b"".join(hashlib.sha256(b"%d/%d" % (kind, i)).digest() for i in range(40))
        traces = (block * (LENGTH // len(block) + 1))[:LENGTH]
        kinds.append((zlib.compress(traces, 1), checksum(traces), parity(traces)))
    return kinds


class Copier(threading.Thread):
    """Copies reels from its rack, then from the others'."""

    def __init__(self, place: int, racks: list[deque[Reel]]) -> None:
        """Stand before a rack."""
        super().__init__()
        self.racks = racks[place:] + racks[:place]
        self.copied: list[tuple[int, bytes, bool]] = []

    def reels(self) -> Iterator[Reel]:
        """Take the next from the front of its own rack, or from the back of another."""
        own, *others = self.racks
        while own:
            try:
                yield own.popleft()
            except IndexError:
                break
        for rack in others:
            while rack:
                try:
                    yield rack.pop()
                except IndexError:
                    break

    def run(self) -> None:
        """Copy until all racks are empty."""
        for reel in self.reels():
            traces = zlib.decompress(reel.packed, bufsize=LENGTH)
            digest = hashlib.sha256(traces).digest()
            right = parity(traces) == reel.parity if reel.old else checksum(traces) == reel.crc
            self.copied.append((reel.number, digest, right))


def main() -> None:
    """Copy all, and print one line about it."""
    kinds = shelf()
    racks: list[deque[Reel]] = [deque() for _ in range(THREADS)]
    for number in range(WORK):
        racks[number % THREADS].append(Reel(number, *kinds[number * 5 % KINDS]))
    copiers = [Copier(place, racks) for place in range(THREADS)]
    for copier in copiers:
        copier.start()
    for copier in copiers:
        copier.join()
    copied = sorted(entry for copier in copiers for entry in copier.copied)
    whole = hashlib.sha256(b"".join(digest for _, digest, _ in copied)).hexdigest()
    print(len(copied), sum(right for _, _, right in copied), whole[:16])


main()
