"""Imbalance: diary texts of kelp forest transects are packed, each by one of the archive's hands.

Transects differ in length: a few are swum for an hour, most are over soon. Every hand gets as many transects as the
others, one after the other in the order of the list. The dial says how far the list is sorted by length: at 0 it is in
the order of a lottery, at 1 the longest come first. zlib releases the interpreter's lock while it packs.
"""

import random
import sys
import threading
import zlib
from typing import NamedTuple

hands, sortedness, count = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])

SEEN = ["kelp", "urchin", "sea star", "bat ray", "abalone", "turf", "sand", "garibaldi", "holdfast", "canopy"]


class Transect(NamedTuple):
    """A line that was swum, and what the diver wrote."""

    number: int
    rank: float
    lot: float
    note: bytes


def swim(number: int, book: bytes) -> Transect:
    """Make up a transect; the lengths follow a power law, of which every 16 transects have all values."""
    step = (number * 7) % 16
    length = int(1800 + 36000 * (1 - step / 16) ** 3)
    start = number * 613 % (len(book) - length)
    # The lottery deals by halves: of each pair of neighbours in length one is early and the other late.
    early = (number // 16 + step) % 2
    return Transect(number, step / 16, early * 0.5 + (number * 0.618034 % 1) / 2, book[start : start + length])


def pack(transects: list[Transect], sums: list[int], hand: int) -> None:
    """Pack a hand's transects, and leave the sum of the sizes."""
    total = 0
    for transect in transects:
        total += len(zlib.compress(transect.note, 9)) * (transect.number % 101 + 1)
    sums[hand] = total


def main() -> None:
    """Make the list, deal it, and print what all hands packed."""
    pen = random.Random(40)
    book = " ".join(f"{thing} {pen.randint(1, 99)}" for thing in pen.choices(SEEN, k=3000)).encode() * 2
    transects = [swim(number, book) for number in range(count)]
    transects.sort(key=lambda one: (1 - sortedness) * one.lot + sortedness * one.rank)
    sums = [0] * hands
    team = [
        threading.Thread(target=pack, args=(transects[count * h // hands : count * (h + 1) // hands], sums, h))
        for h in range(hands)
    ]
    for hand in team:
        hand.start()
    for hand in team:
        hand.join()
    print(sum(sums))


if __name__ == "__main__":
    main()
