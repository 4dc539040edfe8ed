"""Registers the punched card chains of a mill's looms: signs every chain and counts the holes in its opening cards.

Signing is one call of hashlib on a large buffer, which lets other threads run meanwhile. The holes are counted by one
call on a large integer, or, for some chains, card by card and row by row in plain Python, which keeps the interpreter
to itself. The dial is the share of the chains that are counted in the second way; both give the same number.
"""

import sys
import threading
from hashlib import sha3_512

CHAIN = 360_000  # bytes of a chain that are signed
SHIFT = 40_000
CARD, CARDS = 26, 4_000  # rows of eight holes on a card, cards that are counted
HOLES = bytes(n.bit_count() for n in range(256))


def stock(seed: bytes) -> memoryview:
    """Return the cards of the mill, from which every chain is a cut."""
    punched = bytearray()
    while len(punched) < CHAIN + SHIFT:
        seed = sha3_512(seed).digest()
        punched += seed * 200
    return memoryview(bytes(punched))


def counted_at_once(cards: memoryview) -> int:
    return int.from_bytes(cards, "little").bit_count()


def counted_by_row(cards: memoryview) -> int:
    holes = 0
    for start in range(0, len(cards), CARD):
        on_card = 0
        for row in cards[start : start + CARD]:
            on_card += HOLES[row]
        holes += on_card
    return holes


class Loom(threading.Thread):
    """A thread that registers every n-th chain."""

    def __init__(self, mill: memoryview, chains: range, share: float) -> None:
        super().__init__()
        self.mill, self.chains, self.share = mill, chains, share
        self.holes = self.seal = 0

    def run(self) -> None:
        for chain in self.chains:
            cut = chain * 977 % SHIFT
            cards = self.mill[cut : cut + CHAIN]
            self.seal ^= int.from_bytes(sha3_512(cards).digest()[:8], "little") * (chain + 1)
            opening = cards[: CARD * CARDS]
            # The golden ratio spreads the chains counted by row evenly over all.
            by_row = chain * 0.6180339887498949 % 1 < self.share
            self.holes += counted_by_row(opening) if by_row else counted_at_once(opening)


def main() -> None:
    threads, share, chains = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    mill = stock(b"jacquard")
    looms = [Loom(mill, range(chains * n // threads, chains * (n + 1) // threads), share) for n in range(threads)]
    for loom in looms:
        loom.start()
    holes = seal = 0
    for loom in looms:
        loom.join()
        holes += loom.holes
        seal ^= loom.seal
    print(f"{chains} chains, {holes} holes, seal {seal:x}")


main()
