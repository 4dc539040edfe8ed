"""Audits a vault of DNA archives: futures check the entries of a shelf each against what the catalogue says.

A new entry is sealed by the SHA-256 of its block, which hashlib computes without the interpreter's lock; an old one has
only a weighted checksum of every so many bases, which a loop in Python computes and which takes about as long. The dial
is the share of old entries: threads run such loops one at a time only, so they wait for the interpreter lock.
"""

import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

BLOCK = 800_000
VOLUMES = 3
SHELF = 4
STRIDE = 228
MODULUS = 65_521


class Entry(NamedTuple):
    """An entry of the catalogue: which volume it holds, and which volume's marks it was filed under."""

    number: int
    volume: int
    filed: int
    old: bool


def checksum(block: memoryview) -> int:
    """Weigh every so many bases by their place."""
    low, high = 1, 0
    for base in block[::STRIDE]:
        low = (low + base) % MODULUS
        high = (high + low) % MODULUS
    return high << 16 | low


def seal(block: memoryview) -> bytes:
    """Hash a whole block."""
    return hashlib.sha256(block).digest()


class Vault:
    """The volumes, with their seals and checksums."""

    def __init__(self) -> None:
        bases = hashlib.shake_128(b"vault").digest(1 << 17) * (BLOCK // (1 << 17) + 2)
        self.blocks = [memoryview(bases)[v * 999 : v * 999 + BLOCK] for v in range(VOLUMES)]
        self.seals = [seal(block) for block in self.blocks]
        self.checksums = [checksum(block) for block in self.blocks]

    def intact(self, entry: Entry) -> bool:
        """Whether the block is the one that the catalogue's mark was made from."""
        block = self.blocks[entry.volume]
        if entry.old:
            return checksum(block) == self.checksums[entry.filed]
        return seal(block) == self.seals[entry.filed]

    def audit(self, shelf: list[Entry]) -> int:
        """Add up the numbers of the intact entries."""
        return sum(entry.number for entry in shelf if self.intact(entry))


def catalogue(share: float, entries: int) -> list[Entry]:
    """List the entries; every 16th or so is misfiled."""
    listed = []
    for number in range(1, entries + 1):
        mixed = (number * 0x9E3779B97F4A7C15 & (1 << 64) - 1) * 0xD6E8FEB86659FD93 >> 40 & 0xFFFFFFFF
        volume = mixed % VOLUMES
        filed = (volume + (mixed >> 8 & 15 == 0)) % VOLUMES
        old = (mixed * 0x85EBCA6B & 0xFFFFFFFF) < share * 2**32
        listed.append(Entry(number, volume, filed, old))
    return listed


def main() -> None:
    """Audit all shelves and print the sum."""
    threads, share, entries = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    vault = Vault()
    listed = catalogue(share, entries)
    with ThreadPoolExecutor(threads) as auditors:
        shelves = [auditors.submit(vault.audit, listed[i : i + SHELF]) for i in range(0, entries, SHELF)]
        print(sum(shelf.result() for shelf in as_completed(shelves)))


main()
