"""Archive a film: worker threads compress the shots of a reel, then the mastering desk closes the reel.

Most shots go to the workers through a queue; zlib lets go of the interpreter's lock while it compresses. The dial is
the share of a reel's shots that run on into the next reel: those are compressed at the mastering desk, by the main
thread alone, once all others of the reel are back, and no worker gets a shot of the next reel before. That is a serial
part: the same shots are compressed by the same code at every dial, but for that share of them only one thread runs.
"""

import queue
import sys
import threading
import zlib
from hashlib import shake_128

REEL = 50
SHOT = 32 * 1024
FRAME_STEP = 1999
GREYS = bytes((value * value) >> 11 for value in range(256))


class Master:
    """What is known of the film so far."""

    def __init__(self) -> None:
        self.checks = 0
        self.size = 0
        self.reels: list[int] = []

    def take(self, packed: tuple[int, int]) -> None:
        self.checks = (self.checks + packed[0]) % 2**64
        self.size += packed[1]

    def close_reel(self) -> None:
        self.reels.append(self.size)


class Scan:
    """The scanned film; a shot is a window of it."""

    def __init__(self) -> None:
        self.film = memoryview(shake_128(b"reel zero").digest(SHOT * 4).translate(GREYS))

    def shot(self, number: int) -> memoryview:
        begin = number * FRAME_STEP % (len(self.film) - SHOT)
        return self.film[begin : begin + SHOT]


def pack(scan: Scan, number: int) -> tuple[int, int]:
    packed = zlib.compress(scan.shot(number), 6)
    return (zlib.crc32(packed) * (number + 1), len(packed))


class Workers:
    """Threads that pack what is on the shelf; who packs the last shot of a reel lays all of them on the desk."""

    def __init__(self, count: int, scan: Scan) -> None:
        self.scan = scan
        self.shelf: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self.desk: queue.SimpleQueue[list[tuple[int, int]]] = queue.SimpleQueue()
        self.counting = threading.Lock()
        self.missing = 0
        self.packed: list[tuple[int, int]] = []
        self.threads = [threading.Thread(target=self.work) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def work(self) -> None:
        while (number := self.shelf.get()) is not None:
            one = pack(self.scan, number)
            with self.counting:
                self.packed.append(one)
                self.missing -= 1
                last = self.missing == 0
            if last:
                self.desk.put(self.packed)

    def pack_all(self, shots: range) -> list[tuple[int, int]]:
        """Return the packed shots once there are all of them."""
        if not shots:
            return []
        self.packed, self.missing = [], len(shots)
        for number in shots:
            self.shelf.put(number)
        return self.desk.get()

    def end(self) -> None:
        for _ in self.threads:
            self.shelf.put(None)
        for thread in self.threads:
            thread.join()


def main() -> None:
    threads, dial, work = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    scan, master = Scan(), Master()
    workers = Workers(threads, scan)
    for first in range(0, work, REEL):
        end = min(first + REEL, work)
        carried_over = end - 2 * round((end - first) * dial / 2)
        for packed in workers.pack_all(range(first, carried_over)):
            master.take(packed)
        for number in range(carried_over, end):
            master.take(pack(scan, number))
        master.close_reel()
    workers.end()
    print(f"{master.checks:016x} {master.size} {sum(master.reels)}")


main()
