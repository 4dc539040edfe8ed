"""Serial part: a museum labels the photographs of its objects.

A label is a fingerprint of the photograph's bytes, computed in C without the interpreter's lock. First, main labels the
photographs of the inventory alone, as all others are filed under those; then the threads label the others, in equal
parts. The dial is the share of the photographs that are in the inventory.
"""

import sys
from hashlib import md5
from itertools import pairwise
from threading import Thread
from zlib import crc32

SIZE = 400_000

PIXELS = b"\x10\x80\xf0\x33\x07" * (SIZE // 5)


class Labels(Thread):
    """Labels a range of photographs."""

    def __init__(self, numbers: range) -> None:
        super().__init__()
        self.numbers = numbers
        self.total = 0

    def run(self) -> None:
        for number in self.numbers:
            label = md5(number.to_bytes(4, "big"))
            label.update(PIXELS)
            self.total += crc32(label.digest())


def main() -> None:
    threads, dial, photographs = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    inventory = Labels(range(round(dial * photographs)))
    inventory.run()
    begin = inventory.numbers.stop
    cuts = [begin + (photographs - begin) * part // threads for part in range(threads + 1)]
    staff = [Labels(range(start, stop)) for start, stop in pairwise(cuts)]
    for one in staff:
        one.start()
    for one in staff:
        one.join()
    print("labels", inventory.total + sum(one.total for one in staff))


main()
