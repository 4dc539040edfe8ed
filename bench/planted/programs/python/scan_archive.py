"""Packs scanned pages for an archive: threads compress pages with zlib, which releases the interpreter's lock.

The dial is the share of pages that take the way through the spool: the page is written to a file, read back in small
pieces, packed, and the result written and read back as well. Each thread has a spool of its own, a short file without
a name that stays in the page cache and is never flushed. It looks like I/O, many calls and bytes, but nobody waits for
a disk, and two threads gain as much as without it: a decoy.
"""

import hashlib
import os
import sys
import threading
import zlib

THREADS, DIAL, PAGES = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
PAGE = 96 * 1024
PIECE = 8 * 1024
LEVEL = 4


def spooled(number: int) -> bool:
    """Whether a page takes the way through the spool: a fixed choice of the share DIAL."""
    return (number * 2654435769 + 12345) % 2**32 < DIAL * 2**32


def paper(seed: int) -> bytes:
    """Return one sheet's raster: noise of few shades with runs of white."""
    dice = hashlib.shake_128(seed.to_bytes(4, "little")).digest(24 * 96 + PAGE // 192)
    rows = [dice[at : at + 96].translate(SHADES) + bytes(96) for at in range(0, 24 * 96, 96)]
    return b"".join(rows[choice % 24] for choice in dice[24 * 96 :])


SHADES = bytes(value >> 5 for value in range(256))
SHEETS = [paper(seed) for seed in range(3)]


class Spool:
    """A file that pages pass through on their way."""

    def __init__(self) -> None:
        """Open a file without a name in the folder for temporary files."""
        self.number = os.open(os.environ.get("TMPDIR", "/tmp"), os.O_TMPFILE | os.O_RDWR, 0o600)

    def through(self, data: bytes, offset: int) -> bytes:
        """Write data and read it back in pieces."""
        os.pwrite(self.number, data, offset)
        ends = range(0, len(data), PIECE)
        return b"".join(os.pread(self.number, min(PIECE, len(data) - at), offset + at) for at in ends)


class Packer(threading.Thread):
    """Packs every page that it gets from the common pile."""

    def __init__(self, pile: list[int]) -> None:
        """Take the pile."""
        super().__init__()
        self.pile = pile
        self.sum = 0

    def run(self) -> None:
        """Pack until the pile is empty."""
        spool = Spool()
        while True:
            try:
                number = self.pile.pop()
            except IndexError:
                break
            self.sum += self.pack(number, spool)
        os.close(spool.number)

    def pack(self, number: int, spool: Spool) -> int:
        """Return the checksum of a packed page."""
        page = number.to_bytes(8, "little") + SHEETS[number % len(SHEETS)][number % 512 :]
        if spooled(number):
            page = spool.through(page, 0)
        packer = zlib.compressobj(LEVEL)
        packed = packer.compress(page) + packer.flush()
        if spooled(number):
            packed = spool.through(packed, PAGE)
        return zlib.crc32(packed)


def main() -> None:
    """Pack all pages and print the sum of their checksums."""
    pile = list(range(PAGES))
    packers = [Packer(pile) for _ in range(THREADS)]
    for packer in packers:
        packer.start()
    for packer in packers:
        packer.join()
    print(sum(packer.sum for packer in packers))


main()
