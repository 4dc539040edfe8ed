"""A backup that stores every block once: blocks are checked, hashed, and packed when they are new.

    python3.11 backup.py THREADS DIAL WORK

The library of the compressor checks, hashes and packs blocks in C, without the interpreter's lock. Blocks of the
archive's first generation carry another checksum, for which there is but the portable code below: DIAL hundredths of
the blocks' bytes are of that kind. WORK is the number of blocks.
"""

from __future__ import annotations

import hashlib
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

BLOCK = 48 * 1024


@dataclass(frozen=True)
class Block:
    """A block as it lies on the disk."""

    path: str
    data: bytes
    legacy: int
    """How many of its bytes the old checksum covers."""


@dataclass(frozen=True)
class Stored:
    """What the archive knows of a block."""

    key: str
    packed: int
    check: int


def blocks(count: int, share: float) -> Iterator[Block]:
    """Read the blocks of a tree of files, some of which are copies."""
    seed = hashlib.shake_128(b"files").digest(BLOCK // 3)
    for number in range(count):
        content = number - 3 if number % 5 == 4 else number
        at = content * 577 % len(seed)
        text = seed[at:] + content.to_bytes(4, "big") + seed[:at] + seed
        yield Block(f"home/{number // 50:03}/{number:05}", text[:BLOCK], int(share * BLOCK / 100))


def fletcher(data: bytes) -> int:
    """Fletcher's checksum of 32 bits, as the first generation of archives has it."""
    low = high = 0xFFFF
    for byte in data:
        low = (low + byte) % 65535
        high = (high + low) % 65535
    return high << 16 | low


class Archive:
    """The blocks that are stored, by what is in them."""

    def __init__(self) -> None:
        self.known: dict[str, Stored] = {}
        self.legacy: list[int] = []

    def store(self, block: Block) -> Stored:
        """Check a block, and pack it unless the archive has it."""
        if block.legacy:
            self.legacy.append(fletcher(block.data[: block.legacy]))
        key = hashlib.sha256(block.data).hexdigest()
        found = self.known.get(key)
        if found is None:
            packed = zlib.compress(block.data, 1)
            found = self.known.setdefault(key, Stored(key, len(packed), zlib.crc32(block.data)))
        return found


def main(threads: int, share: float, count: int) -> None:
    """Back the blocks up; print what they add up to."""
    archive = Archive()
    digest = hashlib.sha256()
    packed = 0
    with ThreadPoolExecutor(threads) as pool:
        for stored in pool.map(archive.store, blocks(count, share)):
            digest.update(stored.key.encode())
            packed += stored.check % 1000
    print(len(archive.known), packed, digest.hexdigest()[:16])


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
