"""Decoy for the interpreter's lock: threads of one process pack a backup's slices, which they take from a queue.

The dial is the share of the slices that are fed to the packer in small pieces, each one entered into an index behind a
lock; the others are fed in a few large ones. That is many more turns at the interpreter's lock and at the index's, but
zlib lets the interpreter go while it packs, and packing is nearly all of the time: it scales well at every dial.
"""

import hashlib
import queue
import sys
import threading
import zlib

SLICE, LARGE, SMALL = 65536, 16384, 1024

threads, dial, slices = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])


class Index:
    """How many bytes of each region were packed; a lock guards all of the shelves."""

    def __init__(self, shelves: int) -> None:
        self.counts = [0] * shelves
        self.lock = threading.Lock()

    def enter(self, key: int, size: int) -> None:
        """Add a piece of this size."""
        with self.lock:
            self.counts[key % len(self.counts)] += size


class Packer(threading.Thread):
    """A thread that packs slices until the queue has none."""

    def __init__(self, disk: memoryview, todo: "queue.SimpleQueue[int]", index: Index) -> None:
        super().__init__()
        self.disk, self.todo, self.index = disk, todo, index
        self.packed, self.check = 0, 0

    def pack(self, number: int, piece: int) -> None:
        """Pack a slice, piece by piece."""
        start = number * 4099 % (len(self.disk) - SLICE)
        stream = zlib.compressobj(4)
        for begin in range(start, start + SLICE, piece):
            out = stream.compress(self.disk[begin : begin + piece])
            self.packed += len(out)
            self.index.enter(begin // LARGE, piece)
        out = stream.flush()
        self.packed += len(out)
        self.check ^= zlib.adler32(out, number)

    def run(self) -> None:
        """Take slices; the queue's order does not matter to the sums."""
        while True:
            try:
                number = self.todo.get_nowait()
            except queue.Empty:
                return
            small = number * 0x9E3779B1 % 2**32 < dial * 2**32
            self.pack(number, SMALL if small else LARGE)


def main() -> None:
    """Fill the disk and the queue, and let the packers work."""
    noise = hashlib.shake_256(b"disk").digest(1 << 18)
    alphabet = bytes(b"etaoin shrdlu\n,.cmfwypvbgkqjxz"[i % 30 if i % 3 else i % 9] for i in range(256))
    disk = noise.translate(alphabet)
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(slices):
        todo.put(number)
    index = Index(8)
    packers = [Packer(memoryview(disk), todo, index) for _ in range(threads)]
    for packer in packers:
        packer.start()
    for packer in packers:
        packer.join()
    check = 0
    for packer in packers:
        check ^= packer.check
    print(sum(packer.packed for packer in packers), sum(index.counts), f"{check:08x}")


main()
